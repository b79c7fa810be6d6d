#!/usr/bin/env python3
"""`harn lsp` as editors use it.

    tests/lsp/run.py HARN [NAME...]
"""

import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

from client import Client

MAIN = """\
import { label, Point } from "lib"

/** Adds one. */
fn add_one(n: int) -> int {
  return n + 1
}

fn greet(name: string?) -> string {
  if name == nil { return "nobody" }
  return name.upper()
}

enum Colour { Red, Green }

pipeline default(task) {
  let total = add_one(41)
  let p = Point { x: 1, y: 2 }
  log(label(p), p.moved(3), Colour.Red)
  log("é😀 ${total}")
}
"""

LIB = """\
pub struct Point { x: int, y: int }
impl Point {
  fn moved(self, by: int) -> Point { return Point { x: self.x + by, y: self.y } }
}
pub fn label(p: Point) -> string { return "${p.x}/${p.y}" }
"""


def lines(edits):
    return sorted((e["range"]["start"]["line"], e["range"]["start"]["character"]) for e in edits)


def test_initialize_tells_what_it_can(client):
    able = client.capabilities["capabilities"]
    for name in ("hoverProvider", "definitionProvider", "referencesProvider", "renameProvider", "completionProvider",
                 "documentSymbolProvider", "workspaceSymbolProvider", "foldingRangeProvider", "semanticTokensProvider",
                 "callHierarchyProvider", "inlayHintProvider", "codeActionProvider", "documentFormattingProvider", "signatureHelpProvider"):
        assert able[name], name


def test_diagnostics_follow_the_text(client):
    client.open("main.harn")
    found = client.diagnostics("main.harn")
    # `greet` is not called; log takes one argument.
    assert [d["code"] for d in found] == ["HARN-LNT-019", "HARN-STD-003"], found
    client.change("main.harn", "pub let x: int = \"a\"\n")
    (one,) = client.diagnostics("main.harn")
    assert one["code"] == "HARN-TYP-007" and one["severity"] == 1
    assert one["range"] == {"start": {"line": 0, "character": 17}, "end": {"line": 0, "character": 20}}, one
    client.change("main.harn", "pub let x: int = 1\n")
    assert client.diagnostics("main.harn") == []


def test_invariants_are_checked_while_one_types(client):
    promise = '@invariant("fs.writes", "src/**")\nfn save(path: string) {\n  write_file(%s, "x")\n}\n\nsave("a")\n'
    client.open("save.harn", promise % '"src/out.txt"')
    assert client.diagnostics("save.harn") == []
    client.change("save.harn", promise % "path")
    (one,) = client.diagnostics("save.harn")
    assert one["code"] == "HARN-INV-002" and one["severity"] == 1, one
    assert one["range"]["start"] == {"line": 2, "character": 2}, one
    assert "the way there: `save` begins" in one["message"], one
    told = [r for r in one["relatedInformation"] if "promised by" in r["message"]]
    assert told[0]["location"]["range"]["start"] == {"line": 0, "character": 0}, one
    client.change("save.harn", "@invariant(\"no.such\")\nfn save() { return 1 }\n\nsave()\n")
    assert [d["code"] for d in client.diagnostics("save.harn")] == ["HARN-INV-001"]


def test_edits_count_utf16_units(client):
    client.open("a.harn", "log(\"é😀\")\nlet _ = 1\n")
    # Behind the emoji, which is two units.
    client.edit("a.harn", [{"range": {"start": {"line": 0, "character": 8}, "end": {"line": 0, "character": 8}},
                            "text": "!"},
                           {"range": {"start": {"line": 1, "character": 8}, "end": {"line": 1, "character": 9}},
                            "text": "y"}])
    (one,) = client.diagnostics("a.harn")
    assert one["code"] == "HARN-NAM-001" and one["range"]["start"] == {"line": 1, "character": 8}, one


