#!/usr/bin/env python3
"""Records every fixture of tests/conformance that has output, replays it, and compares the two: what is written to both
streams, and the exit code.

    tests/replay/run.py --harn build/release/src/cli/harn [--only NAME] [--every N] [--jobs N]

Each runs in a copy of its folder, so that nothing is there any more of what the recorded run has left behind. Then the same
with the event log in files, where it takes threads and time to get at it. Fixtures that answer questions of a person write
them to standard error, and a replay asks nobody: of these only the output is compared."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "conformance"
TIMEOUT = 120
ASKS = "  [y]es, [a]lways, [n]o: "
# Says that there is no sandbox; what a replay is held to was said when it was recorded.
WARNING = "warning: running without the sandbox: the program may use all files and the network\n"


def run(words, folder, environment):
    try:
        done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"nothing within {TIMEOUT} s", "", ""
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace").replace(WARNING, "")


def copied(fixture, to):
    folder = Path(to) / fixture.parent.name
    shutil.copytree(fixture.parent, folder)
    return folder


def replayed(harn, fixture, backend):
    """Nothing, or what is different."""
    with tempfile.TemporaryDirectory(prefix="harn-replay-") as place:
        environment = {**os.environ, "HARN_EVENT_LOG_BACKEND": backend, "HARN_STATE_DIR": f"{place}/state"}
        tape = f"{place}/tape"
        folder = copied(fixture, place)
        recorded = run([harn, "run", "--no-sandbox", "--record", tape, fixture.name], folder, environment)
        # Where it was, and as it was before.
        shutil.rmtree(folder)
        shutil.rmtree(f"{place}/state", ignore_errors=True)
        again = run([harn, "replay", tape], copied(fixture, place), environment)
        streams = 2 if ASKS in recorded[2] else 3
        if recorded[:streams] == again[:streams]:
            return None
        return f"recorded: {recorded}\nreplayed: {again}"


# Programs that cancel tasks. Where a task that is cancelled between two of its effects notices it is not on the tape yet, so that a recording
# may not be repeatable. Each gets five recordings, and one of them has to be; all others get one.
CANCEL = ("daemons/", "suspension/", "workers/", "workflows/")


def judged(harn, fixture, backend):
    """The same, of the best recording."""
    difference = replayed(harn, fixture, backend)
    for _ in range(4 if str(fixture.relative_to(FIXTURES)).startswith(CANCEL) else 0):
        if difference:
            print(f"recorded again: {fixture.relative_to(FIXTURES)}, the event log in {backend}", flush=True)
            difference = replayed(harn, fixture, backend)
    return difference


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harn", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="only one in N of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    harn = str(Path(arguments.harn).resolve())
    work = [(fixture, backend) for fixture in sorted(FIXTURES.rglob("*.harn")) for backend in ("memory", "file")
            if fixture.with_suffix(".expected").exists() and arguments.only in str(fixture)]
    work = work[::arguments.every]
    failed = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for (fixture, backend), difference in zip(work, pool.map(lambda one: judged(harn, *one), work)):
            if difference:
                failed += 1
                print(f"FAIL {fixture.relative_to(FIXTURES)}, the event log in {backend}\n{difference}\n", flush=True)
    print(f"{len(work) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
