"""Files of a workspace, made by the test that needs them, and commands on it."""
import functools, json, os, subprocess

HARN = os.environ["HARN"]
say = functools.partial(print, flush=True)  # in order with what commands print


def put(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def replies(name, *all):
    """What the mock model says, in this order."""
    put(name, "".join(json.dumps(one) + "\n" for one in all))


def harn(*words, folder=".", text=None):
    """Exit code, output and errors."""
    done = subprocess.run([HARN, *words], cwd=folder, input=text, capture_output=True, text=True)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def view(folder="."):
    """The last run, as its record tells it."""
    return json.loads(harn("runs", "show", "last", "--json", folder=folder)[1])
