#!/usr/bin/env python3
"""Programs that are made at random and run on the mock model: none takes more than `harn check --cost` says.

    tests/fuzz/cost_bounds.py --harn HARN [--seconds N] [--seed N]
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HEAD = """\
fn once(body) { return body() }
fn each_of(items, body) {
  for item in items { body(item) }
}
fn ask(text, most = 64) { return llm_call(text, nil, {provider: "mock", max_tokens: most}) }
"""
TAIL = """
  let spent = llm_session_cost()
  println(json_stringify({calls: spent.call_count, tokens: spent.input_tokens + spent.output_tokens, usd: spent.total_cost}))
"""


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.functions = []
        self.names = 0

    def name(self, start):
        self.names += 1
        return f"{start}{self.names}"

    def text(self):
        return json.dumps("x" * self.rng.randint(0, 40))

    def call(self):
        rng = self.rng
        kind = rng.randrange(7)
        if kind == 0:
            return f"ask({self.text()})"
        if kind == 1:
            return f"ask({self.text()}, {rng.randint(31, 200)})"
        if kind == 2:
            return f'llm_call({self.text()}, {self.text()}, {{provider: "mock"}})'
        if kind == 3:
            return (f'llm_call_safe({self.text()}, nil, {{provider: "mock", schema: {{type: "object", required: ["a"]}}, '
                    f'schema_retries: {rng.randint(0, 2)}}})')
        if kind == 4:
            return f'agent_loop({self.text()}, nil, {{provider: "mock", max_iterations: {rng.randint(1, 3)}, loop_until_done: true}})'
        if kind == 5 and self.functions:
            return f"{rng.choice(self.functions)}({rng.randint(0, 3)})"
        return f'llm_completion({self.text()}, nil, nil, {{provider: "mock"}})'

    def block(self, depth):
        return " ; ".join(self.statement(depth - 1) for _ in range(self.rng.randint(1, 2)))

    def statement(self, depth):
        rng = self.rng
        if depth <= 0:
            return self.call()
        kind = rng.randrange(10)
        if kind == 0:
            return f"for {self.name('i')} in 1 to {rng.randint(0, 3)} {{ {self.block(depth)} }}"
        if kind == 1:
            return f"for {self.name('i')} in {[0] * rng.randint(0, 3)} {{ {self.block(depth)} }}"
        if kind == 2:
            return f"if {rng.choice(['true', 'false', 'n > 1'])} {{ {self.block(depth)} }} else {{ {self.block(depth)} }}"
        if kind == 3:
            return f'retry {rng.randint(1, 3)} {{ {self.block(depth)} ; {rng.choice(["1", "throw 1"])} }}'
        if kind == 4:
            return f"parallel each {[0] * rng.randint(0, 3)} {{ {self.name('x')} -> {self.block(depth)} }}"
        if kind == 5:
            return f"match n {{ 0 -> {{ {self.block(depth)} }} _ -> {{ {self.block(depth)} }} }}"
        if kind == 6:
            return f"once({{ -> {self.block(depth)} }})"
        if kind == 7:
            return f"each_of({[0] * rng.randint(0, 3)}, {{ {self.name('x')} -> {self.block(depth)} }})"
        if kind == 8:
            name = self.name("w")
            return f"var {name} = 0 ; while {name} < {rng.randint(0, 3)} {{ {name} += 1 ; {self.block(depth)} }}"
        return f"{[0] * rng.randint(0, 3)}.map({{ {self.name('x')} -> {self.block(depth)} }})"

    def make(self):
        out = HEAD
        for _ in range(self.rng.randint(0, 2)):
            name = self.name("f")
            out += f"fn {name}(n) {{\n  {self.statement(2)}\n}}\n"
            self.functions.append(name)
        body = "\n  ".join(self.statement(self.rng.randint(1, 3)) for _ in range(self.rng.randint(1, 3)))
        return out + f"pipeline main(task) {{\n  let n = 2\n  {body}{TAIL}}}\n"


def bound_of(harn, path):
    result = subprocess.run([harn, "check", "--cost", "--json", path], capture_output=True, text=True, timeout=60)
    data = json.loads(result.stdout)["data"]
    if data is None or "costs" not in data["summary"]:
        return None, result.stdout
    return data["summary"]["costs"][-1], result.stdout


def judge(harn, folder, seed):
    path = str(Path(folder, "main.harn"))
    text = Program(random.Random(seed)).make()
    Path(path).write_text(text)
    bound, said = bound_of(harn, path)
    run = subprocess.run([harn, "run", path], capture_output=True, text=True, timeout=120, cwd=folder,
                         env={"PATH": os.environ["PATH"], "HOME": folder})
    if bound is None or run.returncode != 0:
        return f"seed {seed}: not a program\n{text}\n{said}\n{run.stderr}", False
    spent = json.loads(run.stdout.strip().splitlines()[-1])
    is_bounded = "most" in bound["model_calls"]
    for name, took in (("model_calls", spent["calls"]), ("tokens", spent["tokens"]), ("usd", spent["usd"])):
        most = bound[name].get("most")
        if most is not None and took > most:
            return f"seed {seed}: {name} is {took}, the bound {most}\n{text}", is_bounded
    return None, is_bounded


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harn", required=True)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    end = time.monotonic() + args.seconds
    made = bounded = 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end or made < 20:
            problem, is_bounded = judge(os.path.abspath(args.harn), folder, args.seed * 1000003 + made)
            if problem:
                print(problem)
                print(f"{made} passed, 1 failed")
                return 1
            made += 1
            bounded += is_bounded
    # A check that never finds a bound would never be wrong.
    finds_bounds = bounded * 2 >= made
    print(f"{bounded} of {made} programs have a bound")
    print(f"{made} passed, {0 if finds_bounds else 1} failed")
    return 0 if finds_bounds else 1


if __name__ == "__main__":
    sys.exit(main())
