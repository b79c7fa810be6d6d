#!/usr/bin/env python3
"""Random programs that change lists, records and texts in every way the language has, against Python code that never
changes anything in place. Values that several variables hold, errors in the middle, closures, and functions that
change what they were given: none of it may be seen elsewhere.

    tests/fuzz/updates.py --harn build/release/src/cli/harn --seconds 60
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

PRELUDE = """
fn add(xs, v) { return xs.push(v) }
fn add_typed(xs: list<int>, v: int) -> list<int> { return xs + [v] }
fn add_late(xs, v) {
  var out = xs
  out = out.push(v)
  if v % 5 == 3 { throw "late" }
  return out
}
fn step(s, v) {
  var o = s
  o.items = o.items.push(v)
  if v % 7 == 2 { throw "step" }
  o.n += 1
  return o
}
fn rebuilt(s, v) { return {items: s.items.push(v), n: s.n + 1, sub: s.sub} }
fn spread(s, v) { return {...s, items: s.items + [v], n: s.n} }
fn merged(s, v) { return s.merge({items: s.items.push(v), n: s.n + v}) }
fn both(xs, v) { return [xs, xs.push(v)] }
fn wrapped(xs, v) { if v % 4 == 1 { return Err("odd") }
  return Ok(xs.push(v)) }
fn boom(v) { if v % 6 == 5 { throw "boom" }
  return v }
fn kept(xs, v) { let old = xs
  let new = xs.push(v)
  return len(old) > len(new) ? old : new }
fn safe(xs, v) { var out = xs
  try { out = out.push(v)
    boom(v)
    out = out.push(v) } catch (e) { out = out + [0 - 1] }
  return out }
