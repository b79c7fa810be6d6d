#!/usr/bin/env python3
"""Runs the command line tests: one folder each.

  cmd      one shell command; $HARN is the binary, the working directory a copy of the folder
  stdout   what it must print; a line `re:PATTERN` matches one line by regular expression
  stderr   the same for standard error
  exit     its exit code

A file that is missing means "nothing" (or 0). HARN_UPDATE_GOLDEN=1 writes stdout, stderr and exit
of tests that differ, except where they hold patterns; times become patterns.

  python3 tests/cli/run.py BINARY [NAME...]
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TIMEOUT = 240  # ends what hangs; with sanitizers on a slow machine much takes long
TIME = re.compile(r" *[\d.]+(?= ms)|(?<=_ms\": )[\d.]+")


def read(path):
    return path.read_text() if path.exists() else ""


def environment(harn, home):
    kept = {name: value for name, value in os.environ.items()
            if name in ("PATH", "LD_LIBRARY_PATH") or name.endswith("SAN_OPTIONS")}
    return kept | {"HARN": harn, "HOME": home, "LC_ALL": "C.UTF-8", "TERM": "dumb",
                   "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(FOLDER.parent / "support")}


def matches(wanted, got):
    if "re:" not in wanted:
        return wanted == got
    wanted_lines, got_lines = wanted.split("\n"), got.split("\n")
    if len(wanted_lines) != len(got_lines):
        return False
    return all(re.fullmatch(w[3:], g) if w.startswith("re:") else w == g
               for w, g in zip(wanted_lines, got_lines))


def as_golden(text):
    """The text with lines that show times turned into patterns."""
    def line_of(line):
        if not TIME.search(line):
            return line
        parts = [re.sub(r"([][\\\\.^$*+?{}()|])", r"\\\1", part) for part in TIME.split(line)]
        return "re:" + r" *[\d.]+".join(parts)
    return "\n".join(line_of(line) for line in text.split("\n"))


def show(name, wanted, got):
    def marked(text):
        return "".join(f"    | {line}\n" for line in text.splitlines()) or "    (nothing)\n"
    return f"  {name} differs; expected:\n{marked(wanted)}  got:\n{marked(got)}"


def run_test(harn, folder):
    """The problems of one test, as text."""
    with tempfile.TemporaryDirectory(prefix="harn-cli-") as temporary:
        work = Path(temporary) / "work"
        shutil.copytree(folder, work, symlinks=True)
        # A program that looks upwards for its project must not find ours.
        (work / ".git").mkdir(exist_ok=True)
        home = Path(temporary) / "home"
        home.mkdir()
        for name in ("cmd", "stdout", "stderr", "exit"):
            (work / name).unlink(missing_ok=True)
        # In a session of its own, so that what it has started can be ended with it.
        with subprocess.Popen(["bash", "-c", read(folder / "cmd")], cwd=work, start_new_session=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment(harn, str(home))) as process:
            try:
                out, err = process.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return f"  still running after {TIMEOUT} s\n"
        where = str(work)
        got = {"stdout": out.decode(errors="replace").replace(where, "WORK"),
               "stderr": err.decode(errors="replace").replace(where, "WORK"),
               "exit": f"{process.returncode}\n"}
    problems = ""
    for name, text in got.items():
        wanted = read(folder / name)
        if name == "exit":
            wanted = wanted or "0\n"
        if matches(wanted, text):
            continue
        if os.environ.get("HARN_UPDATE_GOLDEN") and "re:" not in wanted:
            if text and (name, text) != ("exit", "0\n"):
                (folder / name).write_text(as_golden(text))
            else:
                (folder / name).unlink(missing_ok=True)
        problems += show(name, wanted, text)
    return problems


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    # Whoever runs this in the background of a script has it ignore Ctrl-C, which tests are about.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    harn = str(Path(sys.argv[1]).resolve())
    wanted = sys.argv[2:]
    folders = sorted(path.parent for path in FOLDER.glob("*/cmd"))
    if wanted:
        folders = [folder for folder in folders if any(name in folder.name for name in wanted)]
    failed = 0
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for folder, problems in zip(folders, pool.map(lambda f: run_test(harn, f), folders)):
            if problems:
                failed += 1
                print(f"FAIL  {folder.name}\n{problems}")
    print(f"{len(folders) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
