#!/usr/bin/env bash
# Runs the command line tool of tree-sitter: `tools/tree_sitter.sh ARGUMENT...`.
#
# Debian 12 has no package of it, so the one of Debian 13 is fetched, with the C library it wants. They are unpacked in
# a folder of their own; nothing is installed. apt finds them and checks their signatures.
set -euo pipefail

home=${HARN_TREE_SITTER:-${XDG_CACHE_HOME:-$HOME/.cache}/harn/tree-sitter-debian13}
packages=(tree-sitter-cli libc6 libgcc-s1)

fail() {
  echo "tree_sitter: $1" >&2
  exit 1
}

fetch() {
  command -v apt-get >/dev/null || fail "there is no apt-get; install tree-sitter (0.22 or later) so that it is in PATH"
  local work
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
  # From where this machine has its own packages.
  local from
  from=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' | awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
  [ -n "$from" ] || fail "apt does not know where Debian's packages are: run apt-get update"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $from trixie main" >"$work/sources.list"
  local options=(-qq -o "Dir::State=$work/state" -o Dir::State::status=/dev/null -o "Dir::Cache=$work/cache"
    -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Acquire::Languages=none
    -o "APT::Sandbox::User=$(id -un)")
  apt-get "${options[@]}" update || fail "the list of Debian 13's packages cannot be fetched"
  (cd "$work" && apt-get "${options[@]}" download "${packages[@]}") || fail "${packages[*]} cannot be fetched"
  local package
  for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/root"; done
  # In one step: others may be waiting for it.
  mkdir -p "$(dirname "$home")"
  mv -T "$work/root" "$home" 2>/dev/null || [ -x "$home/usr/bin/tree-sitter" ] || fail "$home cannot be written"
}

if [ ! -x "$home/usr/bin/tree-sitter" ]; then
  # With the right version in PATH nothing need be fetched.
  if found=$(tree-sitter --version 2>/dev/null) && [[ $found =~ \ 0\.(2[2-9]|[3-9][0-9])\. ]]; then
    exec tree-sitter "$@"
  fi
  fetch
fi
loaders=("$home"/usr/lib/*/ld-linux-*.so.*)
libraries=$(dirname "${loaders[0]}")
exec "${loaders[0]}" --library-path "$libraries" "$home/usr/bin/tree-sitter" "$@"
