"""`embedding_model` of a chat: a provider with OpenAI's interface is asked, once for each text; one that fails does not end the conversation."""
import json, os, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HARN = os.environ["HARN"]
asked = []
is_broken = False


class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked.append((self.path, body["model"], self.headers["authorization"], len(body["input"])))
        vectors = [[1.0 if any(word in text for word in ("car", "automobile")) else 0.0, 0.1] for text in body["input"]]
        answer = json.dumps({"data": [{"index": i, "embedding": one} for i, one in enumerate(vectors)]}).encode()
        self.send_response(500 if is_broken else 200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ.update(OPENAI_BASE_URL=f"http://127.0.0.1:{server.server_port}", OPENAI_API_KEY="sk-test-1")
os.makedirs(".harn")
json.dump({"embedding_model": "openai:text-embedding-3-small"}, open(".harn/chat.json", "w"))
open("replies.jsonl", "w").write('{"text": "Yes."}\n' * 8)


def chat(*lines):
    done = subprocess.run([HARN, "chat", "--id", "s", "--provider", "mock", "--llm-mock", "replies.jsonl"], input="\n".join(lines) + "\n", capture_output=True, text=True)
    return done.returncode, done.stdout.split("\n")[-2] if done.stdout else "", done.stderr.strip()


def retrieved():
    events = [json.loads(line) for line in open(".harn/sessions/s/trace.jsonl")]
    return [len(event["data"]["items"]) for event in events if event["kind"] == "retrieval"]


print(chat("/remember The automobile is red", "which car?", "which car?"), retrieved())
print(asked)
is_broken = True
print(chat("and a new question?"), retrieved())
json.dump({"embedding_model": "small"}, open(".harn/chat.json", "w"))
print(chat("hello"))
