"""Starts the program: options from Python values, time-outs, and errors with their places."""
from __future__ import annotations

import contextlib
import contextvars
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._guard import environment

Path = Union[str, "os.PathLike[str]"]


class RunError(Exception):
    """The program refused its input, or failed. The text is its message; what it names is also in fields, where known."""

    def __init__(self, message: str, *, exit_code: Optional[int] = None, file: Optional[str] = None, line: Optional[int] = None,
                 column: Optional[int] = None, key: Optional[str] = None, path: Optional[str] = None):
        super().__init__(message)
        self.exit_code = exit_code
        """Exit code of the program; negative: the signal that ended it; None: it was not started."""
        self.file, self.line, self.column = file, line, column
        """Where in which file."""
        self.key = key
        """The key of a scenario, or of `set`, that is wrong."""
        self.path = path
        """Where in a dictionary: "traffic[0].senders"."""


class RunTimeout(RunError, TimeoutError):
    """The program was ended because its time was up, or because anole.map() was."""


class RunWarning(UserWarning):
    """The program warns about a result, or no flow of a run finished."""


def expand(path: Path) -> pathlib.Path:
    """Returns a path with ~ expanded."""
    return pathlib.Path(path).expanduser()


def find_program(program: Optional[Path] = None) -> str:
    """Returns `program`, or $ANOLE, or the one in this package (tools/make-wheel), or `anole` in $PATH."""
    own = pathlib.Path(__file__).parent / "bin" / "anole"
    name = program or os.environ.get("ANOLE") or (own if own.is_file() else "anole")
    return os.path.expanduser(os.fspath(name))


# ---- values ----


def plain(value: Any, where: str = "") -> Any:
    """Converts numpy's numbers, arrays and paths to what a scenario can hold. Paths become absolute; ~/ is expanded.

    >>> plain({"senders": np.int64(4), "load": np.float32(0.1), "kmin": (1, 2)})
    {'senders': 4, 'load': 0.1, 'kmin': [1, 2]}
    >>> plain({"traffic": [{"load": float("nan")}]})
    Traceback (most recent call last):
    ValueError: traffic[0].load: nan is not a value of a scenario
    """
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        if not np.isfinite(value):
            raise ValueError(f"{where}: {value} is not a value of a scenario".removeprefix(": "))
        return float(str(value)) if isinstance(value, np.floating) else value        # float32: 0.1, not 0.10000000149
    if isinstance(value, str):
        return os.path.expanduser(value) if value.startswith("~/") else value
    if isinstance(value, os.PathLike):
        return os.path.abspath(os.path.expanduser(os.fspath(value)))
    if isinstance(value, np.ndarray):
        return plain(list(value) if value.ndim else value[()], where)
    if isinstance(value, Mapping):
        return {_name(key, where): plain(item, f"{where}.{key}".removeprefix(".")) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(item, f"{where}[{at}]") for at, item in enumerate(value)]
    raise TypeError(f"{where}: {type(value).__name__} is not a value of a scenario".removeprefix(": "))


def _name(key: Any, where: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{where}: the key {key!r} is not a text".removeprefix(": "))
    return key


def text_of(value: Any, where: str) -> str:
    """Returns a value as the command line takes it.

    >>> text_of(True, "lossless"), text_of(np.float64(0.5), "load"), text_of({"kind": "star"}, "topology")
    ('yes', '0.5', '{"kind": "star"}')
    """
    value = plain(value, where)
    if value is None:
        raise TypeError(f"{where}: None is not a value")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value) if isinstance(value, (dict, list)) else str(value)


def settings(changes: Optional[Mapping[str, Any]]) -> list[str]:
    """Returns changes of a scenario as options --set."""
    return [f"--set={key}={text_of(value, key)}" for key, value in (changes or {}).items()]


def options_of(options: Mapping[str, Any]) -> list[str]:
    """Returns options of the program. None and False: not given; True: without a value; a list: repeated.

    >>> options_of({"top": 3, "keep": True, "goal": None, "range": ["kmin=5KB..1MB", "pmax=0.1..1"]})
    ['--top=3', '--keep', '--range=kmin=5KB..1MB', '--range=pmax=0.1..1']
    """
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False or isinstance(value, np.bool_) and not value:
            continue
        if isinstance(value, (bool, np.bool_)):
            words.append(option)
        else:
            words += [f"{option}={text_of(one, name)}" for one in (value if isinstance(value, (list, tuple)) else [value])]
    return words


