"""A vector environment: rows are flows of one simulated network. Gymnasium's method names and shapes, with numpy alone."""
from __future__ import annotations

import re
from typing import Any, Mapping, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._client import Batch, Client

try:
    import gymnasium
    from gymnasium.vector import VectorEnv as _Base
    from gymnasium.vector.utils import batch_space as _batch_space
except ImportError:                                              # numpy alone
    gymnasium = None                                             # type: ignore[assignment]
    _Base = object                                               # type: ignore[assignment,misc]

# Gymnasium 1.1 and later ask who resets: here it is the caller.
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
    and their actions apply in the next step. The other rows repeat their last observation, and their actions are ignored.

    scenario, settings, worlds, path, program: as for anole.Client. Row i is a flow of world i modulo `worlds`. num_envs is the number
    of rows; further flows keep their rate. It is known for many_to_one and all_to_all, and required for other scenarios.
    """

    metadata: dict[str, Any] = {"render_modes": [], **({"autoreset_mode": _MODES.DISABLED} if _MODES else {})}
    render_mode = None
    spec = None

    def __init__(self, scenario: Optional[str] = None, num_envs: Optional[int] = None, *,
                 settings: Optional[Mapping[str, object]] = None, worlds: int = 1, path: Optional[str] = None,
                 program: Optional[str] = None) -> None:
        if scenario is not None and num_envs is None:
            agents = world_agents(scenario)
            num_envs = agents * worlds if agents else None
        if num_envs is None or num_envs < 1:
            raise ValueError("num_envs: how many flows? It is known for many_to_one:H_Q and all_to_all:H_Q alone")
        self.client = Client(scenario, settings=settings, worlds=worlds, path=path, program=program)
        self.num_envs = num_envs
        self.single_observation_space = _box(-np.inf, np.inf, (FEATURES,))
        self.single_action_space = _box(self.client.low, self.client.high, (1,))
        self.observation_space = _batched(self.single_observation_space, num_envs, -np.inf, np.inf)
        self.action_space = _batched(self.single_action_space, num_envs, self.client.low, self.client.high)
        self.closed = False
        self._seed = 0
        self._batch: Optional[Batch] = None

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts the scenario with this seed, or with the successor of the last one."""
        del options
        self._seed = self._seed + 1 if seed is None else int(seed)
        self._obs = np.zeros((self.num_envs, FEATURES), np.float32)
        self._obs[:, 0::2] = 1                                   # actions of flows without observations
        self._rate = np.ones(self.num_envs, np.float32)
        self._rtt_us = np.zeros(self.num_envs, np.float32)
        self._take(self.client.reset(self._seed))
        return self._obs.copy(), self._info()

    def step(self, actions: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_],
                                               NDArray[np.bool_], dict[str, Any]]:
        """Takes multipliers, (num_envs, 1) or (num_envs,), and runs until agents wait again."""
        if self._batch is None or self._batch.over:
            raise RuntimeError("reset() comes first, and again when the scenario is over")
        action = np.asarray(actions, np.float32).reshape(-1)
        if action.size != self.num_envs:
            raise ValueError(f"{action.size} actions for {self.num_envs} rows")
        agent = self._batch.agent
        if agent.size and int(agent.max()) >= self.num_envs:
            multiplier = np.ones(agent.size, np.float32)
            multiplier[self._known] = action[agent[self._known]]
        else:
            multiplier = action[agent]
        self._take(self.client.act(multiplier))
        over = np.full(self.num_envs, self._batch.over)
        return self._obs.copy(), self._reward, np.zeros(self.num_envs, bool), over, self._info()

    def _take(self, batch: Batch) -> None:
        self._batch = batch
        self._known = batch.agent < self.num_envs
        rows, known = batch.agent, self._known
        if not known.all():
            rows = rows[known]
        else:
            known = slice(None)                                  # type: ignore[assignment]
        self._waits = np.zeros(self.num_envs, bool)
        self._waits[rows] = True
        self._reward = np.zeros(self.num_envs, np.float32)
        self._reward[rows] = batch.reward[known]
        self._obs[rows] = batch.x[known]
        self._rate[rows] = batch.rate[known]
        self._rtt_us[rows] = batch.rtt_us[known]

    def _info(self) -> dict[str, Any]:
        b = self._batch
        assert b is not None
        return {"waits": self._waits, "rate": self._rate.copy(), "rtt_us": self._rtt_us.copy(), "now_us": b.now_ps / 1e6,
                "agents": b.agents, "steps": b.steps, "payload_bytes": b.payload_bytes,
                "dropped_packets": b.dropped_packets}

    def close(self, **_: Any) -> None:
        """Ends the simulator."""
        if not self.closed:
            self.closed = True
            self.client.close()

    def __del__(self) -> None:
        if not getattr(self, "closed", True):
            self.close()
