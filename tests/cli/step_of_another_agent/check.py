"""A step that names an agent is done by that one: its instructions, its model and its tools, and of the task what the step inherits."""
from workspace_files import HARN, harn, put, replies, say, view

put(".nanobot/agents/writer/AGENT.md", "---\nname: writer\nmodel: mock\ntools: [Write]\n---\nI am the writer.\n")
put(".nanobot/agents/reader/AGENT.md", "---\nname: reader\nmodel: mock-large\ntools: [Read]\ntool_approvals: {rules: [{tool: Read, allow: true}]}\n---\nI am the reader.\n")
put(".nanobot/tasks/t/TASK.md", "---\nname: t\nagent: writer\nnext: two.md\n---\nDo it.\n")
put(".nanobot/tasks/t/two.md", "---\nname: two\nagent: reader\n---\nLook at it.\n")
put("a.txt", "text\n")
replies("replies.jsonl", {"text": "first"}, {"text": "", "tool_calls": [{"name": "Read", "arguments": {"file_path": "a.txt"}}]},
        {"text": "", "tool_calls": [{"name": "Write", "arguments": {"file_path": "b.txt", "content": "b"}}]}, {"text": "second"})
code, out, err = harn("task", "run", "t", "--json", "--llm-mock", "replies.jsonl")
say(code, err)
say(sorted(view()["hashes"]))
for step in view()["steps"]:
    say(step["frame"], step["status"], step["output"], [(call["tool"], call.get("refused", False)) for call in step["tool_calls"]])
say(harn("runs", "replay", "last"))
