// The official SDKs against `harn mock-server`: node mock_server.mjs URL
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { Ollama } from "ollama";

const url = process.argv[2];
const messages = [{ role: "user", content: "hello there" }];
const echo = "Mock response to 2-word prompt: hello there";

const anthropic = new Anthropic({ baseURL: url, apiKey: "x", maxRetries: 0 });
const message = await anthropic.messages.create({ model: "c", max_tokens: 10, messages });
assert.equal(message.content[0].text, echo);
assert.equal(message.stop_reason, "end_turn");
const stream = anthropic.messages.stream({ model: "c", max_tokens: 10, messages });
let text = "";
stream.on("text", (piece) => (text += piece));
const final = await stream.finalMessage();
assert.equal(text, echo);
assert.equal(final.content[0].text, echo);
assert.ok(final.usage.output_tokens > 0);
const tool = await anthropic.messages.create({ model: "c", max_tokens: 10, messages: [{ role: "user", content: "use a tool" }] });
assert.equal(tool.stop_reason, "tool_use");
assert.deepEqual(tool.content.find((block) => block.type === "tool_use").input, { at: 1 });
const toolStream = await anthropic.messages
  .stream({ model: "c", max_tokens: 10, messages: [{ role: "user", content: "use a tool" }] }).finalMessage();
assert.deepEqual(toolStream.content.find((block) => block.type === "tool_use").input, { at: 1 });
await assert.rejects(
  anthropic.messages.create({ model: "c", max_tokens: 10, messages: [{ role: "user", content: "fail now" }] }),
  (error) => error instanceof Anthropic.RateLimitError && error.headers.get("retry-after-ms") === "20");

const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: "x", maxRetries: 0 });
const chat = await openai.chat.completions.create({ model: "g", messages });
assert.equal(chat.choices[0].message.content, echo);
text = "";
let usage;
for await (const chunk of await openai.chat.completions.create({ model: "g", messages, stream: true, stream_options: { include_usage: true } })) {
  text += chunk.choices[0]?.delta?.content ?? "";
  usage = chunk.usage ?? usage;
}
assert.equal(text, echo);
assert.ok(usage.total_tokens > 0);
const called = await openai.chat.completions.create({ model: "g", messages: [{ role: "user", content: "use a tool" }] });
assert.equal(called.choices[0].finish_reason, "tool_calls");
assert.equal(called.choices[0].message.tool_calls[0].function.name, "look");
const runner = await openai.chat.completions.stream({ model: "g", messages: [{ role: "user", content: "use a tool" }] }).finalChatCompletion();
assert.equal(runner.choices[0].message.tool_calls[0].function.arguments, '{"at":1}');
await assert.rejects(openai.chat.completions.create({ model: "g", messages: [{ role: "user", content: "fail now" }] }), OpenAI.RateLimitError);

const response = await openai.responses.create({ model: "g", input: messages });
assert.equal(response.output_text, echo);
text = "";
let completed;
for await (const event of await openai.responses.create({ model: "g", input: "hello there", stream: true })) {
  if (event.type === "response.output_text.delta") text += event.delta;
  if (event.type === "response.completed") completed = event.response;
}
assert.equal(text, echo);
assert.equal(completed.status, "completed");
const finalResponse = await openai.responses.stream({ model: "g", input: [{ role: "user", content: "use a tool" }] }).finalResponse();
assert.equal(finalResponse.output.find((item) => item.type === "function_call").arguments, '{"at":1}');
assert.equal((await openai.models.list()).data[0].id, "mock");

const ollama = new Ollama({ host: url });
assert.equal((await ollama.chat({ model: "l", messages })).message.content, echo);
text = "";
for await (const part of await ollama.chat({ model: "l", messages, stream: true })) text += part.message.content;
assert.equal(text, echo);
const local = await ollama.chat({ model: "l", messages: [{ role: "user", content: "use a tool" }] });
assert.deepEqual(local.message.tool_calls[0].function.arguments, { at: 1 });
await assert.rejects(ollama.chat({ model: "l", messages: [{ role: "user", content: "fail now" }] }), /scripted failure/);
assert.equal((await ollama.list()).models[0].name, "mock");

console.log("the SDKs agree");
