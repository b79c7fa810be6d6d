#!/usr/bin/env python3
"""Golden tests of the lints: one rule each.

  RULE.harn       has the problem; RULE.expected is what `harn lint` says about it, of this rule alone
  RULE.ok.harn    is like it and must stay silent
  RULE.fixed      RULE.harn after `--unsafe-fixes`: must parse, have nothing left that the rule can fix, and stay as it is
  RULE.toml       the `[lint]` table of all three, where the rule needs one; all other rules are switched off

Every rule that finds something itself must have such files (rules.def). A program of several files: the folder RULE/ lies
beside it when it runs. The programs on the page of the code are tried, too. HARN_UPDATE_GOLDEN=1 writes .expected and .fixed.

  python3 tests/lint/run.py BINARY [RULE...]
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
RULES = FOLDER.parent.parent / "src" / "lint" / "rules"
UPDATE = os.environ.get("HARN_UPDATE_GOLDEN") == "1"


def rules():
    """The names of all rules that find something, with their codes' names."""
    found = set()
    for path in RULES.glob("*.cpp"):
        for name, rest in re.findall(r'\.name = "([a-z-]+)",(.*?)\n};', path.read_text(), re.S):
            if ".node" in rest or ".module" in rest or ".type" in rest:
                found.add(name)
    return found


def documented():
    """The names in the table of the user's page."""
    return set(re.findall(r"^\| `([a-z-]+)` \| \d{3} \|", (FOLDER.parent.parent / "docs" / "linting.md").read_text(), re.M))


class Case:
    def __init__(self, harn, rule, work):
        self.harn, self.rule, self.work = harn, rule, work
        (work / ".git").mkdir()
        table = self.file(".toml").read_text() if self.file(".toml").exists() else "[lint]\n"
        (work / "harn.toml").write_text(table + f"disabled = {sorted(rules() - {rule})}\n")
        if (FOLDER / rule).is_dir():
            shutil.copytree(FOLDER / rule, work / rule)

    def file(self, ending):
        return FOLDER / (self.rule + ending)

    def run(self, *words):
        done = subprocess.run([self.harn, *words], cwd=self.work, capture_output=True, text=True, timeout=60,
                              env=os.environ | {"NO_COLOR": "1"})
        return done.stdout, done.stderr

    def text_of(self, name):
        """What the rule says about a file, in its blocks of text."""
        blocks = self.run("lint", name)[1].split("\n\n")
        return "\n\n".join(block.rstrip("\n") for block in blocks if f"lint[{self.rule}]" in block) + "\n"

    def problems_of(self, name):
        out = json.loads(self.run("lint", "--json", name)[0])
        return [one for file in out["data"]["files"] for one in file["diagnostics"]]

    def compare(self, ending, got):
        path = self.file(ending)
        if UPDATE:
            path.write_text(got)
        if not path.exists():
            return [f"{path.name} is missing"]
        wanted = path.read_text()
        return [] if wanted == got else [f"{path.name} differs; expected:\n{wanted}got:\n{got}"]

    def check(self):
        name = self.rule.replace("-", "_") + ".harn"
        shutil.copy(self.file(".harn"), self.work / name)
        before = self.text_of(name)
        problems = [] if before.strip() else ["the rule says nothing"]
        problems += self.compare(".expected", before)
        problems += self.check_fix(name)
        shutil.copy(self.file(".ok.harn"), self.work / name)
        said = self.text_of(name)
        if said.strip():
            problems.append(f"says something about {self.rule}.ok.harn:\n{said}")
        return problems + self.check_page()

    def check_page(self):
        """The page behind `harn explain`: its first program has the problem, its second has not."""
        code = re.search(r"HARN-LNT-\d+", self.file(".expected").read_text()).group()
        page = (RULES.parent.parent / "diag" / "explain" / f"{code}.md").read_text()
        programs = re.findall(r"```harn\n(.*?)```", page, re.S)
        found = []
        for program in programs[:2]:
            (self.work / "orders.harn").write_text(program)
            found.append(code in [one["code"] for one in self.problems_of("orders.harn")])
        return [] if found == [True, False] else [f"{code}.md: the rule reports {found} of its programs"]

    def check_fix(self, name):
        offered = [one for one in self.problems_of(name) if one["source"] == "lint" and one.get("fixes")]
        self.run("lint", "--unsafe-fixes", name)
        fixed = (self.work / name).read_text()
        if fixed == self.file(".harn").read_text():
            return ["a fix was offered and not made"] if offered else []
        problems = self.compare(".fixed", fixed)
        left = self.problems_of(name)
        problems += [f"after the fix: {one['message']}" for one in left if one["code"].startswith("HARN-PAR")]
        problems += [f"a fix is left: {one['message']}" for one in left if one["source"] == "lint" and one.get("fixes")]
        self.run("lint", "--unsafe-fixes", name)
        if (self.work / name).read_text() != fixed:
            problems.append("fixing twice changes more")
        return problems


def main():
    harn = str(Path(sys.argv[1]).resolve())
    wanted = rules()
    there = {path.name[:-len(".ok.harn")] for path in FOLDER.glob("*.ok.harn")}
    passed = failed = 0
    for rule in sorted(wanted - there if not sys.argv[2:] else []):
        failed += 1
        print(f"{rule}: tests/lint/{rule}.harn and .ok.harn are missing")
    for rule in sorted(wanted - documented() if not sys.argv[2:] else []):
        failed += 1
        print(f"{rule} is not in docs/linting.md")
    for rule in sorted(sys.argv[2:] or there):
        with tempfile.TemporaryDirectory(prefix="harn-lint-") as temporary:
            problems = Case(harn, rule, Path(temporary)).check()
        if problems:
            failed += 1
            print(f"{rule}: " + "\n  ".join(problems))
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
