#!/usr/bin/env python3
"""Random Natural blocks and typed prompts, with a fixed seed, against what must hold of all of them.

    tests/fuzz/natural.py --harn build/release/src/cli/harn --seed 1 --seconds 10

  steps       a random script of assignments and outcomes, some of them wrong, carried out by a step executor: the function has all that was
              assigned, or, when anything failed, nothing
  paths       targets of nh_assign: what the grammar does not have is refused, and changes nothing
  front       front matter made of pieces: an outcome that is denied is never accepted, what cannot be read is an ExecutionError
  templates   random templates and values: rendering is a function of both, and what Python's Template.substitute makes of them
  output      a value of a declared struct, written as JSON into random text: parse_structured_output gives the value back
  extraction  random text: an instance or an OutputParseError, nothing else
"""
import argparse
import json
import pathlib
import random
import string
import subprocess
import sys
import tempfile
import time

HEAD = """
import { ExecutionError, natural_run } from "std/natural"
import { NoParams, OutputParseError, markdown_section, parse_structured_output, prompt, prompt_template } from "std/prompt"

struct Item { name: string, count: int, tags: list<string> }

@natural_function
fn block(script) {
  var a: int = 1
  var b: string = "b"
  var c: dict = {x: {y: 1}}
  var how = "end"
  try {
    for pass in 0 to 1 exclusive {
      "natural\\nSet <:a>, <:b> and <:c>."
      how = "pass"
    }
  } catch e { how = "error" }
  return {how: how, a: a, b: b, c: c}
}

fn carried_out(script) {
  let executor = { step ->
    for one in script.steps { let _ = try { step.assign(one.target, one.expression) } }
    {step_outcome: script.outcome, bindings: script.bindings}
  }
  return natural_run({step_executor: executor}, { -> block(script) })
}

@natural_function
fn front(text) {
  "natural\\n${text}"
  return "ended"
}

fn fronted(one) {
  let executor = { step -> {step_outcome: one.kind == "raise" ? {kind: "raise", raise_message: "x"} : {kind: one.kind}} }
  try { return natural_run({step_executor: executor}, { -> front(one.text) }) } catch (e: ExecutionError) { return e.reason }
}

fn rendered(one) {
  let made = try {
    let template = prompt_template({ns: "n", key: "k", sections: [markdown_section(Item, {title: "T", key: "t", template: one.template})]})
    let ready = prompt(template).bind(Item {name: one.name, count: one.count, tags: []})
    let first = ready.render().text
    if first != ready.render().text { throw "not a function" }
    first
  }
  return is_err(made) ? {error: type_of(unwrap_err(made))} : {text: unwrap(made)}
}

let answers = prompt(prompt_template({ns: "n", key: "o", output: Item, sections: []})).render()

fn parsed(text) {
  try { return {value: {...parse_structured_output(text, answers)}} } catch (e: OutputParseError) { return {error: e.raw == text} }
}

let cases = json_parse(read_file("cases.json"))
let ways = {steps: carried_out, front: fronted, templates: rendered, parse: parsed}
println(json_stringify(cases.map({ one -> ways[one.way](one.input) })))
"""

NAMES = ["a", "b", "c", "c.x", "c.x.y", "c.z.y", "pass", "d"]
BAD_TARGETS = ["", ".", "a.", ".a", "a..b", "__a", "c.__x", "a b", "a[0]", "é", "1a", "a\n", "c.x.", "a;b", "a.1"]
EXPRESSIONS = ["1", "a + 1", "\"t\"", "b + \"!\"", "{x: {y: 2}}", "nil", "[1, 2]", "c.x.y", "a / 0", "1 +", "missing", "read_file(\"x\")", "a * 2"]
KINDS = ["pass", "return", "break", "continue", "raise", "jump", ""]


def identifier(text):
    return text.isascii() and text.isidentifier() and not text.startswith("__")


def steps_case(rng):
    steps = []
    for _ in range(rng.randrange(6)):
        target = rng.choice(BAD_TARGETS) if rng.random() < 0.3 else rng.choice(NAMES)
        steps.append({"target": target, "expression": rng.choice(EXPRESSIONS)})
    outcome = {"kind": rng.choice(KINDS)}
    if rng.random() < 0.2:
        outcome["extra"] = 1
    if outcome["kind"] == "raise":
        outcome["raise_message"] = "no"
    bindings = {name: rng.choice([3, "x", {"x": 1}, None, [1], 2.5, "7"]) for name in ("a", "b", "c", "other") if rng.random() < 0.2}
    return {"steps": steps, "outcome": outcome, "bindings": bindings}


def steps_holds(script, result):
    assert type(result["a"]) is int and type(result["b"]) is str and type(result["c"]) is dict, "a value does not fit its annotation"
    kind = script["outcome"]["kind"]
    is_good = kind in ("pass", "break", "continue") and "extra" not in script["outcome"]
    if result["how"] == "error" or not is_good:
        assert result["how"] == "error" and (result["a"], result["b"], result["c"]) == (1, "b", {"x": {"y": 1}}), "half committed"
    touched = {one["target"].split(".")[0] for one in script["steps"] if all(map(identifier, one["target"].split(".")))} | set(script["bindings"])
    for name, before in (("a", 1), ("b", "b"), ("c", {"x": {"y": 1}})):
        assert name in touched or result[name] == before, f"{name} has changed, and nobody has assigned it"


