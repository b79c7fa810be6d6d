"""A PostgreSQL server of our own, for one test: a cluster in a temporary directory, on a socket and a loopback port.

`with Server() as server:` starts it; `server.url` connects as `harn` with a password, `server.port`, `server.directory` (of the
socket), `server.stop()`, `server.start()`. It refuses to run as root, so root hands it to `postgres` or `nobody`.
"""

import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile

PASSWORD = "pa5s%w0rd"


def programs():
    found = shutil.which("initdb")
    return os.path.dirname(found) if found else sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Server:
    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="harn-pg-", dir="/tmp")
        self.user = None
        if os.getuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.user = "postgres" if "postgres" in names else "nobody"
            shutil.chown(self.directory, self.user)
        self.data = os.path.join(self.directory, "data")
        password = os.path.join(self.directory, "password")
        with open(password, "w") as file:
            file.write(PASSWORD)
        os.chmod(password, 0o644)
        self.port = free_port()
        self.run("initdb", "-D", self.data, "-U", "harn", "-A", "scram-sha-256", f"--pwfile={password}", "-E", "UTF8",
                 "--locale=C", "--no-sync")
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            file.write(f"listen_addresses = '127.0.0.1'\nport = {self.port}\nfsync = off\nshared_buffers = 16MB\n"
                       f"unix_socket_directories = '{self.directory}'\ntimezone = 'UTC'\nmax_connections = 40\n")
        self.start()
        self.url = f"postgres://harn:{PASSWORD.replace('%', '%25')}@127.0.0.1:{self.port}/postgres"
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def run(self, program, *arguments):
        command = [os.path.join(programs(), program), *arguments]
        if self.user:
            entry = pwd.getpwnam(self.user)
            command = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups", *command]
        subprocess.run(command, check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=50,
                       env={"PATH": os.environ["PATH"], "LC_ALL": "C"})

    def start(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-l", os.path.join(self.directory, "log"), "start")

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")
