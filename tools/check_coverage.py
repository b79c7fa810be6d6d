#!/usr/bin/env python3
"""Checks docs/spec-coverage.md: every fixture it names exists, every fixture is named, and each has
the output or the error it must give."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "conformance"


def main():
    page = (ROOT / "docs" / "spec-coverage.md").read_text()
    named = set(re.findall(r"`([a-z_]+/[a-z0-9_]+)`", page))
    there = {str(p.relative_to(FIXTURES).with_suffix("")) for p in FIXTURES.rglob("*.harn")
             if p.is_file() and not any(part[0] in "._" for part in p.relative_to(FIXTURES).parts)}
    problems = [f"docs/spec-coverage.md names `{n}`, which does not exist" for n in sorted(named - there)]
    problems += [f"fixture `{n}` is not in docs/spec-coverage.md" for n in sorted(there - named)]
    for name in sorted(there):
        base = FIXTURES / name
        if not base.with_suffix(".expected").exists() and not base.with_suffix(".error").exists():
            problems.append(f"fixture `{name}` has neither .expected nor .error")
    for problem in problems:
        print(problem)
    print(f"{len(there & named)} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
