#!/usr/bin/env python3
"""Asks the demo's questions with and without memory and prints both answers side by side.

Usage: ask_all.py LIUBAI STORE QUESTIONS MODEL
"""
import json
import re
import subprocess
import sys

liubai, store, questions, model = sys.argv[1:5]


def ask(question, memories):
    run = subprocess.run(
        [liubai, "ask", "--json", "--store", store, "-m", model, "-k", str(memories), question],
        capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr.strip() or f"liubai ask failed with {run.returncode}")
    return json.loads(run.stdout)


DOES_NOT_KNOW = re.compile(r"(do(es)? not|don't|doesn't|cannot|can't) (know|hold|mention|tell|say)|not mention|"
                           r"no (memory|information)|nothing|不知道|没有(提|记|相关|找到)|无法", re.I)


def right(question, answer):
    text = answer.lower()
    if any(re.search(pattern, text) for pattern in question["forbid"]):
        return False
    if not question["answerable"]:
        return DOES_NOT_KNOW.search(answer) is not None
    return any(value.lower() in text for value in question["accept"])


score = {"known": [0, 0, 0], "unknown": [0, 0, 0]}
for line in open(questions, encoding="utf-8"):
    question = json.loads(line)
    without, with_memory = ask(question["question"], 0), ask(question["question"], 2)
    kind = score["known" if question["answerable"] else "unknown"]
    kind[2] += 1
    print(f"\n{question['question']}")
    for i, (name, answer) in enumerate((("without memory", without), ("with Liubai   ", with_memory))):
        ok = right(question, answer["answer"])
        kind[i] += ok
        recalled = ", ".join(str(turn["turn_id"]) for turn in answer["recalled"]) or "none"
        print(f"  {name} {'right' if ok else 'WRONG'}  {' '.join(answer['answer'].split())}\n"
              f"                  turns recalled: {recalled}; {answer['prompt_tokens']} tokens in the window; "
              f"first token after {answer['first_token_us'] // 1000} ms")
print(f"\nOf {score['known'][2]} questions about what was said: {score['known'][1]} right with Liubai, "
      f"{score['known'][0]} without memory."
      f"\nOf {score['unknown'][2]} about what was never said: {score['unknown'][1]} answered \"not known\" with Liubai, "
      f"{score['unknown'][0]} without.")
