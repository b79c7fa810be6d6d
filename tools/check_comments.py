#!/usr/bin/env python3
"""Checks that comments name things that exist: identifiers (`in_backticks`, CamelCase, Owner::member) that some code
uses, and files that are there. Comments outlive what they are about; this finds those that have."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = [".cpp", ".h", ".def"]
# Names of the world outside: products, standards, other languages.
FOREIGN = {"PascalCase", "SplitMix64", "NaNs", "OpenSSL"}
WORD = re.compile(r"[A-Za-z_]\w*")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(//[^\n]*)')
CAMEL = re.compile(r"\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\b")
TICKED = re.compile(r"`([A-Za-z_]\w*(?:::~?\w+)*)(?:\(\))?`")
QUALIFIED = re.compile(r"\b[A-Z]\w*(?:::\w+)+")
FILE = re.compile(r"(?<![\w/.*-])((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:cpp|h|def|py|md|harn|sh))\b(?!/)")


def files():
    for folder in ["src", "tests", "include", "bench"]:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in CODE + [".harn", ".txt", ".expected", ".in", ".md", ".c"]:
                yield path


def split(text):
    """The code without its comments, and the comments with their lines."""
    comments = []

    def take(match):
        if not match.group(1):
            return match.group(0)
        comments.append((text.count("\n", 0, match.start()) + 1, match.group(1)))
        return ""

    return COMMENT.sub(take, text), comments


def known_words():
    words = set()
    for path in files():
        text = path.read_text(errors="replace")
        words.update(WORD.findall(split(text)[0] if path.suffix in CODE else text))
    return words


def known_files():
    names = set()
    for path in ROOT.rglob("*"):
        parts = path.relative_to(ROOT).parts
        if parts[0] in ("build", ".git"):
            continue
        for i in range(len(parts)):
            names.add("/".join(parts[i:]))
    return names


def strangers(comment, words, names):
    named = set(CAMEL.findall(comment)) | set(TICKED.findall(comment)) | set(QUALIFIED.findall(comment))
    for name in named:
        if any(part not in words and part not in FOREIGN for part in WORD.findall(name)):
            yield name
    for name in FILE.findall(comment):
        if name not in names:
            yield name


def main():
    words, names = known_words(), known_files()
    good = bad = 0
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in CODE:
            continue
        found = [f"{path.relative_to(ROOT)}:{line}: `{name}` exists nowhere"
                 for line, comment in split(path.read_text())[1] for name in strangers(comment, words, names)]
        print("\n".join(found), end="\n" if found else "")
        good += not found
        bad += bool(found)
    print(f"{good} passed, {bad} failed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