var H = {items: [], n: 0, seen: []}
fn put_one(v) { H = {...H, items: H.items.push(v), n: H.n + 1} }
fn put_late(v) { H = {...H, items: H.items.push(v), n: boom(H.n + v)} }
fn put_length(v) { H = {...H, items: H.items.push(v), n: len(H.items)} }
fn put_first(v) { H = {...H, n: H.n + v, items: H.items.push(v), seen: [H.n]} }
fn put_kept(v) {
  let old = H
  H = {...H, items: H.items.push(v), n: H.n + 1}
  return len(old.items)
}
fn tick(w, v) { return {g: w.g.push(v), st: {log: w.st.log.push(v), n: w.st.n + 1}} }
fn tick_late(w, v) { return {g: w.g.push(v), st: {log: w.st.log.push(v), n: boom(w.st.n + v)}} }
fn tick_read(w, v) {
  let st = w.st
  let log = st.log.push(v)
  let n = st.n + len(w.st.log)
  return {...w, st: {...st, log: log, n: n % 40}}
}
fn put_field(v) {
  H.n = H.n + 1
  H.items = H.items.push(H.n + v)
}
"""

HELPERS = '''
def add(xs, v): return xs + [v]
add_typed = add
def add_late(xs, v):
    if v % 5 == 3: raise Boom("late")
    return xs + [v]
def step(s, v):
    if v % 7 == 2: raise Boom("step")
    return {**s, "items": s["items"] + [v], "n": s["n"] + 1}
def rebuilt(s, v): return {"items": s["items"] + [v], "n": s["n"] + 1, "sub": s["sub"]}
def spread(s, v): return {**s, "items": s["items"] + [v]}
def merged(s, v): return {**s, "items": s["items"] + [v], "n": s["n"] + v}
def both(xs, v): return [xs, xs + [v]]
def boom(v):
    if v % 6 == 5: raise Boom("boom")
    return v
def kept(xs, v): return xs + [v]
def safe(xs, v):
    if v % 6 == 5: return xs + [v, -1]
    return xs + [v, v]
H = {"items": [], "n": 0, "seen": []}
def put_one(v):
    global H
    H = {**H, "items": H["items"] + [v], "n": H["n"] + 1}
def put_late(v):
    global H
    H = {**H, "items": H["items"] + [v], "n": boom(H["n"] + v)}
def put_length(v):
    global H
    H = {**H, "items": H["items"] + [v], "n": len(H["items"])}
def put_first(v):
    global H
    H = {**H, "n": H["n"] + v, "items": H["items"] + [v], "seen": [H["n"]]}
def put_kept(v):
    put_one(v)
    return len(H["items"]) - 1
def state(): return H
def tick(w, v): return {"g": w["g"] + [v], "st": {"log": w["st"]["log"] + [v], "n": w["st"]["n"] + 1}}
def tick_late(w, v): return {"g": w["g"] + [v], "st": {"log": w["st"]["log"] + [v], "n": boom(w["st"]["n"] + v)}}
def tick_read(w, v):
    return {**w, "st": {"log": w["st"]["log"] + [v], "n": (w["st"]["n"] + len(w["st"]["log"])) % 40}}
def put_field(v):
    global H
    n = H["n"] + 1
    H = {**H, "n": n, "items": H["items"] + [n + v]}
def put(c, keys, v):
    if not keys: return v
    k, rest = keys[0], keys[1:]
    if isinstance(c, list):
        return c[:k] + [put(c[k], rest, v)] + c[k + 1:]
    return {**c, k: put(c.get(k), rest, v)}
'''


class Boom(Exception):
    pass


class Program:
    """Two texts side by side: Harn and Python."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.harn, self.python = [], []
        self.depth = 1
        self.fresh = 0
        self.in_script = self.r.random() < 0.3
        self.captured = self.r.choice(["L2", "D1", None])
        self.is_guarded = self.r.random() < 0.6  # each pass is a `try`, not the whole

    def emit(self, harn, python):
        self.harn.append("  " * self.depth + harn)
        self.python.append("    " * self.depth + python)

    def pick(self, *choices):
        return self.r.choice(choices)

    # -- expressions: (harn, python) --

    def integer(self):
        n = self.r.randrange(30)
        return self.pick(("i", "i"), (str(n), str(n)), (f"(i + {n})", f"(i + {n})"),
                         ("len(L0)", "len(L0)"), ("D0.n % 50", 'D0["n"] % 50'), (f"boom(i + {n})", f"boom(i + {n})"))

    def list_variable(self):
        return self.pick("L0", "L1", "L2")

    def dict_variable(self):
        return self.pick("D0", "D1")

    def list_place(self):
        d = self.dict_variable()
        return self.pick((self.list_variable(),) * 2, (f"{d}.items", f'{d}["items"]'), (f"{d}.sub.xs", f'{d}["sub"]["xs"]'),
                         ("G[i % 2]", "G[i % 2]"), ("G[0]", "G[0]"))

    def list_value(self, depth=0):
        h, p = self.list_place() if depth > 1 or self.r.random() < 0.7 else self.list_value(depth + 1)
        n = self.integer()
        k = self.r.randrange(4)
        return self.pick(
            (f"{h}.push({n[0]})", f"({p} + [{n[1]}])"),
            (f"{h}.push({n[0]})", f"({p} + [{n[1]}])"),
            (f"({h} + [{n[0]}])", f"({p} + [{n[1]}])"),
            (f"[...{h}, {n[0]}]", f"({p} + [{n[1]}])"),
            (f"{h}.push({n[0]}).push({k})", f"({p} + [{n[1]}, {k}])"),
            (f"{h}[{k}:]", f"{p}[{k}:]"), (f"{h}[:-1]", f"{p}[:-1]"), (f"{h}.pop()", f"{p}[:-1]"),
            (f"{h}.take({k * 3})", f"{p}[:{k * 3}]"), (f"{h}.skip({k})", f"{p}[{k}:]"), (h, p),
            (f"add({h}, {n[0]})", f"add({p}, {n[1]})"), (f"add_typed({h}, {n[0]})", f"add_typed({p}, {n[1]})"),
            (f"add_late({h}, {n[0]})", f"add_late({p}, {n[1]})"), (f"kept({h}, {n[0]})", f"kept({p}, {n[1]})"),
            (f"safe({h}, {n[0]})", f"safe({p}, {n[1]})"),
            (f"both({h}, {n[0]})[{k % 2}]", f"both({p}, {n[1]})[{k % 2}]"),
            (f"(i % 2 == 0 ? {h}.push(1) : {h})", f"({p} + [1] if i % 2 == 0 else {p})"),
        )

    def dict_value(self):
        d = self.dict_variable()
        n = self.integer()
        xs = self.list_value()
        return self.pick((d, d), (f"step({d}, {n[0]})", f"step({d}, {n[1]})"),
                         (f"rebuilt({d}, {n[0]})", f"rebuilt({d}, {n[1]})"),
                         (f"spread({d}, {n[0]})", f"spread({d}, {n[1]})"),
                         (f"merged({d}, {n[0]})", f"merged({d}, {n[1]})"),
                         (f"{{...{d}, items: {xs[0]}}}", f'{{**{d}, "items": {xs[1]}}}'),
                         (f"{{...{d}, items: {d}.items.push({n[0]})}}", f'{{**{d}, "items": {d}["items"] + [{n[1]}]}}'),
                         (f"{d}.merge({{items: {d}.items.push({n[0]}), n: {d}.n + 1}})",
                          f'{{**{d}, "items": {d}["items"] + [{n[1]}], "n": {d}["n"] + 1}}'),
                         (f"{{items: {xs[0]}, n: {d}.n, sub: {d}.sub}}",
                          f'{{"items": {xs[1]}, "n": {d}["n"], "sub": {d}["sub"]}}'))

    # -- statements --

    def statement(self, depth=0):
        kinds = [self.set_list, self.set_list, self.set_dict, self.set_field, self.set_field, self.set_item, self.grow,
                 self.path, self.text, self.table, self.destructure, self.alias, self.match_result, self.call_closure,
                 self.try_result, self.overwrite, self.rework, self.rework, self.pair, self.nested, self.program_variable,
                 self.deep, self.deep, self.read_after]
        if depth < 2:
            kinds += [self.attempt, self.attempt, self.branch, self.loop]
        kind = self.r.choice(kinds)
        if kind in (self.attempt, self.branch, self.loop):
            kind(depth + 1)
        else:
            kind()

    def set_list(self):
        name, value = self.list_variable(), self.list_value()
        self.emit(f"{name} = {value[0]}", f"{name} = {value[1]}")

    def set_dict(self):
        name, value = self.dict_variable(), self.dict_value()
        self.emit(f"{name} = {value[0]}", f"{name} = {value[1]}")

    def set_field(self):
        d, value, n = self.dict_variable(), self.list_value(), self.integer()
        self.pick(
            lambda: self.emit(f"{d}.items = {value[0]}", f'{d} = put({d}, ["items"], {value[1]})'),
            lambda: self.emit(f"{d}.items = {d}.items.push({n[0]})", f'{d} = put({d}, ["items"], {d}["items"] + [{n[1]}])'),
            lambda: self.emit(f"{d}.items += [{n[0]}]", f'{d} = put({d}, ["items"], {d}["items"] + [{n[1]}])'),
            lambda: self.emit(f"{d}.sub.xs = {d}.sub.xs.push({n[0]})",
                              f'{d} = put({d}, ["sub", "xs"], {d}["sub"]["xs"] + [{n[1]}])'),
            lambda: self.emit(f"{d}.n += 1", f'{d} = put({d}, ["n"], {d}["n"] + 1)'))()

    def set_item(self):
        x, n = self.list_variable(), self.integer()
        self.emit(f"if len({x}) > 2 {{ {x}[i % 2] = {n[0]} }}", f"if len({x}) > 2: {x} = put({x}, [i % 2], {n[1]})")

    def grow(self):
        x, n = self.list_variable(), self.integer()
        self.emit(f"{x} += [{n[0]}]", f"{x} = {x} + [{n[1]}]")

    def path(self):
        value, n = self.list_value(), self.integer()
        self.pick(
            lambda: self.emit(f"G[i % 2] = {value[0]}", f"G = put(G, [i % 2], {value[1]})"),
            lambda: self.emit(f"G[i % 2] = G[i % 2].push({n[0]})", f"G = put(G, [i % 2], G[i % 2] + [{n[1]}])"),
            lambda: self.emit(f"G[1] = add_late(G[1], {n[0]})", f"G = put(G, [1], add_late(G[1], {n[1]}))"),
            lambda: self.emit(f"if len(G[0]) > 1 {{ G[0][0] = G[0][1] + {n[0]} }}",
                              f"if len(G[0]) > 1: G = put(G, [0, 0], G[0][1] + {n[1]})"))()

    def text(self):
        n = self.integer()
        self.pick(lambda: self.emit(f'S = S + "a" + "${{{n[0]}}}"', f'S = S + "a" + str({n[1]})'),
                  lambda: self.emit('S += "xy"', 'S = S + "xy"'),
                  lambda: self.emit(f'S = "${{S}}${{{n[0]}}}"', f'S = S + str({n[1]})'),
                  lambda: self.emit("let t = S", "t = S"),
                  lambda: self.emit('D0.s = (D0.s ?? "") + "q"', 'D0 = put(D0, ["s"], (D0.get("s") or "") + "q")'))()

    def table(self):
        n, k = self.integer(), self.r.randrange(3)
        self.emit(f'M["k{k}"] = (M["k{k}"] ?? []).push({n[0]})', f'M = put(M, ["k{k}"], (M.get("k{k}") or []) + [{n[1]}])')

    def rework(self):
        """An item is taken, changed in steps, and put back; in between somebody may look."""
        self.fresh += 1
        w, k = f"w{self.fresh}", f"k{self.fresh}"
        table, key = self.pick(("R", f"i % {self.r.randrange(1, 4)}"), ("N", None))
        if key is None:
            self.emit(f'let {k} = i % 2 == 0 ? "a" : "b"', f'{k} = "a" if i % 2 == 0 else "b"')
        else:
            self.emit(f"let {k} = {key}", f"{k} = {key}")
        change = self.pick("spread", "rebuilt", "merged", "step")
        n = self.integer()
        self.emit(f"var {w} = {change}({table}[{k}], {n[0]})", f"{w} = {change}({table}[{k}], {n[1]})")
        for _ in range(self.r.randrange(3)):
            look = self.pick(("R.last", "R[-1]"), ("R[i % 2]", "R[i % 2]"), ("N.a", 'N["a"]'), ("N", "N"), ("R", "R"))
            self.emit(*self.pick(
                (f"if i % 2 == 1 {{ {w} = step({w}, i) }}", f"if i % 2 == 1: {w} = step({w}, i)"),
                (f"if i % 3 == 1 {{ {w} = spread({w}, boom(i)) }}", f"if i % 3 == 1: {w} = spread({w}, boom(i))"),
                (f"if i > 1 {{ println(json_stringify({look[0]})) }}", f"if i > 1: show({look[1]})"),
                (f"if i == 3 {{ {w} = {{...{w}, items: [...{w}.items, {w}.n]}} }}",
                 f'if i == 3: {w} = {{**{w}, "items": {w}["items"] + [{w}["n"]]}}'),
                (f"let c{self.fresh} = {table}", f"c{self.fresh} = {table}"),
            ))
        if self.r.random() < 0.2:
            self.emit("if i % 4 != 2 {", "if i % 4 != 2:")
            self.harn[-1] += f" {table}[{k}] = {w} }}"
            self.python[-1] += f" {table} = put({table}, [{k}], {w})"
        else:
            self.emit(f"{table}[{k}] = {w}", f"{table} = put({table}, [{k}], {w})")

    def destructure(self):
        self.fresh += 1
        x, n, a, b = self.list_variable(), self.integer(), f"p{self.fresh}", f"q{self.fresh}"
        target = self.list_variable()
        self.emit(f"let [{a}, {b}] = both({x}, {n[0]})", f"{a}, {b} = both({x}, {n[1]})")
        self.emit(f"{target} = {b}", f"{target} = {b}")
        if self.r.random() < 0.4:
            self.emit(f"{target} = {target} + {a}[:2]", f"{target} = {target} + {a}[:2]")
        if self.r.random() < 0.5:
            self.emit(f"if len({x}) > 0 {{ let [h{self.fresh}, ...t{self.fresh}] = {x}\n {x} = t{self.fresh} }}",
                      f"if len({x}) > 0: {x} = {x}[1:]")

    def alias(self):
        self.fresh += 1
        x, y, name = self.list_variable(), self.list_variable(), f"b{self.fresh}"
        n = self.integer()
        self.emit(f"let {name} = {x}", f"{name} = {x}")
        self.emit(f"{x} = {x}.push({n[0]})", f"{x} = {x} + [{n[1]}]")
        if self.r.random() < 0.6:
            self.emit(f"{y} = {name}.push(len({name}))", f"{y} = {name} + [len({name})]")

    def match_result(self):
        self.fresh += 1
        x, n = self.list_variable(), self.integer()
        v = f"w{self.fresh}"
        self.emit(f"let {v} = {n[0]}", f"{v} = {n[1]}")
        self.emit(f"match wrapped({x}, {v}) {{ Ok(m) -> {{ {x} = m }} Err(e) -> {{ {x} = {x} + [7] }} }}",
                  f"{x} = {x} + [7] if {v} % 4 == 1 else {x} + [{v}]")

    def try_result(self):
        self.fresh += 1
        x, n = self.list_variable(), self.integer()
        r = f"r{self.fresh}"
        self.emit(f"let {r} = try {{ add_late({x}, {n[0]}) }}", f"{r} = attempt(lambda: add_late({x}, {n[1]}))")
        self.emit(f"if is_ok({r}) {{ {x} = unwrap({r}) }}", f"if {r} is not None: {x} = {r}")

    def overwrite(self):
        self.fresh += 1
        d, n, value, name = self.dict_variable(), self.integer(), self.dict_value(), f"o{self.fresh}"
        self.emit(f"let {name} = {d}", f"{name} = {d}")
        self.emit(f"{d}.n = {n[0]}", f'{d} = put({d}, ["n"], {n[1]})')
        if self.r.random() < 0.5:
            self.emit(f"{d} = {name}", f"{d} = {name}")
        else:
            self.emit(f"{d} = {value[0]}", f"{d} = {value[1]}")
        x, k = self.list_variable(), self.r.randrange(9)
        self.emit(f"let l{name} = {x}", f"l{name} = {x}")
        self.emit(f"if len({x}) > 0 {{ {x}[0] = {k} }}", f"if len({x}) > 0: {x} = put({x}, [0], {k})")
        self.emit(f"{x} = l{name}", f"{x} = l{name}")

    def pair(self):
        """A list as a record: its items are told apart by their numbers."""
        n = self.integer()
        second = self.pick(("P[1] + 1", "P[1] + 1"), ("boom(P[1] + i)", "boom(P[1] + i)"), ("len(P[0])", "len(P[0])"),
                           ("len(P[i % 1])", "len(P[i % 1])"), ("P[1]", "P[1]"), ("len(P)", "len(P)"))
        self.pick(
            lambda: self.emit(f"P = [P[0].push({n[0]}), {second[0]}]", f"P = [P[0] + [{n[1]}], {second[1]}]"),
            lambda: self.emit(f"P = [P[0] + [{n[0]}], {second[0]}]", f"P = [P[0] + [{n[1]}], {second[1]}]"),
            lambda: self.emit(f"P = [P[i % 2 == 0 ? 0 : 0].push({n[0]}), {second[0]}]", f"P = [P[0] + [{n[1]}], {second[1]}]"),
            lambda: self.emit(f"P[0] = P[0].push({n[0]})", f"P = put(P, [0], P[0] + [{n[1]}])"),
            lambda: self.emit("L0 = P[0]", "L0 = P[0]"),
            lambda: self.emit(f"P = [L1.push({n[0]}), P[1]]", f"P = [L1 + [{n[1]}], P[1]]"))()

    def nested(self):
        d, n = self.dict_variable(), self.integer()
        more = self.pick(("", ""), (f", n: {d}.n + 1", f', "n": {d}["n"] + 1'), (f", n: len({d}.sub.xs)", f', "n": len({d}["sub"]["xs"])'),
                         (f", n: boom({d}.n)", f', "n": boom({d}["n"])'), (f", items: {d}.sub.xs", f', "items": {d}["sub"]["xs"]'))
        self.emit(f"{d} = {{...{d}, sub: {{...{d}.sub, xs: {d}.sub.xs.push({n[0]})}}{more[0]}}}",
                  f'{d} = {{**{d}, "sub": {{**{d}["sub"], "xs": {d}["sub"]["xs"] + [{n[1]}]}}{more[1]}}}')

    def deep(self):
        n, x = self.integer(), self.list_variable()
        call = self.pick("tick", "tick_late", "tick_read")
        more = self.pick(("W.st.n + 1", 'W["st"]["n"] + 1'), ("boom(W.st.n)", 'boom(W["st"]["n"])'),
                         ("len(W.st.log)", 'len(W["st"]["log"])'), ("len(W.g)", 'len(W["g"])'))
        self.pick(
            lambda: self.emit(f"W = {call}(W, {n[0]})", f"W = {call}(W, {n[1]})"),
            lambda: self.emit(f"W = {{g: W.g.push({n[0]}), st: {{log: W.st.log.push(i), n: {more[0]}}}}}",
                              f'W = {{"g": W["g"] + [{n[1]}], "st": {{"log": W["st"]["log"] + [i], "n": {more[1]}}}}}'),
            lambda: self.emit(f"W = {{st: {{log: W.st.log.push({n[0]}), n: {more[0]}}}, g: W.g}}",
                              f'W = {{"g": W["g"], "st": {{"log": W["st"]["log"] + [{n[1]}], "n": {more[1]}}}}}'),
            lambda: self.emit(f"W.st.log = W.st.log.push({n[0]})", f'W = put(W, ["st", "log"], W["st"]["log"] + [{n[1]}])'),
            lambda: self.emit(f"W.st = {{...W.st, log: {x}}}", f'W = put(W, ["st"], {{**W["st"], "log": {x}}})'),
            lambda: self.emit(f"{x} = W.st.log", f'{x} = W["st"]["log"]'))()

    def read_after(self):
        """What a function was given is read again, in whole or in part."""
        self.fresh += 1
        d, n, v = self.dict_variable(), self.integer(), f"a{self.fresh}"
        call = self.pick("spread", "rebuilt", "merged", "step")
        self.emit(f"let {v} = {call}({d}, {n[0]})", f"{v} = {call}({d}, {n[1]})")
        self.emit(*self.pick((f"println(json_stringify([{d}.n, {v}.n]))", f'show([{d}["n"], {v}["n"]])'),
                             (f"println(json_stringify({d}.items))", f'show({d}["items"])'),
                             (f"L0 = {d}.items", f'L0 = {d}["items"]')))
        if self.r.random() < 0.5:
            self.emit(f"{d} = {v}", f"{d} = {v}")

    def program_variable(self):
        n, x = self.integer(), self.list_variable()
        call = self.pick("put_one", "put_late", "put_length", "put_first", "put_kept", "put_field")
        self.emit(f"{call}({n[0]})", f"{call}({n[1]})")
        if self.r.random() < 0.2:
            self.emit(f"{x} = H.items", f"{x} = state()['items']")

    def call_closure(self):
        n = self.integer()
        self.emit(f"store({n[0]})", f"store({n[1]})")

    def block(self, depth):
        self.depth += 1
        for _ in range(self.r.randrange(1, 4)):
            self.statement(depth)
        self.depth -= 1

    def attempt(self, depth):
        kind = self.r.randrange(3)
        self.emit("try {", "try:")
        self.block(depth)
        if kind < 2:
            self.harn.append("  " * self.depth + "} catch (e) {")
            self.python.append("    " * self.depth + "except Boom as e:")
            self.depth += 1
            self.show()
            self.depth -= 1
        if kind > 0:
            self.harn.append("  " * self.depth + "} finally {")
            self.python.append("    " * self.depth + "finally:")
            self.block(2)
        self.harn.append("  " * self.depth + "}")

    def branch(self, depth):
        self.emit("if i % 2 == 0 {", "if i % 2 == 0:")
        self.block(depth)
        self.harn.append("  " * self.depth + "} else {")
        self.python.append("    " * self.depth + "else:")
        self.block(depth)
        self.harn.append("  " * self.depth + "}")

    def loop(self, depth):
        k = self.r.randrange(1, 4)
        self.fresh += 1
        x = self.list_variable()
        head = self.pick((f"for j{self.fresh} in 0 to {k} exclusive {{", f"for j in range({k}):"),
                         (f"for j{self.fresh} in {x}.take({k}) {{", f"for j in {x}[:{k}]:"))
        self.emit(*head)
        self.block(depth)
        self.harn.append("  " * self.depth + "}")

    def show(self):
        self.emit("println(json_stringify([L0, L1, L2, D0, D1, G, S, M, R, N, P, H, W]))",
                  "show([L0, L1, L2, D0, D1, G, S, M, R, N, P, state(), W])")

    def build(self):
        r = self.r
        start = [("P", "[[4], 0]"), ("L0", "[1, 2, 3]"), ("L1", "[]"), ("L2", "[5]"), ("G", "[[1], [2, 3]]"), ("S", '"s"')]
        for name, value in start:
            self.emit(f"var {name} = {value}", f"{name} = {value}")
        for name in ("D0", "D1"):
            self.emit(f"var {name} = {{items: [], n: 0, sub: {{xs: []}}}}", f'{name} = {{"items": [], "n": 0, "sub": {{"xs": []}}}}')
        self.emit("var M = {}", "M = {}")
        self.emit("var W = {g: [], st: {log: [], n: 0}}", 'W = {"g": [], "st": {"log": [], "n": 0}}')
        record, same = "{items: [], n: 0, sub: {xs: []}}", '{"items": [], "n": 0, "sub": {"xs": []}}'
        self.emit(f"var R = [{record}, {record}, {record}]", f"R = [{same}, {same}, {same}]")
        self.emit(f"var N = {{a: {record}, b: {record}}}", f'N = {{"a": {same}, "b": {same}}}')
        target = self.captured or "L1"
        if target == "D1":
            self.harn.append("  let store = { v -> D1.items = D1.items.push(v) }")
            body = 'D1 = put(D1, ["items"], D1["items"] + [v])'
        else:
            self.harn.append(f"  let store = {{ v -> {target} = {target}.push(v) }}")
            body = f"{target} = {target} + [v]"
        self.python += ["    def store(v):", f"        nonlocal {target}", f"        {body}"]
        self.emit(f"for i in 0 to {r.randrange(3, 9)} {{", "for i in range(LOOPS):")
        loops = int(self.harn[-1].split(" to ")[1].split()[0]) + 1
        self.python[-1] = self.python[-1].replace("LOOPS", str(loops))
        self.depth += 1
        if self.is_guarded:
            self.harn.append("  try {")
            self.python.append("        try:")
            self.depth += 1
        for _ in range(r.randrange(3, 9)):
            self.statement()
        if self.is_guarded:
            self.depth -= 1
            self.harn.append("    } catch (e) { println(e) }")
            self.python += ["        except Boom as e:", "            out.append(str(e))"]
        self.show()
        self.depth -= 1
        self.harn.append("  }")
        body = "\n".join(self.harn)
        if not self.is_guarded:
            source = f"{PRELUDE}\nfn all() {{\n{body}\n}}\npipeline default(task) {{\n  try {{ all() }} catch (e) {{ println(e) }}\n}}\n"
        elif self.in_script:
            source = f"{PRELUDE}\n{body}\n"
        else:
            source = f"{PRELUDE}\npipeline default(task) {{\n{body}\n}}\n"
        run = "\ndef run():\n    try: all_of_it()\n    except Boom as e: out.append(str(e))\n"
        return source, "def all_of_it():\n" + "\n".join(self.python) + run