def front_case(rng):
    pieces = ["---", "---\n", "deny: [", "raise", "pass", "return", "]", "\n", ", ", "deny:", "- raise\n", " ", "allow: 1\n", "Do it.", "{", "}", "\"", "&a", "*a", "!!x", "\t"]
    if rng.random() < 0.4:
        denied = rng.sample(["raise", "pass", "return", "break", "nothing"], rng.randrange(4))
        text = "\n" * rng.randrange(2) + "---\ndeny: [" + ", ".join(denied) + "]\n---\nDo it."
    else:
        text = "".join(rng.choice(pieces) for _ in range(rng.randrange(14)))
    return {"text": text, "kind": rng.choice(["pass", "raise"])}


def front_holds(one, result):
    assert result in ("ended", "parse", "outcome", "raised"), result
    lines = one["text"].lstrip("\n").split("\n")
    if lines[0] == "---" and len(lines) > 2 and lines[2] == "---" and lines[1] == f"deny: [{one['kind']}]":
        assert result == "outcome", "a denied outcome was accepted"


def templates_case(rng):
    pieces = ["$name", "${name}", "$count", "$$", "$", "${", "}", "a", " b", "é", "\n", "\\", "{", "$other", "${count}", "x\n\ny"]
    text = "".join(rng.choice(pieces) for _ in range(rng.randrange(1, 10)))
    return {"template": text, "name": rng.choice(["Ada", "$count", "${name}", "$$", "", "a\nb"]), "count": rng.randrange(100)}


def templates_holds(one, result):
    body = one["template"].strip()
    try:
        # Names of the library are wider in no way that these pieces show.
        wanted = string.Template(body).substitute(name=one["name"], count=one["count"])
    except (KeyError, ValueError):
        assert result.get("error") == "struct", "what cannot be substituted was rendered"
        return
    if "\n" not in body:  # the indent of further lines is taken off
        assert result.get("text") == ("## 1. T\n\n" + wanted if body else "## 1. T"), (wanted, result)


def words(rng):
    return "".join(rng.choice("abc \n`\"'{}[]:,\\é😀") for _ in range(rng.randrange(12)))


def output_case(rng):
    value = {"name": words(rng), "count": rng.randrange(-5, 1000), "tags": [words(rng) for _ in range(rng.randrange(3))]}
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 2]))
    around = rng.randrange(3)
    if around == 1:
        text = "Here it is:\n```json\n" + text + "\n```\nGood luck"
    elif around == 2:
        text = "Here it is: " + text + " and that is all."
    return text, value


def extraction_case(rng):
    pieces = ["{", "}", "[", "]", "\"name\"", ":", ",", "1", "\"x\"", "```json\n", "```", "\n", "null", "\\", "tags", "count", "{\"name\": \"a\", \"count\": 1, \"tags\": []}", "\x01"]
    return "".join(rng.choice(pieces) for _ in range(rng.randrange(12)))


def cases_of(rng, count):
    out = []
    for _ in range(count):
        way = rng.choice(["steps", "front", "templates", "output", "extraction"])
        if way == "steps":
            out.append(("steps", steps_case(rng), steps_holds))
        elif way == "front":
            out.append(("front", front_case(rng), front_holds))
        elif way == "templates":
            out.append(("templates", templates_case(rng), templates_holds))
        elif way == "output":
            text, value = output_case(rng)
            out.append(("parse", text, lambda _, result, value=value: same(result.get("value"), value)))
        else:
            out.append(("parse", extraction_case(rng), lambda _, result: same(result.get("error", True), True)))
    return out


def same(got, wanted):
    assert got == wanted, f"got {got!r}, expected {wanted!r}"


def run(harn, seed, count):
    """How many cases did not hold."""
    cases = cases_of(random.Random(seed), count)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "main.harn").write_text(HEAD)
        pathlib.Path(folder, "cases.json").write_text(json.dumps([{"way": way, "input": given} for way, given, _ in cases]))
        done = subprocess.run([harn, "run", "main.harn"], cwd=folder, capture_output=True, text=True, timeout=240)
    if done.returncode != 0:
        print(f"seed {seed}: exit {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
        return count
    failed = 0
    for (way, given, holds), result in zip(cases, json.loads(done.stdout)):
        try:
            holds(given, result)
        except AssertionError as problem:
            failed += 1
            print(f"seed {seed}: {way}: {problem}\n  given {given!r}\n  got {result!r}")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--harn", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--count", type=int, default=100, help="cases in one program")
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    passed = failed = 0
    seed = options.seed
    while not failed and (seed == options.seed or time.monotonic() < until):
        failed += run(str(pathlib.Path(options.harn).resolve()), seed, options.count)
        passed += options.count
        seed += 1
    print(f"{passed - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
