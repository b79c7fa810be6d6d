#!/usr/bin/env python3
"""Writes cmake/startup.order: the functions that short runs execute, in the order they are first seen.

    tools/startup_order.py build/release/src/cli/harn

The linker lays them out side by side (harn_order_startup in cmake/harn.cmake). A list that is out of
date costs memory, never correctness: names that no longer exist are ignored. Needs valgrind.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The barest run first, so that its functions are the closest together; then programs that use more.
RUNS = [["run", str(ROOT / "bench/hello/bench.harn")], *(["run", str(path)] for path in sorted((ROOT / "examples").glob("*.harn")))]


def executed(harn, arguments, scratch):
    """The mangled names of harn's own functions that one run executes."""
    profile = pathlib.Path(scratch) / "profile"
    subprocess.run(["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}", harn, *arguments],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    objects, functions, seen, current = {}, {}, [], ""
    for line in profile.read_text().splitlines():
        if match := re.match(r"c?ob=\((\d+)\)\s*(.*)", line):
            if match[2]:
                objects[match[1]] = match[2]
            if not line.startswith("cob"):
                current = objects[match[1]]
        elif match := re.match(r"(c?fn)=\((\d+)\)\s*(.*)", line):
            if match[3]:
                functions[match[2]] = match[3].split("'")[0]
            if match[1] == "fn" and current.endswith("/harn"):
                seen.append(functions[match[2]])
    return seen


def main():
    harn = sys.argv[1]
    names = {}
    with tempfile.TemporaryDirectory() as scratch:
        for arguments in RUNS:
            names.update(dict.fromkeys(executed(harn, arguments, scratch)))
    (ROOT / "cmake/startup.order").write_text("".join(name + "\n" for name in names))
    print(f"{len(names)} functions")


main()
