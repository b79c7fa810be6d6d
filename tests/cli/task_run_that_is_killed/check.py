"""A run that is killed again and again, at any moment, ends all the same, does nothing twice and loses nothing it has noted.

HARN_KILLS says how often (10)."""
import json, os, random, subprocess, time
from workspace_files import HARN, harn, put, replies

KILLS = int(os.environ.get("HARN_KILLS", "10"))
TURNS = 5
AGENT = """---
name: worker
tools: [Write, Bash]
tool_approvals:
  rules:
    - {tool: Write, allow: true}
    - {tool: Bash, allow: true}
---
Work.
"""



def workspace(folder):
    put(f"{folder}/.nanobot/agents/worker/AGENT.md", AGENT)
    put(f"{folder}/.nanobot/tasks/work/TASK.md", "---\nname: work\nagent: worker\n---\nDo it.\n")
    said = [{"match": f"*turn {TURNS} *", "text": "all done"}]
    for turn in range(TURNS, 0, -1):
        calls = [{"name": "Write", "arguments": {"file_path": f"out/{turn}.txt", "content": f"{turn}\n" * 50}},
                 {"name": "Bash", "arguments": {"command": f"echo {turn} >> log.txt"}}]
        before = "*Do it.*" if turn == 1 else f"*turn {turn - 1} *"
        said.append({"match": before, "text": f"turn {turn} of {TURNS}", "tool_calls": calls, "consume_match": False})
    replies(f"{folder}/replies.jsonl", *said)



def start(folder, runs):
    words = ["runs", "resume", "last"] if runs else ["task", "run", "work"]
    return subprocess.Popen([HARN, *words, "--llm-mock", "replies.jsonl"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def state(folder):
    code, shown, _ = harn("runs", "show", "last", "--json", folder=folder)
    return json.loads(shown) if code == 0 else None


def finished_calls(view):
    return [(call["tool"], call["input"]) for step in view["steps"] for call in step["tool_calls"]]


def one_run(folder, chance, kills):
    workspace(folder)
    noted = []
    for _ in range(kills):
        view = state(folder)
        if view and view["status"] == "completed":
            break
        process = start(folder, view is not None)
        time.sleep(chance.uniform(0, 0.35))
        process.kill()
        process.communicate()
        after = state(folder)
        if after:
            calls = finished_calls(after)
            assert all(call in calls for call in noted), (noted, calls)
            noted = calls
    for _ in range(3):
        view = state(folder)
        if view and view["status"] == "completed":
            break
        process = start(folder, view is not None)
        out, errors = process.communicate()
        assert process.returncode == 0, (out, errors)
    view = state(folder)
    assert view["status"] == "completed", view
    lines = open(f"{folder}/log.txt").read().split()
    assert len(lines) == len(set(lines)), lines
    done = [call for step in view["steps"] for call in step["tool_calls"] if call["tool"] == "Bash"]
    for call in done:
        number = call["input"]["command"].split()[1]
        assert call.get("error") is not None or number in lines, (number, lines, call)
    for turn in range(1, TURNS + 1):
        assert open(f"{folder}/out/{turn}.txt").read() == f"{turn}\n" * 50
    assert harn("runs", "replay", "last", folder=folder)[1].startswith("the same"), harn("runs", "replay", "last", folder=folder)
    assert harn("runs", "verify", "last", folder=folder)[0] == 0


def main():
    chance = random.Random(int(os.environ.get("HARN_KILL_SEED", "7")))
    left, number = KILLS, 0
    while left > 0:
        kills = min(left, 5)
        one_run(f"space{number}", chance, kills)
        left, number = left - kills, number + 1
    print("every run has ended")


main()
