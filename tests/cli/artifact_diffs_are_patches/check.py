"""What artifact_diff says is applied by `git apply`, to many pairs of texts: each becomes the other."""
import json, os, random, subprocess
from pathlib import Path

CHANCE = random.Random(11)
NAMES = ["plain.txt", "with space.txt", 'with "quote".txt', "dir/deep.txt", "ümlaut.txt", "tab\there.txt"]


def text(lines, ends):
    return "\n".join(lines) + ("\n" if ends and lines else "")


def changed(lines):
    out = list(lines)
    for _ in range(CHANCE.randrange(1, 4)):
        at = CHANCE.randrange(0, len(out) + 1)
        what = CHANCE.choice(["add", "drop", "change"])
        if what == "add" or at == len(out):
            out.insert(at, f"new {CHANCE.randrange(9)}")
        elif what == "drop":
            del out[at]
        else:
            out[at] = f"other {CHANCE.randrange(9)}"
    return out


pairs = [("", "a\n"), ("", "a"), ("a\n", "b\n"), ("a", "a\n"), ("a\n", "a"), ("\n", "x\n"), ("\n\n", "\n"), ("a\r\nb\r\n", "a\r\nc\r\n"),
         ("-a\n+b\n", "--- a\n+++ b\n@@ 1\n"), ("a\nb\nc\n", ""), ("x", "y")]
for _ in range(60):
    before = [f"line {CHANCE.randrange(6)}" for _ in range(CHANCE.randrange(0, 40))]
    pairs.append((text(before, CHANCE.random() < 0.7), text(changed(before), CHANCE.random() < 0.7)))
cases = [{"path": NAMES[i % len(NAMES)], "before": a, "after": b} for i, (a, b) in enumerate(pairs)]
Path("cases.json").write_text(json.dumps(cases))
told = subprocess.run([os.environ["HARN"], "run", "main.harn"], capture_output=True, text=True)
patches = json.loads(told.stdout)

wrong = 0
for case, patch in zip(cases, patches):
    if case["before"] == case["after"]:
        wrong += patch != ""
        continue
    folder = Path("work")
    subprocess.run(["rm", "-rf", folder])
    subprocess.run(["git", "init", "-q", folder], check=True)
    file = folder / case["path"]
    file.parent.mkdir(parents=True, exist_ok=True)
    if case["before"]:
        file.write_bytes(case["before"].encode())
    done = subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=folder, input=patch.encode(), capture_output=True)
    got = file.read_bytes().decode() if file.exists() else ""
    if done.returncode or got != case["after"]:
        wrong += 1
        print(case, patch, done.stderr.decode(), repr(got))
print(len(patches), "patches,", wrong, "wrong")
