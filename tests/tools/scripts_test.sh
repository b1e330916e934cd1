#!/usr/bin/env bash
# Tests tools/test.sh, tools/demo.sh and tools/bench_peers.sh up to the build: arguments, and what happens to the machine's
# packages. dpkg-query, apt-get, sudo, id, cmake and ctest are replaced by recorders in a folder whose
# name has a space, and so has the checkout's.
set -euo pipefail

SOURCE_DIR="$1"
WORK="$(mktemp -d)"
trap 'rm -rf "$WORK"' EXIT
CHECKOUT="$WORK/a checkout"
FAKES="$WORK/fake tools"
LOG="$WORK/log"
mkdir -p "$CHECKOUT" "$FAKES"
cp -r "$SOURCE_DIR/tools" "$CHECKOUT/tools"

# Fake NAME: a program that records its arguments, then does what standard input says.
Fake() {
  {
    printf '#!/usr/bin/env bash\nprintf "%%s\\n" "%s $*" >>"%s"\n' "$1" "$LOG"
    cat
  } >"$FAKES/$1"
  chmod +x "$FAKES/$1"
}
Fake dpkg-query <<'SH'
[[ " $MISSING " == *" ${@: -1} "* ]] && exit 1
echo -n installed
SH
Fake apt-get <<'SH'
[[ "$*" == *"-s install"* && -n "${REMOVES:-}" ]] && echo "Remv $REMOVES [1.0]"
exit "${APT_STATUS:-0}"
SH
Fake sudo <<'SH'
exec "$@"
SH
Fake id <<'SH'
echo "${FAKE_UID:-0}"
SH
Fake cmake <<'SH'
mkdir -p "${BUILD:?}/bin"
cat >"$BUILD/bin/liubai" <<LIUBAI
#!/usr/bin/env bash
printf '%s\n' "liubai \$*" >>"$LIUBAI_LOG"
exit "\${FETCH_STATUS:-0}"
LIUBAI
chmod +x "$BUILD/bin/liubai"
SH
Fake ctest <<'SH'
echo "100% tests passed, 0 tests failed out of 1"
SH
ln -s "$(command -v true)" "$FAKES/nvcc"

failures=0
# Check DESCRIPTION STATUS PATTERN COMMAND…: the command's exit status, and what its output and the
# recorded calls must match ("!PATTERN": must not match).
Check() {
  local description="$1" status="$2" pattern="$3" got=0 text
  shift 3
  : >"$LOG"
  text=$(cd / && env PATH="$FAKES:$PATH" BUILD="$CHECKOUT/build" "$@" </dev/null 2>&1) || got=$?
  text+=$'\n'"$(cat "$LOG")"
  local matches=1
  if [[ "$pattern" == !* ]]; then
    ! grep -qE -- "${pattern:1}" <<<"$text" || matches=0
  else
    grep -qE -- "$pattern" <<<"$text" || matches=0
  fi
  if [[ $got == "$status" && $matches == 1 ]]; then
    echo "ok: $description"
  else
    echo "FAILED: $description: status $got (expected $status), pattern '$pattern' in:"
    sed 's/^/    /' <<<"$text"
    failures=$((failures + 1))
  fi
}

TEST_SH="$CHECKOUT/tools/test.sh"
export MISSING="" LIUBAI_LOG="$LOG"
Check "help names an example" 0 'Example: tools/test.sh' "$TEST_SH" --help
Check "an unknown flag is a usage error" 2 "unknown argument '--al'" "$TEST_SH" --al
Check "--jobs 0 is refused with its range" 2 'from 1 to 999' "$TEST_SH" --jobs 0
Check "--jobs without a number" 2 'needs a number' "$TEST_SH" --jobs
Check "nothing is installed where nothing is missing" 0 '!apt-get' "$TEST_SH"
Check "the large tests are left out" 0 'ctest .*-LE large' "$TEST_SH"
Check "--all runs them" 0 '!-LE' "$TEST_SH" --all
Check "only what is missing is installed" 0 \
  'apt-get install -y -q --no-install-recommends ninja-build libedit-dev$' \
  env MISSING="ninja-build libedit-dev" "$TEST_SH"
Check "root needs no sudo" 0 '!sudo' env MISSING=ninja-build "$TEST_SH"
Check "another user gets it" 0 'sudo .*apt-get install' env MISSING=ninja-build FAKE_UID=1000 "$TEST_SH"
Check "an alternative is good enough" 0 '!apt-get' env MISSING=libboost1.81-dev "$TEST_SH"
Check "a removal stops without a terminal" 1 'nothing was installed.* old-boost-dev' \
  env MISSING=ninja-build REMOVES=old-boost-dev "$TEST_SH"
Check "and installs nothing" 1 '!apt-get install -y' \
  env MISSING=ninja-build REMOVES=old-boost-dev "$TEST_SH"
Check "--yes agrees beforehand" 0 'apt-get install -y' \
  env MISSING=ninja-build REMOVES=old-boost-dev "$TEST_SH" --yes
Check "an installation that fails is an error" 1 'apt-get cannot install ninja-build' \
  env MISSING=ninja-build APT_STATUS=100 "$TEST_SH" --yes

Check "the models of the tests are fetched" 0 'liubai models fetch smollm2-135m' "$TEST_SH"
Check "the larger ones are not" 0 '!liubai models fetch qwen' "$TEST_SH"
Check "--all fetches them" 0 'liubai models fetch gemma-3-270m' "$TEST_SH" --all
Check "without a model the tests run all the same" 0 'WARNING: could not fetch: smollm2-135m' \
  env FETCH_STATUS=1 "$TEST_SH"
Check "the summary comes last" 0 'tests passed, 0 tests failed' env FETCH_STATUS=1 "$TEST_SH"

PEERS_SH="$CHECKOUT/tools/bench_peers.sh"
Check "the comparison's help names an example" 0 'Example: tools/bench_peers.sh' "$PEERS_SH" --help
Check "its unknown flag is a usage error" 2 "unknown argument '--jsn'" "$PEERS_SH" --jsn
Check "--peers needs its folder" 2 'needs a folder' "$PEERS_SH" --peers

[[ $failures == 0 ]] || exit 1
