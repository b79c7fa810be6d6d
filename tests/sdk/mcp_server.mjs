// A server made with the official SDK of MCP, for mcp_client.harn: over stdio, or over HTTP with a port as argument.
import http from "node:http";
import { randomUUID, webcrypto } from "node:crypto";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

globalThis.crypto ??= webcrypto; // the Node of Debian 12 has none of its own

function made() {
  const server = new McpServer({ name: "official", version: "1.0.0" }, { instructions: "Ask for sums.", capabilities: { logging: {} } });
  server.registerTool("add", {
    description: "Adds two numbers", inputSchema: { a: z.number().int(), b: z.number().int() }, outputSchema: { sum: z.number() },
    annotations: { readOnlyHint: true },
  }, async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } }));
  server.registerTool("fail", { description: "Fails" }, async () => { throw new Error("it has failed"); });
  server.registerTool("picture", { description: "Shows" }, async () => ({
    content: [{ type: "text", text: "here" }, { type: "image", data: "aGk=", mimeType: "image/png" }],
  }));
  server.registerTool("slowly", { description: "Tells progress", inputSchema: { steps: z.number() } }, async ({ steps }, extra) => {
    for (let i = 1; i <= steps; i++) {
      await extra.sendNotification({ method: "notifications/progress", params: { progressToken: extra._meta?.progressToken, progress: i, total: steps } });
    }
    return { content: [{ type: "text", text: "done" }] };
  });
  server.registerTool("ask", { description: "Asks the person" }, async () => {
    const answer = await server.server.elicitInput({ message: "What is your name?", requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } });
    return { content: [{ type: "text", text: `${answer.action} ${answer.content?.name}` }] };
  });
  server.registerTool("sample", { description: "Asks the model" }, async () => {
    const answer = await server.server.createMessage({ messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 10 });
    return { content: [{ type: "text", text: `${answer.role}: ${answer.content.text}` }] };
  });
  server.registerTool("where", { description: "Lists roots" }, async () => {
    const { roots } = await server.server.listRoots();
    return { content: [{ type: "text", text: `${roots.length} roots` }] };
  });
  server.registerResource("motd", "memo://motd", { mimeType: "text/plain" }, async (uri) => ({ contents: [{ uri: uri.href, text: "be kind" }] }));
  server.registerResource("notes", new ResourceTemplate("notes://{day}", { list: undefined }), {}, async (uri, { day }) => ({ contents: [{ uri: uri.href, text: `notes of ${day}` }] }));
  server.registerPrompt("greet", { description: "Greets", argsSchema: { name: z.string() } }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }],
  }));
  return server;
}

const port = process.argv[2];
if (port === undefined) {
  await made().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  http.createServer(async (request, response) => {
    const id = request.headers["mcp-session-id"];
    let transport = id === undefined ? undefined : sessions.get(id);
    if (transport === undefined) {
      if (id !== undefined) return response.writeHead(404).end();
      transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (fresh) => sessions.set(fresh, transport) });
      await made().connect(transport);
    }
    await transport.handleRequest(request, response);
  }).listen(Number(port), "127.0.0.1", function () { console.log(this.address().port); });
}
