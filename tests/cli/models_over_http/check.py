# One program over every wire format, against our own server; then from a recording, without it.
import os, subprocess

harn = os.environ["HARN"]
for provider, model in (("anthropic", "claude-sonnet-4-20250514"), ("openai", "gpt-4o"), ("openai", "gpt-5.4"), ("ollama", "llama3.2")):
    server = subprocess.Popen([harn, "mock-server", "--script", "replies.jsonl", "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().split()[-1]
    env = os.environ | {"ANTHROPIC_BASE_URL": address, "OPENAI_BASE_URL": address, "OLLAMA_HOST": address,
                        "ANTHROPIC_API_KEY": "sk-ant-very-secret", "OPENAI_API_KEY": "sk-very-secret"}
    first = subprocess.run([harn, "run", "--record", "tape", "main.harn", provider, model], env=env, capture_output=True, text=True, timeout=50)
    server.terminate()
    server.wait()
    again = subprocess.run([harn, "replay", "tape"], capture_output=True, text=True, timeout=50)
    print(provider, model, first.returncode)
    print(first.stdout + first.stderr, end="")
    print("replay:", "the same" if again.stdout == first.stdout and again.returncode == 0 else again.stdout + again.stderr)
    print("secrets:", b"very-secret" in open("tape", "rb").read())