def test_a_change_is_seen_where_it_is_imported(client):
    client.open("main.harn")
    client.open("lib.harn")
    client.change("lib.harn", LIB.replace("pub fn label", "pub fn labels"))
    codes = [d["code"] for d in client.diagnostics("main.harn")]
    client.diagnostics("lib.harn")
    client.request("textDocument/hover", client.place("main.harn", "add_one"))
    codes = [d["code"] for d in client.published[client.uri("main.harn")]["diagnostics"]]
    assert "HARN-IMP-002" in codes, codes


def test_hover(client):
    client.open("main.harn")
    text = client.request("textDocument/hover", client.place("main.harn", "add_one(41)"))["contents"]["value"]
    assert "fn add_one(n: int) -> int" in text and "Adds one." in text, text
    narrowed = client.request("textDocument/hover", client.place("main.harn", "name.upper"))["contents"]["value"]
    assert "name: string\n" in narrowed, narrowed
    builtin = client.request("textDocument/hover", client.place("main.harn", "log(label"))["contents"]["value"]
    assert "log(" in builtin, builtin
    method = client.request("textDocument/hover", client.place("main.harn", "upper"))["contents"]["value"]
    assert "string.upper" in method, method
    other = client.request("textDocument/hover", client.place("main.harn", "moved"))["contents"]["value"]
    assert "fn moved(self, by: int) -> Point" in other, other
    assert client.request("textDocument/hover", client.place("main.harn", "\n\n", 1)) is None


BLOCK = '''struct Late { message: string }

@natural_function
fn triage(ticket: string) -> string {
  var label: string = ""
  if ticket == "" { throw Late {message: "no"} }
  """natural
  ---
  deny: [return]
  ---
  Read <ticket>. Set <:label> quickly.
  """
  return label
}
'''


def test_hover_shows_the_prompt_of_a_natural_block(client):
    client.open("block.harn", BLOCK)
    text = client.request("textDocument/hover", client.place("block.harn", "quickly"))["contents"]["value"]
    assert "<<<NH:PROGRAM>>>\nRead <ticket>. Set <:label> quickly.\n" in text and "deny" not in text, text
    assert '"kind": "pass"' in text and '"kind": "return"' not in text and "Late" in text, text
    assert "ticket" in text.split("<<<NH:LOCALS>>>")[-1], text
    name = client.request("textDocument/hover", client.place("block.harn", "label> quickly"))["contents"]["value"]
    assert "label: string" in name and "NH:PROGRAM" not in name, name
    client.change("block.harn", BLOCK.replace("[return]", "[jump]"))
    assert "HARN-NAT-002" in [one["code"] for one in client.diagnostics("block.harn")]


def test_definition(client):
    client.open("main.harn")
    local = client.request("textDocument/definition", client.place("main.harn", "total}"))
    assert local["uri"] == client.uri("main.harn") and local["range"]["start"] == {"line": 15, "character": 6}, local
    for marker, line in (("label(p)", 4), ("moved(3)", 2), ("Point {", 0), ("label, Point", 4)):
        found = client.request("textDocument/definition", client.place("main.harn", marker))
        assert found["uri"] == client.uri("lib.harn") and found["range"]["start"]["line"] == line, (marker, found)
    module = client.request("textDocument/definition", client.place("main.harn", "\"lib\"", 2))
    assert module["uri"] == client.uri("lib.harn")
    variant = client.request("textDocument/definition", client.place("main.harn", "Red, "))
    assert variant["range"]["start"]["line"] == 12, variant


def test_references_and_rename(client):
    client.open("main.harn")
    client.open("lib.harn")
    found = client.request("textDocument/references",
                           {**client.place("lib.harn", "label"), "context": {"includeDeclaration": True}})
    assert {f["uri"] for f in found} == {client.uri("main.harn"), client.uri("lib.harn")} and len(found) == 3, found
    changes = client.request("textDocument/rename", {**client.place("lib.harn", "x: int"), "newName": "left"})["changes"]
    assert lines(changes[client.uri("lib.harn")]) == [(0, 19), (2, 52), (2, 60), (4, 47)], changes
    assert lines(changes[client.uri("main.harn")]) == [(16, 18)], changes
    bad = client.ask("textDocument/rename", {**client.place("lib.harn", "label"), "newName": "no name"})
    assert "not a name" in bad["error"]["message"], bad
    assert client.request("textDocument/prepareRename", client.place("main.harn", "log(label")) is None


