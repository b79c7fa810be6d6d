"""A small server of the Model Context Protocol, for tests.

  python3 -m mcp_server [MODE]       over its standard streams
  with HttpServer(mode) as server:   over streamable HTTP, at server.url

It behaves well, unless a tool is called that does not: see `call`.
MODE: "old" (an unknown version of the protocol), "silent", "garbage", "chatty" and "noisy" (a line, or hundreds, that are no messages before
each answer), "batch" (answers, and what comes before them, in one line), "mute" (closes its output after the first answer and lives on),
"broken" (answers to tools are cut off), "puzzled" (does not know whose request it could not read).
"""

import http.server
import json
import os
import sys
import threading
import time

PAGE = 2
TOOLS = [
    {"name": "echo", "description": "Gives back its text.", "annotations": {"readOnlyHint": True},
     "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
    {"name": "fail", "description": "Fails.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "blocks", "description": "Gives several blocks.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "nothing", "description": "Gives nothing.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "slow", "description": "Takes its time.", "inputSchema": {"type": "object", "properties": {"ms": {"type": "integer"}, "progress": {"type": "boolean"}}}},
    {"name": "die", "description": "Ends the server.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "flood", "description": "Says a lot first.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "ask_back", "description": "Asks the client first.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "grow", "description": "Makes another tool.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "cancelled", "description": "Which requests were called off.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "ask", "description": "Asks the client anything.", "inputSchema": {"type": "object", "properties": {
        "method": {"type": "string"}, "params": {"type": "object"}, "withdraw_after_ms": {"type": "integer"}, "times": {"type": "integer"}}}},
    {"name": "announced", "description": "What the client can do.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "touch", "description": "Changes a resource.", "inputSchema": {"type": "object", "properties": {"uri": {"type": "string"}}}},
]


class Session:
    """One conversation. `say(message)` sends what was not asked for."""

    def __init__(self, say, mode=""):
        self.say = say
        self.mode = mode
        self.tools = list(TOOLS)
        self.cancelled = []
        self.answers = {}  # of the client
        self.answered = threading.Condition()
        self.announced = {}
        self.progress = []  # that the client has told
        self.subscribed = set()
        self.asked = 0

    def heard(self, message):
        """The answer to a request, or None."""
        method = message.get("method")
        if method is None:
            with self.answered:
                self.answers[message.get("id")] = message
                self.answered.notify_all()
            return None
        if "id" not in message:
            if method == "notifications/cancelled":
                self.cancelled.append(message["params"]["requestId"])
            if method == "notifications/progress":
                self.progress.append(message["params"]["message"])
            return None
        try:
            return {"jsonrpc": "2.0", "id": message["id"], "result": self.result(method, message.get("params") or {})}
        except KeyError as error:
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32602, "message": f"unknown {error.args[0]}"}}

    def result(self, method, params):
        if method == "initialize":
            version = "1999-01-01" if self.mode == "old" else params["protocolVersion"]
            self.announced = params["capabilities"]
            return {"protocolVersion": version, "serverInfo": {"name": "probe", "version": "1.2"}, "instructions": "Be nice.",
                    "capabilities": {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "prompts": {}, "completions": {},
                                     "logging": {}}}
        if method == "ping":
            return {}
        if method == "tools/list":
            start = int(params.get("cursor", 0))
            page = {"tools": self.tools[start:start + PAGE]}
            return page | ({"nextCursor": str(start + PAGE)} if start + PAGE < len(self.tools) else {})
        if method == "tools/call":
            return self.call(params["name"], params.get("arguments", {}), params.get("_meta", {}).get("progressToken"))
        if method == "resources/list":
            return {"resources": [{"uri": "memo://one", "name": "one", "mimeType": "text/plain"}]}
        if method == "resources/templates/list":
            return {"resourceTemplates": [{"uriTemplate": "memo://{name}", "name": "memo"}]}
        if method == "resources/read":
            if params["uri"] != "memo://one":
                raise KeyError(f"resource {params['uri']}")
            return {"contents": [{"uri": "memo://one", "mimeType": "text/plain", "text": "the first memo"}]}
        if method in ("resources/subscribe", "resources/unsubscribe"):
            (self.subscribed.add if method == "resources/subscribe" else self.subscribed.discard)(params["uri"])
            return {}
        if method == "completion/complete":
            known = [one for one in ("ada", "adam", "bob") if one.startswith(params["argument"]["value"])]
            return {"completion": {"values": known, "total": len(known), "hasMore": False}}
        if method == "logging/setLevel":
            self.say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": params["level"], "data": f"level {params['level']}"}})
            return {}
        if method == "prompts/list":
            return {"prompts": [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]}
        if method == "prompts/get":
            return {"description": "A greeting", "messages": [
                {"role": "user", "content": {"type": "text", "text": f"Greet {params['arguments']['who']}."}}]}
        raise KeyError(f"method {method}")

    def call(self, name, arguments, token):
        def text(*texts):
            return {"content": [{"type": "text", "text": one} for one in texts]}
        if name == "echo":
            return text(arguments["text"])
        if name == "fail":
            return text("it did not work") | {"isError": True}
        if name == "blocks":
            return {"content": [{"type": "text", "text": "a picture"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]}
        if name == "nothing":
            return {"content": []}
        if name == "slow":
            end = time.monotonic() + arguments.get("ms", 100) / 1000
            steps = 0
            while time.monotonic() < end:
                time.sleep(0.05)
                steps += 1
                if arguments.get("progress"):
                    self.say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                        "progressToken": token, "progress": steps, "message": f"step {steps} of {arguments.get('ms', 100)}"}})
            return text("at last")
        if name == "die":
            print("out of cheese", file=sys.stderr, flush=True)
            os._exit(3)
        if name == "flood":
            for number in range(20_000):
                self.say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "debug", "data": f"{number} " + "x" * 500}})
            return text("dry again")
        if name == "ask_back":
            for number, method in enumerate(["ping", "sampling/createMessage"]):
                self.say({"jsonrpc": "2.0", "id": f"q{number}", "method": method, "params": {}})
            with self.answered:
                self.answered.wait_for(lambda: len(self.answers) == 2, 5)
            return text(json.dumps([self.answers["q0"].get("result"), self.answers["q1"].get("error", {}).get("code")]))
        if name == "ask":
            return text(json.dumps([self.ask(arguments) for _ in range(arguments.get("times", 1))]))
        if name == "announced":
            return text(json.dumps(self.announced))
        if name == "touch":
            if arguments["uri"] in self.subscribed:
                self.say({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": arguments["uri"]}})
            return text("touched")
        if name == "grow":
            self.tools.append({"name": f"grown{len(self.tools) - len(TOOLS) + 1}", "inputSchema": {"type": "object", "properties": {}}})
            self.say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            return text("bigger")
        if name.startswith("grown"):
            return text(f"{name} was called")
        if name == "cancelled":
            return text(json.dumps(self.cancelled))
        raise KeyError(f"tool {name}")


    def ask(self, arguments):
        """The client's result or error, or "withdrawn"."""
        with self.answered:
            self.asked += 1
            name = f"ask-{self.asked}"
        self.say({"jsonrpc": "2.0", "id": name, "method": arguments["method"], "params": arguments.get("params", {})})
        wait = arguments.get("withdraw_after_ms")
        with self.answered:
            self.answered.wait_for(lambda: name in self.answers, 10 if wait is None else wait / 1000)
        if name not in self.answers:
            self.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": name}})
            time.sleep(0.3)
            return "withdrawn" if name not in self.answers else "too late"
        return self.answers[name].get("result", self.answers[name].get("error"))


def over_standard_streams(mode):
    lock = threading.Lock()

    def say(message):
        with lock:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()

    session = Session(say, mode)

    def answer(message):
        reply = session.heard(message)
        is_call = message.get("method") == "tools/call"
        if mode == "noisy":
            with lock:
                sys.stdout.write("not a message\n" * 400)
        if mode == "batch" and reply is not None:
            news = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "debug", "data": "news"}}
            return say([news, reply, {"jsonrpc": "2.0", "id": f"ping-{message['id']}", "method": "ping"}])
        if mode == "broken" and is_call:
            with lock:
                print(json.dumps(reply)[:40], flush=True)
            return None
        if mode == "puzzled" and is_call:
            return say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "what was that?"}})
        if mode == "chatty":
            with lock:
                print("what a nice request")
        if reply is not None:
            say(reply)
        if mode == "mute":
            os.close(1)
        return None

    if mode == "garbage":
        while True:
            print("not a message", flush=True)
    for line in sys.stdin:
        if mode != "silent":
            threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def plain(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):  # who asked does not wait any more
            pass

    def event(self, message):
        self.wfile.write(f"data: {json.dumps(message)}\n\n".encode())
        self.wfile.flush()

    def begin_events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def welcome(self):
        peer = self.server.peer
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if peer.token and given != peer.token or peer.tokens is not None and given not in peer.tokens:
            self.plain(401, b"no entry", [("WWW-Authenticate", peer.challenge)] if peer.challenge else [])
            return False
        return True

    def do_POST(self):
        peer = self.server.peer
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.welcome():
            return
        is_first = message.get("method") == "initialize"
        if not is_first and self.headers.get("Mcp-Session-Id") != "s-1" or peer.is_ended:
            return self.plain(404, b"no such session")
        if not is_first:
            peer.versions.add(self.headers.get("MCP-Protocol-Version"))
        if "id" not in message or "method" not in message:
            peer.session.heard(message)
            return self.plain(202)
        # What takes longer is a stream of events; what the server says meanwhile comes on it.
        if message["method"] == "tools/call" and message["params"]["name"] not in ("echo", "fail", "cancelled"):
            self.begin_events()
            peer.session.say = self.event if message["params"]["name"] not in ("grow", "touch") else peer.tell
            try:
                self.event(peer.session.heard(message))
            except (BrokenPipeError, ConnectionResetError):
                pass
            return None
        body = json.dumps(peer.session.heard(message)).encode()
        self.plain(200, body, [("Content-Type", "application/json")] + ([("Mcp-Session-Id", "s-1")] if is_first else []))

    def do_GET(self):
        peer = self.server.peer
        if not self.welcome():
            return
        self.begin_events()
        with peer.news:
            while not peer.is_ended:
                peer.news.wait_for(lambda: peer.queue or peer.is_ended, 10)
                while peer.queue:
                    self.event(peer.queue.pop(0))

    def do_DELETE(self):
        self.server.peer.is_ended = True
        self.plain(200)


class HttpServer:
    def __init__(self, token=None):
        self.token = token
        self.tokens = None  # a set: those of these may come in
        self.challenge = ""  # what those who may not are told
        self.session = Session(self.tell)
        self.is_ended = False
        self.versions = set()
        self.queue = []
        self.news = threading.Condition()
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.peer = self
        self.url = f"http://127.0.0.1:{self.http.server_port}/mcp"

    def tell(self, message):
        with self.news:
            self.queue.append(message)
            self.news.notify_all()

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()


if __name__ == "__main__":
    over_standard_streams(sys.argv[1] if len(sys.argv) > 1 else "")
