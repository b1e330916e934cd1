#!/usr/bin/env bash
# consumer_test.sh SOURCE BUILD CMAKE CXX VERSION: installs BUILD, moves what was installed, and builds
# and runs project/ against it twice: with find_package and with pkg-config. The project is copied out
# of the tree, so that no header of the tree can help it.
set -euo pipefail

SOURCE_DIR="$1" BUILD_DIR="$2" CMAKE="$3" CXX="$4" VERSION="$5"
WORK="$(mktemp -d)"
trap 'rm -rf "$WORK"' EXIT
Fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

"$CMAKE" --install "$BUILD_DIR" --prefix "$WORK/first" >"$WORK/log" || {
  cat "$WORK/log"
  Fail "cmake --install"
}
mv "$WORK/first" "$WORK/moved"
PREFIX="$WORK/moved"
cp -r "$SOURCE_DIR/tests/consumer/project" "$WORK/project"

# Headers are installed with the SDK's name before them, and nothing internal is.
[[ "$(ls "$PREFIX/include")" == liubai ]] || Fail "include holds: $(ls "$PREFIX/include")"
for header in "$SOURCE_DIR"/*/include/liubai/*.h; do
  [[ -f "$PREFIX/include/liubai/${header##*/}" ]] || Fail "${header##*/} was not installed"
done
# No path of the build, the sources or the first place is left in a text file.
if grep -rIlF -e "$WORK/first" -e "$BUILD_DIR" -e "$SOURCE_DIR" "$PREFIX"; then
  Fail "these files name a path of the machine that built them"
fi
GOT="$("$PREFIX/bin/liubai" --version)"
[[ "$GOT" == "liubai $VERSION" ]] || Fail "the installed program says '$GOT', not 'liubai $VERSION'"

MODEL="$SOURCE_DIR/tests/golden/tiny/tiny-llama.gguf"
Check() {
  local out
  out="$("$2" "$WORK/store-$1" "$MODEL")" || Fail "the project built with $1 ended with $?"
  grep -q '4,237' <<<"$out" || Fail "the project built with $1 printed: $out"
}

# No -G: the generator is that of whoever runs the tests, or CMake's default.
"$CMAKE" -S "$WORK/project" -B "$WORK/build" -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_PREFIX_PATH="$PREFIX" -DLIUBAI_EXPECTED_VERSION="$VERSION" >"$WORK/log" 2>&1 || {
  cat "$WORK/log"
  Fail "find_package"
}
"$CMAKE" --build "$WORK/build" >"$WORK/log" 2>&1 || {
  cat "$WORK/log"
  Fail "building with find_package"
}
Check cmake "$WORK/build/consumer"

PC="$(find "$PREFIX" -name liubai.pc)"
export PKG_CONFIG_PATH="${PC%/*}"
GOT="$(pkg-config --modversion liubai)"
[[ "$GOT" == "$VERSION" ]] || Fail "liubai.pc says version '$GOT', not '$VERSION'"
# shellcheck disable=SC2046  # Words of pkg-config are arguments.
"$CXX" -std=c++20 -o "$WORK/by_pkg_config" "$WORK/project/consumer.cc" \
  $(pkg-config --cflags --libs liubai) || Fail "building with pkg-config"
Check pkg-config "$WORK/by_pkg_config"
echo "PASSED"
