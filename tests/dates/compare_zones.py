#!/usr/bin/env python3
"""Compares date_in_zone and date_from_components with Python's zoneinfo at random instants of all zones.

    tests/dates/compare_zones.py build/release/src/cli/harn --count 20000
"""

import argparse
import json
import random
import subprocess
import tempfile
import zoneinfo
from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
PROGRAM = """
for question in json_parse(%s) {
  let zone = question[0]
  let there = date_in_zone(question[1], zone)
  let back = try { date_from_components(question[2], zone) } catch (e) { "gap" }
  println(json_stringify([there.offset_seconds, date_format(question[1], "%%Y-%%m-%%d %%H:%%M:%%S %%Z", zone), back]))
}
"""


def questions(count, seed):
    """Half of them beside a change of the clocks, where mistakes would be."""
    pick = random.Random(seed)
    names = sorted(n for n in zoneinfo.available_timezones() if n not in ("localtime", "Factory"))
    while count > 0:
        name = pick.choice(names)
        zone = zoneinfo.ZoneInfo(name)
        at = pick.randrange(-5_000_000_000, 30_000_000_000)
        if pick.random() < 0.5:
            at = near_change(zone, at, pick) or at
        count -= 1
        yield name, zone, at, EPOCH + timedelta(seconds=at)


def near_change(zone, at, pick):
    def offset(seconds):
        return (EPOCH + timedelta(seconds=seconds)).astimezone(zone).utcoffset()

    low, high = at, at + 200 * 86400
    if offset(low) == offset(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if offset(middle) == offset(low) else (low, middle)
    return high + pick.choice([-7201, -3600, -1, 0, 1, 1800, 3599, 3600])


def expected_back(zone, shown):
    """The earlier instant of a fold, "gap" in a gap."""
    local = shown.replace(fold=0, tzinfo=zone)
    instant = local.astimezone(timezone.utc)
    if instant.astimezone(zone).replace(tzinfo=None) != shown:
        return "gap"
    return int((instant - EPOCH).total_seconds())


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("harn")
    arguments.add_argument("--count", type=int, default=20000)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    asked, expected = [], []
    for name, zone, at, instant in questions(options.count, options.seed):
        there = instant.astimezone(zone)
        # A clock that shows another time, maybe one that no clock there shows.
        shown = (there.replace(tzinfo=None) + timedelta(minutes=random.Random(at).choice([-60, -30, 0, 30, 60])))
        parts = {k: getattr(shown, k) for k in ("year", "month", "day", "hour", "minute", "second")}
        asked.append([name, at, parts])
        offset = int(there.utcoffset().total_seconds())
        text = f"{there.year:04}{there.strftime('-%m-%d %H:%M:%S')} {there.tzname()}"
        expected.append([offset, text, expected_back(zone, shown)])
    with tempfile.NamedTemporaryFile("w", suffix=".harn") as file:
        file.write(PROGRAM % json.dumps(json.dumps(asked)))
        file.flush()
        run = subprocess.run([options.harn, "run", file.name], capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    wrong = [(q, e, a) for q, e, a in zip(asked, expected, answers) if e != a]
    for question, there, answer in wrong[:10]:
        print(f"{question}: expected {there}, got {answer}")
    print(f"{len(answers) - len(wrong)} of {len(asked)} agree {run.stderr[:300]}")
    return 1 if wrong or len(answers) != len(asked) else 0


if __name__ == "__main__":
    raise SystemExit(main())
