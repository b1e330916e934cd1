#!/usr/bin/env bash
# Sets the machine up, builds, fetches the default chat model and shows the engine at work.
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

Installs the Debian packages that are missing, builds build/ (Release), fetches the model and lets it
answer two questions, in English and in Chinese. The agent with a memory is not part of this version.

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
for question in "What is a KV cache, in one sentence?" "用一句话说明什么是留白。"; do
  Say "$question"
  "$LIUBAI" complete -m "$MODEL" --chat "$question" -n 80
done
Say "How fast it is here"
"$LIUBAI" bench prefill -m "$MODEL" -r 3
"$LIUBAI" bench decode -m "$MODEL" -n 64 -r 3
Say "To try next: $LIUBAI models list; $LIUBAI complete --help; $LIUBAI tokenize -m $MODEL 'Hello, 世界'"
