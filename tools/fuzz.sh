#!/usr/bin/env bash
# Runs each fuzzer of a build folder for some seconds. New inputs stay in build/fuzz/corpus; what
# crashes a fuzzer is left beside it.
set -euo pipefail
build=$1
seconds=$2
for fuzzer in "$build"/tests/fuzz/*_fuzz; do
  name=$(basename "$fuzzer")
  mkdir -p "$build/corpus/$name"
  seeds=tests/fuzz/corpus/${name%_fuzz}
  [ -d "$seeds" ] || seeds=
  echo "== $name"
  "$fuzzer" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=0 \
    -artifact_prefix="$build/$name-" "$build/corpus/$name" $seeds 2>&1 | tail -2
done
