"""An authorization server that checks what RFC 6749, 7636 and 8628 want it to check."""
import base64, hashlib, http.server, json, os, subprocess, threading, urllib.parse

from json_handler import JsonHandler

challenge, valid, count, polls, revoked = None, set(), 0, 0, []

class Handler(JsonHandler):
    def do_GET(self):
        global challenge
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/auth":
            assert query["code_challenge_method"] == "S256" and query["response_type"] == "code", query
            challenge = query["code_challenge"]
            back = urllib.parse.urlencode({"code": "the code", "state": query["state"]})
            return self.answer(302, {}, Location=query["redirect_uri"] + "?" + back)
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        self.answer(*((200, f"hello with {token}") if token in valid else (401, "who?")))

    def do_POST(self):
        global count, polls
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        if self.path == "/forget": return valid.clear() or self.answer(200, {})
        if self.path == "/revoke": return revoked.append(form["token"]) or self.answer(200, {})
        if self.path == "/device": return self.answer(200, {"device_code": "dc", "user_code": "AB-CD", "verification_uri": "x", "interval": 1})
        assert self.headers["Accept"] == "application/json"
        grant = form["grant_type"]
        if grant == "authorization_code":
            assert self.headers["Authorization"] == "Basic " + base64.b64encode(b"me:s3cret").decode()
            made = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
            if made != challenge: return self.answer(400, {"error": "invalid_grant"})
        elif grant == "refresh_token":
            if form["refresh_token"] != "again": return self.answer(400, {"error": "invalid_grant"})
        else:
            polls += 1
            if polls == 1: return self.answer(400, {"error": "authorization_pending"})
        count += 1
        valid.add(f"token-{count}")
        self.answer(200, {"access_token": f"token-{count}", "token_type": "Bearer", "refresh_token": "again", "expires_in": 3600})

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = os.environ | {"SERVER": f"http://127.0.0.1:{server.server_port}"}
run = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], env=environment, capture_output=True, text=True)
print(run.stdout, end="")
print(run.stderr.replace("warning: running without the sandbox: the program may use all files and the network\n", ""), end="")
print("revoked:", revoked)
