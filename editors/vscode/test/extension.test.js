// The extension: what package.json promises is there, and its code does it. VS Code itself is stood in for.
const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

const home = path.join(__dirname, "..");
const manifest = JSON.parse(fs.readFileSync(path.join(home, "package.json")));

test("the files that the manifest names are there", () => {
  const { languages, grammars, snippets } = manifest.contributes;
  for (const file of [manifest.main, languages[0].configuration, grammars[0].path, snippets[0].path]) {
    assert.ok(fs.existsSync(path.join(home, file)), file);
  }
  JSON.parse(fs.readFileSync(path.join(home, languages[0].configuration)));
  JSON.parse(fs.readFileSync(path.join(home, snippets[0].path)));
});

test("snippets are Harn", () => {
  const all = JSON.parse(fs.readFileSync(path.join(home, "snippets/harn.json")));
  for (const [name, { body }] of Object.entries(all)) {
    const text = body.join("\n").replace(/\$\{\d+:([^}]*)\}/g, "$1").replace(/\{\$0\}/g, "{}");
    const plain = text.replace(/\$\{?\d+\}?/g, (place) => (place === "$2" || place === "$3" ? "1" : ""));
    const file = path.join(os.tmpdir(), `harn-snippet-${process.pid}.harn`);
    fs.writeFileSync(file, plain);
    try {
      execFileSync(process.env.HARN ?? "harn", ["parse", file], { stdio: "pipe" });
    } catch (problem) {
      assert.fail(`${name}:\n${plain}\n${problem.stderr}`);
    } finally {
      fs.rmSync(file);
    }
  }
});

test("vsce makes a package of it", () => {
  const out = path.join(os.tmpdir(), `harn-${process.pid}.vsix`);
  const vsce = path.join(home, "node_modules/@vscode/vsce/vsce");
  execFileSync("node", [vsce, "package", "--allow-missing-repository", "--skip-license", "--out", out], { cwd: home, stdio: "pipe" });
  assert.ok(fs.statSync(out).size > 10_000);
  fs.rmSync(out);
});

// A stand-in for VS Code and for the client, which notes what it is told.
function load(values) {
  const noted = { commands: {}, clients: [], tasks: [], messages: [], listeners: [] };
  class LanguageClient {
    constructor(id, name, run, options) {
      Object.assign(this, { id, run, options, state: 1 });
      noted.clients.push(this);
    }
    async start() {
      if (this.run.command === "missing") throw new Error("spawn ENOENT");
      this.state = 2;
    }
    async stop() {
      this.state = 1;
    }
  }
  const document = { languageId: "harn", isUntitled: false, uri: { fsPath: "/p/a.harn" }, save: async () => true };
  const vscode = {
    workspace: {
      getConfiguration: () => ({ get: (key) => values[key] ?? manifest.contributes.configuration.properties[`harn.${key}`].default }),
      createFileSystemWatcher: (glob) => ({ glob }),
      onDidChangeConfiguration: (listener) => noted.listeners.push(listener),
      getWorkspaceFolder: () => undefined,
    },
    window: {
      activeTextEditor: { document },
      showErrorMessage: async (text) => void noted.messages.push(text),
      showInformationMessage: async (text) => void noted.messages.push(text),
    },
    commands: { registerCommand: (name, run) => (noted.commands[name] = run), executeCommand: () => {} },
    tasks: { executeTask: async (task) => noted.tasks.push(task) },
    TaskScope: { Workspace: 2 },
    Task: class { constructor(...parts) { this.parts = parts; } },
    ProcessExecution: class { constructor(command, args) { Object.assign(this, { command, args }); } },
  };
  const original = Module._load;
  Module._load = (name, ...rest) => {
    if (name === "vscode") return vscode;
    if (name === "vscode-languageclient/node") return { LanguageClient, State: { Stopped: 1, Running: 2 } };
    return original(name, ...rest);
  };
  delete require.cache[require.resolve("../src/extension.js")];
  const extension = require("../src/extension.js");
  Module._load = original;
  return { extension, noted };
}

test("it starts the server, and does what its commands say", async () => {
  const { extension, noted } = load({ path: "/opt/harn", "run.arguments": ["x"] });
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(Object.keys(noted.commands).sort(), manifest.contributes.commands.map((one) => one.command).sort());
  assert.deepStrictEqual(noted.clients[0].run, { command: "/opt/harn", args: ["lsp"] });
  await noted.commands["harn.run"]();
  await noted.commands["harn.test"]();
  const ran = noted.tasks.map((task) => task.parts[4].args);
  assert.deepStrictEqual(ran, [["run", "/p/a.harn", "--", "x"], ["test", "/p/a.harn"]]);
  await noted.commands["harn.restart"]();
  assert.deepStrictEqual(noted.clients.map((one) => one.state), [1, 2]);
  await noted.listeners[0]({ affectsConfiguration: (key) => key === "harn.path" });
  assert.deepStrictEqual(noted.clients.map((one) => one.state), [1, 1, 2]);
  await extension.deactivate();
  assert.deepStrictEqual(noted.clients.map((one) => one.state), [1, 1, 1]);
});

test("a server that cannot be started is told", async () => {
  const { extension, noted } = load({ path: "missing" });
  await extension.activate({ subscriptions: [] });
  assert.match(noted.messages[0], /missing lsp.*harn\.path/);
});
