"""Contracts of skills, what is visible where, and whose rules hold."""
import json
from workspace_files import harn, put, replies, say, view

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
put(".nanobot/skills/double/SKILL.md", "---\nname: double\ndescription: Doubles.\nallowed-tools: Read\ntools: [Read]\nmetadata: {input-schema: in.json, output-schema: in.json}\n---\nDouble n.\n")
put(".nanobot/skills/double/in.json", json.dumps(SCHEMA))
put(".nanobot/agents/a/AGENT.md", "---\nname: a\ntools: [Read, Write]\nskills: [double]\n---\nWork.\n")
put(".nanobot/tasks/t/TASK.md", "---\nname: t\nagent: a\ntools: [Read]\nnext: two.md\n---\nFirst.\n")
put(".nanobot/tasks/t/two.md", "---\nname: two\ntools: [inherit, Glob]\nskills: []\ntool_approvals: {rules: [{tool: Glob, allow: true}]}\n---\nSecond.\n")
put("a.txt", "21\n")


def call(name, **args):
    return {"text": "", "tool_calls": [{"name": name, "arguments": args}]}


def told(*said, task="t"):
    replies("replies.jsonl", *said)
    code, out, errors = harn("task", "run", task, "--llm-mock", "replies.jsonl", "--json")
    if not out:
        return say(code, errors)
    entries = [json.loads(line) for line in out.splitlines()]
    for one in entries:
        if one["kind"] == "tool_finished":
            say(" ", one["tool"], json.dumps(one["input"]), "->", one.get("output") or "ERROR " + one["error"])
        if one["kind"] == "request":
            say("  asked:", one["tool"])
    say(" ", code, view()["status"])


say("input and output that fit; the skill reads without asking")
told(call("skill__double", n=21), call("Read", file_path="a.txt"), {"text": "{\"n\": 42}"}, {"text": "one"}, {"text": "two"})
say("input that does not fit: the skill is not run")
told(call("skill__double", n="many"), {"text": "one"}, {"text": "two"})
say("output that does not fit")
told(call("skill__double", n=1), {"text": "two"}, {"text": "one"}, {"text": "two"})
told(call("skill__double", n=1), {"text": "```json\n{\"n\": \"x\"}\n```"}, {"text": "one"}, {"text": "two"})
say("outside of the skill, reading is asked about")
told(call("Read", file_path="a.txt"))
say("the task leaves Write out, the second step adds Glob and has no skill")
told(call("Write", file_path="x", content="x"), {"text": "one"}, call("Glob", pattern="*.txt"), call("skill__double", n=1), {"text": "two"})
say("contracts that are not there")
put(".nanobot/skills/double/in.json", "[")
say(harn("workspace", "check")[1])
put(".nanobot/skills/double/in.json", json.dumps(SCHEMA))
put("harn.toml", "[nanobot]\ncomands = []\n")
say(harn("workspace", "check")[2])