def test_completion(client):
    client.open("main.harn")
    names = {i["label"] for i in client.request("textDocument/completion", client.place("main.harn", "total}"))["items"]}
    assert {"total", "p", "add_one", "label", "Colour", "llm_call", "while"} <= names
    assert "name" not in names and "n" not in names
    for text, wanted, unwanted in (
            ("fn f(u: {name: string, age?: int}) { u. }", {"name", "age", "keys"}, {"upper"}),
            ("fn f(u: {name: string}?) { u?.na }", {"name"}, set()),
            ("let s = \"a\"\ns.", {"upper", "split"}, {"push"}),
            ("import { Point } from \"lib\"\nlet p = Point { x: 1, y: 2 }\np.", {"x", "y", "moved"}, set()),
            ("enum Colour { Red, Green }\nlog(Colour.)", {"Red", "Green"}, {"upper"}),
            ("let n = 1 + [1, 2].map({ x -> x }).", {"filter", "count"}, {"upper"}),
            ("stream.", {"map", "take"}, set())):
        client.change("main.harn", text)
        at = text.rindex(".") + 1 + (2 if text.endswith("na }") else 0)
        line = text[:at].count("\n")
        place = {"textDocument": {"uri": client.uri("main.harn")},
                 "position": {"line": line, "character": at - (text[:at].rfind("\n") + 1)}}
        names = {i["label"] for i in client.request("textDocument/completion", place)["items"]}
        assert wanted <= names and not unwanted & names, (text, names)


def test_completion_before_a_name_that_is_there(client):
    client.open("main.harn", "fn f(u: {name: string}) { log(u.name) }\n")
    items = client.request("textDocument/completion", client.place("main.harn", "name)"))["items"]
    assert "name" in {i["label"] for i in items}, items


def items_at(client, text):
    """What is offered at the `§` in a text."""
    at = text.index("§")
    client.change("main.harn", text.replace("§", ""))
    column = len(text[text.rfind("\n", 0, at) + 1:at].encode("utf-16-le")) // 2
    place = {"textDocument": {"uri": client.uri("main.harn")}, "position": {"line": text.count("\n", 0, at), "character": column}}
    return [i["label"] for i in client.request("textDocument/completion", place)["items"]]


def test_completion_of_what_fits(client):
    client.open("main.harn")
    msg = 'type Msg = {kind: "aa", ax: int} | {kind: "bb", bx: int}\nfn f(m: Msg) {\n  %s\n}\n'
    for body, first, unwanted in (
            ('if m.kind == "aa" { log(m.§) }', ["kind", "ax"], "bx"),
            ('match m.kind { "bb" -> { log(m.§) } _ -> {} }', ["kind", "bx"], "ax"),
            ("match m.kind {\n    §\n  }", ['"aa"', '"bb"'], None),
            ('match m.kind {\n    "§"\n  }', ["aa", "bb"], "log"),
            ('match m.kind {\n    "aa" -> { § }\n  }', [], '"bb"'),
            ('if m.kind == "§" { log(1) }', ["aa", "bb"], "log")):
        found = items_at(client, msg % body)
        assert found[:len(first)] == first and unwanted not in found, (body, found[:5])
    for text, wanted in (
            ("struct P { xx: int, yy: int }\nlet p = P { § }\n", ["xx", "yy"]),
            ("struct P { xx: int, yy: int }\nlet p = P { xx: 1, § }\n", ["yy"]),
            ("fn pick(options: {deep?: bool, wide?: int}) {}\npick({ § })\n", ["deep", "wide"]),
            ('import { § } from "lib"\n', ["Point", "label"]),
            ('import { label, § } from "lib"\n', ["Point", "label"])):
        assert items_at(client, text) == wanted, (text, items_at(client, text)[:5])
    assert "Colour.Red" in items_at(client, "enum Colour { Red, Green }\nfn f(c: Colour) {\n  match c {\n    §\n  }\n}\n")
    assert "abs" in items_at(client, "let p = { § }\n") and "abs" in items_at(client, "§")


