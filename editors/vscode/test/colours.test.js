// The TextMate grammar, with the libraries that VS Code uses. In a fixture, `// ^ scope` is about the line above it.
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const home = path.join(__dirname, "..");

async function loadGrammar() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => {
      const file = path.join(home, "syntaxes/harn.tmLanguage.json");
      return textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
    },
  });
  return registry.loadGrammar("source.harn");
}

test("colours", async () => {
  const grammar = await loadGrammar();
  let checked = 0;
  for (const file of fs.readdirSync(path.join(home, "test/fixtures"))) {
    const lines = fs.readFileSync(path.join(home, "test/fixtures", file), "utf8").split("\n");
    let state = textmate.INITIAL;
    let tokens = [];
    lines.forEach((line, number) => {
      const claim = line.match(/^(\s*\/\/\s*)\^ (\S+)$/);
      if (claim) {
        const column = claim[1].length;
        const token = tokens.find((one) => one.startIndex <= column && column < one.endIndex);
        const scopes = token ? token.scopes : [];
        assert.ok(scopes.some((one) => one.startsWith(claim[2])), `${file}:${number + 1}: ${claim[2]} is not in ${scopes}`);
        checked += 1;
        return;
      }
      const result = grammar.tokenizeLine(line, state);
      state = result.ruleStack;
      tokens = result.tokens;
    });
  }
  assert.ok(checked > 15, String(checked));
});
