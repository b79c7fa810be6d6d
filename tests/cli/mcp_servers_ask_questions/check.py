import os
import subprocess
import sys

from mcp_server import HttpServer
from mock_server import MockServer

harn = os.environ["HARN"]


def run(*words):
    done = subprocess.run([harn, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    sys.stdout.write(done.stdout)
    sys.stdout.write("".join(line + "\n" for line in done.stderr.splitlines() if not line.startswith("warning: running without")))
    sys.stdout.flush()


with MockServer("--script", "replies.jsonl") as models, HttpServer() as server:
    os.environ["LOCAL_LLM_BASE_URL"] = models.url
    os.environ["LOCAL_LLM_MODEL"] = "slow"
    run("run", "--no-sandbox", "main.harn")
    run("run", "--no-sandbox", "remote.harn", server.url)
    run("run", "--no-sandbox", "--record", "tape", "recorded.harn")
run("replay", "tape")
