"""A server that looks at signatures the way the documents of AWS say, with code of its own."""
import datetime, hashlib, hmac, http.server, json, os, subprocess, threading

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"


def signature(secret, day, region, service, time, canonical):
    key = ("AWS4" + secret).encode()
    for part in (day, region, service, "aws4_request"): key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    told = f"AWS4-HMAC-SHA256\n{time}\n{day}/{region}/{service}/aws4_request\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    return hmac.new(key, told.encode(), hashlib.sha256).hexdigest()


# "post-vanilla" of the test suite of AWS: this code is right.
nothing = hashlib.sha256(b"").hexdigest()
vanilla = f"POST\n/\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-date\n{nothing}"
assert signature(SECRET, "20150830", "us-east-1", "service", "20150830T123600Z", vanilla) == "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"


class Cloud(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        problem = self.problem(body)
        answer = {"error": {"message": problem}} if problem else {
            "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": f"signed, {'with' if self.headers['x-amz-security-token'] else 'without'} a token"}, "finish_reason": "stop"}]}
        text = json.dumps(answer).encode()
        self.send_response(403 if problem else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def problem(self, body):
        given = self.headers["authorization"] or ""
        if given.startswith("Bearer "): return None if given == "Bearer bedrock-key" else "another key"
        kind, _, rest = given.partition(" ")
        fields = dict(part.strip().split("=", 1) for part in rest.split(","))
        key, day, region, service, end = fields["Credential"].split("/")
        if (kind, key, region, service, end) != ("AWS4-HMAC-SHA256", "AKIDEXAMPLE", "eu-west-1", "bedrock", "aws4_request"): return f"scope {fields['Credential']}"
        time = self.headers["x-amz-date"]
        age = abs(datetime.datetime.utcnow() - datetime.datetime.strptime(time, "%Y%m%dT%H%M%SZ"))
        if age > datetime.timedelta(minutes=5) or not time.startswith(day): return "old"
        names = fields["SignedHeaders"].split(";")
        if names != sorted(names) or "host" not in names or "x-amz-date" not in names: return "headers"
        if self.headers["x-amz-security-token"] and "x-amz-security-token" not in names: return "token"
        content = hashlib.sha256(body).hexdigest()
        if self.headers["x-amz-content-sha256"] != content: return "content"
        lines = "".join(f"{name}:{self.headers[name].strip()}\n" for name in names)
        canonical = f"POST\n{self.path}\n\n{lines}\n{fields['SignedHeaders']}\n{content}"
        return None if fields["Signature"] == signature(SECRET, day, region, service, time, canonical) else "signature"


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cloud)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open("providers.toml", "w") as file:
    file.write(f'''[providers.clouds]
wire = "openai_chat"
base_url = "http://127.0.0.1:{server.server_port}"
chat_endpoint = "/openai/v1/chat/completions"
auth_style = "aws"
auth_env = ["BEDROCK_KEY", "AWS_ACCESS_KEY_ID"]
bearer_env = ["BEDROCK_KEY"]
aws_region = "${{AWS_REGION|AWS_DEFAULT_REGION:-us-east-1}}"
aws_service = "bedrock"
''')
os.environ.update(HARN_PROVIDERS_CONFIG="providers.toml", AWS_REGION="eu-west-1", HARN_LLM_STREAM="false")


def run(**variables):
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], env=os.environ | variables, capture_output=True, text=True, timeout=60)
    print(done.stdout + "".join(line for line in done.stderr.splitlines(True) if "without the sandbox" not in line), end="")


run(AWS_ACCESS_KEY_ID="AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY=SECRET)
run(AWS_ACCESS_KEY_ID="AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY=SECRET, AWS_SESSION_TOKEN="IQoJb3JpZ2lu/+==")
run(AWS_ACCESS_KEY_ID="AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY=SECRET + "x")
run(AWS_ACCESS_KEY_ID="AKIDEXAMPLE")
run(BEDROCK_KEY="bedrock-key")
run()
