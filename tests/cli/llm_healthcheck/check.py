import http.server, json, os, subprocess, threading

asked = []


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass

    def do_GET(self):
        asked.append([self.path, self.headers.get("Authorization") or self.headers.get("x-api-key")])
        status, value = 200, {"data": [{"id": "gpt-4o"}, {"id": "gpt-4o-mini"}]}
        if "wrong" in str(asked[-1][1]): status, value = 401, {"error": {"type": "authentication_error", "message": f"bad key {asked[-1][1]}"}}
        if self.path == "/api/tags": value = {"models": [{"name": "llama3.2:latest"}]}
        if self.path == "/broken/v1/models": value = "what?"
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
base = f"http://127.0.0.1:{server.server_port}"
environment = os.environ | {"OPENAI_BASE_URL": base, "OPENAI_API_KEY": "sk-right", "ANTHROPIC_BASE_URL": base, "OLLAMA_HOST": base,
                            "LOCAL_LLM_BASE_URL": base + "/broken", "MLX_BASE_URL": "http://127.0.0.1:9"}


def run(*words):
    done = subprocess.run([os.environ["HARN"], *words], env=environment, capture_output=True, text=True)
    print((done.stdout + done.stderr).replace(base, "BASE").replace("warning: running without the sandbox: the program may use all files and the network\n", ""), end="")


run("run", "--no-sandbox", "main.harn")
print(asked)
run("run", "--no-sandbox", "--record", "tape", "recorded.harn")
server.shutdown()
run("replay", "tape")
print("sk-" in open("tape", errors="replace").read())
environment["HARN_DENY"] = "llm.model"
run("run", "--no-sandbox", "recorded.harn")
