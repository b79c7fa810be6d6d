#!/usr/bin/env bash
# Installs the Debian packages that are missing. `tools/setup.sh` for building, `tools/setup.sh test` for testing besides,
# `tools/setup.sh bench` for the languages we compare with, `tools/setup.sh fuzz` for the fuzzers.
set -euo pipefail

build=(g++ cmake ninja-build ccache mold lld python3 libfmt-dev libre2-dev libutf8proc-dev
       libtomlplusplus-dev libyaml-cpp-dev libedit-dev libxxhash-dev libgtest-dev
       libboost1.81-dev libboost-context1.81-dev libcurl4-openssl-dev libssl-dev libseccomp-dev
       zlib1g-dev libzstd-dev libbrotli-dev libsqlite3-dev libpq-dev tzdata)
test=(clang-format git nghttp2-server postgresql neovim libsimdjson-dev)
bench=(lua5.4 luajit lua-cjson golang-go erlang-base valgrind)
fuzz=(clang libclang-rt-14-dev libsimdjson-dev)

packages=("${build[@]}")
case "${1:-}" in
  test)
    packages+=("${test[@]}")
    command -v node >/dev/null || packages+=(nodejs npm) ;;
  bench)
    packages+=("${bench[@]}")
    command -v node >/dev/null || packages+=(nodejs) ;;
  fuzz) packages+=("${fuzz[@]}") ;;
esac

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done

as_root=()
if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: run as root or install sudo; missing: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
if [ ${#missing[@]} -gt 0 ]; then
  echo "setup: installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# What Debian does not have: the generator of the grammar for editors, and what tests use from npm.
if [ "${1:-}" = test ]; then
  cd "$(dirname "$0")/.."
  tools/tree_sitter.sh --version >/dev/null
  for folder in editors/vscode tests/sdk; do
    if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/.harn-lock"; then
      echo "setup: installing the packages of $folder"
      (cd "$folder" && npm ci --no-audit --no-fund --silent && cp package-lock.json node_modules/.harn-lock)
    fi
  done
fi
