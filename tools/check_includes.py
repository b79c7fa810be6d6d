#!/usr/bin/env python3
"""Checks the layer rule: a folder of src includes only folders its CMakeLists.txt names in DEPENDS,
and what those depend on; and a library is known only to the files that are there to know it."""

import re
import sys
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent / "src"

# What touches the world, and the folders that may: all others ask `effects`. The command line and the engine are the host itself;
# `vm` has the clock that timers run by, and threads.
WORLD = re.compile(r"\b(?:getenv|setenv|clock_gettime|gettimeofday|getrandom|fopen|opendir|fork|execvp?e?|posix_spawnp?|"
                   r"std::filesystem|std::[io]?fstream|std::random_device|(?:system|steady)_clock)\b|"
                   r"\bvm_?(?:\(\))?\.host\(\)|(?<![.>\w])(?:socket|connect)\(")
MAY_TOUCH = {"cli", "engine", "effects", "log", "net", "sql", "modules", "base"}
TIMERS = {"vm/clock.cpp", "vm/workers.cpp", "vm/task_report.cpp", "vm/scheduler.cpp"}
# Only `effects` sees the network, databases and the event log.
DIRECT_ONLY = {"log": {"effects"}, "net": {"effects", "cli"}, "sql": {"effects"}}
# Libraries that are not the system's: who may include what starts like this, a folder or a file each. One that is not
# listed is not used.
LIBRARIES = {
    "boost/asio": {"net"},
    "boost/beast": {"net"},
    "curl/": {"net"},
    "openssl/": {"crypto", "net/tls.cpp"},
    "libpq-fe.h": {"sql"},
    "arpa/inet.h": {"effects", "net", "sql"},
    "netdb.h": {"net", "sql"},
    "seccomp.h": {"net/confine.cpp"},
    "zlib.h": {"compress/gzip.cpp"},
    "zstd.h": {"compress/zstd.cpp"},
    "brotli/": {"compress/brotli.cpp"},
    "sqlite3": {"log"},
    "boost/context": {"vm"},
    "xxhash": {"vm"},
    "yaml-cpp/": {"data/yaml.cpp"},
    "toml++/": {"base/toml.h"},
    "fmt/": {"base"},
    "re2/": {"builtins", "cli/conformance.cpp"},
    "utf8proc": {"builtins/text_case.cpp", "data/letter_case.cpp"},
}
# Ours that stand for a library whose header costs seconds.
HEAVY = {"base/toml.h": {"data/toml.cpp", "modules/manifest.cpp"}}
SYSTEM = re.compile(r"[a-z_0-9]+|(?:sys|linux|sanitizer)/\w+\.h|"
                    r"(?:cxxabi|dirent|dlfcn|fcntl|fnmatch|malloc|poll|pthread|pwd|sched|signal|spawn|strings|termios|time|unistd)\.h")


def is_one_of(name, places):
    return name in places or name.split("/")[0] in places


def library_problems(name, text):
    for header in re.findall(r"^\s*#include <([^>]+)>", text, re.M):
        owners = [places for start, places in LIBRARIES.items() if header.startswith(start)]
        if owners and not is_one_of(name, owners[0]):
            yield f"<{header}> is for {', '.join(sorted(owners[0]))} only"
        if not owners and not SYSTEM.fullmatch(header):
            yield f"<{header}> is a library that no row of LIBRARIES names"
    for header, places in HEAVY.items():
        if f'#include "{header}"' in text and not is_one_of(name, places):
            yield f'"{header}" is for {", ".join(sorted(places))} only'


def declared():
    direct = {}
    for lists in SRC.glob("*/CMakeLists.txt"):
        text = lists.read_text()
        match = re.search(r"DEPENDS\s+([a-z_\s]+?)\s*(?:LINK|\))", text)
        direct[lists.parent.name] = match.group(1).split() if match else []
    direct["cli"] = [name for name in direct if name != "cli"]
    return direct


def reachable(direct, name, seen=None):
    seen = seen if seen is not None else set()
    for other in direct.get(name, []):
        if other not in seen:
            seen.add(other)
            reachable(direct, other, seen)
    return seen


def without_comments(text):
    return re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"', "", text)


def main():
    direct = declared()
    passed = failed = 0
    for folder in sorted(direct):
        allowed = reachable(direct, folder) | {folder}
        for path in sorted((SRC / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            name = str(path.relative_to(SRC))
            text = path.read_text()
            included = set(re.findall(r'#include "([a-z_]+)/', text))
            wrong = [m for m in included if m in direct and m not in allowed]
            wrong += [m for m in included & set(DIRECT_ONLY) if folder not in DIRECT_ONLY[m] | {m}]
            touched = None if folder in MAY_TOUCH or name in TIMERS else WORLD.search(without_comments(text))
            libraries = list(library_problems(name, text))
            if libraries:
                failed += 1
                print(f"{name}: {'; '.join(libraries)}")
            elif touched:
                failed += 1
                print(f"{name}: `{touched.group()}` touches the world, which is for effects to do")
            elif wrong:
                failed += 1
                print(f"{path.relative_to(SRC)}: includes {', '.join(sorted(set(wrong)))}, "
                      f"which {folder} does not depend on")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
