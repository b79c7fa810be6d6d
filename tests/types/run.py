#!/usr/bin/env python3
"""What `harn check` says about types. Each line of a program in this folder says in a comment what is found in it:

    let x: int = "a"  // error HARN-TYP-007: expected int, found string
    log(v.name)       // warning HARN-TYP-028

Code and severity must agree, and the words behind the colon must be part of the message. Lines without such a comment must
have nothing to report.

    tests/types/run.py HARN [NAME...]
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SAYS = re.compile(r"//\s*(error|warning) (HARN-[A-Z]+-\d+)(?::\s*(.*?))?\s*(?=// (?:error|warning) |$)")


def expected(path):
    out = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for severity, code, words in SAYS.findall(line):
            out.append((number, severity, code, words))
    return out


def judge(path, diagnostics):
    found = [(d["line"], d["severity"], d["code"], d["message"]) for d in diagnostics]
    problems = []
    for number, severity, code, words in expected(path):
        match = next((f for f in found if f[:3] == (number, severity, code) and words in f[3]), None)
        if match:
            found.remove(match)
        else:
            problems.append(f"{path.name}:{number}: not found: {severity} {code}: {words}")
    problems += [f"{path.name}:{f[0]}: found: {f[1]} {f[2]}: {f[3]}" for f in found]
    return problems


def main():
    harn = os.path.abspath(sys.argv[1])
    names = set(sys.argv[2:])
    files = [p for p in sorted(FOLDER.glob("**/*.harn")) if not names or p.stem in names]
    result = subprocess.run([harn, "check", "--json", *map(str, files)], capture_output=True, text=True, timeout=300)
    by_path = {Path(f["path"]).resolve(): f["diagnostics"] for f in json.loads(result.stdout)["data"]["files"]}
    passed = failed = 0
    for path in files:
        own = [d for d in by_path[path.resolve()] if Path(d["path"]).resolve() == path.resolve()]
        problems = judge(path, own)
        passed += not problems
        failed += bool(problems)
        for problem in problems:
            print(problem)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
