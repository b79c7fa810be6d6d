#!/usr/bin/env python3
"""Runs the Harn programs in README.md and docs/*.md: each ```harn block must run without an error.

A block that starts with a comment `// error` must fail; `// check only` is checked, not run;
`// not run` is left alone. A ```text block right after a block is its expected standard output when
it starts with `output`:   ```text output
The programs of examples/ that have a file `.expected` beside them must print that.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"```harn\n(.*?)```(?:\s*\n```text output\n(.*?)```)?", re.S)


def run_block(harn, code, expected, folder, flags):
    path = Path(folder) / "example.harn"
    path.write_text(code)
    first = code.split("\n", 1)[0]
    command = [harn, "check", str(path)] if "check only" in first else [harn, "run", *flags, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=folder,
                          stdin=subprocess.DEVNULL)
    failed = done.returncode != 0
    if failed != ("// error" in first):
        return f"exit code {done.returncode}\n{done.stderr}"
    if expected is not None and done.stdout != expected:
        return f"printed\n{done.stdout}instead of\n{expected}"
    return None


def missing_kinds():
    """Kinds of errors that the language page does not list."""
    kinds = re.findall(r'^HARN_ERROR_KIND\(\w+, "(\w+)", "(\w+)", "(\w+)"', (ROOT / "src/base/error_kinds.def").read_text(),
                       re.M)
    page = (ROOT / "docs/language.md").read_text()
    return [kind for kind, type, category in kinds if f"| `{type}` | `{kind}` | `{category}` |" not in page]


def main():
    harn = str(Path(sys.argv[1]).resolve())
    passed = failed = 0
    pages = [ROOT / "README.md"] + sorted((ROOT / "docs").rglob("*.md"))
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            text = page.read_text()
            # The examples of builtins are about the machine they run on: /dev, servers that do not answer.
            flags = ["--no-sandbox"] if page.name == "builtins.md" else []
            for match in BLOCK.finditer(text):
                code, expected = match.group(1), match.group(2)
                if code.startswith("// not run"):
                    continue
                problem = run_block(harn, code, expected, folder, flags)
                if problem:
                    failed += 1
                    line = text.count("\n", 0, match.start()) + 1
                    print(f"{page.relative_to(ROOT)}:{line}: {problem}")
                else:
                    passed += 1
        for path in sorted((ROOT / "examples").rglob("*.expected")):
            program = path.with_suffix(".harn")
            problem = run_block(harn, program.read_text(), path.read_text(), folder, [])
            if problem:
                print(f"{program.relative_to(ROOT)}: {problem}")
            failed, passed = failed + bool(problem), passed + (not problem)
    missing = missing_kinds()
    if missing:
        print(f"docs/language.md does not list these kinds of errors: {', '.join(missing)}")
    passed, failed = passed + (not missing), failed + bool(missing)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
