#!/usr/bin/env python3
"""Fits the weights of recall (memory/retrieval_weights.json) to signals of the recall benchmarks.

    liubai bench locomo --embedder multilingual-e5-small --signals locomo.jsonl
    liubai bench longmemeval --signals longmemeval.jsonl
    tools/fit_weights.py --group turn_vectors --fit conv-26,conv-30 locomo.jsonl \
        --write memory/retrieval_weights.json

The score of a unit is the sum of weight times share over its fields. The weights are those under
which, on average over questions, the units that hold the answer are likeliest to be drawn first
(softmax over a question's candidates; Adam; a pull towards the weights that the file has). Only
questions of the groups named by --fit are used; figures are printed for these and for the others.
Needs numpy.
"""
import argparse
import hashlib
import json

import numpy as np

DEPTHS = (1, 5, 10, 25)
# Group: unit, with vectors, in a talk that asks nothing.
CONTENT = ("words", "words_around", "meaning", "meaning_around", "tokens", "tokens_around")
UNITS = {"turn_words": ("turn", False, False), "turn_vectors": ("turn", True, False),
         "talk_words": ("turn", False, True), "talk_vectors": ("turn", True, True),
         "session_words": ("session", False, False), "session_vectors": ("session", True, False)}


def load(paths, group, fields):
    unit, vectors, talk = UNITS[group]
    questions = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                row = json.loads(line)
                if row["unit"] != unit or row.get("talk", False) != talk or not row["evidence"]:
                    continue
                if vectors != row["vectors"]:
                    continue
                candidates = row["candidates"]
                shares = np.zeros((len(candidates), len(fields)))
                holds = np.zeros(len(candidates))
                for i, (answer, values) in enumerate(candidates):
                    holds[i] = answer
                    for name, value in values.items():
                        if name in fields:
                            shares[i, fields.index(name)] = value
                questions.append((row["group"], row["kind"], row["evidence"], shares, holds))
    return questions


def fit(questions, start, least, pull, steps, weight_of):
    data = [(s, h, weight_of[g]) for g, _, _, s, h in questions if h.sum() > 0]
    total = sum(w for _, _, w in data)
    weights = start.copy()
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        gradient = np.zeros_like(weights)
        for shares, holds, weight in data:
            scores = shares @ weights
            chance = np.exp(scores - scores.max())
            chance /= chance.sum()
            gradient += weight * ((holds / holds.sum()) @ shares - chance @ shares)
        gradient = gradient / total - pull * (weights - start)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient * gradient
        weights = weights + 0.1 * (first / (1 - 0.9 ** step)) / (np.sqrt(second / (1 - 0.999 ** step)) + 1e-8)
        weights = np.maximum(weights, least)
    return weights


def fit_relevance(paths, group, chosen, fields, keep):
    """Logistic regression of hits that hold the answer against all hits of questions that nothing
    answers; both sides count the same. `least` keeps the share `keep` of the former."""
    rows, own, used = [], [], []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                if row["unit"] != "relevance" or row["vectors"] != (group == "relevance_vectors"):
                    continue
                for answer, values in row["candidates"]:
                    rows.append([values[name] for name in fields])
                    own.append(answer)
                    used.append(not chosen or row["group"] in chosen)
    rows, own, used = np.array(rows), np.array(own), np.array(used)
    mean, spread = rows.mean(0), rows.std(0) + 1e-9
    design = np.c_[(rows - mean) / spread, np.ones(len(rows))]
    weight = np.where(own == 1, 0.5 / max(own[used].sum(), 1), 0.5 / max((1 - own[used]).sum(), 1)) * used
    solution = np.zeros(design.shape[1])
    for _ in range(4000):
        chance = 1 / (1 + np.exp(-design @ solution))
        solution += 5 * (design.T @ (weight * (own - chance)) - 1e-4 * solution)
        solution[:-1] = np.maximum(solution[:-1], 0)
    chance = 1 / (1 + np.exp(-design @ solution))
    least = float(np.quantile(chance[(own == 1) & used], 1 - keep))
    for name, part in (("fitted on", used), ("not fitted on", ~used)):
        if part.any():
            print(f"{name}: of {int((own * part).sum())} hits that hold the answer "
                  f"{(chance[(own == 1) & part] >= least).mean() * 100:.1f} % are kept, "
                  f"of {int(((1 - own) * part).sum())} that answer nothing "
                  f"{(chance[(own == 0) & part] >= least).mean() * 100:.1f} %")
    result = {name: round(float(solution[i] / spread[i]), 4) for i, name in enumerate(fields)}
    result["bias"] = round(float(solution[-1] - (solution[:-1] * mean / spread).sum()), 4)
    result["least"] = round(least, 4)
    return result, int(used.sum())


def figures(questions, weights):
    rows, kinds = [], {}
    for _, kind, evidence, shares, holds in questions:
        found = holds[np.argsort(-(shares @ weights), kind="stable")]
        row = [found[:depth].sum() / evidence for depth in DEPTHS]
        row += [float(found[:depth].sum() >= min(evidence, depth)) for depth in DEPTHS]
        rows.append(row)
        kinds.setdefault(kind, []).append(row)
    return (np.mean(rows, 0) * 100 if rows else None,
            {kind: np.mean(part, 0) * 100 for kind, part in sorted(kinds.items())})


