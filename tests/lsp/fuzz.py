#!/usr/bin/env python3
"""Types at random into programs, as an editor would tell it, and asks for things in between. The server has to answer
everything, and to know the same text as we do.

    tests/lsp/fuzz.py HARN [--seconds N] [--seed N]
"""

import argparse
import os
import random
import re
import sys
import tempfile
import time
from pathlib import Path

from client import Client

FIXTURES = Path(__file__).resolve().parents[1]
AT_A_PLACE = ["hover", "completion", "definition", "references", "documentHighlight", "signatureHelp", "prepareRename"]
OF_A_FILE = ["documentSymbol", "foldingRange", "semanticTokens/full", "formatting", "codeAction", "inlayHint"]
SNIPPETS = [".", "?.", "(", ")", "{", "}", "[", "]", ",", "\"", "${", "let x = ", "fn f(a: int) -> string {", "match x {",
            "-> ", "type T = ", "| ", "nil", "é😀", "\n", "  ", "import \"lib\"\n", "T?", "struct S { a: S }", "//", "/*"]


def position(text, offset):
    before = text[:offset]
    start = before.rfind("\n") + 1
    return {"line": before.count("\n"), "character": len(before[start:].encode("utf-16-le")) // 2}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("harn")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    sources = sorted(FIXTURES.glob("types/*.harn")) + sorted(FIXTURES.glob("conformance/*/*.harn"))
    sources = [path for path in sources if path.is_file()]
    end = time.monotonic() + options.seconds
    steps = 0
    with tempfile.TemporaryDirectory() as root:
        Path(root, "lib.harn").write_text("pub fn helper(x: int) -> int { return x }\n")
        client = Client(os.path.abspath(options.harn), root)
        try:
            while time.monotonic() < end:
                text = rng.choice(sources).read_text(errors="replace").replace("\r", "")[:6000]
                client.open("a.harn", text)
                for _ in range(rng.randint(3, 30)):
                    steps += 1
                    start = rng.randint(0, len(text))
                    stop = min(len(text), start + rng.choice([0, 0, 0, 1, 3, 20, 200]))
                    piece = rng.choice(SNIPPETS + re.findall(r"\w+", text)[:200])
                    piece = rng.choice([piece, piece, ""])
                    client.edit("a.harn", [{"range": {"start": position(text, start), "end": position(text, stop)},
                                            "text": piece}])
                    text = text[:start] + piece + text[stop:]
                    client.texts["a.harn"] = text
                    place = {"textDocument": {"uri": client.uri("a.harn")}, "position": position(text, rng.randint(0, len(text))),
                             "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}},
                             "context": {"diagnostics": []}, "newName": "other"}
                    if rng.random() < 0.7:
                        client.ask(f"textDocument/{rng.choice(AT_A_PLACE + OF_A_FILE + ['rename'])}", place)
                    if rng.random() < 0.1:
                        client.diagnostics("a.harn")
                client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri("a.harn")}})
            assert client.close() == 0
        except Exception as error:
            print(f"seed {options.seed}, step {steps}: {error!r}, exit code {client.process.poll()}")
            print("0 passed, 1 failed")
            return 1
    print(f"{steps} steps")
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
