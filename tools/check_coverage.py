#!/usr/bin/env python3
"""Checks docs/spec-coverage.md: every fixture and every test of the command line (`cli/NAME`) it names exists, every
fixture is named, and each has the output or the error it must give."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "conformance"
COMMANDS = ROOT / "tests" / "cli"


def main():
    page = (ROOT / "docs" / "spec-coverage.md").read_text()
    named = set(re.findall(r"`([a-z_]+/[a-z0-9_]+)`", page))
    there = {str(p.relative_to(FIXTURES).with_suffix("")) for p in FIXTURES.rglob("*.harn")
             if p.is_file() and not any(part[0] in "._" for part in p.relative_to(FIXTURES).parts)}
    there |= {f"types/{p.stem}" for p in (ROOT / "tests" / "types").glob("*.harn")}
    commands = {name for name in named if name.startswith("cli/")}
    named -= commands
    missing = {name for name in commands if not (COMMANDS / name.removeprefix("cli/") / "cmd").exists()}
    problems = [f"docs/spec-coverage.md names `{n}`, which does not exist" for n in sorted(missing)]
    problems += [f"docs/spec-coverage.md names `{n}`, which does not exist" for n in sorted(named - there)]
    problems += [f"fixture `{n}` is not in docs/spec-coverage.md" for n in sorted(there - named)]
    for name in sorted(there):
        if name.startswith("types/"):
            continue  # each line says what it must have
        base = FIXTURES / name
        if not base.with_suffix(".expected").exists() and not base.with_suffix(".error").exists():
            problems.append(f"fixture `{name}` has neither .expected nor .error")
    for problem in problems:
        print(problem)
    print(f"{len(there & named) + len(commands - missing)} passed, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