def test_completion_in_what_does_not_parse_yet(client):
    client.open("main.harn")
    head = """import { label, Point } from "lib"
enum Colour { Red, Green }
type Msg = {kind: "aa", ax: int} | {kind: "bb", bx: int}
fn send(m: Msg) {}
fn f(p: Point, c: Colour) {
  %s
}
"""
    for body, wanted in (
            ("log(p.moved(1).§", {"x", "moved"}),
            ("[p].map({ z -> z.§", {"x", "moved"}),
            ("p.moved(1)\n    .§", {"x", "moved"}),
            ("match c {\n    Colour.§\n  }", {"Red", "Green"}),
            ("match c { Colour.§Red -> {} _ -> {} }", {"Red", "Green"}),
            ('send({kind: "aa", § })', {"ax", "bx"}),
            ('llm_call("x", nil, { § })', {"temperature", "provider"}),
            ('agent_loop("x", nil, { § })', {"max_iterations", "provider"}),
            ('log("${p.§', set()),
            ('log("${lab§}")', {"label"}),
            ("@§", {"deprecated", "invariant"})):
        found = set(items_at(client, head % body))
        assert wanted <= found, (body, sorted(found)[:8])
    for body in ("// p.§", "// lab§", 'log("lab§")', "/* lab§ */"):
        assert items_at(client, head % body) == [], body
    assert "std/collections" in items_at(client, 'import { x } from "st§"\n')
    assert "std/collections" in items_at(client, 'import "§')


def signature_at(client, text):
    at = text.index("§")
    client.change("main.harn", text.replace("§", ""))
    column = len(text[text.rfind("\n", 0, at) + 1:at].encode("utf-16-le")) // 2
    found = client.request("textDocument/signatureHelp", {
        "textDocument": {"uri": client.uri("main.harn")}, "position": {"line": text.count("\n", 0, at), "character": column}})
    return found and (found["signatures"][0]["label"], found["activeParameter"])


def test_signatures_of_methods_and_variants(client):
    client.open("main.harn")
    head = """import { Point } from "lib"
enum Shape { Dot(Point, int), Nothing }
interface Named { fn name(self, short: bool) -> string }
fn f(p: Point, n: Named) {
  %s
}
"""
    for body, wanted in (
            ("p.moved(§", ("fn moved(by: int) -> Point", 0)),
            ("log(p.moved(1).moved(§)", ("fn moved(by: int) -> Point", 0)),
            ("p?.moved(1, §)", ("fn moved(by: int) -> Point", 1)),
            ("n.name(§)", ("fn name(short: bool) -> string", 0)),
            ("Shape.Dot(p, §)", ("Shape.Dot(Point, int)", 1)),
            ('"a".replace("b", §)', ("replace(old: string, new: string) -> string", 1)),
            ("log([1, 2, §])", None)):
        assert signature_at(client, head % body) == wanted, (body, signature_at(client, head % body))


def test_rename_keeps_programs_valid(client):
    client.open("lib.harn", LIB)
    text = """import { label, Point } from "lib"
fn one(a: int, b: int) -> int { return a + b }
fn two(c: int) -> int { return one(c, c) }
fn three(one_more: int) -> int { return one_more }
struct Pair { left: int, right: int }
"""
    client.open("main.harn", text)

    def renamed(name, old, new):
        return client.ask("textDocument/rename", {**client.place(name, old), "newName": new})

    for name, old, new in (
            ("main.harn", "one(a", "if"), ("main.harn", "one(a", "two"), ("main.harn", "one(a", "label"), ("main.harn", "one(a", "c"),
            ("main.harn", "a: int", "b"), ("main.harn", "left", "right"), ("lib.harn", "label", "one"), ("lib.harn", "self, by", "this")):
        assert "error" in renamed(name, old, new), (old, new)
    for name, old, new in (
            ("main.harn", "one(a", "one_more"), ("main.harn", "a: int", "c"), ("main.harn", "left", "one"), ("lib.harn", "by:", "x")):
        assert "result" in renamed(name, old, new), (old, new)


