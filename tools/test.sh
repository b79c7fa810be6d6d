#!/usr/bin/env bash
# Runs the tests of a build folder: unit tests, fixtures, command line, documentation and more.
# The last line counts them all.
#
#   tools/test.sh [BUILD [STAGE...]]     all stages, or only these, one after the other
#
# A build with sanitizers leaves out what they have no part in (the stages in $once).
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
shift
harn=$PWD/$build/src/cli/harn
lanes=$(nproc)
# Many fixtures wait for something.
jobs=$((lanes * 2))
sanitizers=$(sed -n 's/^HARN_SANITIZE:STRING=//p' "$build/CMakeCache.txt")
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
# Code is verified after every pass of the compiler (bytecode/verify.h).
export HARN_VERIFY=1

# These use the whole machine, or tell time: one after the other.
alone="conformance far log-files formatted lint-fixed cli park replay"
# These use one core each: side by side.
beside="unit docs lint explain types sound-types checks-random cost-bounds lsp lsp-random stress differential updates natural-random fuzz-seeds mutated mutated-far park-random eager copies embedding"
# These are about texts and not about memory: once is enough.
once="reference formatting layers coverage comments grammar editors sdk"

# The time limit ends what hangs; with sanitizers on a slow machine much takes long.
fixtures() { "$harn" test --conformance "${1:-tests/conformance}" -j "$jobs" --timeout 120000; }

# GoogleTest binaries close with their own lines; this turns them into ours.
unit() {
  local good=0 bad=0 binary log
  for binary in "$build"/tests/unit/*/*_test; do
    [ -x "$binary" ] || continue
    log=$(mktemp)
    if ! "$binary" --gtest_brief=1 >"$log" 2>&1; then
      grep -vE '^\[ +PASSED' "$log" | tail -40
      bad=$((bad + $(grep -cE '^\[  FAILED  \] [A-Za-z]' "$log") + 0))
      grep -qE '^\[  FAILED  \]' "$log" || bad=$((bad + 1))
    fi
    local counted
    counted=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) tests?.*/\1/p' "$log" | tail -1)
    good=$((good + ${counted:-0}))  # a binary that crashed has no such line
    rm -f "$log"
  done
  echo "$good passed, $bad failed"
  [ "$bad" -eq 0 ]
}

# A formatted program does what the original did: the fixtures again, after `harn fmt`.
formatted() {
  local copy
  copy=$(mktemp -d)
  cp -r tests/conformance "$copy/fixtures"
  "$harn" fmt "$copy/fixtures" >/dev/null 2>&1  # those that must not parse stay as they are
  fixtures "$copy/fixtures"
  local status=$?
  rm -rf "$copy"
  return $status
}

# A program that the lints have fixed does what the original did: the fixtures again, after `harn lint --fix`.
lint_fixed() {
  local copy
  copy=$(mktemp -d)
  cp -r tests/conformance "$copy/fixtures"
  rm "$copy/fixtures/errors/stack_trace_lists_the_calls.harn"  # it says at which columns its statements stand
  "$harn" lint --fix "$copy/fixtures" >/dev/null 2>&1  # those with errors keep them
  fixtures "$copy/fixtures"
  local status=$?
  rm -rf "$copy"
  return $status
}

# docs/builtins.md comes from the rows.
reference() {
  if "$harn" builtins --markdown | diff - docs/builtins.md | head -20 && \
     "$harn" builtins --markdown | cmp -s - docs/builtins.md; then
    echo "1 passed, 0 failed"
  else
    echo "docs/builtins.md is out of date: harn builtins --markdown > docs/builtins.md"
    echo "0 passed, 1 failed"
    return 1
  fi
}

# The example of an embedding program says what it should.
embedding() {
  if "$build/examples/embed/embed_example" | diff - examples/embed/expected.txt; then
    echo "1 passed, 0 failed"
  else
    echo "0 passed, 1 failed"
    return 1
  fi
}

# The C++ code is as .clang-format wants it.
formatting() {
  local files
  files=$(find src tests include examples -name '*.cpp' -o -name '*.h')
  if clang-format --dry-run --Werror $files 2>&1 | grep -E 'error:' | cut -d: -f1 | sort | uniq -c; then
    echo "run: clang-format -i on these files"
    echo "0 passed, 1 failed"
    return 1
  fi
  echo "1 passed, 0 failed"
}

# Code that was changed at random, verified and run.
mutated() { "$build/tests/fuzz/mutated_code/mutated_code" tests/conformance --seconds "${FUZZ_SECONDS:-10}" "$@"; }

