#!/usr/bin/env bash
# Runs every test of a build folder: unit tests, fixtures, command line, documentation.
# The last line counts them all.
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
harn=$PWD/$build/src/cli/harn
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
# Code is verified after every pass of the compiler (bytecode/verify.h).
export HARN_VERIFY=1
passed=0
failed=0

# count NAME COMMAND...: runs a test program and adds up its closing `N passed, M failed`.
count() {
  local name=$1 log
  shift
  log=$(mktemp)
  "$@" >"$log" 2>&1
  local status=$?
  local line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -1)
  local good bad
  good=$(sed -E 's/^([0-9]+) passed.*/\1/' <<<"${line:-0 passed}")
  bad=$(sed -E 's/.* ([0-9]+) failed.*/\1/' <<<"${line:-x 0 failed}")
  if [ -z "$line" ] || { [ $status -ne 0 ] && [ "$bad" -eq 0 ]; }; then bad=$((bad + 1)); fi
  passed=$((passed + good))
  failed=$((failed + bad))
  printf '%-14s %s passed, %s failed\n' "$name" "$good" "$bad"
  if [ "$bad" -ne 0 ]; then tail -60 "$log"; fi
  rm -f "$log"
}

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
  "$harn" test --conformance "$copy/fixtures"
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

count unit unit
count conformance "$harn" test --conformance tests/conformance
# The same with functions that have too few registers for what they do (compile/far_registers.h).
count far env HARN_NEAR_REGISTERS=3 "$harn" test --conformance tests/conformance
# The event log is in memory for tests; here it is in files.
count log-files env HARN_EVENT_LOG_BACKEND=sqlite "$harn" test --conformance tests/conformance/event_log
count formatted formatted
[ -f tests/cli/run.py ] && count cli python3 tests/cli/run.py "$harn"
[ -f tests/docs/run.py ] && count docs python3 tests/docs/run.py "$harn"
count eager python3 tests/stress/eager.py --harn "$harn"
count stress python3 tests/stress/run.py --harn "$harn" --seconds "${STRESS_SECONDS:-10}"
count park python3 tests/park/run.py --harn "$harn" --fixtures
count copies python3 tests/copies/run.py --harn "$harn"
count updates python3 tests/fuzz/updates.py --harn "$harn" --seconds "${FUZZ_SECONDS:-10}"
count differential python3 tests/fuzz/differential.py --harn "$harn" --seconds "${FUZZ_SECONDS:-10}"
# Code that was changed at random, verified and run; the same with far registers.
mutated=$build/tests/fuzz/mutated_code/mutated_code
count mutated "$mutated" tests/conformance --seconds "${FUZZ_SECONDS:-10}"
count mutated-far "$mutated" tests/conformance --near 3 --seconds "${FUZZ_SECONDS:-10}"
count embedding embedding
count reference reference
count formatting formatting
count layers python3 tools/check_includes.py
count coverage python3 tools/check_coverage.py
count comments python3 tools/check_comments.py

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
