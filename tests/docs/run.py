#!/usr/bin/env python3
"""Runs the Harn programs in README.md and docs/*.md: each ```harn block must run without an error.

A block that starts with a comment `// error` must fail; `// check only` is checked, not run;
`// not run` is left alone. A ```text block right after a block is its expected standard output when
it starts with `output`:   ```text output
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"```harn\n(.*?)```(?:\s*\n```text output\n(.*?)```)?", re.S)


def run_block(harn, code, expected, folder):
    path = Path(folder) / "example.harn"
    path.write_text(code)
    first = code.split("\n", 1)[0]
    command = [harn, "check" if "check only" in first else "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder,
                          stdin=subprocess.DEVNULL)
    failed = done.returncode != 0
    if failed != ("// error" in first):
        return f"exit code {done.returncode}\n{done.stderr}"
    if expected is not None and done.stdout != expected:
        return f"printed\n{done.stdout}instead of\n{expected}"
    return None


def main():
    harn = str(Path(sys.argv[1]).resolve())
    passed = failed = 0
    pages = [ROOT / "README.md"] + sorted((ROOT / "docs").rglob("*.md"))
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            text = page.read_text()
            for match in BLOCK.finditer(text):
                code, expected = match.group(1), match.group(2)
                if code.startswith("// not run"):
                    continue
                problem = run_block(harn, code, expected, folder)
                if problem:
                    failed += 1
                    line = text.count("\n", 0, match.start()) + 1
                    print(f"{page.relative_to(ROOT)}:{line}: {problem}")
                else:
                    passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
