#!/usr/bin/env python3
"""Runs the fixtures about tasks, and about agents, which have many, with four workers that start at once and take tasks
from each other as soon as they can.

    tests/stress/eager.py --harn BIN

The suite itself runs them on one worker, where their order is fixed. Here only what must hold in any order is looked at:
no crash, no report of a sanitizer, no hang. Meant for the sanitizer builds.
"""
import argparse
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "conformance"
SECTIONS = ["agent_loop", "atomics", "cancellation", "channels", "deadline", "generators", "mailboxes", "parallel", "runtime_context",
            "select", "sessions", "shared_state", "streams", "streams_and_tasks", "supervisors", "suspension", "sync", "tasks", "workers", "workflows"]
TIMEOUT = 120


def problem_of(harn, path):
    try:
        done = subprocess.run([harn, "run", "--workers", "4", str(path)], capture_output=True, text=True, errors="replace",
                              timeout=TIMEOUT, stdin=subprocess.DEVNULL, env=os.environ | {"HARN_EAGER_WORKERS": "1"})
    except subprocess.TimeoutExpired:
        return "timed out"
    if "Sanitizer" in done.stderr or "runtime error:" in done.stderr.split("Error:")[0]:
        return done.stderr[-3000:]
    if done.returncode < 0 or done.returncode not in (0, 1):
        return f"exit code {done.returncode}\n{done.stderr[-2000:]}"
    return None


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--harn", required=True)
    harn = os.path.abspath(arguments.parse_args().harn)
    paths = [path for section in SECTIONS for path in sorted((FIXTURES / section).glob("*.harn"))
             if path.with_suffix(".expected").exists()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(lambda path: problem_of(harn, path), paths))
    for path, problem in zip(paths, problems):
        if problem:
            print(f"FAIL  {path.relative_to(FIXTURES)}\n{problem}")
    failed = sum(1 for problem in problems if problem)
    print(f"{len(paths) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