stage() {
  case $1 in
    unit | formatted | reference | embedding | formatting | mutated) "$1" ;;
    conformance) fixtures ;;
    lint) python3 tests/lint/run.py "$harn" ;;
    lint-fixed) lint_fixed ;;
    # The same with functions that have too few registers for what they do (compile/far_registers.h).
    far) HARN_NEAR_REGISTERS=3 fixtures ;;
    # The event log is in memory for tests; here it is in files.
    log-files) HARN_EVENT_LOG_BACKEND=sqlite fixtures tests/conformance/event_log ;;
    cli) python3 tests/cli/run.py "$harn" ;;
    docs) python3 tests/docs/run.py "$harn" ;;
    eager) python3 tests/stress/eager.py --harn "$harn" ;;
    stress) python3 tests/stress/run.py --harn "$harn" --seconds "${STRESS_SECONDS:-10}" ;;
    # A process with sanitizers takes a fifth of a second to start: fixtures are put away at fewer places.
    park) python3 tests/park/run.py --harn "$harn" --fixtures ${sanitizers:+--waits 1} ;;
    replay) python3 tests/replay/run.py --harn "$harn" --jobs "$jobs" ${sanitizers:+--every 9} ;;
    park-random) python3 tests/park/run.py --harn "$harn" --random 60 ;;
    copies) python3 tests/copies/run.py --harn "$harn" ;;
    natural-random) python3 tests/fuzz/natural.py --harn "$harn" --seed 1 --seconds "${FUZZ_SECONDS:-10}" ;;
    updates) python3 tests/fuzz/updates.py --harn "$harn" --seconds "${FUZZ_SECONDS:-10}" ;;
    differential) python3 tests/fuzz/differential.py --harn "$harn" --seconds "${FUZZ_SECONDS:-10}" ;;
    mutated-far) mutated --near 3 ;;
    # What the fuzzers begin with.
    fuzz-seeds) "$build/tests/fuzz/seeds/fuzz_seeds" tests/fuzz/corpus 2>/dev/null ;;
    # The programs on the pages of `harn explain` are wrong, or right, as they say.
    explain) python3 tests/explain/run.py "$harn" ;;
    # What `harn check` says about types: each line of these programs says what is found in it.
    types) python3 tests/types/run.py "$harn" ;;
    # Programs made at random that the checker has nothing against do not fail because of a type.
    sound-types) python3 tests/fuzz/sound_types.py --harn "$harn" --seed 1 --seconds "${FUZZ_SECONDS:-10}" ;;
    # Programs made at random take no more, on the mock model, than `harn check --cost` says.
    cost-bounds) python3 tests/fuzz/cost_bounds.py --harn "$harn" --seed 1 --seconds "${FUZZ_SECONDS:-10}" ;;
    lsp) python3 tests/lsp/run.py "$harn" ;;
    # Always the same edits, so that a failure is about the change; other seeds by hand, for longer.
    checks-random) python3 tests/fuzz/checks.py --harn "$harn" --seed 1 --seconds "${FUZZ_SECONDS:-10}" ;;
    lsp-random) python3 tests/lsp/fuzz.py "$harn" --seed 1 --seconds "${FUZZ_SECONDS:-10}" ;;
    # The grammar for editors takes what the parser takes.
    grammar) python3 tests/grammar/run.py "$harn" ;;
    # The server with a real client, the extension for VS Code, and neovim.
    editors) python3 tests/editors/run.py "$harn" ;;
    # The official SDKs of providers and of MCP agree with the mock server, the client and the server.
    sdk) python3 tests/sdk/run.py "$harn" ;;
    layers) python3 tools/check_includes.py ;;
    coverage) python3 tools/check_coverage.py ;;
    comments) python3 tools/check_comments.py ;;
    *) echo "there is no stage $1"; return 1 ;;
  esac
}

# count NAME: runs a stage, says how its `N passed, M failed` reads, and keeps the numbers in $counts.
count() {
  local name=$1 log start=$SECONDS
  log=$(mktemp)
  stage "$name" >"$log" 2>&1
  local status=$?
  local line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -1)
  local good bad
  good=$(sed -E 's/^([0-9]+) passed.*/\1/' <<<"${line:-0 passed}")
  bad=$(sed -E 's/.* ([0-9]+) failed.*/\1/' <<<"${line:-x 0 failed}")
  if [ -z "$line" ] || { [ $status -ne 0 ] && [ "$bad" -eq 0 ]; }; then bad=$((bad + 1)); fi
  echo "$good $bad" >>"$counts"
  # In one piece: other stages may print at the same time.
  line=$(printf '%-14s %s passed, %s failed (%d s)' "$name" "$good" "$bad" $((SECONDS - start)))
  [ "$bad" -eq 0 ] || line+=$'\n'$(tail -60 "$log")
  echo "$line"
  rm -f "$log"
}

if [ -n "${counts:-}" ]; then  # one of those side by side
  count "$1"
  exit 0
fi
counts=$(mktemp)
export counts
if [ $# -gt 0 ]; then
  for name in "$@"; do count "$name"; done
else
  [ -n "$sanitizers" ] || beside="$beside $once"
  for name in $alone; do count "$name"; done
  printf '%s\n' $beside | xargs -P "$lanes" -I{} "$0" "$build" {}
fi
read -r passed failed < <(awk '{ good += $1; bad += $2 } END { print good + 0, bad + 0 }' "$counts")
rm -f "$counts"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
