"""Of a large workspace only what has changed is read again."""
import glob, os
from workspace_files import harn, put, say

COUNT = 300


def old(path, text, seconds):
    """A file that was changed a while ago: what has just changed is read again, to be sure."""
    put(path, text)
    os.utime(path, (1700000000 + seconds,) * 2)


for number in range(COUNT):
    old(f".nanobot/agents/group{number % 7}/a{number}/AGENT.md", f"---\nname: a{number}\n---\nHi\n", 0)
put("harn.toml", "")
put("main.harn", 'import { workspace_load } from "std/workspace"\nlet space = workspace_load()\nprintln("${space.read} read, ${len(space.agents)} agents, ${space.problems.count} problems")\n')
say(harn("run", "main.harn")[1])
say(harn("run", "main.harn")[1])
old(".nanobot/agents/group0/a0/AGENT.md", "---\nnam: a\n---\nHi\n", 9)
say(harn("run", "main.harn")[1])
say(harn("workspace", "check")[1])
os.remove(".nanobot/agents/group0/a7/AGENT.md")
say(harn("run", "main.harn")[1])
put(glob.glob(".harn/workspace/index-*.json")[0], "{")
say(harn("run", "main.harn")[1])
