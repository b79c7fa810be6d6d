#!/usr/bin/env python3
"""Puts programs away at every wait they make, takes them up in a new process, and compares what they write with a run
that was left alone.

    tests/park/run.py --harn build/release/src/cli/harn [--only NAME] [--fixtures] [--waits N] [--random N [--seed S]]

Every program of tests/park/programs runs to its end, then once for each of its waits: it stops there, its process
ends, and another one goes on. Then once more from wait to wait, a process for each.

With --fixtures the same is done to the fixtures of tests/conformance that wait, for the first N waits (default 3).
Those that are in the middle of something that cannot travel must say so.

With --random N the same is done to N random programs (tests/fuzz/generator.py), which wait before each line they write,
at waits chosen by chance. `--random 1 --seed S` makes the program with that seed again."""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "fuzz"))
from generator import Programs  # noqa: E402
from model.printer import Printer  # noqa: E402

FIXTURES = HERE.parent / "conformance"
PUT_AWAY = 75
TIMEOUT = 240
ENVIRONMENT = {**os.environ, "HARN_SEED": "7"}
REFUSED = b"error: this program cannot be put away: "
ALL = 10 ** 6

# What they print depends on how long something takes, or names files that are called differently each time.
UNSTEADY = {"snapshots_are_private", "mutex_block_counts_its_time", "others_run_while_a_builtin_computes", "long_builtins_do_not_hold_up_other_tasks",
            "a_new_task_begins_while_others_compute", "sleeping_tasks_sleep_together"}


# While a program is put away time goes on, and on a slow machine a long sleep may end before a short one has begun.
# Such a difference goes away when it is tried again; a defect does not.
TELLS_TIME = ("sleep(", "deadline", "timeout", "_ms(", "elapsed")
TRIES = 5


class Runner:
    def __init__(self, harn, folder, timeout=TIMEOUT):
        self.harn = harn
        self.state = str(Path(folder) / "state")
        self.root = Path(folder) / "root"
        # What programs keep on the disk is not to be found by the next run; a log in memory travels.
        self.timeout = timeout
        self.environment = {**ENVIRONMENT, "HARN_STATE_DIR": str(self.root), "HARN_EVENT_LOG_BACKEND": "memory"}

    def call(self, *words):
        done = subprocess.run([self.harn, *words, "--workers", "1"], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=self.timeout, env=self.environment)
        errors = b"".join(line for line in done.stderr.splitlines(True) if not line.startswith(b"harn: put away"))
        return done.returncode, done.stdout, errors

    def run(self, program, *options):
        shutil.rmtree(self.root, ignore_errors=True)
        return self.call("run", str(program), *options)

    def begin(self, program, wait):
        return self.run(program, "--park-to", self.state, "--park-at-wait", str(wait))

    def once(self, program, wait):
        """Whether it was put away at that wait, and what it has written in the end."""
        code, out, errors = self.begin(program, wait)
        if code != PUT_AWAY:
            return False, (code, out, errors)
        code, more, more_errors = self.call("resume", self.state)
        return True, (code, out + more, errors + more_errors)

    def step_by_step(self, program, most):
        """How often it was put away, and what it has written, when that is done at every wait."""
        code, out, errors = self.begin(program, 1)
        steps = 0
        while code == PUT_AWAY:
            steps += 1
            again = ["--park-to", self.state] if steps < most else []
            code, more, more_errors = self.call("resume", self.state, *again)
            out, errors = out + more, errors + more_errors
        return steps, (code, out, errors)


def shown(result):
    code, out, errors = result
    return f"exit {code}\n{out.decode(errors='replace')}{errors.decode(errors='replace')}"


def steadily(program, attempt, wanted):
    """What `attempt` returns: a number, and what was written. Again where that hangs on time."""
    tells_time = any(word in Path(program).read_text() for word in TELLS_TIME)
    for _ in range(TRIES if tells_time else 1):
        number, result = attempt()
        if result == wanted or REFUSED in result[2]:
            break
    return number, result