def show(name, questions, weights):
    mean, kinds = figures(questions, weights)
    if mean is None:
        return
    line = " ".join(f"{value:.1f}" for value in mean[:4])
    every = " ".join(f"{value:.1f}" for value in mean[4:])
    parts = " ".join(f"{kind}:{row[2]:.1f}/{row[5]:.1f}" for kind, row in kinds.items())
    print(f"{name:24} n={len(questions):4} fraction@1/5/10/25 {line}  all {every}  | @10/all@5 by kind {parts}")


def write(known, options, chosen, count, result):
    digest = hashlib.sha256()
    for path in options.signals:
        with open(path, "rb") as file:
            digest.update(file.read())
    known[options.group].update(result)
    known["provenance"][options.group] = {"fitted_on": chosen, "questions": count, "carried": options.carry, "weighed": options.weigh,
                                          "signals_sha256": digest.hexdigest()}
    with open(options.write, "w", encoding="utf-8") as file:
        json.dump(known, file, indent=2)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("signals", nargs="+")
    parser.add_argument("--group", required=True, choices=sorted(UNITS) + ["relevance_vectors", "relevance_words"])
    parser.add_argument("--weights", default="memory/retrieval_weights.json")
    parser.add_argument("--fit", default="", help="groups of questions to fit on, joined by commas")
    parser.add_argument("--leave-out", action="store_true",
                        help="for measuring: fit on all groups but one, in turn")
    parser.add_argument("--fix", default="", help="fields whose weight stays, joined by commas")
    parser.add_argument("--carry", metavar="GROUP:FIELDS", default="",
                        help="take fields that these questions cannot tell of from another group,\n"
                             "in proportion to what both give to what a turn says")
    parser.add_argument("--weigh", default="", metavar="GROUP=W,...",
                        help="how much a question of a group counts in the fit (default 1)")
    parser.add_argument("--keep", type=float, default=0.97,
                        help="of relevance: this share of the hits that hold the answer is kept")
    parser.add_argument("--pull", type=float, default=0.003, help="towards the weights of the file")
    parser.add_argument("--scale", type=float, default=4.0, help="of the file's weights at the start")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--write", metavar="FILE", help="put the weights into this file")
    options = parser.parse_args()
    with open(options.weights, encoding="utf-8") as file:
        known = json.load(file)
    if options.group.startswith("relevance"):
        fields = ["covered", "around"]
        if options.group == "relevance_vectors":
            fields += ["tokens", "deviations"]
        chosen = options.fit.split(",") if options.fit else []
        result, used = fit_relevance(options.signals, options.group, chosen, fields, options.keep)
        print(json.dumps(result))
        if options.write:
            write(known, options, chosen, used, result)
        return
    fields = list(known[options.group])
    start = np.array([known[options.group][name] for name in fields]) * options.scale
    # That a turn holds the question's own words must never count against it.
    least = np.array([-np.inf if name == "asks" else 0.2 if name == "words" else 0.0 for name in fields])
    questions = load(options.signals, options.group, fields)
    groups = sorted({q[0] for q in questions})
    sizes = {g: sum(1 for q in questions if q[0] == g) for g in groups}
    weight_of = {g: 1.0 for g in sizes}
    for part in filter(None, options.weigh.split(",")):
        group, _, weight = part.partition("=")
        if group not in weight_of:
            parser.error(f"--weigh {part}: the signals have the groups {groups}")
        weight_of[group] = float(weight)
    show("the file's, all", questions, start)
    if options.leave_out:
        rows = []
        for left in groups:
            weights = fit([q for q in questions if q[0] != left], start, least, options.pull, options.steps, weight_of)
            rows += [(q, weights) for q in questions if q[0] == left]
        for kind in ["all"] + sorted({q[1] for q in questions}):
            part = [figures([q], w)[0] for q, w in rows if kind in ("all", q[1])]
            print(f"each left out in turn, {kind:6} n={len(part):4} fraction@1/5/10/25",
                  " ".join(f"{v:.1f}" for v in np.mean(part, 0)[:4]))
    chosen = options.fit.split(",") if options.fit else groups
    used = [q for q in questions if q[0] in chosen]
    rest = [q for q in questions if q[0] not in chosen]
    if not any(q[4].sum() for q in used):
        parser.error(f"no question of {chosen} in the signals has an answer among its candidates for {options.group}")
    weights = fit(used, start, least, options.pull, options.steps, weight_of)
    for name in filter(None, options.fix.split(",")):
        weights[fields.index(name)] = start[fields.index(name)]
    show("the file's, not fitted", rest, start)
    show("fitted on", used, weights)
    show("not fitted on", rest, weights)
    if options.carry:
        source, _, names = options.carry.partition(":")
        other = known[source]
        ratio = (sum(weights[fields.index(name)] for name in CONTENT) / sum(other[name] for name in CONTENT))
        for name in names.split(","):
            weights[fields.index(name)] = other[name] * ratio
    scale = max(abs(weights).max(), 1e-9)
    result = {name: round(float(weights[i] / scale), 3) for i, name in enumerate(fields)}
    print(json.dumps(result))
    if options.write:
        write(known, options, chosen, len(used), result)


if __name__ == "__main__":
    main()
