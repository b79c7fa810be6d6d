#!/usr/bin/env python3
"""The tree-sitter grammar against the parser: a file that `harn parse` takes has no ERROR and no MISSING node, and one
that it refuses has some. Besides, the grammar's own tests (corpus, colours, tags) and its queries.

    tests/grammar/run.py HARN
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GRAMMAR = ROOT / "editors" / "tree-sitter-harn"
FOLDERS = ["tests/conformance", "tests/types", "tests/grammar", "examples", "src/std"]

# The parser refuses these for what they mean; their form is right.
ABOUT_MEANING = {
    "tests/conformance/functions/required_parameters_come_first.harn",
    "tests/conformance/select/timeout_and_default_exclude_each_other.harn",
    "tests/conformance/syntax/foreign_decrement_at_line_end.harn",  # `a - -b` over two lines
}


def prepare(home):
    """A copy of the grammar, generated. What the tool writes stays in the build folder."""
    shutil.rmtree(home, ignore_errors=True)
    copy = home / "tree-sitter-harn"
    shutil.copytree(GRAMMAR, copy, ignore=shutil.ignore_patterns("parser.c", "tree_sitter", "*.json", "build"))
    shutil.copy(GRAMMAR / "package.json", copy)
    env = {**os.environ, "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config"),
           "HARN_TREE_SITTER": os.environ.get("HARN_TREE_SITTER") or str(
               Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "harn" / "tree-sitter-debian13")}

    def tool(*arguments):
        return subprocess.run([ROOT / "tools" / "tree_sitter.sh", *arguments], cwd=copy, env=env, capture_output=True,
                              text=True, errors="replace")

    made = tool("generate", "--no-bindings")
    if made.returncode != 0 or made.stderr.strip():
        sys.exit(f"tree-sitter generate: {made.stdout}{made.stderr}\n0 passed, 1 failed")
    return copy, tool


def refused_by_the_grammar(tool, home, files):
    paths = home / "paths"
    paths.write_text("".join(f"{f}\n" for f in files))
    ran = tool("parse", "--quiet", "--timeout", "5000000", "--paths", str(paths))
    if re.search(r"^Error", ran.stderr, re.M):
        sys.exit(f"tree-sitter parse: {ran.stderr}\n0 passed, 1 failed")
    # A line for each file with an error, and for each that takes too long.
    return {line.split("\t")[0].strip() for line in ran.stdout.splitlines() if line}, ran


def main():
    harn = os.path.abspath(sys.argv[1])
    home = Path(harn).parents[2] / "grammar"
    copy, tool = prepare(home)
    good = bad = 0

    def check(name, holds, what=""):
        nonlocal good, bad
        if holds:
            good += 1
        else:
            bad += 1
            print(f"FAIL {name}: {what}")

    files = sorted(str(p) for folder in FOLDERS for p in (ROOT / folder).rglob("*.harn") if p.is_file())
    refused, ran = refused_by_the_grammar(tool, home, files)
    check("all files were read", refused <= set(files), sorted(refused - set(files)))

    def parses(path):
        return subprocess.run([harn, "parse", path], capture_output=True).returncode == 0

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        taken = dict(zip(files, pool.map(parses, files)))
    for path in files:
        name = os.path.relpath(path, ROOT)
        if name in ABOUT_MEANING:
            check(name, not taken[path] and path not in refused, "its entry in ABOUT_MEANING is out of date")
        elif taken[path]:
            check(name, path not in refused, "harn parse takes it, the grammar does not")
        else:
            check(name, path in refused, "harn parse refuses it, the grammar does not")

    own = tool("test")
    marks = re.findall(r"^ *(?:\d+\. )?(?:\x1b\[\d+m)*([✓✗])", own.stdout, re.M)
    check("tree-sitter test", own.returncode == 0 and len(marks) > 0, own.stdout[-3000:] + own.stderr[-1000:])
    good += max(0, marks.count("✓") - 1)
    example = str(ROOT / "tests" / "grammar" / "everything.harn")
    for query in sorted((copy / "queries").glob("*.scm")):
        found = tool("query", "--captures", str(query), example)
        check(query.name, found.returncode == 0 and "capture" in found.stdout, found.stderr[-500:])
    print(f"{good} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
