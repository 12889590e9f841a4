"""What this process owns: one folder for temporary results, and the programs that it has started.

Programs get ANOLE_OWNER in their environment. A guard process (_guard_main.py) waits for the end of this process, however it comes,
also by SIGKILL. It then ends all processes with that token and deletes the folder. Marks in environments need no bookkeeping: there
is no moment between the start of a program and the guard's knowledge of it.
"""
from __future__ import annotations

import atexit
import os
import pathlib
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
from typing import Optional


class _Owner:
    def __init__(self) -> None:
        self.pid = os.getpid()
        self.token = secrets.token_hex(16)
        self.folder = os.path.join(tempfile.gettempdir(), f"anole-{self.token}")
        if sys.executable:                                       # empty inside other programs
            main = pathlib.Path(__file__).with_name("_guard_main.py")
            subprocess.run([sys.executable, "-I", "-S", str(main), str(self.pid), self.token, self.folder], check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
                           env={key: value for key, value in os.environ.items() if key != "ANOLE_OWNER"})
        os.mkdir(self.folder, 0o700)                             # now that the guard would delete it


_lock = threading.Lock()
_owner: Optional[_Owner] = None


def _own() -> _Owner:
    global _owner
    with _lock:
        if _owner is None or _owner.pid != os.getpid():          # a forked process owns nothing of its parent
            _owner = _Owner()
        return _owner


def _forked() -> None:
    global _owner, _lock
    _owner, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forked)


@atexit.register
def _leave() -> None:
    if _owner is not None and _owner.pid == os.getpid():
        shutil.rmtree(_owner.folder, ignore_errors=True)


def environment() -> dict[str, str]:
    """Returns the environment of programs that end with this process."""
    return {**os.environ, "ANOLE_OWNER": _own().token}


class Work:
    """A temporary folder. Deleted when nothing refers to it any more, and with this process."""

    def __init__(self) -> None:
        owner = _own()
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="work-", dir=owner.folder))
        self._end = weakref.finalize(self, _delete, str(self.path), owner.pid)

    def __reduce__(self) -> str:
        raise TypeError("results in a temporary folder cannot be sent to other processes or be stored: give out=FOLDER and read() it, or "
                        "return the figures that you need")


def _delete(path: str, pid: int) -> None:
    if os.getpid() == pid:                                       # a forked process has copies of all objects
        shutil.rmtree(path, ignore_errors=True)
