#!/usr/bin/env bash
# The demonstration on the default models keeps its promise: at least 10 of 12 answers are right and
# nothing is made up. Exit code 77, a skip, where the models are not there.
# Usage: demo_test.sh PROGRAM
set -euo pipefail

program="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
for model in qwen2.5-coder-0.5b multilingual-e5-small; do
  if ! "$program" --offline models show "$model" >/dev/null 2>&1; then
    echo "SKIPPED: $model is not there"
    exit 77
  fi
done
"$program" --offline demo --json --store "$folder/demo" >"$folder/out" 2>"$folder/err" || {
  cat "$folder/err" >&2
  exit 1
}
python3 - "$folder/out" <<'PYTHON'
import json
import sys

events = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
for event in events:
    if event["event"] == "question":
        side = event["liubai"]
        print("right" if side["right"] else "WRONG", event["question"], "=>", side["reply"])
        assert side["prompt_tokens"] + side["reply_tokens"] <= 2048, "the window was exceeded"
result = events[-1]
print(result)
assert result["event"] == "result"
assert (result["answerable"], result["never_said"]) == (12, 2)
assert result["liubai"]["right"] >= 10, "fewer than 10 of 12 right"
assert result["liubai"]["refused"] == 2, "something was made up"
assert result["liubai"]["right"] > result["sliding_window"]["right"]
PYTHON
