#!/usr/bin/env python3
"""Programs that are broken at random, through `harn check` and `harn lint`: neither may crash, hang, or take long.

The seeds are the programs of tests/types, tests/lint and tests/conformance. A program is changed token by token: tokens are left out,
said twice, swapped, replaced by one of another program or by one that means trouble; whole lines come from other programs; types are
nested. Many go through one process, and share its module graph. When a process dies or takes too long, its programs run again alone.

    tests/fuzz/checks.py --harn build/release/src/cli/harn [--seconds 10] [--seed N] [--count N] [--keep DIR]
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKENS = re.compile(r'"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*|\d+(?:\.\d+)?|\?\.|\?\?|->|==|!=|<=|>=|&&|\|\||\|>|\.\.\.|\s+|.', re.S)
TROUBLE = ["never", "any", "unknown", "nil", "T", "list<T>", "dict<string, T>", "fn(T) -> T", "{...R}", "?", "|", "&", "Schema<T>",
           "owned<T>", "iter<int>", "Result<T, T>", "match", "if", "else", "unreachable(x)", "return", "throw", "where T: T", "?.x", "[0]",
           "<", ">", "(", ")", "{", "}", "[", "]", "self", "out", "in", "type_of(x) == \"string\"", "@invariant(\"fs.writes\")", "const"]
BATCH = 40
SLOWEST = 10.0  # seconds for one program alone; a thousand times what it should take


def nested_type(rng, depth):
    if depth == 0:
        return rng.choice(["int", "string", "T", "nil", "any", "unknown", "never", "\"a\"", "1"])
    inner = [nested_type(rng, depth - 1) for _ in range(2)]
    return rng.choice([f"list<{inner[0]}>", f"{inner[0]} | {inner[1]}", f"{inner[0]} & {inner[1]}", f"fn({inner[0]}) -> {inner[1]}",
                       f"{{a: {inner[0]}, b?: {inner[1]}}}", f"dict<string, {inner[0]}>", f"({inner[0]})?"])


def broken(rng, text, others):
    tokens = TOKENS.findall(text)
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        if not tokens:
            break
        at = rng.randrange(len(tokens))
        what = rng.randrange(9)
        if what == 0:
            del tokens[at]
        elif what == 1:
            tokens.insert(at, tokens[at])
        elif what == 2:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif what == 3:
            tokens[at] = rng.choice(TROUBLE)
        elif what == 4:
            tokens.insert(at, " " + rng.choice(TROUBLE) + " ")
        elif what == 5:
            tokens[at] = rng.choice(TOKENS.findall(rng.choice(others)) or ["x"])
        elif what == 6:
            tokens.insert(at, "\n" + rng.choice(rng.choice(others).splitlines() or [""]) + "\n")
        elif what == 7:
            end = min(len(tokens), at + rng.randrange(1, 30))
            tokens[at:end] = tokens[at:end] * 2
        else:
            tokens.insert(at, f"\ntype T{rng.randrange(3)}<T> = {nested_type(rng, rng.randrange(1, 6))}\n")
    return "".join(tokens)


def runs_well(harn, command, paths, limit):
    """What went wrong, or None."""
    try:
        done = subprocess.run([harn, command, "--json", *map(str, paths)], capture_output=True, text=True, timeout=limit, errors="replace")
    except subprocess.TimeoutExpired:
        return f"took more than {limit} s"
    if done.returncode not in (0, 1):
        return f"ended with {done.returncode}: {done.stderr[-2000:]}"
    try:
        json.loads(done.stdout)
    except ValueError:
        return f"no JSON: {done.stdout[:200]!r} {done.stderr[-500:]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harn", required=True)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--count", type=int, default=None, help="so many batches")
    parser.add_argument("--keep", default="/tmp", help="where programs that fail are kept")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    files = [p for folder in ("tests/types", "tests/lint", "tests/conformance") for p in sorted((ROOT / folder).glob("**/*.harn")) if p.is_file()]
    texts = [p.read_text(errors="replace") for p in files]
    texts = [t for t in texts if len(t) < 8000]
    types = [p.read_text() for p in sorted((ROOT / "tests/types").glob("*.harn"))]
    end = time.monotonic() + options.seconds
    programs = failed = batches = 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end if options.count is None else batches < options.count:
            rng = random.Random(seed + batches)
            paths = []
            for i in range(BATCH):
                source = rng.choice(types if rng.random() < 0.5 else texts)
                path = Path(folder) / f"p{i}.harn"
                path.write_text(broken(rng, source, texts))
                paths.append(path)
            for command in ("check", "lint"):
                if runs_well(options.harn, command, paths, SLOWEST * 3) is None:
                    continue
                for path in paths:
                    problem = runs_well(options.harn, command, [path], SLOWEST)
                    if problem is None:
                        continue
                    failed += 1
                    kept = Path(options.keep) / f"harn-{command}-{seed + batches}-{path.name}"
                    kept.write_text(path.read_text())
                    print(f"harn {command} {kept}: {problem}")
            programs += BATCH
            batches += 1
    print(f"seed {seed}: {programs} programs", file=sys.stderr)
    print(f"{programs - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
