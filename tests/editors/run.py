#!/usr/bin/env python3
"""Editors: a client from npm talks to `harn lsp`, the extension for VS Code is tried and packed, neovim uses the set-up on
the page docs/editors.md.

    tests/editors/run.py HARN
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"

MAIN = """\
import { label, Point } from "lib"

fn add_one(n: int) -> int { return n + 1 }

pipeline default(task) {
  let p = Point { x: add_one(41), y: 2 }
  println(label(p))
  println(p.x)
}
"""
LIB = """\
pub struct Point { x: int, y: int }
pub fn label(p: Point) -> string { return "${p.x}" }
"""


def counts(text):
    found = re.findall(r"^(\d+) passed, (\d+) failed", text, re.M)
    return tuple(int(n) for n in found[-1]) if found else (0, 1)


def with_node(harn):
    if not (EXTENSION / "node_modules").is_dir():
        print("FAIL node: the packages of editors/vscode are missing: tools/setup.sh test")
        return 0, 1
    tests = sorted(str(p) for p in (EXTENSION / "test").glob("*.test.js"))
    ran = subprocess.run(["node", "--test", *tests], cwd=EXTENSION, env={**os.environ, "HARN": harn}, capture_output=True,
                         text=True, timeout=300)
    good = re.search(r"^(?:#|ℹ) pass (\d+)", ran.stdout, re.M)
    bad = re.search(r"^(?:#|ℹ) fail (\d+)", ran.stdout, re.M)
    if ran.returncode != 0 or not good:
        print(ran.stdout[-4000:], ran.stderr[-2000:])
    failed = int(bad[1]) if bad else 1
    return int(good[1]) if good else 0, failed or int(ran.returncode != 0)


def with_neovim(harn):
    if not shutil.which("nvim"):
        print("FAIL neovim: it is missing: tools/setup.sh test")
        return 0, 1
    page = (ROOT / "docs" / "editors.md").read_text()
    setup = re.search(r"```lua\n(.*?)```", page, re.S)[1]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve() / "work"
        work.mkdir()
        (work / "main.harn").write_text(MAIN)
        (work / "lib.harn").write_text(LIB)
        init = work.parent / "init.lua"
        init.write_text(setup)
        env = {**os.environ, "PATH": f"{Path(harn).parent}:{os.environ['PATH']}", "HOME": folder, "XDG_STATE_HOME": folder,
               "XDG_DATA_HOME": folder, "XDG_CACHE_HOME": folder, "XDG_CONFIG_HOME": folder}
        ran = subprocess.run(["nvim", "--headless", "-n", "-u", str(init), "-c",
                              f"luafile {ROOT / 'tests' / 'editors' / 'neovim.lua'}"],
                             cwd=work, env=env, capture_output=True, text=True, timeout=120)
    good, bad = counts(ran.stdout + "\n" + ran.stderr)
    if bad:
        print(ran.stdout[-3000:], ran.stderr[-3000:])
    return good, bad


def main():
    harn = os.path.abspath(sys.argv[1])
    good = bad = 0
    for one in (with_node, with_neovim):
        passed, failed = one(harn)
        print(f"{one.__name__[5:]}: {passed} passed, {failed} failed")
        good, bad = good + passed, bad + failed
    print(f"{good} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
