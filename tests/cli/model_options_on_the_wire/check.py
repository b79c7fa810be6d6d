"""What options become in requests: each call is answered with what it has sent."""
import http.server, json, os, subprocess, threading

SHOWN = ("anthropic-beta",)


class Echo(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body["model"] == "down":
            self.send_response(503)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        if body.get("stream"): return self.stream(['{"value": [1', ', 2', ']}'])
        said = '{"value": [1, 2]}' if "numbers" in json.dumps(body) else json.dumps(body | {name: self.headers[name] for name in SHOWN if self.headers[name]}, sort_keys=True)
        usage = {"input_tokens": 1, "output_tokens": 1}
        if self.path.endswith("/messages"):
            answer = {"type": "message", "model": body["model"], "role": "assistant", "content": [{"type": "text", "text": said}], "stop_reason": "end_turn", "usage": usage}
        elif self.path.endswith("/responses"):
            answer = {"object": "response", "model": body["model"], "status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": said}]}], "usage": usage}
        elif self.path.endswith("/api/chat"):
            answer = {"model": body["model"], "message": {"role": "assistant", "content": said}, "done": True, "done_reason": "stop", "prompt_eval_count": 1, "eval_count": 1}
        else:
            answer = {"model": body["model"], "choices": [{"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def stream(self, pieces):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"data: " + json.dumps({"model": "m", "choices": [{"index": 0, "delta": {"content": piece}}]}).encode() + b"\n\n")
        self.wfile.write(b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
os.environ.update(ANTHROPIC_BASE_URL=address, OPENAI_BASE_URL=address, OLLAMA_HOST=address, LOCAL_LLM_BASE_URL=address, DEEPSEEK_BASE_URL=address, GROQ_BASE_URL=address, GROQ_API_KEY="key", OPENROUTER_BASE_URL=address, OPENROUTER_API_KEY="key",
                  ANTHROPIC_API_KEY="key", OPENAI_API_KEY="key", DEEPSEEK_API_KEY="key", HARN_LLM_STREAM="false")
done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], capture_output=True, text=True, timeout=60)
print(done.stdout + "".join(line for line in done.stderr.splitlines(True) if "without the sandbox" not in line), end="")
