#!/usr/bin/env python3
"""Programs that are made at random, without `any`: those that `harn check` has nothing against must not fail at run time because
of a type.

    tests/fuzz/sound_types.py --harn HARN [--seconds N] [--seed N] [--keep DIR]
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FAILURE = re.compile(r"Type ?error|TypeError|no method|Cannot (add|subtract|multiply|divide|modulo|negate|call)|cannot (access|index)"
                     r"|cannot (spread|iterate|slice|pipe)|destructuring requires|needs (pairs|two ints|an int)|operator requires a Result"
                     r"|No match arm|Arity mismatch|unreachable code was reached|is not iterable")

# A text flows into a union of texts by the document's own rule; the run time looks at which one it is.
BY_RULE = re.compile(r'expected ("|Mode|Msg)|field \'kind\' expected')

SCALARS = ["int", "string", "bool", "float"]
DECLARED = """\
type Item = {id: int, name: string, tags: list<string>, note?: string}
type Msg = {kind: "text", text: string} | {kind: "num", value: int} | {kind: "none"}
type Mode = "fast" | "slow"
enum Shape { Circle(radius: float), Label(text: string, size: int), Empty }
struct Point { x: int, y: int, label: string? }
impl Point { fn shift(self, by: int) -> Point { return Point { x: self.x + by, y: self.y, label: self.label } } }
type Hooks = {done?: fn(int) -> int, name: string, size?: int}
fn point(x: Point) -> Point { return x }
fn pair_of(x: Pair<int, string>) -> Pair<int, string> { return x }
fn hooks(x: Hooks) -> Hooks { return x }
fn twice(f: fn(int) -> int, n: int) -> int { return f(f(n)) }
fn all_of(first: int, ...rest: int) -> list<int> { return [first, ...rest] }
fn pick<T>(a: T, b: T, first: bool) -> T { return first ? a : b }
fn item(x: Item) -> Item { return x }
fn maybe(x: Item?) -> Item? { return x }
fn first_or<T>(xs: list<T>, other: T) -> T { return xs.count > 0 ? xs[0] : other }
"""
TYPES = SCALARS + ["int?", "string?", "list<int>?", "fn(int) -> int", "(fn(int) -> int)?", "Pair<int, string>", "Hooks", "set<int>",
                   "Result<int, string>", "list<int> | string", "int | string", "string | int | nil", "list<int>", "list<string>", "Item", "Item?", "Msg", "Mode",
                   "Shape", "Point", "Point?", "dict<string, int>", "{a: int, b: string?}"]


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.names = 0
        self.functions = []

    def name(self, start="v"):
        self.names += 1
        return f"{start}{self.names}"

    # Mostly of the type that is asked for.
    def value(self, wanted, scope, depth=0):
        if self.rng.random() < 0.01:
            wanted = self.rng.choice(TYPES)
        fitting = [n for n, t in scope if t == wanted]
        if fitting and self.rng.random() < 0.45:
            return self.rng.choice(fitting)
        if depth > 3:
            return self.literal(wanted, scope, depth)
        made = self.made(wanted, scope, depth + 1)
        return made if made and self.rng.random() < 0.6 else self.literal(wanted, scope, depth + 1)

    def literal(self, wanted, scope, depth):
        rng, value = self.rng, self.value
        if wanted.endswith("?") and wanted[0] not in "(l":
            return "nil" if rng.random() < 0.4 else self.literal(wanted[:-1], scope, depth)
        if " | " in wanted and not wanted.startswith("{"):
            return self.literal(rng.choice(wanted.split(" | ")), scope, depth)
        if wanted in ("(fn(int) -> int)?", "list<int>?"):
            return "nil" if rng.random() < 0.4 else self.literal(wanted[:-1].strip("()") if wanted[0] == "l" else "fn(int) -> int", scope, depth)
        return {
            "fn(int) -> int": lambda: rng.choice(["{ n -> n + 1 }", "{ n: int -> %s }" % value("int", scope, depth + 1)]),
            "Pair<int, string>": lambda: "pair(%s, %s)" % (value("int", scope, depth + 1), value("string", scope, depth + 1)),
            "set<int>": lambda: "set(%s)" % value("int", scope, depth + 1),
            "Result<int, string>": lambda: rng.choice(["Ok(%s)" % value("int", scope, depth + 1), "Err(%s)" % value("string", scope, depth + 1)]),
            "Hooks": lambda: "{name: %s%s}" % (value("string", scope, depth + 1), rng.choice(
                ["", ", done: %s" % value("fn(int) -> int", scope, depth + 1), ", size: %s" % value("int", scope, depth + 1)])),
            "nil": lambda: "nil",
            "int": lambda: str(rng.randint(-3, 9)),
            "float": lambda: rng.choice(["0.5", "2.0", "1"]),
            "bool": lambda: rng.choice(["true", "false"]),
            "string": lambda: rng.choice(['"a"', '"bc"', '""', '"${1}"']),
            "list<int>": lambda: "[" + ", ".join(value("int", scope, depth + 1) for _ in range(rng.randint(1, 3))) + "]",
            "list<string>": lambda: "[" + ", ".join(value("string", scope, depth + 1) for _ in range(rng.randint(1, 3))) + "]",
            "Item": lambda: "{id: %s, name: %s, tags: %s%s}" % (
                value("int", scope, depth + 1), value("string", scope, depth + 1), value("list<string>", scope, depth + 1),
                rng.choice(["", ', note: "n"'])),
            "Msg": lambda: rng.choice(['{kind: "text", text: %s}' % value("string", scope, depth + 1),
                                       '{kind: "num", value: %s}' % value("int", scope, depth + 1), '{kind: "none"}']),
            "Mode": lambda: rng.choice(['"fast"', '"slow"']),
            "Shape": lambda: rng.choice(["Shape.Circle(%s)" % value("float", scope, depth + 1),
                                         "Shape.Label(%s, %s)" % (value("string", scope, depth + 1), value("int", scope, depth + 1)),
                                         "Shape.Empty"]),
            "Point": lambda: "Point { x: %s, y: %s, label: %s }" % (
                value("int", scope, depth + 1), value("int", scope, depth + 1), value("string?", scope, depth + 1)),
            "dict<string, int>": lambda: "{k: %s, l: 2}" % value("int", scope, depth + 1),
            "{a: int, b: string?}": lambda: "{a: %s, b: %s}" % (value("int", scope, depth + 1), value("string?", scope, depth + 1)),
        }[wanted]()

    def made(self, wanted, scope, depth):
        rng = self.rng
        v = lambda t: self.value(t, scope, depth)  # noqa: E731
        ways = {
            "int": [lambda: f"({v('int')} + {v('int')})", lambda: f"len({v('string')})", lambda: f"({v('int?')} ?? {v('int')})",
                    lambda: f"{v('list<int>')}.reduce(0, {{ s, n -> s + n }})", lambda: f"item({v('Item')}).id",
                    lambda: f"{v('Point')}.shift({v('int')}).x", lambda: f"max({v('int')}, {v('int')})",
                    lambda: f"first_or({v('list<int>')}, {v('int')})", lambda: f"({v('dict<string, int>')}[\"k\"] ?? 0)",
                    lambda: f"({v('Point?')}?.x ?? {v('int')})", lambda: f"{v('list<string>')}.count",
                    lambda: f"twice({v('fn(int) -> int')}, {v('int')})", lambda: f"pair_of({v('Pair<int, string>')}).first",
                    lambda: f"unwrap_or({v('Result<int, string>')}, {v('int')})", lambda: f"({v('int')} |> {v('fn(int) -> int')})",
                    lambda: f"(-{v('int')})", lambda: f"(hooks({v('Hooks')}).size ?? 1)", lambda: f"len({v('list<int> | string')})",
                    lambda: f"{v('list<int>')}[{v('int')}:].count"],
            "string": [lambda: f"({v('string')} + {v('string')})", lambda: f"{v('string')}.upper()", lambda: f"\"${{{v('int')}}}\"",
                       lambda: f"({v('string?')} ?? {v('string')})", lambda: f"to_string({v('int | string')})",
                       lambda: f"{v('list<string>')}.join(\",\")", lambda: f"item({v('Item')}).name", lambda: f"({v('string')} * 2)",
                       lambda: f"(maybe({v('Item?')})?.name ?? {v('string')})", lambda: f"pick({v('string')}, {v('string')}, {v('bool')})"],
            "bool": [lambda: f"({v('int')} < {v('int')})", lambda: f"({v('string?')} == nil)", lambda: f"!{v('bool')}",
                     lambda: f"({v('bool')} && {v('bool')})", lambda: f"{v('string')}.contains({v('string')})"],
            "float": [lambda: f"({v('float')} * {v('int')})", lambda: f"{v('int')}"],
            "list<int>": [lambda: f"{v('list<int>')}.map({{ n -> n + 1 }})", lambda: f"({v('list<int>')} + {v('list<int>')})",
                          lambda: f"{v('list<string>')}.map({{ t -> len(t) }})", lambda: f"{v('list<int>')}.push({v('int')})",
                          lambda: f"[{v('int')}, ...{v('list<int>')}]", lambda: f"all_of({v('int')}, ...{v('list<int>')})",
                          lambda: f"({v('list<int>?')} ?? [])", lambda: f"[...{v('set<int>')}]"],
            "list<string>": [lambda: f"{v('list<int>')}.map({{ n -> \"${{n}}\" }})", lambda: f"{v('string')}.split(\"b\")",
                             lambda: f"item({v('Item')}).tags"],
            "int?": [lambda: f"{v('list<int>')}.find({{ n -> n > 1 }})", lambda: f"to_int({v('string')})", lambda: v("int")],
            "string?": [lambda: f"item({v('Item')}).note", lambda: f"point({v('Point')}).label", lambda: f"maybe({v('Item?')})?.name"],
            "Point": [lambda: f"{v('Point')}.shift({v('int')})"],
            "Mode": [lambda: f"pick({v('Mode')}, {v('Mode')}, true)"],
        }.get(wanted)
        calls = [f for f in self.functions if f[2] == wanted]
        if calls and rng.random() < 0.3:
            name, params, _ = rng.choice(calls)
            return f"{name}({', '.join(v(t) for t in params)})"
        return rng.choice(ways)() if ways else None

    def block(self, scope, depth, result):
        rng = self.rng
        scope = list(scope)
        lines = []
        for _ in range(rng.randint(1, 4)):
            lines += self.statement(scope, depth, result)
        return lines

    def statement(self, scope, depth, result):
        rng, pad = self.rng, "  " * depth
        union = [(n, t) for n, t in scope if t.endswith("?") or t in ("Hooks", "list<int> | string", "Result<int, string>","int | string", "string | int | nil", "Msg", "Mode", "Shape")]
        if union and rng.random() < 0.5 and depth < 4:
            return self.narrowing(*rng.choice(union), scope, depth, result)
        way = rng.randrange(8)
        if way == 5:
            a, b = self.name("a"), self.name("b")
            which = rng.randrange(3)
            scope.append((a, "int"))
            if which == 0:
                return [f"{pad}let [{a}, {b} = {self.value('int', scope[:-1])}] = [{self.value('int', scope[:-1])}, ...{self.value('list<int>', scope[:-1])}]"]
            if which == 1:
                scope.append((b, "string"))
                return [f"{pad}let {{id: {a}, name: {b}}} = {self.value('Item', scope[:-2])}"]
            return [f"{pad}let {a} = {self.value('Pair<int, string>', scope[:-1])}.first"]
        if way == 6 and depth < 4:
            x, y = self.value("string?", scope), self.value("string", scope)
            names = [n for n, t in scope if t == "string?"]
            if names:
                name = rng.choice(names)
                same = rng.random() < 0.8
                return [f"{pad}if {name} {'==' if same else '!='} {y} {{"] + self.block(
                    scope + [(name, "string")] if same else scope, depth + 1, result) + [f"{pad}}}"]
        if way == 7 and depth < 4:
            wanted = rng.choice(["list<int>?", "set<int>", "Pair<int, string>", "string?", "list<int> | string", "dict<string, int>"])
            item = self.name("i")
            return [f"{pad}for {item} in {self.value(wanted, scope)} {{ println({item}) }}"]
        if way == 0:
            wanted = rng.choice(TYPES)
            name = self.name()
            line = f"{pad}{rng.choice(['let', 'var'])} {name}{rng.choice([': ' + wanted, ''])} = {self.value(wanted, scope)}"
            if ":" not in line.split("=")[0] and wanted not in SCALARS:
                line = f"{pad}let {name}: {wanted} = {self.value(wanted, scope)}"
            scope.append((name, wanted))
            return [line]
        if way == 1 and depth < 4:
            item = self.name("i")
            body = self.block(scope + [(item, "int")], depth + 1, result)
            return [f"{pad}for {item} in {self.value('list<int>', scope)} {{"] + body + [f"{pad}}}"]
        if way == 2 and depth < 4:
            return ([f"{pad}if {self.value('bool', scope)} {{"] + self.block(scope, depth + 1, result) +
                    [f"{pad}}} else {{"] + self.block(scope, depth + 1, result) + [f"{pad}}}"])
        if way == 3:
            name, wanted = self.name("m"), rng.choice(["int?", "string?", "int | string"])
            scope.append((name, wanted))
            return [f"{pad}var {name}: {wanted} = {self.value(wanted, scope[:-1])}",
                    f"{pad}if {self.value('bool', scope)} {{ {name} = {self.value(wanted, scope[:-1])} }}"]
        return [f"{pad}println({self.value(rng.choice(TYPES), scope)})"]

    # Conditions that narrow, and what can be done then. Sometimes the wrong way round.
    def narrowing(self, name, kind, scope, depth, result):
        rng, pad = self.rng, "  " * depth
        inner = "  " * (depth + 1)
        wrong = rng.random() < 0.1
        body = lambda t: self.block(scope + [(name, t)] if not wrong else scope, depth + 1, result)  # noqa: E731
        if kind == "Hooks":
            test = rng.choice([f"{name}.done != nil", f'{name}.has("done")', f"{name}?.done", "true"])
            return [f"{pad}if {test} {{ println({name}.done({self.value('int', scope)}) + 1) }}"]
        if kind == "list<int> | string":
            return [f"{pad}if type_of({name}) == \"list\" {{"] + body("list<int>") + [f"{pad}}} else {{"] + body("string") + [f"{pad}}}"]
        if kind == "Result<int, string>":
            return ([f"{pad}match {name} {{", f"{inner}Ok(v) -> {{ println(v + 1) }}"] +
                    ([] if wrong else [f"{inner}Err(e) -> {{ println(e.upper()) }}"]) + [f"{pad}}}"])
        if kind == "(fn(int) -> int)?":
            test = rng.choice([f"{name} != nil", f"{name}", f"type_of({name}) == \"closure\"", "true"])
            return [f"{pad}if {test} {{ println({name}({self.value('int', scope)}) + 1) }}"]
        if kind.endswith("?"):
            base = kind[:-1]
            way = rng.randrange(4)
            if way == 0:
                return [f"{pad}if {name} != nil {{", f"{inner}println({self.value(base, [(name, base)])})"] + body(base) + [f"{pad}}}"]
            if way == 1:
                return [f"{pad}if {name} == nil {{ println(\"nil\") }} else {{"] + body(base) + [f"{pad}}}"]
            if way == 2 and result:
                scope.append((name, base))
                return [f"{pad}if {name} == nil {{ return {self.value(result, scope[:-1])} }}"]
            return [f"{pad}if {name} {{"] + body(base) + [f"{pad}}}"]
        if kind == "int | string":
            way = rng.randrange(2)
            if way == 0:
                return ([f"{pad}if type_of({name}) == \"string\" {{"] + body("string") + [f"{pad}}} else {{"] + body("int") + [f"{pad}}}"])
            return ([f"{pad}match type_of({name}) {{", f"{inner}\"string\" -> {{"] + body("string") +
                    [f"{inner}}}", f"{inner}\"int\" -> {{"] + body("int") + [f"{inner}}}", f"{inner}_ -> {{ unreachable() }}", f"{pad}}}"])
        if kind == "string | int | nil":
            return ([f"{pad}if {name} != nil && type_of({name}) == \"int\" {{"] + body("int") + [f"{pad}}}"])
        if kind == "Msg":
            return ([f"{pad}match {name}.kind {{", f"{inner}\"text\" -> {{ println({name}.text.upper()) }}",
                     f"{inner}\"num\" -> {{ println({name}.value + 1) }}"] +
                    ([] if wrong else [f"{inner}\"none\" -> {{ println(\"none\") }}"]) + [f"{pad}}}"])
        if kind == "Mode":
            return ([f"{pad}match {name} {{", f"{inner}\"fast\" -> {{ println(1) }}"] +
                    ([] if wrong else [f"{inner}\"slow\" -> {{ println(2) }}"]) + [f"{pad}}}"])
        return ([f"{pad}match {name} {{", f"{inner}Shape.Circle(r) -> {{ println(r * 2.0) }}",
                 f"{inner}Shape.Label(t, n) -> {{ println(t + to_string(n + 1)) }}"] +
                ([] if wrong else [f"{inner}Shape.Empty -> {{ println(\"empty\") }}"]) + [f"{pad}}}"])

    def text(self):
        rng = self.rng
        lines = [DECLARED]
        for _ in range(rng.randint(1, 4)):
            name = self.name("f")
            params = [(self.name("p"), rng.choice(TYPES)) for _ in range(rng.randint(1, 3))]
            result = rng.choice(SCALARS + ["int?", "string?", "Item", "list<int>"])
            lines.append(f"fn {name}({', '.join(f'{n}: {t}' for n, t in params)}) -> {result} {{")
            lines += self.block(params, 1, result)
            lines += [f"  return {self.value(result, params)}", "}"]
            self.functions.append((name, [t for _, t in params], result))
        for name, params, _ in self.functions:
            for _ in range(3):
                lines.append(f"println({name}({', '.join(self.value(t, []) for t in params)}))")
        return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harn", required=True)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--keep")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    end = time.monotonic() + options.seconds
    made = sound = 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            paths = []
            for i in range(20):
                path = Path(folder, f"p{i}.harn")
                path.write_text(Program(rng).text())
                paths.append(path)
            made += len(paths)
            done = subprocess.run([options.harn, "check", "--json", *map(str, paths)], capture_output=True, text=True, timeout=100)
            for file in json.loads(done.stdout)["data"]["files"]:
                if any(d["severity"] == "error" or d["code"] == "HARN-TYP-028" for d in file["diagnostics"]):
                    continue
                sound += 1
                run = subprocess.run([options.harn, "run", file["path"]], capture_output=True, text=True, timeout=100)
                if FAILURE.search(run.stderr) and not BY_RULE.search(run.stderr):
                    print(f"seed {options.seed}: this program checks, and fails all the same:\n{run.stderr}")
                    print(Path(file["path"]).read_text())
                    if options.keep:
                        Path(options.keep).write_text(Path(file["path"]).read_text())
                    print(f"{sound - 1} passed, 1 failed")
                    return 1
    print(f"{made} programs, {sound} of them sound")
    print(f"{sound} passed, 0 failed")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
