#!/usr/bin/env python3
"""The official SDKs of providers and of MCP, against harn: the providers' against `harn mock-server`, a server of MCP against our client, over
both ways, and a client of MCP against `harn serve mcp`.

    tests/sdk/run.py HARN

The packages are those of package-lock.json (tools/setup.sh test installs them).
"""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
WHAT_A_CLIENT_SEES = """\
[1, 2, 3, 4, 5, 6, 7, 8]
official
Ask for sums.
[add, ask, fail, picture, sample, slowly, where]
5
true
Result.Err(it has failed)
[text, image]
done
[1, 2, 3]
accept Ann
assistant: hello
1 roots
be kind
notes of today
[notes://{day}]
Greet Ann
[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]
"""


def run(*words):
    done = subprocess.run(words, cwd=FOLDER, capture_output=True, text=True, timeout=300)
    return done.stdout if done.returncode == 0 else f"exit {done.returncode}\n{done.stdout}{done.stderr}"


class Server:
    """A server that writes its port, or an address that ends with it, as its first line."""

    def __init__(self, *words):
        self.words = words

    def __enter__(self):
        self.process = subprocess.Popen(self.words, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return self.process.stdout.readline().strip().split(":")[-1]

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def providers(harn):
    with Server(harn, "mock-server", "--script", "replies.jsonl", "--quiet") as port:
        return run("node", "mock_server.mjs", f"http://127.0.0.1:{port}"), "the SDKs agree\n"


def mcp_over_stdio(harn):
    return run(harn, "run", "--no-sandbox", "mcp_client.harn", "--", "node", "mcp_server.mjs"), WHAT_A_CLIENT_SEES


def mcp_over_http(harn):
    with Server("node", "mcp_server.mjs", "0") as port:
        return run(harn, "run", "--no-sandbox", "mcp_client.harn", "--", f"http://127.0.0.1:{port}/mcp"), WHAT_A_CLIENT_SEES


def mcp_server(harn):
    return run("node", "mcp_client.mjs", harn), "the client agrees\n"


def main():
    if not (FOLDER / "node_modules").is_dir():
        sys.exit("tests/sdk/node_modules is not there: run tools/setup.sh test")
    harn = os.path.abspath(sys.argv[1])
    failed = 0
    tests = [providers, mcp_over_stdio, mcp_over_http, mcp_server]
    for test in tests:
        got, wanted = test(harn)
        if got != wanted:
            failed += 1
            print(f"FAIL  {test.__name__}\n{got}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
