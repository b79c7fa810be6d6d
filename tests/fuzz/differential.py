#!/usr/bin/env python3
"""Runs random programs through `harn run` and through the model in tests/fuzz/model, and compares what they say.

    tests/fuzz/differential.py --harn build/release/src/cli/harn --seconds 60

A program that differs is made smaller and printed with its seed; `--seed S --count 1` runs it again.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from generator import Programs  # noqa: E402
from model.interpreter import Interpreter  # noqa: E402
from model.printer import Printer  # noqa: E402
from model.values import Unsupported  # noqa: E402
from shrink import shrink  # noqa: E402

BATCH = 20
LONGEST = 20
MARK = "#### "


class Program:
    """A program and what the model says it writes. `script`: its statements stand at the top level."""

    def __init__(self, seed, tree, script):
        self.seed, self.tree, self.script = seed, tree, script
        declarations, body = tree
        self.main = f"main_{seed}"
        if script:
            self.declarations, self.driver = list(declarations), list(body)
        else:
            self.declarations = list(declarations) + [("fn", self.main, [], list(body) or [("return", None)])]
            call = ("expr", ("call", self.main, []))
            report = ("log", ("interp", [("str", "uncaught "), ("name", "error")]))
            # The last value of a script is not to be an error.
            self.driver = [("log", ("str", f"{MARK}{seed}")), ("try", [call], "error", [report], None),
                           ("log", ("str", "end"))]

    def source(self):
        return Printer().program(self.declarations + self.driver)

    def expected(self):
        lines, error = Interpreter().run(self.declarations, self.driver)
        return [f"[harn] {line}" if line is not None else line for line in lines], error


class Outcome:
    def __init__(self, lines, error, problem=None):
        self.lines, self.error, self.problem = lines, error, problem


class Harn:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.env = {**os.environ, "HARN_EAGER_WORKERS": "1", "NO_COLOR": "1"}

    def run(self, source, workers, formatted=False):
        path = pathlib.Path(self.folder) / "program.harn"
        path.write_text(source)
        if formatted:
            plain = self.run(source, workers)
            if plain.problem is not None:
                return plain
            done = self.command(["fmt", str(path)])
            if done is None or done.returncode != 0:
                return Outcome([], None, "harn fmt failed: " + (done.stderr[-500:] if done else "timeout"))
            outcome = self.run(path.read_text(), workers)
            if refused(outcome):
                outcome.problem = "after harn fmt " + outcome.problem
            return outcome
        done = self.command(["run", "--workers", str(workers), str(path)])
        if done is None:
            return Outcome([], None, f"did not end within {LONGEST} s")
        lines = re.sub(r" \(did you mean `[^`]*`\?\)", "", done.stdout).split("\n")[:-1]
        if done.returncode < 0 or done.returncode > 1:
            return Outcome(lines, None, f"ended with code {done.returncode}\n{done.stderr[-2000:]}")
        error = re.search(r"^Error: (.*?)( \(did you mean .*)?$", done.stderr, re.M)
        reason = re.search(r"^error(\[[A-Z0-9-]+\])?: .*$", done.stderr, re.M)
        if done.returncode == 1 and error is None:
            return Outcome(lines, None, "refused: " + (reason.group(0) if reason else done.stderr[-300:]))
        return Outcome(lines, error.group(1) if error else None)

    def command(self, args):
        try:
            return subprocess.run([self.binary, *args], capture_output=True, text=True, timeout=LONGEST, env=self.env,
                                  errors="replace")
        except subprocess.TimeoutExpired:
            return None


def plain_error(text):
    """The message of an uncaught error: its first line, without the class that only `catch` sees."""
    return None if text is None else re.sub(r"^(Type|Runtime) error: ", "", text.split("\n")[0])


def same(expected, outcome):
    lines, error = expected
    return outcome.problem is None and outcome.lines == lines and plain_error(outcome.error) == plain_error(error)


def difference(expected, outcome):
    """What kind of difference it is, so that a smaller program is taken only if it fails in the same way."""
    def shape(lines, at):
        line = lines[at] if at < len(lines) else "nothing"
        return re.sub(r"[\d`].*$|: \w+$", "", line) if "uncaught" in line or "Err(" in line else "text"
    expected_lines, actual = expected[0] + [f"uncaught {expected[1]}"], outcome.lines + [f"uncaught {outcome.error}"]
    at = next((i for i, (a, b) in enumerate(zip(expected_lines, actual)) if a != b), 0)
    return shape(expected_lines, at), shape(actual, at), outcome.problem and outcome.problem[:20]


def refused(outcome):
    return outcome.problem is not None and outcome.problem.startswith("refused")


class Fuzzer:
    def __init__(self, args, folder):
        self.args, self.harn = args, Harn(args.harn, folder)
        self.workers = [int(count) for count in args.workers.split(",")]
        self.passed = self.failed = 0
        self.skipped, self.refusals = collections.Counter(), collections.Counter()

    def make(self, seed, script):
        tree = Programs(seed, f"{seed}_").program(script)
        program = Program(seed, tree, script)
        try:
            return program, program.expected()
        except Unsupported as reason:
            self.skipped[str(reason)] += 1
            return None

    def batch(self, first, count):
        number = first // BATCH
        workers = self.workers[number % len(self.workers)]
        formatted = number % 3 == 1
        if number % 5 == 4:  # statements at the top level: one program per file
            for seed in range(first, first + min(count, 6)):
                made = self.make(seed, True)
                if made:
                    self.check(*made, workers, formatted)
            return
        programs = [made for seed in range(first, first + count) if (made := self.make(seed, False))]
        source = "".join(Printer().program(p.declarations) for p, _ in programs)
        source += "".join(Printer().program(p.driver) for p, _ in programs)
        outcome = self.harn.run(source, workers, formatted)
        if outcome.problem is None and outcome.lines == [line for _, (lines, _) in programs for line in lines]:
            self.passed += len(programs)
            return
        failed = self.failed
        for program, expected in programs:
            self.check(program, expected, workers, formatted)
        if self.failed == failed and not refused(outcome):
            self.fail(f"programs {first} to {first + count - 1} differ together, not one by one", source, None, outcome)

    def check(self, program, expected, workers, formatted):
        outcome = self.harn.run(program.source(), workers, formatted)
        if same(expected, outcome):
            self.passed += 1
        elif refused(outcome):
            self.refusals[re.sub(r"`[^`]*`|t?\d+", "*", outcome.problem)] += 1
            if self.args.refused:
                print(f"REFUSED  seed {program.seed}: {outcome.problem}", flush=True)
        else:
            self.report(program, workers, formatted, outcome)

    def report(self, program, workers, formatted, outcome):
        expected = program.expected()
        kind = difference(expected, outcome)

        def fails(tree):
            try:
                smaller = Program(program.seed, tree, program.script)
                expected = smaller.expected()
                now = self.harn.run(smaller.source(), workers, formatted)
            except Exception:  # a tree that is no program any more
                return False
            return not same(expected, now) and not refused(now) and difference(expected, now) == kind
        smallest = program
        if self.args.shrink > 0:
            smallest = Program(program.seed, shrink(program.tree, fails, self.args.shrink), program.script)
        how = f"{workers} workers" + (", formatted" if formatted else "") + (", script" if program.script else "")
        self.fail(f"seed {program.seed} ({how})", smallest.source(), smallest.expected(),
                  self.harn.run(smallest.source(), workers, formatted))

    def fail(self, title, source, expected, outcome):
        self.failed += 1
        print(f"FAIL  {title}\n{source}", flush=True)
        if expected is not None:
            lines, error = expected
            print("  model:\n" + "".join(f"    {line}\n" for line in lines) + (f"    error: {error}\n" if error else ""), end="")
        print("  harn:\n" + "".join(f"    {line}\n" for line in outcome.lines[-40:]) +
              (f"    error: {outcome.error}\n" if outcome.error else "") +
              (f"    {outcome.problem}\n" if outcome.problem else ""), flush=True)
        if self.args.keep:
            folder = pathlib.Path(self.args.keep)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / (re.sub(r"[^A-Za-z0-9]+", "_", title)[:60] + ".harn")).write_text(source)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--harn", required=True)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, help="the first seed (from the day)")
    parser.add_argument("--count", type=int, help="how many programs, instead of --seconds")
    parser.add_argument("--workers", default="1,2,4", help="numbers of workers, in turn (1,2,4)")
    parser.add_argument("--keep", help="a folder for the programs that fail")
    parser.add_argument("--shrink", type=float, default=15, help="seconds to make a failing program smaller (15)")
    parser.add_argument("--refused", action="store_true", help="also print the programs that harn refuses to start")
    parser.add_argument("--failures", type=int, default=10, help="stop after so many failures (10)")
    args = parser.parse_args()
    first = args.seed if args.seed is not None else int(time.time()) // 86400 * 1000000
    print(f"differential: seeds from {first}", flush=True)
    end = time.monotonic() + args.seconds
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(args, folder)
        seed = first
        last = first + args.count if args.count else None
        while seed < last if last else time.monotonic() < end:
            fuzzer.batch(seed, min(BATCH, last - seed) if last else BATCH)
            seed += BATCH
            if fuzzer.failed >= args.failures:
                break
    for reason, count in fuzzer.skipped.most_common(5):
        print(f"not compared: {count} ({reason})")
    for reason, count in fuzzer.refusals.most_common(10):
        print(f"{count} {reason}")
    print(f"{fuzzer.passed} passed, {fuzzer.failed} failed")
    return 1 if fuzzer.failed else 0


if __name__ == "__main__":
    sys.exit(main())