# ---- scenarios ----


class Places:
    """A scenario as a file: of a dictionary, with one key or item on each line, so that a line tells its path."""

    def __init__(self, scenario: Union[Mapping[str, Any], Path], work: pathlib.Path):
        self.name = os.path.expanduser(os.fspath(scenario)) if not isinstance(scenario, Mapping) else str(work / "scenario.yaml")
        self.is_made = isinstance(scenario, Mapping)
        self.paths: list[str] = []                               # by line
        if self.is_made:
            self._lines: list[str] = []
            self._write(plain(scenario), "", "", "")
            pathlib.Path(self.name).write_text("\n".join(self._lines) + "\n", encoding="utf-8")      # JSON is YAML

    def _write(self, value: Any, before: str, after: str, path: str) -> None:
        if not value or not isinstance(value, (dict, list)):
            self._add(before + json.dumps(value) + after, path)
            return
        is_mapping = isinstance(value, dict)
        self._add(before + "[{"[is_mapping], path)
        for at, key in enumerate(value):
            comma = "," if at + 1 < len(value) else ""
            if is_mapping:
                self._write(value[key], json.dumps(key) + ": ", comma, f"{path}.{key}".removeprefix("."))
            else:
                self._write(key, "", comma, f"{path}[{at}]")
        self._add("]}"[is_mapping] + after, path)

    def _add(self, text: str, path: str) -> None:
        self._lines.append(text)
        self.paths.append(path)

    def path_at(self, line: int) -> Optional[str]:
        """Returns the path in the dictionary of a line; None: there is none."""
        return self.paths[line - 1] if 0 < line <= len(self.paths) else None

    def rename(self, message: str) -> str:
        """Returns a message about the made file with paths in the dictionary."""
        if not self.is_made:
            return message
        named = re.sub(re.escape(self.name) + r":(\d+)(?::\d+)?(?=[: ])",
                       lambda match: self.path_at(int(match[1])) or "the scenario", message)
        return named.replace(self.name, "the scenario")


_PLACE = re.compile(r"(?P<file>[^\n]+?):(?P<line>\d+)(?::(?P<column>\d+))?: ")
# "--set kmim=1: ..", "--fit: 'kmim=1..2' ..", "variant 'a': kmim=1: .."
_CHANGE = re.compile(r"(?:--(?:set|vary|range|fit)(?: |: ')|variant '[^'\n]*': )(?P<key>[^=\s:']+)=")


def _key_at(file: str, line: int, column: int) -> Optional[str]:
    """Returns the key of a YAML file at a column, or the last one before it."""
    try:
        with open(file, encoding="utf-8", errors="replace") as lines:
            text = next(text for number, text in enumerate(lines, 1) if number == line)
    except (OSError, StopIteration):
        return None
    keys = [match[1] for match in re.finditer(r"([\w.-]+)[\"']?\s*:(?:\s|$)", text) if match.start() < column]
    return keys[-1] if keys else None


def _error(message: str, code: Optional[int], places: Optional[Places]) -> RunError:
    """Returns the error with what its message names."""
    place, change = _PLACE.match(message), _CHANGE.match(message)
    if change:
        return RunError(message, exit_code=code, key=change["key"])
    if not place:
        return RunError(places.rename(message) if places else message, exit_code=code)
    file, line, column = place["file"], int(place["line"]), int(place["column"] or 0)
    if places and places.is_made and file == places.name:
        path = places.path_at(line)
        key = path.rpartition(".")[2].partition("[")[0] if path else None
        return RunError(places.rename(message), exit_code=code, key=key, path=path)
    return RunError(message, exit_code=code, file=file, line=line, column=column or None, key=_key_at(file, line, column))


# ---- processes ----

# A signal that comes just before Python waits is only noticed after the wait: no wait is longer than this.
PERIOD_S = 0.2


