"""Servers that leave a model's thoughts in the text of its answer, cut into pieces anywhere."""
import http.server, json, os, subprocess, threading

TEXTS = {
    "thinks": "<think>\nLet me <b>see</b>.\n</think>\n\nIt is 4.",
    "plain": "In HTML, <think> is no tag; 2 < 3.",
    "spaces": "\n <think>hm</think>yes",
    "cut": "<think>never ending",
    "almost": "<thi",
    "empty": "<think>\n\n</think>\n\nAt once.",
}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = TEXTS[asked["model"]]
        is_ollama = self.path == "/api/chat"
        if not asked.get("stream"):
            message = {"role": "assistant", "content": text}
            body = json.dumps({"message": message, "done": True} if is_ollama else {"choices": [{"message": message, "finish_reason": "stop"}]})
        elif is_ollama:
            body = "".join(json.dumps({"message": {"content": c}, "done": False}) + "\n" for c in text) + json.dumps({"done": True, "done_reason": "stop"}) + "\n"
        else:
            pieces = [{"choices": [{"delta": {"content": c}}]} for c in text] + [{"choices": [{"delta": {}, "finish_reason": "stop"}]}]
            body = "".join(f"data: {json.dumps(one)}\n\n" for one in pieces) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson" if is_ollama else "text/event-stream" if asked.get("stream") else "application/json")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
base = f"http://127.0.0.1:{server.server_port}"
environment = os.environ | {"LOCAL_LLM_BASE_URL": base, "OLLAMA_HOST": base}
done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], env=environment, capture_output=True, text=True)
print((done.stdout + done.stderr).replace("warning: running without the sandbox: the program may use all files and the network\n", ""), end="")
