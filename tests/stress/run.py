#!/usr/bin/env python3
"""Runs tests/stress/tasks.harn with many seeds, each on several numbers of workers.

    tests/stress/run.py --harn build/tsan/src/cli/harn --seconds 120

The outputs for one seed must be the same for every number of workers, nothing may be written to standard
error, and no run may take longer than a minute. The seed of a run that fails is printed.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

PROGRAM = pathlib.Path(__file__).with_name("tasks.harn")
LONGEST = 60


def run(harn, seed, rounds, workers):
    command = [harn, "run", "--workers", str(workers), str(PROGRAM), "--", str(seed), str(rounds)]
    # Tasks move to other workers at once, not only when there is much to do.
    env = {**os.environ, "HARN_EAGER_WORKERS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, env=env)
    except subprocess.TimeoutExpired:
        return None, f"did not end within {LONGEST} s"
    if done.returncode != 0 or done.stderr:
        return None, f"exit code {done.returncode}\n{done.stderr[-6000:]}"
    return done.stdout, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--harn", required=True)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=15, help="scenarios in one run (15)")
    parser.add_argument("--workers", default="1,2,4", help="numbers of workers to compare (1,2,4)")
    parser.add_argument("--seed", type=int, help="only this seed")
    args = parser.parse_args()
    counts = [int(count) for count in args.workers.split(",")]
    first = args.seed if args.seed is not None else int(time.time()) * 1000
    end = time.monotonic() + args.seconds
    seed = first
    passed = failed = 0
    print(f"stress: seeds from {first}", flush=True)
    while seed == first or (args.seed is None and time.monotonic() < end):
        expected = None
        for workers in counts:
            output, problem = run(args.harn, seed, args.rounds, workers)
            if problem is None and expected is not None and output != expected:
                problem = "the output depends on the number of workers"
            expected = output if expected is None else expected
            if problem:
                print(f"FAIL  seed {seed} with {workers} workers: {problem}", flush=True)
                failed += 1
            else:
                passed += 1
        seed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
