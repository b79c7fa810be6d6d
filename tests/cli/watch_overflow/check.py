# More changes than the system keeps are told as such, and the watch goes on, of what is new, too.
import os, subprocess

most = int(open("/proc/sys/fs/inotify/max_queued_events").read())
subprocess.run([os.environ["HARN"], "run", "main.harn", "--", str(most)], timeout=50)
