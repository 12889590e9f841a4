"""The flows of a network as agents of PettingZoo's parallel interface; needs pettingzoo.

    env = anole.zoo.parallel_env("many_to_one:4_2", settings={"run": "5ms"})
    observations, infos = env.reset(seed=1)
    observations, rewards, terminations, truncations, infos = env.step({agent: [0.95] for agent in env.agents})

All flows are agents until the scenario is over. They decide at different times: where infos[agent]["waits"] is false, the observation is
the last one, and the agent's action is ignored.
"""
from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from .vector import VectorEnv

try:
    from pettingzoo import ParallelEnv
except ImportError:
    raise ImportError("anole.zoo needs pettingzoo (pip install pettingzoo)") from None

__all__ = ["ParallelFlows", "parallel_env"]


class ParallelFlows(ParallelEnv):                                # type: ignore[misc]
    """A VectorEnv whose rows are agents flow_0, flow_1, .."""

    metadata: dict[str, Any] = {"name": "anole_flows_v0", "render_modes": []}
    render_mode = None

    def __init__(self, *arguments: Any, **named: Any) -> None:
        named["autoreset"] = False
        self.vector = VectorEnv(*arguments, **named)
        self.possible_agents = [f"flow_{row}" for row in range(self.vector.num_envs)]
        self.agents: list[str] = []
        self.observation_spaces = {agent: self.vector.single_observation_space for agent in self.possible_agents}
        self.action_spaces = {agent: self.vector.single_action_space for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def _by_agent(self, values: Any) -> dict[str, Any]:
        return dict(zip(self.possible_agents, values))

    def _infos(self, info: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        return self._by_agent({name: column[row].item() for name, column in info.items()} for row in range(self.vector.num_envs))

    def reset(self, seed: Optional[int] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Starts the scenario with this seed, or with the successor of the last one."""
        obs, info = self.vector.reset(seed=seed, options=options)
        self.agents = list(self.possible_agents)
        return self._by_agent(obs), self._infos(info)

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool],
                                                        dict[str, dict[str, Any]]]:
        """Takes the multipliers of all agents, and runs until agents wait again. Agents without an action keep their rate."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        action = np.array([np.asarray(actions.get(agent, 1.0), np.float32).reshape(-1)[0] for agent in self.possible_agents])
        obs, reward, terminated, truncated, info = self.vector.step(action)
        if truncated.all():
            self.agents = []
        columns = (obs, reward.tolist(), terminated.tolist(), truncated.tolist())
        obs_of, reward_of, terminated_of, truncated_of = map(self._by_agent, columns)
        return obs_of, reward_of, terminated_of, truncated_of, self._infos(info)

    def close(self) -> None:
        """Ends the simulator."""
        self.vector.close()


def parallel_env(*arguments: Any, **named: Any) -> ParallelFlows:
    """Returns the flows of a scenario as agents; arguments as for VectorEnv."""
    return ParallelFlows(*arguments, **named)
