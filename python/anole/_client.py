"""Messages of `anole gym`, as docs/gym.md describes them: batches in, actions out."""
from __future__ import annotations

import operator
import socket
import struct
import subprocess
import tempfile
from typing import BinaryIO, Mapping, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._guard import environment
from ._program import find_program

PROTOCOL_VERSION = 1
MULTIPLIER_MIN, MULTIPLIER_MAX = 0.01, 100.0
"""What the simulator accepts; the action space is narrower."""

_HEAD = struct.Struct("<II")
_BATCH = struct.Struct("<5Q4I")
_HELLO, _RESET, _ACT, _CLOSE = 1, 2, 3, 4
_WELCOME, _ANSWER, _ERROR = 129, 130, 131


class GymError(RuntimeError):
    """The simulator rejected a request (with its message), or has ended."""


class Batch(NamedTuple):
    """Agents that wait for an action. Arrays have one row per agent and are valid until the next message."""

    agent: NDArray[np.uint32]
    x: NDArray[np.float32]
    """Observation of each agent: the action before the last, its delta, the last action, its delta."""
    reward: NDArray[np.float32]
    rate: NDArray[np.float32]
    """Current rate as a share of the line rate."""
    rtt_us: NDArray[np.float32]
    over: bool
    """The scenario has ended, and no agent waits."""
    agents: int
    """Number of agents so far."""
    now_ps: int
    end_ps: int
    steps: int
    """Sum over all agents since reset()."""
    payload_bytes: int
    dropped_packets: int


def check_multipliers(action: NDArray[np.float32]) -> None:
    """Refuses what no rate control means; a learner that diverges sends NaN."""
    wrong = np.flatnonzero(~((action >= np.float32(MULTIPLIER_MIN)) & (action <= np.float32(MULTIPLIER_MAX))))
    if wrong.size:
        raise ValueError(f"action {wrong[0]} is {action.flat[wrong[0]]:g}; a multiplier must be {MULTIPLIER_MIN:g} .. {MULTIPLIER_MAX:g}")


def check_seed(seed: int) -> int:
    """Returns a seed as an int.

    >>> check_seed(-1)
    Traceback (most recent call last):
    ValueError: seed -1: a seed is 0 .. 2^64 - 1
    """
    number = operator.index(seed)
    if not 0 <= number < 2 ** 64:
        raise ValueError(f"seed {number}: a seed is 0 .. 2^64 - 1")
    return number


class Client:
    """One simulator: started here, or one that waits at a socket.

    Pass either `scenario` or `path`. `scenario` is the name of a world or of a file: `anole gym` is started with `settings` as
    --set options, and simulates `worlds` copies. `path` is the socket of a running simulator. `program` is the program to
    start (default: $ANOLE, or anole in the PATH).
    """

    def __init__(self, scenario: Optional[str] = None, *, settings: Optional[Mapping[str, object]] = None,
                 worlds: int = 1, path: Optional[str] = None, program: Optional[str] = None) -> None:
        if (scenario is None) == (path is None):
            raise ValueError("give either a scenario or the path of a socket")
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._socket: Optional[socket.socket] = None
        self._waiting = 0
        self._in: BinaryIO
        self._out: BinaryIO
        if scenario is not None:
            self._start(scenario, settings or {}, worlds, find_program(program))
        else:
            self._connect(str(path))
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def _start(self, scenario: str, settings: Mapping[str, object], worlds: int, program: str) -> None:
        command = [program, "gym", "--worlds", str(worlds)]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        command += ["--", scenario]
        self._words = tempfile.TemporaryFile()                   # a file, not a pipe: it never fills up
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words, env=environment())
        except OSError as error:
            self._words.close()
            raise GymError(f"{program}: {error.strerror}; name the program in $ANOLE") from None
        assert self._process.stdin and self._process.stdout
        self._in, self._out = self._process.stdout, self._process.stdin      # type: ignore[assignment]

    def _connect(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise GymError(f"{path}: {error.strerror}") from None
        self._in = self._socket.makefile("rb")
        self._out = self._socket.makefile("wb")

    def _greet(self) -> None:
        payload = self._ask(_HELLO, b"AGYM" + struct.pack("<I", PROTOCOL_VERSION), _WELCOME)
        version, self.features, low, high, self.worlds, size = struct.unpack_from("<IIffII", payload)
        if version != PROTOCOL_VERSION:
            raise GymError(f"the simulator speaks version {version} of the protocol, this client {PROTOCOL_VERSION}")
        self.low, self.high = float(low), float(high)
        self.name = payload[24:24 + size].decode("utf-8", "replace")

    def _read(self, size: int) -> bytearray:
        data = bytearray(size)
        view, have = memoryview(data), 0
        while have < size:
            n = self._in.readinto(view[have:])                   # type: ignore[attr-defined]
            if not n:
                raise GymError(self._last_words())
            have += n
        return data

    def _last_words(self) -> str:
        """Returns the reason why the program has ended, from its standard error."""
        text = ""
        if self._process:
            self._process.wait()
            self._words.seek(0)
            text = self._words.read().decode("utf-8", "replace").strip()
        return text.removeprefix("anole: ") or "the simulator has gone"

    def _ask(self, kind: int, payload: Union[bytes, bytearray], answer: int) -> bytearray:
        try:
            self._out.write(_HEAD.pack(kind, len(payload)) + payload)
            self._out.flush()
        except (BrokenPipeError, ConnectionError, ValueError):
            raise GymError(self._last_words()) from None
        got, size = _HEAD.unpack(self._read(_HEAD.size))
        data = self._read(size)
        if got == _ERROR:
            raise GymError(data.decode("utf-8", "replace"))
        if got != answer:
            raise GymError(f"the simulator answers with a message of type {got}")
        return data

    def _batch(self, data: bytearray) -> Batch:
        now_ps, end_ps, steps, payload_bytes, dropped, n, agents, over, _ = _BATCH.unpack_from(data)
        at = _BATCH.size
        if len(data) != at + 4 * n * (4 + self.features):
            raise GymError("the simulator sends a batch of another size than it says")
        self._waiting = n
        column = np.frombuffer(data, "<f4", offset=at)
        x = column[n:n + n * self.features].reshape(n, self.features)
        reward, rate, rtt_us = column[n * (1 + self.features):].reshape(3, n)
        return Batch(np.frombuffer(data, "<u4", n, at), x, reward, rate, rtt_us, bool(over), agents, now_ps, end_ps, steps,
                     payload_bytes, dropped)

    def reset(self, seed: int) -> Batch:
        """Starts the scenario with this seed and returns the first batch of waiting agents."""
        return self._batch(self._ask(_RESET, struct.pack("<Q", check_seed(seed)), _ANSWER))

    def act(self, multiplier: ArrayLike) -> Batch:
        """Answers the last batch with a multiplier per agent, in its order, and returns the next batch."""
        action = np.ascontiguousarray(multiplier, "<f4").ravel()
        if action.size != self._waiting:
            raise ValueError(f"{action.size} actions for {self._waiting} agents that wait")
        check_multipliers(action)
        return self._batch(self._ask(_ACT, struct.pack("<II", action.size, 0) + action.tobytes(), _ANSWER))

    def close(self) -> None:
        """Ends the simulator, or disconnects from its socket. May be called repeatedly."""
        try:
            self._out.write(_HEAD.pack(_CLOSE, 0))
            self._out.flush()
        except (OSError, ValueError):
            pass
        for stream in (self._out, self._in):
            try:
                stream.close()
            except OSError:
                pass
        if self._socket:
            self._socket.close()
        if self._process:
            self._process.wait()
            self._words.close()
            self._process = None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
