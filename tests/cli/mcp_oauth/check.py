"""An MCP server that wants tokens, and the authorization server that it names (RFC 9728, 8414, 7591, 7636, 8707)."""
import base64, hashlib, http.server, json, os, subprocess, threading, urllib.parse
from json_handler import JsonHandler
from mcp_server import HttpServer

challenge, count, forms, answers = None, 0, [], {}


class Handler(JsonHandler):
    def do_GET(self):
        global challenge
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/authorize":
            assert query["code_challenge_method"] == "S256" and query["client_id"] == "made-1" and query["resource"] == server.url, query
            challenge = query["code_challenge"]
            back = urllib.parse.urlencode({"code": "the code", "state": query["state"], "iss": base})
            return self.answer(302, {}, Location=query["redirect_uri"] + "?" + back)
        self.answer(200, answers[url.path]) if url.path in answers else self.answer(404, {})

    def do_POST(self):
        global count
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/register":
            forms.append("register " + json.loads(text)["redirect_uris"][0])
            return self.answer(201, {"client_id": "made-1"})
        form = dict(urllib.parse.parse_qsl(text))
        forms.append(form["grant_type"] + (" for the server" if form.get("resource") == server.url else " for anybody"))
        if form["grant_type"] == "authorization_code":
            made = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
            if made != challenge: return self.answer(400, {"error": "invalid_grant"})
        elif form["refresh_token"] != f"again-{count}":
            return self.answer(400, {"error": "invalid_grant"})
        count += 1
        server.tokens.add(f"token-{count}")
        self.answer(200, {"access_token": f"token-{count}", "token_type": "Bearer", "refresh_token": f"again-{count}", "expires_in": 3600})


issuer = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=issuer.serve_forever, daemon=True).start()
base = f"http://127.0.0.1:{issuer.server_port}"

with HttpServer() as server:
    server.tokens = set()
    server.challenge = f'Bearer realm="docs", resource_metadata="{base}/about", scope="read write"'
    answers["/about"] = {"resource": server.url, "authorization_servers": [base]}
    answers["/.well-known/oauth-authorization-server"] = {
        "issuer": base, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token",
        "registration_endpoint": base + "/register", "code_challenge_methods_supported": ["S256"]}
    answers["/other"] = {"resource": "https://elsewhere.example.com/mcp", "authorization_servers": [base]}
    answers["/weak"] = {"resource": server.url, "authorization_servers": [base + "/weak"]}
    answers["/.well-known/openid-configuration/weak"] = answers["/.well-known/oauth-authorization-server"] | {
        "issuer": base + "/weak", "code_challenge_methods_supported": ["plain"]}

    class Control(http.server.BaseHTTPRequestHandler):
        """The test's own way to change what the server does."""
        def log_message(self, *args): pass
        def do_GET(self):
            if self.path == "/forget": server.tokens.clear()
            else: server.challenge = f'Bearer resource_metadata="{base}{self.path}"'
            self.send_response(204)
            self.end_headers()

    control = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Control)
    threading.Thread(target=control.serve_forever, daemon=True).start()
    environment = os.environ | {"SERVER": server.url, "CONTROL": f"http://127.0.0.1:{control.server_port}", "HARN_SECRET_DOCS_TOKEN": "token-1"}
    run = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], env=environment, capture_output=True, text=True)
    print((run.stdout + run.stderr).replace(server.url, "SERVER").replace(base, "ISSUER")
          .replace("warning: running without the sandbox: the program may use all files and the network\n", ""), end="")
    print(forms)
