#!/usr/bin/env bash
# Sets the machine up, builds, fetches the default models and shows exact recall from a long conversation.
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

Installs the Debian packages that are missing, builds build/ (Release), fetches the chat model and the
embedder, and runs liubai demo: a conversation of ten windows, the last turns spoken live, then 14
questions about it, answered by the same model with a sliding window alone and with its memory.

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
Say "Models: $MODEL multilingual-e5-small"
"$LIUBAI" models fetch "$MODEL" multilingual-e5-small
exec "$LIUBAI" demo --model "$MODEL"