def check(harn, program, most=ALL):
    """What is wrong, or None, and how often the program was put away."""
    with tempfile.TemporaryDirectory(prefix="harn-park-") as folder:
        runner = Runner(harn, folder)
        if not runner.once(program, 1)[0]:
            return None, 0
        whole = runner.run(program)
        waits = 0
        while waits < most:
            was_put_away, result = steadily(program, lambda: runner.once(program, waits + 1), whole)
            if REFUSED in result[2]:
                return None, waits
            if result != whole:
                return f"put away at wait {waits + 1}:\n{shown(result)}\ninstead of\n{shown(whole)}", waits
            if not was_put_away:
                break
            waits += 1
        steps, result = steadily(program, lambda: runner.step_by_step(program, most), whole)
        if REFUSED not in result[2] and result != whole:
            return f"put away at every wait ({steps}):\n{shown(result)}\ninstead of\n{shown(whole)}", waits
        return None, waits + steps


def random_program(seed):
    """It waits before each line it writes: in functions, loops, handlers, generators, clean-up code and tasks."""
    declarations, body = Programs(seed).program(script=True)
    source = Printer().program(list(declarations) + list(body))
    return "fn told(value) { sleep(1); log(value) }\n" + source.replace("log(", "told(")


def check_random(harn, seed):
    """What is wrong, or None, and how often the program was put away."""
    with tempfile.TemporaryDirectory(prefix="harn-park-") as folder:
        program = Path(folder) / "main.harn"
        program.write_text(random_program(seed))
        try:
            whole = Runner(harn, folder, timeout=5).run(program)
        except subprocess.TimeoutExpired:
            return None, 0  # it writes too many lines
        runner, chance = Runner(harn, folder), random.Random(seed)
        times = 0
        for wait in sorted(chance.sample(range(1, 60), 6)):
            was_put_away, result = steadily(program, lambda: runner.once(program, wait), whole)
            if REFUSED in result[2]:
                continue
            if result != whole:
                return f"put away at wait {wait}:\n{shown(result)}\ninstead of\n{shown(whole)}\nof\n{program.read_text()}", times
            if not was_put_away:
                break
            times += 1
        steps, result = runner.step_by_step(program, 25)
        if REFUSED not in result[2] and result != whole:
            return f"put away at every wait ({steps}):\n{shown(result)}\ninstead of\n{shown(whole)}\nof\n{program.read_text()}", times
        return None, times + steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harn", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--fixtures", action="store_true")
    parser.add_argument("--waits", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    harn = str(Path(options.harn).resolve())
    own = [(path, ALL) for path in sorted((HERE / "programs").glob("*.harn")) if not path.stem.startswith("module_")]
    # Programs that are killed half-way leave files beside themselves.
    copy = tempfile.TemporaryDirectory(prefix="harn-park-fixtures-")
    if options.fixtures:
        fixtures = shutil.copytree(FIXTURES, Path(copy.name) / "conformance")
        own += [(path, options.waits) for path in sorted(fixtures.rglob("*.harn"))]
    jobs = [(path, most) for path, most in own if options.only in str(path) and path.stem not in UNSTEADY]
    start = time.time()
    passed = failed = total = 0
    seeds = range(options.seed, options.seed + options.random)
    if options.random:
        jobs = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for (path, most), (problem, times) in zip(jobs, pool.map(lambda job: check(harn, *job), jobs)):
            total += times
            if not problem and not times and most == ALL:
                problem = "it never waits, or cannot be put away"
            if problem:
                failed += 1
                print(f"FAILED {path.stem}: {problem}")
            elif times:
                passed += 1
        for seed, (problem, times) in zip(seeds, pool.map(lambda seed: check_random(harn, seed), seeds)):
            total += times
            passed += not problem
            failed += bool(problem)
            if problem:
                print(f"FAILED seed {seed}: {problem}")
    print(f"put away {total} times in {time.time() - start:.1f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