class Scope:
    """Processes that end together: those of one anole.map()."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self.is_over = False

    def start(self, command: Sequence[str]) -> "subprocess.Popen[str]":
        """Starts a program, unless it is too late."""
        with self._lock:
            if self.is_over:
                raise RunTimeout("not started: the other runs of anole.map() have ended")
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       encoding="utf-8", errors="replace", env=environment())
            self._running.add(process)
            return process

    def leave(self, process: "subprocess.Popen[str]") -> None:
        """Forgets a process that has ended."""
        with self._lock:
            self._running.discard(process)

    def end(self) -> None:
        """Ends all processes, and starts no more. Kills those that do not end within a second."""
        with self._lock:
            self.is_over = True
            for process in self._running:
                process.terminate()
        late = threading.Timer(1.0, self._kill)
        late.daemon = True
        late.start()

    def _kill(self) -> None:
        with self._lock:
            for process in self._running:
                process.kill()


_nowhere = Scope()
_scope: contextvars.ContextVar[Scope] = contextvars.ContextVar("anole_scope", default=_nowhere)


@contextlib.contextmanager
def inside(scope: Scope) -> Iterator[None]:
    """Programs that this thread starts belong to 'scope'."""
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)


def is_parallel() -> bool:
    """Whether this is inside anole.map(), which keeps all cores busy: a program then uses one."""
    return _scope.get() is not _nowhere


def _end(process: "subprocess.Popen[str]") -> None:
    """Asks a program to end, which deletes its partial results, and kills it if it does not within a second."""
    process.terminate()
    try:
        process.communicate(timeout=1)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def _wait(process: "subprocess.Popen[str]", timeout: Optional[float]) -> tuple[str, str]:
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        try:
            return process.communicate(timeout=PERIOD_S if end is None else max(0.0, min(PERIOD_S, end - time.monotonic())))
        except subprocess.TimeoutExpired:
            if end is not None and time.monotonic() >= end:
                raise


def _finish(process: "subprocess.Popen[str]", timeout: Optional[float]) -> tuple[str, str]:
    try:
        return _wait(process, timeout)
    except subprocess.TimeoutExpired:
        _end(process)
        raise RunTimeout(f"ended after {timeout:g} s", exit_code=process.returncode) from None
    except BaseException:
        _end(process)
        raise


class Ended(NamedTuple):
    """What a program printed."""

    output: str
    words: str
    """Standard error."""

    def json(self) -> Any:
        """Returns the output, which is JSON."""
        return json.loads(self.output)


def _message(words: str, code: int) -> str:
    """Returns the error in the program's words, without notes and warnings."""
    lines = [line for line in words.splitlines() if not re.match(r"anole: (?:warning\b|note\b|\d+ %)|Try `", line)]
    if lines:
        return "\n".join(lines).strip().removeprefix("anole: ")
    return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"


def warn(text: str) -> None:
    """Warns, in the name of the line outside of this package that called it."""
    here, level, frame = os.path.dirname(__file__), 1, sys._getframe()
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, RunWarning, stacklevel=level)


def _warn(words: str, places: Optional[Places]) -> None:
    for line in words.splitlines():
        if line.startswith("anole: warning: "):
            text = line.removeprefix("anole: warning: ")
            warn(places.rename(text) if places else text)


def call(arguments: Sequence[str], *, program: Optional[Path], timeout: Optional[float] = None, places: Optional[Places] = None,
         launcher: Sequence[str] = ()) -> Ended:
    """Runs the program, after `launcher` (mpirun, srun) if there is one. Its warnings become RunWarning; raises RunError if it fails."""
    name, scope = find_program(program), _scope.get()
    try:
        process = scope.start([*launcher, name, *arguments])
    except OSError as error:
        raise RunError(f"{launcher[0] if launcher else name}: {error.strerror}; name the program in $ANOLE") from None
    try:
        output, words = _finish(process, timeout)
    finally:
        scope.leave(process)
    if process.returncode != 0 and scope.is_over:
        raise RunTimeout("ended with the other runs of anole.map()", exit_code=process.returncode)
    if process.returncode != 0:
        raise _error(_message(words, process.returncode), process.returncode, places)
    _warn(words, places)
    return Ended(output, words)
