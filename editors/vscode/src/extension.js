// Starts `harn lsp` and talks to it; the rest of the extension is data (package.json).
const vscode = require("vscode");
const { LanguageClient, State } = require("vscode-languageclient/node");

let client;

function settings() {
  return vscode.workspace.getConfiguration("harn");
}

function makeClient() {
  const run = { command: settings().get("path"), args: ["lsp", ...settings().get("server.arguments")] };
  return new LanguageClient("harn", "Harn", run, {
    documentSelector: [
      { scheme: "file", language: "harn" },
      { scheme: "untitled", language: "harn" },
    ],
    // Files that are not open may change, too.
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.harn") },
  });
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (problem) {
    const path = settings().get("path");
    const choice = await vscode.window.showErrorMessage(
      `The language server cannot be started: ${path} lsp. Is harn.path right? (${problem.message})`,
      "Open settings",
    );
    if (choice) vscode.commands.executeCommand("workbench.action.openSettings", "harn.path");
  }
}

async function stop() {
  if (client && client.state === State.Running) await client.stop();
  client = undefined;
}

// Runs `harn WORDS FILE` in a terminal, with the file saved.
async function inTerminal(title, words, after = []) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== "harn") {
    vscode.window.showInformationMessage("There is no Harn file in the editor.");
    return;
  }
  if (editor.document.isUntitled || !(await editor.document.save())) {
    vscode.window.showInformationMessage("The file has to be saved first.");
    return;
  }
  const folder = vscode.workspace.getWorkspaceFolder(editor.document.uri);
  const task = new vscode.Task(
    { type: "harn", command: words.join(" ") },
    folder ?? vscode.TaskScope.Workspace,
    title,
    "harn",
    new vscode.ProcessExecution(settings().get("path"), [...words, editor.document.uri.fsPath, ...after]),
  );
  await vscode.tasks.executeTask(task);
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("harn.restart", async () => {
      await stop();
      await start();
    }),
    vscode.commands.registerCommand("harn.run", () => {
      const given = settings().get("run.arguments");
      return inTerminal("Run file", ["run"], given.length > 0 ? ["--", ...given] : []);
    }),
    vscode.commands.registerCommand("harn.test", () => inTerminal("Run tests", ["test"])),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (!change.affectsConfiguration("harn.path") && !change.affectsConfiguration("harn.server.arguments")) return;
      await stop();
      await start();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
