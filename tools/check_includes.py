#!/usr/bin/env python3
"""Checks the layer rule: a folder of src includes only folders its CMakeLists.txt names in DEPENDS,
and what those depend on."""

import re
import sys
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent / "src"


def declared():
    direct = {}
    for lists in SRC.glob("*/CMakeLists.txt"):
        text = lists.read_text()
        match = re.search(r"DEPENDS\s+([a-z_\s]+?)\s*(?:LINK|\))", text)
        direct[lists.parent.name] = match.group(1).split() if match else []
    direct["cli"] = [name for name in direct if name != "cli"]
    return direct


def reachable(direct, name, seen=None):
    seen = seen if seen is not None else set()
    for other in direct.get(name, []):
        if other not in seen:
            seen.add(other)
            reachable(direct, other, seen)
    return seen


def main():
    direct = declared()
    passed = failed = 0
    for folder in sorted(direct):
        allowed = reachable(direct, folder) | {folder}
        for path in sorted((SRC / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            wrong = [m for m in re.findall(r'#include "([a-z_]+)/', path.read_text())
                     if m in direct and m not in allowed]
            if wrong:
                failed += 1
                print(f"{path.relative_to(SRC)}: includes {', '.join(sorted(set(wrong)))}, "
                      f"which {folder} does not depend on")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
