"""Many runs at once: on all cores, or by an executor (MPI, Dask, submitit).

    >>> import anole
    >>> star = {"topology": {"kind": "star", "hosts": 5}, "traffic": [{"kind": "incast", "senders": 4, "size": "100KB"}]}
    >>> def slowdown(kmin):
    ...     return anole.run(star, set={"kmin": kmin}).summary["all"]["slowdown_p99"]
    >>> [value > 1 for value in anole.map(slowdown, ["20KB", "40KB", "80KB"])]
    [True, True, True]
"""
from __future__ import annotations

import os
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any, Callable, Iterable, Optional, TypeVar, Union

from ._program import RunTimeout, Scope, inside

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
        sys.stderr.write(f"\r\033[K{done} of {total}{left}" + ("\n" if done == total else ""))
        sys.stderr.flush()


def _shown(progress: Progress) -> Callable[[int, int], None]:
    if progress is None:
        progress = sys.stderr.isatty()
    if progress is False:
        return lambda done, total: None
    if progress is True:
        return _Line()
    return progress


def cores() -> int:
    """Returns the number of cores that this process may use, as Slurm and containers set it."""
    return len(os.sched_getaffinity(0))


def map(function: Callable[[Item], Value], items: Iterable[Item], *, jobs: Optional[int] = None, timeout: Optional[float] = None,
        progress: Progress = None, return_errors: bool = False, executor: Optional[Executor] = None) -> list[Value]:
    """Calls function(item) for all items at once, `jobs` at a time (default: one per core), and returns the values in their order.

    Threads of this process call the function, and the programs that it starts use one core each. The first error ends all others and
    is raised; with return_errors it is in the list, and the others go on. After `timeout` seconds, all are ended: RunTimeout. An
    interruption (Ctrl-C) ends all and leaves nothing. `progress`: True prints a line, a function gets (done, total), None prints on
    terminals. An `executor` of concurrent.futures, such as mpi4py.futures.MPIPoolExecutor(), calls the function elsewhere instead; what
    it then returns must not be a result in a temporary folder.
    """
    todo, scope, show = list(items), Scope(), _shown(progress)
    if jobs is not None and jobs < 1:
        raise ValueError(f"{jobs} jobs; at least one is needed")

    def work(item: Item) -> Value:
        with inside(scope):
            return function(item)

    pool = executor or ThreadPoolExecutor(max(1, min(jobs or cores(), len(todo))))
    futures: list[Future[Value]] = []
    try:
        futures = [pool.submit(function if executor else work, item) for item in todo]
        _wait(futures, timeout, show, return_errors)
    except BaseException:
        for future in futures:
            future.cancel()
        scope.end()
        raise
    finally:
        if pool is not executor:
            pool.shutdown(wait=True)
    values: list[Any] = [future.exception() or future.result() for future in futures]
    return values


def _wait(futures: "list[Future[Value]]", timeout: Optional[float], show: Callable[[int, int], None], return_errors: bool) -> None:
    """Waits for all; raises the first error."""
    end = None if timeout is None else time.monotonic() + timeout
    waiting, total = set(futures), len(futures)
    show(0, total)
    while waiting:
        left = None if end is None else max(0.0, end - time.monotonic())
        done, waiting = wait(waiting, left, FIRST_COMPLETED)
        if not done:
            raise RunTimeout(f"{len(waiting)} of {total} had not ended after {timeout:g} s")
        for future in done:
            if not return_errors:
                future.result()
        show(total - len(waiting), total)
