"""Simulated RoCEv2 networks: scenarios from dictionaries and their results (anole.run), and an environment to learn rate control in, a
client of `anole gym`.

    import anole, numpy as np
    env = anole.VectorEnv("many_to_one:8_1")
    obs, info = env.reset(seed=1)
    obs, reward, terminated, truncated, info = env.step(np.full((env.num_envs, 1), 0.95))
    env.close()
"""
from ._client import Batch, Client, GymError, PROTOCOL_VERSION
from .run import Run, RunError, read, run
from .vector import VectorEnv, world_agents

__all__ = ["Batch", "Client", "GymError", "PROTOCOL_VERSION", "Run", "RunError", "VectorEnv", "read", "run", "world_agents"]
__version__ = "0.2.0"
