"""Generators of the model: a thread each, which runs only while someone waits for its next value."""
import threading

from .values import Unsupported


class Closed(BaseException):
    """Raised at the `yield` of a generator that is dropped: clean-up runs, `catch` does not see it."""


class Generator:
    def __init__(self, body):
        self.body = body
        self.go, self.back = threading.Semaphore(0), threading.Semaphore(0)
        self.thread, self.outcome = None, None
        self.done = self.running = self.closing = False

    def next(self):
        """(done, value)"""
        if self.done:
            return True, None
        if self.running:
            raise Unsupported("a generator that asks itself")
        if self.thread is None:
            self.thread = threading.Thread(target=self._main, daemon=True)
            self.thread.start()
        self._switch()
        what, value = self.outcome
        if what == "yield":
            return False, value
        self.done = True
        if what == "error":
            raise value
        return True, None

    def close(self):
        if self.done or self.running:
            return
        if self.thread is None:
            self.done = True
            return
        self.closing = True
        self._switch()
        what, value = self.outcome
        self.done = True
        if what != "done":
            raise Unsupported("an error or a yield while a generator is closed")

    def give(self, value):
        """Called on the generator's own thread by `yield`."""
        self.outcome = ("yield", value)
        self.back.release()
        self.go.acquire()
        if self.closing:
            raise Closed

    def _switch(self):
        self.running = True
        self.go.release()
        self.back.acquire()
        self.running = False

    def _main(self):
        self.go.acquire()
        try:
            self.body(self)
            self.outcome = ("done", None)
        except Closed:
            self.outcome = ("done", None)
        except BaseException as error:  # handed to the one who waits
            self.outcome = ("error", error)
        self.back.release()
