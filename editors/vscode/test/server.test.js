// `harn lsp` as a client from npm sees it: vscode-languageserver-protocol over the process's pipes. HARN is the program.
const assert = require("node:assert");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, before, test } = require("node:test");
const { pathToFileURL } = require("node:url");
const lsp = require("vscode-languageserver-protocol/node");

const MAIN = `import { label, Point } from "lib"

/** Adds one. */
fn add_one(n: int) -> int { return n + 1 }

pipeline default(task) {
  let total = add_one(add_one(41))
  let p = Point { x: 1, y: 2 }
  let words = ["a"].map({ w -> w.upper() })
  println(label(p))
  println("\${total} \${words}")
}
add_one(1)
`;
const LIB = `pub struct Point { x: int, y: int }
pub fn label(p: Point) -> string {
  fn inner(n: int) -> int { return n }
  return "\${inner(p.x)}/\${p.y}"
}
`;
const OTHER = `import { label, Point } from "lib"
pub fn twice(p: Point) -> string { return label(p) + label(p) }
`;

let root, process_, connection;
const versions = {};
const published = new Map();
const waiting = new Map();

const uri = (name) => pathToFileURL(path.join(root, name)).toString();
const read = (name) => fs.readFileSync(path.join(root, name), "utf8");

// Where a piece of a text begins.
function at(name, piece, inside = 0, text = read(name)) {
  const offset = text.indexOf(piece) + inside;
  assert.ok(offset >= inside, piece);
  const before_ = text.slice(0, offset);
  const line = before_.split("\n").length - 1;
  return { textDocument: { uri: uri(name) }, position: { line, character: offset - (before_.lastIndexOf("\n") + 1) } };
}

function open(name, text = read(name)) {
  versions[name] = 1;
  connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
    textDocument: { uri: uri(name), languageId: "harn", version: 1, text },
  });
}

function change(name, changes) {
  versions[name] += 1;
  connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: uri(name), version: versions[name] },
    contentChanges: changes,
  });
}

// The diagnostics of the version that was sent last.
function diagnostics(name) {
  const known = published.get(uri(name));
  if (known && known.version === versions[name]) return Promise.resolve(known.diagnostics);
  return new Promise((resolve) => waiting.set(uri(name), { version: versions[name], resolve }));
}

const ask = (type, params) => connection.sendRequest(type, params);
const document = (name) => ({ textDocument: { uri: uri(name) } });

before(async () => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "harn-editors-")));
  for (const [name, text] of [["main.harn", MAIN], ["lib.harn", LIB], ["other.harn", OTHER]]) {
    fs.writeFileSync(path.join(root, name), text);
  }
  process_ = spawn(process.env.HARN ?? "harn", ["lsp"], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(process_.stdout),
    new lsp.StreamMessageWriter(process_.stdin),
  );
  connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
    published.set(params.uri, params);
    const one = waiting.get(params.uri);
    if (one && params.version === one.version) {
      waiting.delete(params.uri);
      one.resolve(params.diagnostics);
    }
  });
  connection.listen();
  const able = await ask(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(root).toString(),
    capabilities: {},
    workspaceFolders: [{ uri: pathToFileURL(root).toString(), name: "project" }],
  });
  assert.strictEqual(able.serverInfo.name, "harn");
  assert.ok(able.capabilities.callHierarchyProvider);
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  open("main.harn");
});

after(async () => {
  await ask(lsp.ShutdownRequest.type);
  const ended = new Promise((resolve) => process_.on("exit", resolve));
  await connection.sendNotification(lsp.ExitNotification.type);
  assert.strictEqual(await ended, 0);
  fs.rmSync(root, { recursive: true });
});

test("diagnostics follow edits", async () => {
  assert.deepStrictEqual(await diagnostics("main.harn"), []);
  open("scratch.harn", "pub let x: int = 1\n");
  assert.deepStrictEqual(await diagnostics("scratch.harn"), []);
  const one = { start: { line: 0, character: 17 }, end: { line: 0, character: 18 } };
  change("scratch.harn", [{ range: one, text: '"a"' }]);
  const [found, ...more] = await diagnostics("scratch.harn");
  assert.strictEqual(found.code, "HARN-TYP-007");
  assert.strictEqual(more.length, 0);
  change("scratch.harn", [{ text: "pub fn f() {\n  let x = 1\n}\n" }]);
  const [unused] = await diagnostics("scratch.harn");
  assert.deepStrictEqual([unused.code, unused.tags], ["HARN-LNT-014", [lsp.DiagnosticTag.Unnecessary]]);
  change("scratch.harn", [{ text: "pub let x = 1\n" }]);
  assert.deepStrictEqual(await diagnostics("scratch.harn"), []);
});

test("hover", async () => {
  const shown = await ask(lsp.HoverRequest.type, at("main.harn", "add_one(add"));
  assert.match(shown.contents.value, /fn add_one\(n: int\) -> int[\s\S]*Adds one\./);
});

