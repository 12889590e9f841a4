"""Waits for the end of a process, then ends what it started and deletes its folder; see _guard.py.

    python -I -S _guard_main.py PID TOKEN FOLDER

A process of its own, because nothing in a process runs after SIGKILL. Needs no package. The program in front returns as soon as the
wait has begun.
"""
import os
import select
import shutil
import signal
import sys
import time
from typing import Callable, Optional

POLITE_S, PERIOD_S, LONGEST_S = 0.5, 0.05, 10.0


def owned(token: str) -> list[int]:
    """Returns the processes that have this token in their environment, also those that others have started."""
    mark, found = b"ANOLE_OWNER=" + token.encode(), list[int]()
    for name in os.listdir("/proc"):
        try:
            if name.isdigit():
                with open("/proc/" + name + "/environ", "rb") as file:
                    if mark in file.read().split(b"\0"):
                        found.append(int(name))
        except OSError:                                          # it has ended, or is another user's
            pass
    return found


def end_all(token: str) -> None:
    """Asks processes to end, so that they delete partial results, and soon kills them. Looks again until none is found twice."""
    began, asked, quiet = time.monotonic(), set[int](), 0
    while quiet < 2 and time.monotonic() - began < LONGEST_S:
        pids = owned(token)
        quiet = 0 if pids else quiet + 1
        is_late = time.monotonic() - began > POLITE_S
        for pid in pids:
            if is_late or pid not in asked:
                asked.add(pid)
                try:
                    os.kill(pid, signal.SIGKILL if is_late else signal.SIGTERM)
                except OSError:
                    pass
        time.sleep(PERIOD_S)


def started_at(pid: int) -> Optional[bytes]:
    """Returns the start time of a process, which tells it from a later one of the same number."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return None if fields[0] in (b"Z", b"X") else fields[19]
    except OSError:
        return None


def wait_without_pidfd(pid: int, start: Optional[bytes]) -> None:
    while start is not None and started_at(pid) == start:
        time.sleep(0.2)


def watch(pid: int) -> Callable[[], object]:
    """Returns a function that waits for the end of the process, which still runs."""
    try:
        fd = os.pidfd_open(pid)
    except (AttributeError, OSError):                            # Linux before 5.3
        start = started_at(pid)
        return lambda: wait_without_pidfd(pid, start)
    return lambda: select.select([fd], [], [])


def main() -> None:
    pid, token, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)                    # they also go to groups; the owner's end is what counts
    wait = watch(pid)
    if os.fork():
        os._exit(0)
    os.setsid()
    wait()
    end_all(token)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
