"""Many runs at once: on all cores, or by an executor (MPI, Dask, submitit).

    >>> import anole
    >>> star = {"topology": {"kind": "star", "hosts": 5}, "traffic": [{"kind": "incast", "senders": 4, "size": "100KB"}]}
    >>> def slowdown(kmin):
    ...     return anole.run(star, set={"kmin": kmin}).summary["all"]["slowdown_p99"]
    >>> [value > 1 for value in anole.map(slowdown, ["20KB", "40KB", "80KB"])]
    [True, True, True]
"""
from __future__ import annotations

import functools
import os
import queue
import signal
import sys
import threading
import time
from concurrent.futures import Executor, Future
from typing import Any, Callable, Iterable, Literal, Optional, TypeVar, Union, overload

from ._program import PERIOD_S, RunTimeout, Scope, inside

__all__ = ["map"]

Item = TypeVar("Item")
Value = TypeVar("Value")
Progress = Union[bool, Callable[[int, int], None], None]


class _Line:
    """Progress as a line on standard error, at most five times a second."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._next = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next and done < total:
            return
        self._next = now + 0.2
        left = f", {(now - self._began) / done * (total - done):.0f} s left" if 0 < done < total else ""
        sys.stderr.write(f"\r{f'{done} of {total}{left}':<40}" + ("\n" if done == total else ""))
        sys.stderr.flush()


def _shown(progress: Progress) -> Callable[[int, int], None]:
    if progress is None:
        progress = sys.stderr.isatty() or "ipykernel" in sys.modules
    if progress is False:
        return lambda done, total: None
    if progress is True:
        return _Line()
    return progress


def cores() -> int:
    """Returns the number of cores that this process may use, as Slurm and containers set it."""
    return len(os.sched_getaffinity(0))


@overload
def map(function: Callable[[Item], Value], items: Iterable[Item], *, jobs: Optional[int] = None, timeout: Optional[float] = None,
        progress: Progress = None, return_errors: Literal[False] = False, executor: Optional[Executor] = None) -> list[Value]: ...


@overload
def map(function: Callable[[Item], Value], items: Iterable[Item], *, jobs: Optional[int] = None, timeout: Optional[float] = None,
        progress: Progress = None, return_errors: Literal[True], executor: Optional[Executor] = None) -> list[Union[Value, Exception]]: ...


def map(function: Callable[[Item], Value], items: Iterable[Item], *, jobs: Optional[int] = None, timeout: Optional[float] = None,
        progress: Progress = None, return_errors: bool = False, executor: Optional[Executor] = None) -> Any:
    """Calls function(item) for all items at once, `jobs` at a time (default: one per core), and returns the values in their order.

    Threads of this process call the function, and the programs that it starts use one core each. The first error ends all others and
    is raised; with return_errors it is in the list, and the others go on. After `timeout` seconds, all are ended: RunTimeout. An
    interruption (Ctrl-C) ends all and leaves nothing. `progress`: True prints a line, a function gets (done, total), None prints on
    terminals and in notebooks. An `executor` of concurrent.futures, such as mpi4py.futures.MPIPoolExecutor(), calls the function elsewhere instead; what
    it then returns must not be a result in a temporary folder, and calls that have begun there are not ended.
    """
    todo, scope, show = list(items), Scope(), _shown(progress)
    if jobs is not None and jobs < 1:
        raise ValueError(f"{jobs} jobs; at least one is needed")
    done: Done[Value] = queue.SimpleQueue()
    futures: list[Future[Value]] = []
    threads: list[threading.Thread] = []
    try:
        if executor:
            for at, item in enumerate(todo):
                futures.append(executor.submit(function, item))
                futures[-1].add_done_callback(functools.partial(_put, done, at))
        else:
            gate = threading.Lock()
            _start(threads, min(jobs or cores(), len(todo)), gate, functools.partial(_work, function, _queue_of(todo), scope, gate, done))
        return _collect(done, len(todo), timeout, show, return_errors)
    except BaseException:
        for future in futures:
            future.cancel()
        scope.end()
        raise
    finally:
        for thread in threads:
            thread.join(END_S)


# Each item's number, and its value or error. This queue can be waited for without locks of Python, which an interruption could
# leave locked: concurrent.futures.wait() then waits forever.
Done = queue.SimpleQueue[tuple[int, Optional[Value], Optional[BaseException]]]
END_S = 5.0


def _put(done: "Done[Value]", at: int, future: "Future[Value]") -> None:
    error = None if future.cancelled() else future.exception()
    done.put((at, None if future.cancelled() or error else future.result(), error))


def _queue_of(items: list[Item]) -> "queue.SimpleQueue[tuple[int, Item]]":
    todo: queue.SimpleQueue[tuple[int, Item]] = queue.SimpleQueue()
    for at, item in enumerate(items):
        todo.put((at, item))
    return todo


def _work(function: Callable[[Item], Value], todo: "queue.SimpleQueue[tuple[int, Item]]", scope: Scope, gate: threading.Lock,
          done: "Done[Value]") -> None:
    """What a thread does: takes items until there are none, or it is too late."""
    with gate:
        pass
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # for the programs that it starts
    with inside(scope):
        while not scope.is_over:
            try:
                at, item = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((at, function(item), None))
            except BaseException as error:
                done.put((at, None, error))


def _start(threads: list[threading.Thread], count: int, gate: threading.Lock, work: Callable[[], None]) -> None:
    """Starts threads. An interruption waits until they have begun, because Thread.start() has locks. The gate keeps them from taking it."""
    with gate:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            for _ in range(count):
                thread = threading.Thread(target=work, daemon=True)
                thread.start()
                threads.append(thread)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _collect(done: "Done[Value]", total: int, timeout: Optional[float], show: Callable[[int, int], None],
             return_errors: bool) -> list[Value]:
    """Waits for all values; raises the first error."""
    end = None if timeout is None else time.monotonic() + timeout
    values: list[Any] = [None] * total
    show(0, total)
    count = 0
    while count < total:
        try:
            at, value, error = done.get(timeout=PERIOD_S if end is None else max(0.0, min(PERIOD_S, end - time.monotonic())))
        except queue.Empty:
            if end is None or time.monotonic() < end:
                continue
            raise RunTimeout(f"{total - count} of {total} had not ended after {timeout:g} s") from None
        if error and not (return_errors and isinstance(error, Exception)):
            raise error
        values[at] = error or value
        count += 1
        show(count, total)
    return values
