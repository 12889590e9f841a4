"""A vector environment: rows are flows of one simulated network. Gymnasium's method names and shapes, with numpy alone."""
from __future__ import annotations

import re
from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._client import Batch, Client, check_multipliers, check_seed

try:
    import gymnasium
    from gymnasium.vector import VectorEnv as _Base
    from gymnasium.vector.utils import batch_space as _batch_space
except ImportError:                                              # numpy alone
    gymnasium = None                                             # type: ignore[assignment]
    _Base = object                                               # type: ignore[assignment,misc]

# Gymnasium 1.1 and later ask who resets.
_MODES = getattr(gymnasium.vector, "AutoresetMode", None) if gymnasium is not None else None

FEATURES = 4


class _Box:
    """A minimal gymnasium.spaces.Box, for use without Gymnasium."""

    def __init__(self, low: float, high: float, shape: tuple[int, ...], seed: Optional[int] = None) -> None:
        self.low = np.full(shape, low, np.float32)
        self.high = np.full(shape, high, np.float32)
        self.shape, self.dtype = shape, np.dtype(np.float32)
        self._random = np.random.default_rng(seed)

    def sample(self) -> NDArray[np.float32]:
        """Uniform between finite bounds, normal without bounds."""
        if np.isfinite(self.low).all() and np.isfinite(self.high).all():
            return self._random.uniform(self.low, self.high).astype(np.float32)
        return self._random.standard_normal(self.shape).astype(np.float32)

    def contains(self, x: Any) -> bool:
        """Whether x is an array of this shape within the bounds."""
        x = np.asarray(x)
        return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))


def _box(low: float, high: float, shape: tuple[int, ...]) -> Any:
    if gymnasium is None:
        return _Box(low, high, shape)
    return gymnasium.spaces.Box(low, high, shape, np.float32)


def _batched(space: Any, n: int, low: float, high: float) -> Any:
    return _Box(low, high, (n, *space.shape)) if gymnasium is None else _batch_space(space, n)


def world_agents(scenario: str) -> Optional[int]:
    """Returns the flows of a named world: 8 for many_to_one:8_1, 192 for all_to_all:4_16. None for other names."""
    match = re.fullmatch(r"(many_to_one|all_to_all):(\d+)_(\d+)", scenario)
    if match:
        hosts, pairs = int(match[2]), int(match[3])
        return hosts * pairs * (hosts - 1 if match[1] == "all_to_all" else 1)
    return None


