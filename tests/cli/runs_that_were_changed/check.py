"""`harn runs verify` finds what somebody has changed in a record, left out of it or put into it; receipts alone would not tell."""
import json, re, shutil, sqlite3
from workspace_files import harn, put, replies, say

put(".nanobot/agents/a/AGENT.md", "---\nname: a\ntools: [Write]\n---\nWrite.\n")
put(".nanobot/tasks/t/TASK.md", "---\nname: t\nagent: a\n---\nDo it.\n")
replies("one.jsonl", {"text": "", "tool_calls": [{"name": "Write", "arguments": {"file_path": "x.txt", "content": "x\n"}}]}, {"text": "over"})
replies("two.jsonl", {"text": "over"})
say(harn("task", "run", "t", "--llm-mock", "one.jsonl")[0])
say(harn("runs", "approve", "last", "--llm-mock", "two.jsonl")[:2])
say(harn("runs", "verify", "last"))
shutil.copytree(".harn", "kept")


def changed(what, statement):
    """The record after a change to it, and what is said of it."""
    shutil.rmtree(".harn")
    shutil.copytree("kept", ".harn")
    base = sqlite3.connect(".harn/events.sqlite")
    count = base.execute(statement).rowcount
    base.commit()
    base.close()
    code, out, err = harn("runs", "verify", "last")
    # How many batches there are is a matter of time.
    told = re.sub(r"batch \d+ of the record \([^)]*\)", "batch N of the record", re.sub(r"run_\w+", "RUN", out + err))
    say(f"{what} ({count > 0}): {code}\n" + re.sub(r"event \d+", "event N", told))


changed("a reply of the model", "update events set payload = replace(payload, 'over', 'OVER') where payload like '%over%'")
changed("a batch less", "delete from events where payload like '%\"tool_started\"%'")
changed("the end", "delete from events where payload like '%\"completed\"%'")
changed("nothing", "update events set payload = payload")
say(json.loads(harn("runs", "verify", "last", "--json")[1])["ok"])
