"""The measuring half of tools/bench_peers.sh, which prepares both sides and says how to run it.

Each measure runs ours, peer, ours, peer, ...; medians are compared. A figure below what is required is
printed as such: this program's exit status says only whether everything could be measured.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys

MEGABYTE = 1000 * 1000


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        sys.exit(f"error: {' '.join(command)}: exit code {done.returncode}: {last[0]}")
    return json.loads(done.stdout)


class Bench:
    def __init__(self, options):
        self.options = options
        self.measures = []
        self.peaks = {}  # By model: the bench's report with the highest peak.
        self.limits = []  # What memory allows, in the runs of the measure under way; tokens/s.
        self.isa = None

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    # --- Ours ---

    def liubai(self, *arguments):
        report = run([self.options.liubai, "bench", *arguments, "--json"])
        self.isa = report.get("isa") or report["model"]["isa"]
        return report

    def ours_engine(self, kind, model, tokens, depth):
        report = self.liubai(
            kind, "-m", model, "-t", str(self.options.threads), "-n", str(tokens),
            "-d", str(depth), "-r", "1",
        )  # fmt: skip
        limit = 1.3 * report["model"]["file_bytes"] + report["model"]["kv_budget_bytes"]
        if "memory_limit_tokens_per_second" in report:
            self.limits.append(report["memory_limit_tokens_per_second"])
        self.note_peak(f"{model} {kind}" + (f" at depth {depth}" if depth else ""), report, limit)
        return report["tokens_per_second"]["median"]

    def ours_embed(self):
        report = self.liubai(
            "embed", "--embedder", "all-minilm-l6-v2", "--embedder-threads",
            str(self.options.threads), "-n", str(self.options.texts), "-r", "1",
            "--singles", "0", "--save-texts", self.options.texts_file,
        )  # fmt: skip
        file_bytes = os.path.getsize(self.options.minilm_gguf)
        self.note_peak("all-minilm-l6-v2 embed", report, 1.3 * file_bytes)
        self.tokens_per_text = report["tokens_per_text"]
        return report["texts_per_second"]["median"]

    def note_peak(self, what, report, limit):
        peak = report["peak_memory_bytes"]
        known = self.peaks.get(what)
        if known is None or peak > known["peak_bytes"]:
            self.peaks[what] = {"peak_bytes": peak, "limit_bytes": int(limit + 100 * MEGABYTE)}

    # --- Peers ---

    def llama_bench(self, model, prompt, generate, depth):
        command = [
            self.options.llama_bench, "-m", self.options.gguf[model],
            "-t", str(self.options.threads), "-p", str(prompt), "-n", str(generate),
            "-d", str(depth), "-r", "1", "-o", "json",
        ]  # fmt: skip
        if depth:
            command += ["-fa", "1"]
        return run(command)[0]["avg_ts"]

    def ort(self):
        return run(
            [self.options.python, self.options.ort_script, "time", self.options.onnx,
             self.options.minilm_folder, self.options.texts_file, str(self.options.threads)]
        )["texts_per_second"]  # fmt: skip

    # --- Both ---

    def compare(self, name, unit, required, peer_name, ours, peer, **sizes):
        ours_values, peer_values, self.limits = [], [], []
        for pair in range(self.options.pairs):
            self.say(f"    {name}: pair {pair + 1} of {self.options.pairs}")
            ours_values.append(ours())
            peer_values.append(peer())
        ratio = statistics.median(ours_values) / statistics.median(peer_values)
        self.measures.append(
            {
                "measure": name,
                "unit": unit,
                "peer_name": peer_name,
                "ours": statistics.median(ours_values),
                "peer": statistics.median(peer_values),
                "ratio": ratio,
                "required": required,
                "reached": ratio >= required,
                "ours_runs": ours_values,
                "peer_runs": peer_values,
                "sizes": sizes,
            }
        )
        if self.limits:
            self.measures[-1]["memory_limit"] = statistics.median(self.limits)
        if not self.options.json:
            self.print_line(self.measures[-1])

    @staticmethod
    def print_line(m):
        verdict = "reached" if m["reached"] else "NOT REACHED"
        limit = m.get("memory_limit")
        of_limit = f"; {m['ours'] / limit:.0%} of memory's {limit:.0f}" if limit else ""
        print(
            f"{m['measure']:<48} ours {m['ours']:8.1f}  {m['peer_name']} {m['peer']:8.1f} "
            f"{m['unit']}  ratio {m['ratio']:5.2f}  required {m['required']:.2f}  {verdict}{of_limit}",
            flush=True,
        )

    def memory(self):
        for what, peak in self.peaks.items():
            reached = peak["peak_bytes"] <= peak["limit_bytes"]
            ratio = peak["peak_bytes"] / peak["limit_bytes"]
            self.measures.append(
                {
                    "measure": f"peak memory, {what}",
                    "unit": "bytes",
                    "ours": peak["peak_bytes"],
                    "limit": peak["limit_bytes"],
                    "ratio": ratio,
                    "required": 1.0,
                    "reached": reached,
                }
            )
            if not self.options.json:
                print(
                    f"{'peak memory, ' + what:<48} ours {peak['peak_bytes'] / MEGABYTE:8.1f}  limit "
                    f"{peak['limit_bytes'] / MEGABYTE:8.1f} MB  {'reached' if reached else 'NOT REACHED'}"
                )

    def all(self):
        o = self.options
        generate, depth = (32, 1000) if o.quick else (128, 7000)
        for model, required in (("smollm2-135m", 1.3), ("qwen2.5-coder-0.5b", 1.2)):
            self.compare(
                f"decode {generate}, {model}", "tokens/s", required, "llama.cpp",
                lambda: self.ours_engine("decode", model, generate, 0),
                lambda: self.llama_bench(model, 0, generate, 0),
                tokens=generate, depth=0,
            )  # fmt: skip
        self.compare(
            f"decode at depth {depth}, smollm2-135m", "tokens/s", 1.5, "llama.cpp",
            lambda: self.ours_engine("decode", "smollm2-135m", 64, depth),
            lambda: self.llama_bench("smollm2-135m", 0, 64, depth),
            tokens=64, depth=depth, ours_kv="q8", peer_kv="f16, -fa 1",
        )  # fmt: skip
        for model, required in (("smollm2-135m", 2.0), ("qwen2.5-coder-0.5b", 1.5)):
            self.compare(
                f"prefill 512, {model}", "tokens/s", required, "llama.cpp",
                lambda: self.ours_engine("prefill", model, 512, 0),
                lambda: self.llama_bench(model, 512, 0, 0),
                tokens=512, depth=0,
            )  # fmt: skip
        self.compare(
            f"embed {o.texts} chat turns, all-minilm-l6-v2", "texts/s", 1.5, "ONNX Runtime f32",
            self.ours_embed, self.ort, texts=o.texts,
        )  # fmt: skip
        self.measures[-1]["sizes"]["tokens_per_text"] = self.tokens_per_text
        self.memory()


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser()
    for name in ("liubai", "llama-bench", "python", "ort-script", "onnx", "minilm-folder",
                 "minilm-gguf", "texts-file"):  # fmt: skip
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--gguf", action="append", required=True, help="MODEL=FILE")
    parser.add_argument("--peer-version", action="append", default=[], help="PEER=VERSION")
    parser.add_argument("--least-cosine", type=float, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--texts", type=int, default=1500)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.gguf = dict(pair.split("=", 1) for pair in options.gguf)
    versions = dict(pair.split("=", 1) for pair in options.peer_version)

    bench = Bench(options)
    load = os.getloadavg()[0]
    if load > 0.5:
        bench.say(f"WARNING: other programs keep {load:.1f} processors busy; ratios are rough")
    bench.all()
    report = {
        "bench": "peers",
        "quick": options.quick,
        "pairs": options.pairs,
        "threads": options.threads,
        "cpu": cpu_model(),
        "isa": bench.isa,
        "load_before": load,
        "peers": versions,
        "onnx_least_cosine": options.least_cosine,
        "measures": bench.measures,
    }
    if options.json:
        print(json.dumps(report))
        return
    print(
        f"{options.threads} threads, median of {options.pairs} alternating pairs, {report['cpu']}, "
        f"{bench.isa}; KV cache q8 (ours), f16 (llama.cpp); "
        + ", ".join(f"{name} {version}" for name, version in versions.items())
    )
    if options.quick:
        print("--quick: short runs that show that everything works; their ratios do not count")


if __name__ == "__main__":
    main()
