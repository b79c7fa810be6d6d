import os
import re
import subprocess
from mock_server import MockServer

harn = os.environ["HARN"]


def tests(*flags, **more):
    ran = subprocess.run([harn, "test", *flags], capture_output=True, text=True, timeout=50, env=os.environ | more)
    print(re.sub(r"\(\d+ ms\)", "(N ms)", ran.stdout + ran.stderr), end="")


with MockServer("--script", "replies.jsonl") as server:
    tests("--record", OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-very-secret")
for folder, _, names in os.walk(".harn-fixtures"):
    for name in names:
        text = open(os.path.join(folder, name)).read()
        print(os.path.join(folder, name), len(text.splitlines()), "very-secret" in text)
tests("--replay")
source = open("tests/ask.harn").read()
open("tests/ask.harn", "w").write(source.replace("Be brief.", "Be very brief."))
tests("--replay", "--filter", "asks")
open("tests/ask.harn", "w").write(source.replace("Which colour?", "Which shape?"))
tests("--replay", "--filter", "asks")
os.rename(".harn-fixtures", "elsewhere")
open("tests/ask.harn", "w").write(source)
tests("--replay", "--filter", "asks")
tests("--replay", "--record")
