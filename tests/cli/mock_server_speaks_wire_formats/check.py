import json
from mock_server import MockServer, events

HELLO = [{"role": "user", "content": "hello"}]

with MockServer("--script", "replies.jsonl") as server:
    status, headers, text = server.post("/v1/messages", {"model": "c", "max_tokens": 9, "messages": HELLO})
    message = json.loads(text)
    print("anthropic", status, headers["content-type"], message["content"], message["stop_reason"])
    status, headers, text = server.post("/v1/messages", {"model": "c", "max_tokens": 9, "messages": HELLO, "stream": True})
    sent = [json.loads(data) for data in events(text)]
    print("anthropic", status, headers["content-type"], [one["type"] for one in sent])
    print("".join(one["delta"].get("text", "") for one in sent if one["type"] == "content_block_delta"))

    chat = json.loads(server.post("/v1/chat/completions", {"model": "g", "messages": HELLO})[2])
    print("chat", chat["object"], chat["choices"][0]["message"], chat["choices"][0]["finish_reason"])
    status, headers, text = server.post("/v1/chat/completions", {
        "model": "g", "messages": HELLO, "stream": True, "stream_options": {"include_usage": True}})
    sent = events(text)
    print("chat", sent[-1], json.loads(sent[-2])["usage"]["completion_tokens"],
          "".join(c["delta"].get("content") or "" for data in sent[:-1] for c in json.loads(data)["choices"]))

    answer = json.loads(server.post("/v1/responses", {"model": "g", "input": HELLO})[2])
    print("responses", answer["status"], answer["output"][0]["type"], answer["output"][0]["arguments"])
    sent = [json.loads(data) for data in events(server.post("/v1/responses", {"model": "g", "input": "hi", "stream": True})[2])]
    print("responses", sent[0]["type"], sent[-1]["type"], [one["sequence_number"] for one in sent] == list(range(len(sent))))

    lines = server.post("/api/chat", {"model": "l", "messages": HELLO})[2].splitlines()
    print("ollama", "".join(json.loads(line)["message"]["content"] for line in lines), json.loads(lines[-1])["done_reason"])
    whole = json.loads(server.post("/api/chat", {"model": "l", "messages": HELLO, "stream": False})[2])
    print("ollama", whole["message"]["content"], whole["done"])

    status, headers, text = server.post("/v1/chat/completions", {"model": "g", "messages": HELLO})
    print("error", status, headers["retry-after"], json.loads(text)["error"]["type"])
    print("echo", json.loads(server.post("/v1/messages", {"model": "c", "messages": HELLO})[2])["content"][0]["text"])
    print("models", json.loads(server.get("/v1/models")[2])["data"][0]["id"], server.get("/api/tags")[0],
          server.get("/api/version")[0], server.get("/nothing")[0], server.post("/v1/messages", "{")[0])

print("exit", server.exit_code, len(server.events), server.events[0])
