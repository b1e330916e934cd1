#!/usr/bin/env bash
# Sets the machine up, builds everything and runs the tests; ctest's summary is the last thing printed.
set -euo pipefail

LIUBAI_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
ASSUME_YES=0
ALL=0
JOBS="$(nproc)"
# shellcheck source=tools/lib.sh
source "$LIUBAI_ROOT/tools/lib.sh"

while [[ $# -gt 0 ]]; do
  case "$1" in
    -y | --yes) ASSUME_YES=1 ;;
    --all) ALL=1 ;;
    -j | --jobs)
      [[ $# -gt 1 ]] || Usage "$1 needs a number"
      JOBS="$2"
      shift
      ;;
    -h | --help)
      cat <<HELP
Usage: tools/test.sh [--yes] [--all] [--jobs N]

Installs the Debian packages that are missing, builds build/ (Release), fetches the models that the
tests use and runs every test. A test whose model cannot be fetched skips and says so.

  -y, --yes     do not ask, even where an installation would remove a package
      --all     also the tests of the larger models (ctest label "large")
  -j, --jobs N  tests to run at a time (default: the number of processors, $JOBS)
  -h, --help    this text

Example: tools/test.sh --yes
HELP
      exit 0
      ;;
    *) Usage "unknown argument '$1'" ;;
  esac
  shift
done
[[ "$JOBS" =~ ^[1-9][0-9]{0,2}$ ]] || Usage "--jobs is '$JOBS'; it must be from 1 to 999"

InstallPackages
Configure
Build all
MODELS=(smollm2-135m multilingual-e5-small all-minilm-l6-v2)
[[ $ALL == 1 ]] && MODELS+=(qwen2.5-coder-0.5b gemma-3-270m)
FetchModels "${MODELS[@]}"

LABELS=(-LE large)
[[ $ALL == 1 ]] && LABELS=()
Say "Running the tests"
cd "$BUILD_DIR"
exec ctest --output-on-failure --no-tests=error -j "$JOBS" "${LABELS[@]}"
