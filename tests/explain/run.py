#!/usr/bin/env python3
"""The programs on the pages of `harn explain`: `harn check` finds the diagnostic in the one under "Wrong:", and has
nothing to say about the one under "Right:".

    tests/explain/run.py HARN [CODE...]
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "src/diag/explain"
BLOCK = re.compile(r"^(Wrong|Right)[^\n]*:\n+```harn\n(.*?)^```$", re.M | re.S)
# What only a run, a program of several files, or one of many thousand lines can show.
ELSEWHERE = re.compile(r"HARN-(SUS|POL|IMP|MOD|PRM|CMP|DRN|OAU|RMD|LNT|INV-003|INV-004|CAP-005|PAR-007|PAR-009|PAR-014|CST-001|CST-002)")


def check(harn, folder, number, text):
    path = Path(folder, f"page{number}.harn")
    path.write_text(text)
    result = subprocess.run([harn, "check", "--invariants", "--strict-types", str(path)], capture_output=True, text=True, timeout=60)
    return set(re.findall(r"(?:error|warning)\[([A-Z0-9-]+)\]", result.stderr)), result.stderr


def judge(harn, folder, page):
    code = page.stem
    problems = []
    for number, (kind, text) in enumerate(BLOCK.findall(page.read_text())):
        found, said = check(harn, folder, f"{code}-{number}", text)
        if kind == "Wrong" and code not in found:
            problems.append(f"{code}: the wrong program is not found to be wrong\n{said}")
        if kind == "Right" and found & {code}:
            problems.append(f"{code}: the right program is not right\n{said}")
    return problems


def main():
    harn = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2:]
    pages = [page for page in sorted(PAGES.glob("*.md")) if (page.stem in wanted if wanted else not ELSEWHERE.match(page.stem))]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for problems in pool.map(lambda page: judge(harn, folder, page), pages):
            failed += bool(problems)
            passed += not problems
            for problem in problems:
                print(problem)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
