#!/usr/bin/env python3
"""Counts what is copied, for every idiom in idioms.txt, with N items and with 4N.

    tests/copies/run.py --harn build/release/src/cli/harn [--n 1000] [NAME...]

An update through a variable, field or item that is not reachable from elsewhere is in place (docs/internals/values.md).
So the items copied grow with N at most. The few idioms where somebody else does hold the value at every update are
listed here with the reason, and must copy: if one no longer does, it leaves the list.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# A copy for each item of N, and the copies that growing makes.
MOST_PER_ITEM = 8
INHERENT = {
    "unshift_spread": "items are put in front: all others move",
    "t_spawn_reads_big_write": "a task has the list while it is changed",
    "t_send_big_changed": "every message is the list as it was then",
}


def idioms(names):
    text = (HERE / "idioms.txt").read_text()
    for block in re.split(r"(?m)^=== ", text)[1:]:
        name, source = block.split("\n", 1)
        if not names or name in names:
            yield name, source


def copied(harn, path, n):
    env = {**os.environ, "HARN_COUNT_COPIES": "1", "HARN_WHILE_LIMIT": "0"}
    done = subprocess.run([harn, "run", path, str(n)], capture_output=True, text=True, timeout=120, env=env)
    found = re.search(r"^copied items: (\d+)$", done.stderr, re.M)
    if done.returncode != 0 or not found:
        raise RuntimeError(f"exit code {done.returncode}\n{done.stderr}")
    return int(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--harn", required=True)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "idiom.harn")
        for name, source in idioms(args.names):
            path.write_text(source)
            try:
                few, many = copied(args.harn, path, args.n), copied(args.harn, path, args.n * 4)
                grows = many > MOST_PER_ITEM * args.n * 4
                problem = f"{few} items copied with {args.n}, {many} with {args.n * 4}" if grows else None
                if name in INHERENT:
                    problem = None if grows else "copies no more than it should: take it off the list of those that must"
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                problem = str(error)
            if problem:
                failed += 1
                print(f"FAIL  {name}: {problem}", flush=True)
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