def test_the_library_can_be_read(client):
    client.open("main.harn", 'import { filter_nil } from "std/collections"\nlog(filter_nil({a: nil}))\n')
    for word in ("filter_nil({", '"std/coll'):
        found = client.request("textDocument/definition", client.place("main.harn", word))
        path = Path(found["uri"].removeprefix("file://"))
        assert path.name == "collections.harn" and "pub fn filter_nil" in path.read_text(), found
    line = path.read_text().splitlines()[client.request("textDocument/definition", client.place("main.harn", "filter_nil({"))["range"]["start"]["line"]]
    assert "filter_nil" in line, line
    # It is not checked as a program of the user.
    client.open(str(path))
    assert client.diagnostics(str(path)) == []


def test_reexports_are_followed(client):
    Path(client.root, "facade.harn").write_text('pub import { label, Point } from "lib"\n')
    Path(client.root, "deep.harn").write_text('pub import "facade"\n')
    client.open("main.harn", 'import { label, Point } from "deep"\nlog(label(Point { x: 1, y: 2 }))\n')
    assert client.diagnostics("main.harn") == []
    found = client.request("textDocument/definition", client.place("main.harn", "label(P"))
    assert found["uri"] == client.uri("lib.harn") and found["range"]["start"]["line"] == 4, found
    changes = client.request("textDocument/rename", {**client.place("main.harn", "label(P"), "newName": "title"})["changes"]
    assert set(changes) == {client.uri(n) for n in ("main.harn", "lib.harn", "facade.harn")}, changes
    assert lines(changes[client.uri("facade.harn")]) == [(0, 13)], changes


