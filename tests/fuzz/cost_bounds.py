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
import { best_of_n, self_consistency } from "std/llm/ensemble"
import { with_cache, with_retry, with_fallback, with_logging, default_llm_caller } from "std/llm/handlers"
import { refine_prompt } from "std/llm/refine"
import { safe_call } from "std/llm/safe"
struct Asker { text: string, times: int }
impl Asker {
  fn go(self) { for i in 1 to self.times { ask(self.text) } }
  fn one(self, extra = ask("default")) { return ask(self.text) }
}
enum Job { Ask(string), Idle }
fn perform(job: Job) { match job { Job.Ask(t) -> { ask(t) } Job.Idle -> {} } }
fn asks(n) { for i in 1 to n { yield ask("y") } }
gen fn streamed(n: int) -> Stream<any> { for i in 1 to n { emit ask("s") } }
fn down(n: int) { if n > 0 { ask("d") ; down(n - 1) } }
fn apply(f, x) { return f(x) }
fn twice(f) { return { x -> f(f(x)) } }
tool look(what: string) -> string { return "nothing" }
tool think_it(what: string) -> string { return "${ask(what)}" }
@natural_function
fn natural(n: int) -> int {
  "Set <:n> to 1."
  return n
}
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
        self.is_wild = rng.random() < 0.2  # with what has no bound
        self.names = 0

    def name(self, start):
        self.names += 1
        return f"{start}{self.names}"

    def text(self):
        return json.dumps("x" * self.rng.randint(0, 40))

    def call(self):
        rng = self.rng
        if rng.random() < 0.5:
            return self.rare_call()
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

    def rare_call(self):
        """What models are asked by in a roundabout way."""
        rng = self.rng
        text, few, mock = self.text(), rng.randint(0, 3), '{provider: "mock", max_tokens: 50}'
        call = rng.choice([
            f'llm_call({text}, nil, {{provider: "mock", llm_retries: {few}, llm_backoff_ms: 0}})',
            f'llm_call_structured_safe({text}, {{type: "object", required: ["a"]}}, {{provider: "mock", schema_retries: {few}}})',
            f'llm_call_structured_result({text}, {{type: "object", required: ["a"]}}, {{provider: "mock", schema_retries: {few}, repair: {{enabled: true}}}})',
            f'agent_loop({text}, nil, {{provider: "mock", tools: look, max_iterations: {rng.randint(1, 3)}, loop_until_done: true}})',
            f'Asker {{ text: {text}, times: {few} }}.one()',
            f'Asker {{ text: {text}, times: {few} }}.one(1)',
            f'for it in asks({few}) {{ log(1) }}', f'streamed({few}).iter().to_list()', f'await(spawn {{ ask({text}) }})',
            f'perform(Job.Ask({text}))', 'perform(Job.Idle)',
            f'cost_route {{ budget_usd: 0.5 ; llm_call({text}, nil, {mock}) }}',
            f'llm_stream_call({text}, nil, {mock})',
        ] + ([] if not self.is_wild else [
            f'llm_call_safe({text}, nil, {{provider: "mock", fallback_chain: ["mock", "mock"], llm_retries: {few}, llm_backoff_ms: 0}})',
            f'schema_recover({text}, {{type: "object", required: ["a"]}}, {{llm_repair: {{provider: "mock"}}}})',
            f'agent_loop({text}, nil, {{provider: "mock", tools: think_it, max_iterations: {rng.randint(1, 2)}}})',
            f'agent_turn({text}, {{provider: "mock"}})',
            f'Asker {{ text: {text}, times: {few} }}.go()',
            f'down({few})', f'apply(ask, {text})', f'apply(twice(ask), {text})', f'{text} |> ask',
            f'best_of_n({text}, nil, {{n: {few + 1}, provider: "mock"}})',
            f'self_consistency({text}, nil, {{n: {few + 1}, provider: "mock", extract: {{ t -> t }}}})',
            f'safe_call({text}, nil, {mock})', f'with_cache({text}, nil, {mock})',
            f'with_retry(default_llm_caller(), {{max_attempts: {few + 1}}})({{prompt: {text}, options: {mock}}})',
            f'refine_prompt({{prompt: {text}, provider: "mock"}})',
            f'natural({few})', f'sub_agent_run({text}, {{provider: "mock", max_iterations: {rng.randint(1, 2)}}})',
            f'wait_agent(spawn_agent({{name: "w", task: {text}, options: {{provider: "mock", max_iterations: 1}}}}))',
        ]))
        # Not all of them like what the mock model answers.
        return f"once({{ -> try {{ {call} }} catch (e) {{ nil }} }})"

    def rare_statement(self, depth):
        rng = self.rng
        few, body = rng.randint(0, 3), self.block(depth)
        zeros = [0] * few
        x, v = self.name("x"), self.name("v")
        return rng.choice([
            f"try {{ {body} ; throw 1 }} catch (e) {{ {self.block(depth)} }} finally {{ {self.block(depth)} }}",
            f"let {v} = try {{ {body} }}",
            f"once({{ -> defer {{ {body} }} }})",
            f"guard n > 1 else {{ {body} ; return 0 }}",
            f"parallel {few} {{ {x} -> {body} }}",
            f"parallel settle {zeros} {{ {x} -> {body} }}",
            f"let {v} = await(spawn {{ {body} ; 1 }})",
            f"deadline 10s {{ {body} }}",
            f"let {v} = n > 1 ? once({{ -> {body} }}) : once({{ -> {self.block(depth)} }})",
            f"let {v} = nil ?? once({{ -> {body} }})",
            f"if n > 0 && once({{ -> {body} ; true }}) {{ {self.block(depth)} }}",
            f"{zeros}.filter({{ {x} -> {body} ; true }}).map({{ {x} -> {self.block(depth)} }})",
            f"{zeros}.reduce(0, {{ a, {x} -> {body} ; 0 }})",
            f"{zeros}.iter().map({{ {x} -> {body} ; 1 }}).filter({{ {x} -> {self.block(depth)} ; true }}).to_list()",
            f"{zeros}.iter().take({rng.randint(0, 2)}).for_each({{ {x} -> {body} }})",
            f"{zeros}.group_by({{ {x} -> {body} ; \"k\" }})",
            f"for {x} in {{a: 1, b: 2}} {{ {body} }}",
            f"for {x} in \"abc\" {{ {body} }}",
            f"let {v} = {{ -> {body} }} ; {v}() ; {v}()",
            f"for {x} in 0 to {few} exclusive {{ if {x} == 1 {{ break }} ; {body} }}",
            f"let {v} = {few} ; for {x} in 1 to {v} {{ {body} }}",
            f"var {v} = {few} ; while {v} > 0 {{ {v} -= 1 ; {body} }}",
            f"var {v} = 0 ; {zeros}.iter().for_each({{ {x} -> {v} += 1 }}) ; while {v} > 0 {{ {v} -= 1 ; {body} }}",
            f"match [n, 1] {{ [2, y] if once({{ -> {body} ; false }}) -> {{ {self.block(depth)} }} _ -> {{ {self.block(depth)} }} }}",
            f"let {v} = \"${{once({{ -> {body} }})}}\"",
            f"mutex {{ {body} }}",
        ] + ([] if not self.is_wild else [
            f"{zeros}.sort_by({{ {x} -> {body} ; 0 }})",
            f"{{a: 1, b: 2}}.map_values({{ {x} -> {body} ; 1 }})",
            f"var {v} = {zeros} ; {v} = {v}.push(1) ; for {x} in {v} {{ {body} }}",
            f"let {v} = {{f: {{ -> {body} }}}} ; {v}.f()",
            f"var {v} = {{ -> 1 }} ; {v} = {{ -> {body} }} ; {v}()",
            f"for {x} in 1 to {few} {{ for {v} in 1 to {x} {{ {body} }} }}",
            f"fn {v}(k) {{ if k > 0 {{ {body} ; {v}(k - 1) }} }} ; {v}({few})",
        ]))

    def block(self, depth):
        return " ; ".join(self.statement(depth - 1) for _ in range(self.rng.randint(1, 2)))

    def statement(self, depth):
        rng = self.rng
        if depth <= 0:
            return self.call()
        if rng.random() < 0.5:
            return self.rare_statement(depth)
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
