"""What is on the wire of a search for tools, by a provider that searches and by one that does not."""
import http.server, json, os, subprocess, threading

harn = os.environ["HARN"]


def told(tool):
    kind = tool.get("type", "")
    name = kind if "search" in kind else tool.get("name") or tool["function"]["name"]
    return f"{name}{' (deferred)' if tool.get('defer_loading') else ''}"


def seen(body, headers):
    said = "; ".join(told(tool) for tool in body["tools"])
    if headers["anthropic-beta"]: said += f" [{headers['anthropic-beta']}]"
    said += "".join(f" {json.dumps(tool)}" for tool in body["tools"] if tool.get("mode") == "hosted")
    if "- send_invoice: Sends an invoice" in json.dumps(body.get("system", body.get("instructions", ""))): said += " (listed)"
    if "force_native" in json.dumps(body): said += " UNKNOWN KNOB"
    return said


# The first answer to the loop has searched, and calls what was found.
def claude(body, said):
    if "in the loop" not in json.dumps(body["messages"][0]):
        content = [{"type": "text", "text": said}]
    elif len(body["messages"]) == 1:
        content = [{"type": "server_tool_use", "id": "srv_1", "name": "tool_search_tool_bm25", "input": {"query": "invoice"}},
                   {"type": "tool_search_tool_result", "tool_use_id": "srv_1", "content": {
                       "type": "tool_search_tool_search_result", "tool_references": [{"type": "tool_reference", "tool_name": "send_invoice"}]}},
                   {"type": "tool_use", "id": "t1", "name": "send_invoice", "input": {"customer": "Ada"}}]
    else:
        content = [{"type": "text", "text": f"{said} after {[block['type'] for block in body['messages'][1]['content']]}"}]
    return {"type": "message", "model": body["model"], "role": "assistant", "content": content, "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1}}


def gpt(body, said):
    text = {"type": "message", "content": [{"type": "output_text", "text": said}]}
    if "in the loop" in json.dumps(body["input"]):
        kinds = [item["type"] for item in body["input"] if "search" in item.get("type", "")]
        text["content"][0]["text"] = f"{said} after {kinds}"
        call = {"type": "function_call", "call_id": "c1", "name": "send_invoice", "arguments": "{\"customer\": \"Ada\"}"}
        found = [{"type": "tool_search_call", "id": "ts_1", "arguments": {"query": "invoice"}},
                 {"type": "tool_search_output", "id": "ts_2", "tools": [{"type": "function", "name": "send_invoice"}]}]
        if not kinds: return whole(body, found + [call])
    return whole(body, [text])


def whole(body, output):
    return {"object": "response", "model": body["model"], "status": "completed", "output": output, "usage": {"input_tokens": 1, "output_tokens": 1}}


def chat(body, said):
    return {"model": body["model"], "choices": [{"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1}}


class Provider(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        form = claude if self.path.endswith("/messages") else gpt if self.path.endswith("/responses") else chat
        text = json.dumps(form(body, seen(body, self.headers))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
os.environ.update(ANTHROPIC_BASE_URL=address, OPENAI_BASE_URL=address, ANTHROPIC_API_KEY="key", OPENAI_API_KEY="key", HARN_LLM_STREAM="false")
for provider, model in (("anthropic", "claude-sonnet-4-5"), ("anthropic", "claude-3-5-haiku-20241022"), ("openai", "gpt-5.4"), ("openai", "gpt-4o")):
    print(f"--- {provider} {model}")
    done = subprocess.run([harn, "run", "--no-sandbox", "main.harn", provider, model], capture_output=True, text=True, timeout=60)
    print(done.stdout + "".join(line for line in done.stderr.splitlines(True) if "without the sandbox" not in line), end="")
