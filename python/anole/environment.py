"""An environment of one flow: every step is a decision of it. For learners that know nothing of vectors, and for gymnasium.make().

    >>> import anole
    >>> env = anole.Env("many_to_one:2_1", settings={"run": "1ms"})
    >>> obs, info = env.reset(seed=1)
    >>> obs, reward, terminated, truncated, info = env.step([0.95])
    >>> obs.shape, terminated, truncated
    ((4,), False, False)
    >>> env.close()
"""
from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._client import Batch, Client, check_multipliers, check_seed
from .vector import FEATURES, _box

try:
    import gymnasium
except ImportError:                                              # numpy alone
    gymnasium = None

__all__ = ["Env", "steady"]

_Base: Any = gymnasium.Env if gymnasium is not None else object

Rule = Callable[[NDArray[np.float32]], ArrayLike]


def steady(obs: NDArray[np.float32]) -> NDArray[np.float32]:
    """A simple rule for the other flows: 10 % less above the target, 5 % more below it.

    >>> steady(np.array([[1, 0, 1, 0.5], [1, 0, 1, -0.5]], np.float32)).tolist()
    [0.8999999761581421, 1.0499999523162842]
    """
    return np.where(obs[:, 3] > 0, np.float32(0.9), np.float32(1.05))


class Env(_Base):                                                # type: ignore[misc]
    """One flow of a simulated network.

    scenario, settings, path, program: as for anole.Client. `agent` is the number of the flow, in the order in which they begin. The
    other flows follow `others`: a function that takes observations (n, 4) and returns multipliers (n,). A step lasts from one decision
    of the flow to its next. Observation, action and reward: docs/gym.md. An episode is truncated when the scenario is over.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, scenario: Optional[str] = "many_to_one:4_2", *, agent: int = 0, others: Rule = steady,
                 settings: Optional[Mapping[str, object]] = None, path: Optional[str] = None, program: Optional[str] = None,
                 render_mode: Optional[str] = None) -> None:
        self.render_mode = render_mode
        self.closed = True                                       # until there is something to close
        self.client = Client(scenario, settings=settings, path=path, program=program)
        self.closed = False
        self.agent, self.others = agent, others
        self.observation_space = _box(-np.inf, np.inf, (FEATURES,))
        self.action_space = _box(self.client.low, self.client.high, (1,))
        self._random = np.random.default_rng()
        self._batch: Optional[Batch] = None

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts the scenario with this seed, or with one drawn from the generator that the last seed began."""
        del options
        if seed is not None:
            check_seed(seed)
            self._random = np.random.default_rng(seed)
        if gymnasium is not None:
            super().reset(seed=seed)
        self._obs = np.array([1, 0, 1, 0], np.float32)           # of a flow that has measured nothing
        self._row = -1
        self._take(self.client.reset(int(self._random.integers(2 ** 32)) if seed is None else seed))
        return self._obs, self._info()

    def step(self, action: ArrayLike) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Takes a multiplier, and runs until the flow decides again."""
        if self._batch is None or self._batch.over:
            raise RuntimeError("reset() comes first, and again when the scenario is over")
        own = np.asarray(action, np.float32).reshape(-1)
        if own.size != 1:
            raise ValueError(f"{own.size} actions for one flow")
        check_multipliers(own)
        self._take(self._act(own))
        return self._obs, self._reward, False, self._batch.over, self._info()

    def _act(self, own: NDArray[np.float32]) -> Batch:
        """Sends the actions of all flows that wait."""
        assert self._batch is not None
        multiplier = np.array(self.others(self._batch.x), np.float32).reshape(-1)
        if self._row >= 0:
            multiplier[self._row:self._row + 1] = own
        return self.client.act(multiplier)

    def _take(self, batch: Batch) -> None:
        """Runs on until the flow waits, or the scenario is over."""
        nothing = np.empty(0, np.float32)
        while True:
            self._batch = batch
            at = np.flatnonzero(batch.agent == self.agent)
            self._row = int(at[0]) if at.size else -1
            if at.size or batch.over:
                break
            batch = self._act(nothing)
        self._reward = 0.0
        if at.size:
            self._obs, self._reward = batch.x[self._row].copy(), float(batch.reward[self._row])

    def _info(self) -> dict[str, Any]:
        assert self._batch is not None
        batch, row = self._batch, self._row
        info: dict[str, Any] = {"now_us": batch.now_ps / 1e6, "steps": batch.steps, "payload_bytes": batch.payload_bytes,
                                "dropped_packets": batch.dropped_packets}
        if row >= 0:
            info.update(rate=float(batch.rate[row]), rtt_us=float(batch.rtt_us[row]))
        return info

    def close(self) -> None:
        """Ends the simulator."""
        if not self.closed:
            self.closed = True
            self.client.close()

    def __del__(self) -> None:
        if not getattr(self, "closed", True):
            self.close()


if gymnasium is not None:
    gymnasium.register(id="anole/Flow-v0", entry_point="anole.environment:Env")
    gymnasium.register(id="anole/Flows-v0", vector_entry_point="anole.vector:VectorEnv", kwargs={"scenario": "many_to_one:4_2"})
