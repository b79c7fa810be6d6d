// The official SDK of MCP as a client of `harn serve mcp`: node mcp_client.mjs HARN
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "official", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ["serve", "mcp", "server.harn"], stderr: "inherit" }));
assert.deepEqual((await client.listTools()).tools.map((one) => one.name).sort(), ["add", "fail"]);
const sum = await client.callTool({ name: "add", arguments: { a: 2, b: 3 } });
assert.equal(sum.content[0].text, "5");
const failed = await client.callTool({ name: "fail", arguments: {} });
assert.equal(failed.isError, true);
assert.match(failed.content[0].text, /it did not work/);
const wrong = await client.callTool({ name: "add", arguments: { a: "x" } });
assert.equal(wrong.isError, true);
assert.equal((await client.readResource({ uri: "memo://one" })).contents[0].text, "be kind");
assert.equal((await client.readResource({ uri: "user://Ada" })).contents[0].text, "it is Ada");
assert.equal((await client.getPrompt({ name: "greet", arguments: { who: "Ada" } })).messages[0].content.text, "Greet Ada.");
await assert.rejects(client.getPrompt({ name: "greet", arguments: {} }));
await client.ping();
await Promise.all(Array.from({ length: 50 }, async (_, i) => {
  assert.equal((await client.callTool({ name: "add", arguments: { a: i, b: 1 } })).content[0].text, String(i + 1));
}));
await client.close();
console.log("the client agrees");