def test_formatting_of_lines(client):
    text = "let a=1\n\nfn f(x) {\nreturn   x\n}\n\nlet b  =  2\nlet c=3\n"
    client.open("main.harn", text)
    whole = {"textDocument": {"uri": client.uri("main.harn")}, "options": {"tabSize": 2, "insertSpaces": True}}

    def edits(first, last, end=99):
        area = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": end}}
        found = client.request("textDocument/rangeFormatting", {**whole, "range": area})
        return [(e["range"]["start"]["line"], e["range"]["end"]["line"], e["newText"]) for e in found]

    assert edits(0, 0) == [(0, 1, "let a = 1\n")], edits(0, 0)
    assert edits(0, 1, 0) == [(0, 1, "let a = 1\n")], edits(0, 1, 0)
    assert edits(2, 4) == [(3, 4, "  return x\n")], edits(2, 4)
    assert edits(1, 2) == [] and len(edits(0, 7)) == 3

    def typed(marker, ch):
        found = client.request("textDocument/onTypeFormatting", {**whole, **client.place("main.harn", marker, len(marker)), "ch": ch})
        return [e["newText"] for e in found]

    assert typed("x\n}", "}") == ["  return x\n"], typed("x\n}", "}")
    assert typed("let c=3", ";") == ["let b = 2\nlet c = 3\n"], typed("let c=3", ";")
    client.change("main.harn", "fn f( {\n")
    assert client.request("textDocument/rangeFormatting", {**whole, "range": {
        "start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}}) is None


def test_lints_and_their_fixes(client):
    Path(client.root, "harn.toml").write_text("[lint]\ndisabled = [\"unused-type\"]\n")
    client.open("main.harn", "struct S { x: int }\n\nfn f(n: int) -> int {\n  var total = n + 1\n  return total * 2\n}\n"
                             "fn g() {\n  let x = 1\n  let y = 2 // harn-lint: allow(unused-variable)\n}\n\ng()\nlog(f(1))\n")
    found = [(d["code"], d["severity"], d.get("tags")) for d in client.diagnostics("main.harn")]
    assert found == [("HARN-LNT-018", 2, None), ("HARN-LNT-041", 4, None), ("HARN-LNT-014", 2, [1])], found

    def actions(*only):
        context = {"diagnostics": [], **({"only": list(only)} if only else {})}
        area = {"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}}
        return client.request("textDocument/codeAction", {
            "textDocument": {"uri": client.uri("main.harn")}, "range": area, "context": context})

    def kinds(*only):
        return sorted({a["kind"] for a in actions(*only)})

    assert kinds() == ["quickfix", "source.fixAll"] and kinds("quickfix") == ["quickfix"], kinds()
    assert kinds("source.fixAll") == ["source.fixAll"] and kinds("source.fixAll.harn") == ["source.fixAll.harn"]
    assert kinds("source") == ["source.fixAll"] and kinds("refactor") == []
    (every,) = actions("source.fixAll")
    assert [e["newText"] for e in every["edit"]["changes"][client.uri("main.harn")]] == ["let", "\n", "_x"], every
    # Half of a program says nothing about what is used.
    client.change("main.harn", "fn f(n: int) -> int {\n  let x = 1\n")
    assert not [d for d in client.diagnostics("main.harn") if "LNT" in d["code"]]
    Path(client.root, "harn.toml").write_text("[lint]\ndisabled = [\"unused-variable\", \"unused-function\"]\n")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": client.uri("harn.toml"), "type": 2}]})
    client.change("main.harn", "fn f(n: int) {\n  let x = 1\n  log(n)\n}\nstruct S { x: int }\n\nf(1)\n")
    found = [d["code"] for d in client.diagnostics("main.harn")]
    assert found == ["HARN-LNT-041", "HARN-LNT-020"], found


def test_lints_of_long_files_wait_until_they_are_saved(client):
    text = "".join(f"fn f{i}() {{ return {i} }}\n\n" for i in range(3000)) + "".join(f"f{i}()\n" for i in range(3000))
    client.open("main.harn", text + "let x = 1\n")
    assert [d["code"] for d in client.diagnostics("main.harn")] == ["HARN-LNT-014"]
    client.change("main.harn", text + "let y = 1\n")
    assert client.diagnostics("main.harn") == []
    client.published.clear()
    client.notify("textDocument/didSave", {"textDocument": {"uri": client.uri("main.harn")}})
    assert [d["code"] for d in client.diagnostics("main.harn")] == ["HARN-LNT-014"]


def test_files_that_are_not_open_are_looked_at(client):
    client.open("lib.harn")
    found = client.request("textDocument/references",
                           {**client.place("lib.harn", "label"), "context": {"includeDeclaration": False}})
    assert {f["uri"] for f in found} == {client.uri("main.harn")} and len(found) == 2, found
    changes = client.request("textDocument/rename", {**client.place("lib.harn", "label"), "newName": "title"})["changes"]
    assert set(changes) == {client.uri("main.harn"), client.uri("lib.harn")}, changes


def test_workspace_symbols_without_an_open_file(client):
    found = client.request("workspace/symbol", {"query": "greet"})
    assert [f["location"]["uri"] for f in found] == [client.uri("main.harn")], found


def test_call_hierarchy(client):
    client.open("a.harn", "fn leaf() { 1 }\nfn use() { return leaf() + leaf() }\nfn rec(n) { n |> rec }\nlet f = leaf\nleaf()\n")
    (item,) = client.request("textDocument/prepareCallHierarchy", client.place("a.harn", "leaf()"))
    calls = client.request("callHierarchy/incomingCalls", {"item": item})
    assert [(c["from"]["name"], len(c["fromRanges"])) for c in calls] == [("a.harn", 1), ("use", 2)], calls
    (top,) = [c["from"] for c in calls if c["from"]["kind"] == 1]
    assert [c["to"]["name"] for c in client.request("callHierarchy/outgoingCalls", {"item": top})] == ["leaf"]
    assert client.request("callHierarchy/incomingCalls", {"item": top}) == []
    (item,) = client.request("textDocument/prepareCallHierarchy", client.place("a.harn", "rec(n)"))
    assert [c["to"]["name"] for c in client.request("callHierarchy/outgoingCalls", {"item": item})] == ["rec"]
    assert client.request("textDocument/prepareCallHierarchy", client.place("a.harn", "f = leaf")) is None
    assert client.request("callHierarchy/outgoingCalls", {"item": {"uri": "file:///none.harn"}}) == []


def test_signature_help(client):
    client.open("main.harn", "fn add(a: int, b: list<int>) -> int { return a }\nadd(1, [2, 3], \nregex_replace(\"a\", ")
    help = client.request("textDocument/signatureHelp", client.place("main.harn", "[2", 1))
    assert help is None or help["signatures"], help
    own = client.request("textDocument/signatureHelp", client.place("main.harn", "[2"))
    assert own["signatures"][0]["label"] == "fn add(a: int, b: list<int>) -> int" and own["activeParameter"] == 1, own
    assert [p["label"] for p in own["signatures"][0]["parameters"]] == ["a: int", "b: list<int>"], own
    builtin = client.request("textDocument/signatureHelp", client.place("main.harn", "\"a\", ", 5))
    assert builtin["signatures"][0]["label"].startswith("regex_replace(") and builtin["activeParameter"] == 1, builtin


def test_symbols_and_folding(client):
    client.open("main.harn")
    outline = client.request("textDocument/documentSymbol", client.place("main.harn", "import"))
    assert [o["name"] for o in outline] == ["add_one", "greet", "Colour", "default"], outline
    assert [c["name"] for c in outline[2]["children"]] == ["Red", "Green"]
    found = client.request("workspace/symbol", {"query": "labl"})
    assert any(f["name"] == "label" and f["location"]["uri"] == client.uri("lib.harn") for f in found), found
    folds = client.request("textDocument/foldingRange", client.place("main.harn", "import"))
    assert {"startLine": 3, "endLine": 5} in folds, folds


def test_semantic_tokens(client):
    client.open("main.harn")
    data = client.request("textDocument/semanticTokens/full", client.place("main.harn", "import"))["data"]
    legend = client.capabilities["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
    text = client.texts["main.harn"].split("\n")
    line = column = 0
    seen = {}
    for i in range(0, len(data), 5):
        delta, start, length, kind, _ = data[i:i + 5]
        line, column = line + delta, (column if delta == 0 else 0) + start
        word = text[line].encode("utf-16-le")[column * 2:(column + length) * 2].decode("utf-16-le")
        seen.setdefault(word, legend[kind])
    for word, kind in (("import", "keyword"), ("add_one", "function"), ("n", "parameter"), ("Colour", "type"),
                       ("Red", "enumMember"), ("41", "number"), ("total", "variable"), ("moved", "method"),
                       ("/** Adds one. */", "comment"), ("log", "function")):
        assert seen.get(word) == kind, (word, seen.get(word))


def test_inlay_hints(client):
    client.open("main.harn", "let a = 1\nlet b = [1, 2].map({ n -> \"${n}\" })\nlet c: int = len(b)\n")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    hints = client.request("textDocument/inlayHint", {**client.place("main.harn", "let"), "range": whole})
    assert [(h["position"]["line"], h["label"]) for h in hints] == [(1, ": list<string>")], hints


def test_code_actions_and_formatting(client):
    client.open("main.harn", "log(\"a\".uper())\n")
    (one,) = client.diagnostics("main.harn")
    actions = client.request("textDocument/codeAction",
                             {**client.place("main.harn", "log"), "range": one["range"], "context": {"diagnostics": []}})
    edit = actions[0]["edit"]["changes"][client.uri("main.harn")][0]
    assert actions[0]["kind"] == "quickfix" and edit["newText"] == "upper", actions
    client.change("main.harn", "let   x=1\n")
    (edit,) = client.request("textDocument/formatting", client.place("main.harn", "let"))
    assert edit["newText"] == "let x = 1\n", edit
    client.change("main.harn", "let x = (\n")
    assert client.request("textDocument/formatting", client.place("main.harn", "let")) is None


def test_odd_messages(client):
    assert client.ask("harn/nothing", {})["error"]["code"] == -32601
    client.notify("harn/nothing", {})
    client.notify("textDocument/didChange", {"textDocument": {"uri": "file:///none.harn"}, "contentChanges": []})
    assert client.request("textDocument/hover", {"textDocument": {"uri": "file:///none.harn"}}) is None
    client.open("main.harn")
    far = {**client.place("main.harn", "import"), "position": {"line": 99999, "character": -5}}
    for method in ("hover", "completion", "definition", "references", "signatureHelp", "documentHighlight"):
        client.request(f"textDocument/{method}", far)
    client.send({"id": "text", "method": "workspace/symbol", "params": {"query": ""}})
    while client.receive().get("id") != "text":
        pass


def test_untitled_documents(client):
    client.notify("textDocument/didOpen", {"textDocument": {
        "uri": "untitled:Untitled-1", "languageId": "harn", "version": 1, "text": "let x: int = nil\n"}})
    while "untitled:Untitled-1" not in client.published:
        client.receive()
    assert client.published["untitled:Untitled-1"]["diagnostics"][0]["code"] == "HARN-TYP-007"


def test_an_edit_in_ten_thousand_lines_is_quick(client):
    functions = [f"fn f{i}(xs: list<int>, limit: int?) -> int {{\n  var sum = 0\n  for x in xs {{\n"
                 f"    if limit != nil && x > limit {{ break }}\n    sum += x\n  }}\n  return sum\n}}\n" for i in range(1250)]
    names = []
    for part in range(10):
        name = f"part{part}.harn"
        (client.root / name).write_text("".join(functions[part * 125:(part + 1) * 125]).replace("fn f", "pub fn f"))
        names.append(name)
    client.open("big.harn", "".join(f'import "{n[:-5]}"\n' for n in names) + "log(f1([1], 2))\n")
    client.diagnostics("big.harn")
    client.open("part0.harn")
    client.diagnostics("part0.harn")
    best = None
    for i in range(5):
        client.change("part0.harn", client.texts["part0.harn"] + f"let extra{i} = {i}\n")
        start = time.monotonic()
        client.request("textDocument/documentSymbol", client.place("part0.harn", "pub"))
        took = time.monotonic() - start
        best = took if best is None else min(best, took)
    told = None
    for i in range(5):
        start = time.monotonic()
        client.change("part0.harn", client.texts["part0.harn"] + f"let more{i} = {i}\n")
        client.diagnostics("part0.harn")
        took = time.monotonic() - start
        told = took if told is None else min(told, took)
    limit = 10.0 if os.environ.get("ASAN_OPTIONS") and "asan" in sys.argv[1] else 0.5
    print(f"an edit in 10,000 lines: {best * 1000:.0f} ms; until its diagnostics are told: {told * 1000:.0f} ms")
    assert best < limit and told < limit, (best, told)


def main():
    harn = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2:]
    passed = failed = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_") or (wanted and name[5:] not in wanted):
            continue
        with tempfile.TemporaryDirectory() as root:
            Path(root, "main.harn").write_text(MAIN)
            Path(root, "lib.harn").write_text(LIB)
            client = Client(harn, root)
            try:
                test(client)
                assert client.close() == 0
                passed += 1
            except Exception:
                failed += 1
                print(f"FAIL {name}")
                traceback.print_exc(limit=-2, file=sys.stdout)
                client.process.kill()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