test("completion has the fields of shapes and structs", async () => {
  const text = "fn f(u: {name: string, age?: int}) { u. }\n";
  open("fields.harn", text);
  const { items } = await ask(lsp.CompletionRequest.type, at("fields.harn", "u. }", 2, text));
  const labels = items.map((item) => item.label);
  assert.ok(labels.includes("name") && labels.includes("age"), labels.join());
  assert.strictEqual(items.find((item) => item.label === "name").kind, lsp.CompletionItemKind.Field);
});

test("definition goes to other files, and to functions in functions", async () => {
  const other = await ask(lsp.DefinitionRequest.type, at("main.harn", "label(p)"));
  assert.strictEqual(other.uri, uri("lib.harn"));
  assert.strictEqual(other.range.start.line, 1);
  open("lib.harn");
  const inner = await ask(lsp.DefinitionRequest.type, at("lib.harn", "inner(p.x)"));
  assert.strictEqual(inner.range.start.line, 2);
});

test("references and rename see files that are not open", async () => {
  const params = { ...at("lib.harn", "label"), context: { includeDeclaration: true } };
  const found = await ask(lsp.ReferencesRequest.type, params);
  assert.deepStrictEqual([...new Set(found.map((one) => one.uri))].sort(), [uri("lib.harn"), uri("main.harn"), uri("other.harn")]);
  assert.strictEqual(found.length, 6);
  const edit = await ask(lsp.RenameRequest.type, { ...at("lib.harn", "label"), newName: "caption" });
  assert.strictEqual(edit.changes[uri("other.harn")].length, 3);
  const range = await ask(lsp.PrepareRenameRequest.type, at("lib.harn", "label"));
  assert.strictEqual(range.start.character, 7);
});

test("signature help", async () => {
  const help = await ask(lsp.SignatureHelpRequest.type, at("main.harn", "41)"));
  assert.strictEqual(help.signatures[0].label, "fn add_one(n: int) -> int");
});

test("symbols of the document and of the workspace", async () => {
  const outline = await ask(lsp.DocumentSymbolRequest.type, document("main.harn"));
  assert.deepStrictEqual(outline.map((one) => one.name), ["add_one", "default"]);
  const found = await ask(lsp.WorkspaceSymbolRequest.type, { query: "twice" });
  assert.deepStrictEqual(found.map((one) => one.location.uri), [uri("other.harn")]);
});

test("folding, highlights, semantic tokens and inlay hints", async () => {
  const folds = await ask(lsp.FoldingRangeRequest.type, document("main.harn"));
  assert.ok(folds.some((one) => one.startLine === 5 && one.endLine === 11));
  const marks = await ask(lsp.DocumentHighlightRequest.type, at("main.harn", "total ="));
  assert.strictEqual(marks.length, 2);
  const tokens = await ask(lsp.SemanticTokensRequest.type, document("main.harn"));
  assert.ok(tokens.data.length > 50 && tokens.data.length % 5 === 0);
  const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  const hints = await ask(lsp.InlayHintRequest.type, { ...document("main.harn"), range });
  assert.ok(hints.some((one) => one.label === ": list<string>"), JSON.stringify(hints));
});

test("code actions come from fixes", async () => {
  open("fix.harn", 'println("a".uper())\n');
  const [found] = await diagnostics("fix.harn");
  const actions = await ask(lsp.CodeActionRequest.type, {
    ...document("fix.harn"),
    range: found.range,
    context: { diagnostics: [found] },
  });
  const [edit] = actions[0].edit.changes[uri("fix.harn")];
  assert.strictEqual(edit.newText, "upper");
});

test("formatting", async () => {
  open("form.harn", "let   x=1\n");
  const options = { tabSize: 2, insertSpaces: true };
  const [edit] = await ask(lsp.DocumentFormattingRequest.type, { ...document("form.harn"), options });
  assert.strictEqual(edit.newText, "let x = 1\n");
  const line = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const [part] = await ask(lsp.DocumentRangeFormattingRequest.type, { ...document("form.harn"), options, range: line });
  assert.strictEqual(part.newText, "let x = 1\n");
});

test("call hierarchy", async () => {
  const [item] = await ask(lsp.CallHierarchyPrepareRequest.type, at("main.harn", "add_one(n"));
  assert.strictEqual(item.name, "add_one");
  const incoming = await ask(lsp.CallHierarchyIncomingCallsRequest.type, { item });
  assert.deepStrictEqual(
    incoming.map((one) => [one.from.name, one.fromRanges.length]),
    [["main.harn", 1], ["default", 2]],
  );
  const [label] = await ask(lsp.CallHierarchyPrepareRequest.type, at("main.harn", "label(p)"));
  assert.strictEqual(label.uri, uri("lib.harn"));
  const callers = await ask(lsp.CallHierarchyIncomingCallsRequest.type, { item: label });
  assert.deepStrictEqual(
    callers.map((one) => [one.from.name, one.from.uri, one.fromRanges.length]),
    [["default", uri("main.harn"), 1], ["twice", uri("other.harn"), 2]],
  );
  const outgoing = await ask(lsp.CallHierarchyOutgoingCallsRequest.type, { item: label });
  assert.deepStrictEqual(outgoing.map((one) => [one.to.name, one.fromRanges.length]), [["inner", 1]]);
  const none = await ask(lsp.CallHierarchyPrepareRequest.type, at("main.harn", "total ="));
  assert.strictEqual(none, null);
});
