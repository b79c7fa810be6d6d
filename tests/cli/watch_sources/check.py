"""`--watch`: again after a change of a source, of what it imports, of a manifest; not after one of other files."""
import os
import subprocess
import sys
from pathlib import Path

WAITING = "harn: waiting for changes (Ctrl-C ends)\n"


class Watched:
    """A command that watches; its two streams are one, so that their order is known."""

    def __init__(self, *words):
        self.process = subprocess.Popen([os.environ["HARN"], *words, "--watch"], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def round(self):
        lines = []
        for line in self.process.stdout:
            if line == WAITING:
                return "".join(lines)
            lines.append(line)
        sys.exit("it has ended: " + "".join(lines))

    def end(self):
        self.process.terminate()
        self.process.wait()


def first_lines(text):
    return [line for line in text.splitlines() if line.startswith(("error", "main.harn", "lib"))]


Path("sub").mkdir()
Path("harn.toml").write_text("[package]\nname = \"demo\"\n")
Path("sub/lib.harn").write_text("pub fn twice(n: int) -> int { return n * 2 }\n")
Path("main.harn").write_text("import { twice } from \"sub/lib\"\nlog(twice(2))\n")
check = Watched("check", "main.harn")
print(first_lines(check.round()))
Path("notes.txt").write_text("not a source\n")
Path("sub/lib.harn").write_text("pub fn twice(n: string) -> string { return n + n }\n")
print(first_lines(check.round()))
Path("new.tmp").write_text("import { twice } from \"sub/lib\"\nlog(twice(\"a\"))\n")
os.replace("new.tmp", "main.harn")
print(first_lines(check.round()))
check.end()

Path("tests").mkdir()
Path("tests/a.harn").write_text("@test\npipeline adds(task) { assert_eq(1 + 1, 3) }\n")
test = Watched("test")
print([line for line in test.round().splitlines() if " passed, " in line][0].split(", 1 total")[0])
Path("tests/a.harn").write_text("@test\npipeline adds(task) { assert_eq(1 + 1, 2) }\n")
print([line for line in test.round().splitlines() if " passed, " in line][0].split(", 1 total")[0])
test.end()
