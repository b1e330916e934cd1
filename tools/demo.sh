#!/usr/bin/env bash
# Sets the machine up, builds, fetches the default chat model and shows exact recall from a long conversation.
set -euo pipefail

LIUBAI_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
ASSUME_YES=0
MODEL=qwen2.5-coder-0.5b
# shellcheck source=tools/lib.sh
source "$LIUBAI_ROOT/tools/lib.sh"

while [[ $# -gt 0 ]]; do
  case "$1" in
    -y | --yes) ASSUME_YES=1 ;;
    -m | --model)
      [[ $# -gt 1 ]] || Usage "$1 needs a name"
      MODEL="$2"
      shift
      ;;
    -h | --help)
      cat <<HELP
Usage: tools/demo.sh [--yes] [--model NAME]

Installs the Debian packages that are missing, builds build/ (Release), fetches the model, stores a long
conversation in English and Chinese, and asks 14 questions about it with and without memory.

  -y, --yes         do not ask, even where an installation would remove a package
  -m, --model NAME  a chat model of the catalogue (default: $MODEL)
  -h, --help        this text

Example: tools/demo.sh --model smollm2-135m
HELP
      exit 0
      ;;
    *) Usage "unknown argument '$1'" ;;
  esac
  shift
done

InstallPackages
Configure
Build liubai
LIUBAI="$BUILD_DIR/bin/liubai"
"$LIUBAI" models fetch "$MODEL"

# The store is made anew each time: the demo shows the same thing twice.
STORE="$BUILD_DIR/demo-store"
rm -rf "$STORE"
Say "Storing a conversation of nearly two years, ten times longer than the window of 2,048 tokens"
"$LIUBAI" import "$LIUBAI_ROOT/tools/demo/conversation.jsonl" --store "$STORE"
Say "Asking about it: the same model without memory, and with two turns recalled from the store"
python3 "$LIUBAI_ROOT/tools/demo/ask_all.py" "$LIUBAI" "$STORE" \
  "$LIUBAI_ROOT/tools/demo/questions.jsonl" "$MODEL"
Say "To try next"
Note "$LIUBAI ask --store '$STORE' 'Who is our dentist?'"
Note "$LIUBAI recall --store '$STORE' 'kitchen deposit'"
Note "$LIUBAI inspect turns --store '$STORE' -n 10"