def expected_of(python):
    out = []
    def attempt(body):
        try:
            return body()
        except Boom:
            return None
    scope = {"Boom": Boom, "out": out, "attempt": attempt,
             "show": lambda value: out.append(json.dumps(value, sort_keys=True, separators=(",", ":")))}
    exec(HELPERS + python, scope)
    scope["run"]()
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--harn", required=True)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int)
    args = parser.parse_args()
    first = args.seed if args.seed is not None else int(time.time()) * 1000
    seed, passed, failed = first, 0, 0
    end = time.monotonic() + args.seconds
    print(f"updates: seeds from {first}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "program.harn")
        while seed == first or (args.seed is None and time.monotonic() < end):
            source, python = Program(seed).build()
            want = expected_of(python)
            path.write_text(source)
            done = subprocess.run([args.harn, "run", str(path)], capture_output=True, text=True, timeout=60)
            got = done.stdout.splitlines()
            if got == want and done.returncode == 0:
                passed += 1
            else:
                failed += 1
                print(f"FAIL  seed {seed}\n{source}")
                for number, (a, b) in enumerate(zip(want + ["(end)"] * len(got), got + ["(end)"] * len(want))):
                    if a != b:
                        print(f"line {number + 1}\n  expected {a}\n  got      {b}")
                        break
                print(done.stderr[-2000:], flush=True)
                if failed >= 3:
                    break
            seed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