class VectorEnv(_Base):                                          # type: ignore[misc,valid-type]
    """Flows of one or several networks, as parallel environments.

    Flows measure their round trips at different times. In a step, rows whose entry of info["waits"] is true have new observations,
    and their actions apply in the next step. The other rows repeat their last observation, and their actions are ignored. A learner
    that takes each row of each step for a transition would train on those repetitions. With `decisions_only`, arrays have a row for
    each flow that waits, and no other: info["agent"] says which, and the row is the end of a transition from info["last_obs"] by
    info["last_action"] where info["has_last"]. Their number changes from step to step.

    scenario, settings, worlds, path, program: as for anole.Client. Row i is a flow of world i modulo `worlds`. num_envs is the number
    of flows; further ones keep their rate. It is known for many_to_one and all_to_all, and required for other scenarios. When the
    scenario is over, the next step begins it again with the next seed and ignores its actions, unless `autoreset` is false.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None
    spec = None

    def __init__(self, scenario: Optional[str] = None, num_envs: Optional[int] = None, *,
                 settings: Optional[Mapping[str, object]] = None, worlds: int = 1, path: Optional[str] = None,
                 program: Optional[str] = None, decisions_only: bool = False, autoreset: bool = True) -> None:
        self.closed = True                                       # until there is something to close
        if scenario is not None and num_envs is None:
            agents = world_agents(scenario)
            num_envs = agents * worlds if agents else None
        if num_envs is None or num_envs < 1:
            raise ValueError("num_envs: how many flows? It is known for many_to_one:H_Q and all_to_all:H_Q alone")
        if _MODES:
            self.metadata = {**self.metadata, "autoreset_mode": _MODES.NEXT_STEP if autoreset else _MODES.DISABLED}
        self.client = Client(scenario, settings=settings, worlds=worlds, path=path, program=program)
        self.closed = False
        self.num_envs, self.decisions_only, self.autoreset = num_envs, decisions_only, autoreset
        self.single_observation_space = _box(-np.inf, np.inf, (FEATURES,))
        self.single_action_space = _box(self.client.low, self.client.high, (1,))
        self.observation_space = _batched(self.single_observation_space, num_envs, -np.inf, np.inf)
        self.action_space = _batched(self.single_action_space, num_envs, self.client.low, self.client.high)
        self._seed = 0
        self._batch: Optional[Batch] = None

    @property
    def batch(self) -> Batch:
        """The last batch of the client, with totals of all flows: `steps`, `payload_bytes`, `dropped_packets`, `agents`."""
        if self._batch is None:
            raise RuntimeError("reset() comes first")
        return self._batch

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts the scenario with this seed, or with the successor of the last one."""
        del options
        self._seed = check_seed(self._seed + 1 if seed is None else seed)
        self._obs = np.zeros((self.num_envs, FEATURES), np.float32)
        self._obs[:, 0::2] = 1                                   # actions of flows without observations
        self._rate = np.ones(self.num_envs, np.float32)
        self._rtt_us = np.zeros(self.num_envs, np.float32)
        self._last_obs = self._obs.copy()
        self._last_action = np.ones((self.num_envs, 1), np.float32)
        self._has_last = np.zeros(self.num_envs, bool)
        self._take(self.client.reset(self._seed))
        return self._result()[0], self._info()

    def step(self, actions: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_],
                                               NDArray[np.bool_], dict[str, Any]]:
        """Takes multipliers, one per row, and runs until agents wait again."""
        if self._batch is None or self._batch.over and not self.autoreset:
            raise RuntimeError("reset() comes first, and again when the scenario is over")
        action = np.asarray(actions, np.float32).reshape(-1)
        rows = self._rows.size if self.decisions_only else self.num_envs
        if action.size != rows:
            raise ValueError(f"{action.size} actions for {rows} rows")
        check_multipliers(action)
        if self._batch.over:
            self.reset()
        else:
            self._act(action if self.decisions_only else action[self._rows])
        obs, reward = self._result()
        over = np.full(reward.size, self.batch.over)
        return obs, reward, np.zeros(reward.size, bool), over, self._info()

    def _act(self, action: NDArray[np.float32]) -> None:
        """Sends the actions of the rows that wait. Flows without a row keep their rate, and are not waited for."""
        self._last_obs[self._rows] = self._obs[self._rows]
        self._last_action[self._rows, 0] = action
        self._has_last[self._rows] = True
        while True:
            batch = self.batch
            multiplier = action
            if action.size != batch.agent.size:
                multiplier = np.ones(batch.agent.size, np.float32)
                multiplier[batch.agent < self.num_envs] = action
            self._take(self.client.act(multiplier))
            if self._rows.size or self.batch.over:
                return
            action = action[:0]

    def _take(self, batch: Batch) -> None:
        self._batch = batch
        known: Any = slice(None)
        if batch.agent.size and int(batch.agent.max()) >= self.num_envs:
            known = batch.agent < self.num_envs
        rows = self._rows = batch.agent[known]
        self._row_reward = batch.reward[known]
        self._obs[rows] = batch.x[known]
        self._rate[rows] = batch.rate[known]
        self._rtt_us[rows] = batch.rtt_us[known]

    def _result(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Returns observations and rewards."""
        if self.decisions_only:
            return self._obs[self._rows], self._row_reward
        reward = np.zeros(self.num_envs, np.float32)
        reward[self._rows] = self._row_reward
        return self._obs.copy(), reward

    def _info(self) -> dict[str, Any]:
        rows, now_us = self._rows, self.batch.now_ps / 1e6
        if self.decisions_only:
            return {"agent": rows, "rate": self._rate[rows], "rtt_us": self._rtt_us[rows], "now_us": np.full(rows.size, now_us),
                    "last_obs": self._last_obs[rows], "last_action": self._last_action[rows], "has_last": self._has_last[rows]}
        waits = np.zeros(self.num_envs, bool)
        waits[rows] = True
        return {"waits": waits, "rate": self._rate.copy(), "rtt_us": self._rtt_us.copy(), "now_us": np.full(self.num_envs, now_us)}

    def close(self, **_: Any) -> None:
        """Ends the simulator."""
        if not self.closed:
            self.closed = True
            self.client.close()

    def __del__(self) -> None:
        if not getattr(self, "closed", True):
            self.close()
