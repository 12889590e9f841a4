"""Simulated RoCEv2 networks: scenarios from dictionaries and their results (run, read, compare), charts (anole.plots), and
an environment for learning rate control, a client of `anole gym`.

    >>> import anole, numpy as np
    >>> env = anole.VectorEnv("many_to_one:2_1", settings={"run": "1ms"})
    >>> obs, info = env.reset(seed=1)
    >>> obs, reward, terminated, truncated, info = env.step(np.full((env.num_envs, 1), 0.95))
    >>> obs.shape
    (2, 4)
    >>> env.close()
"""
from typing import Any

from ._client import Batch, Client, GymError, PROTOCOL_VERSION
from .comparison import Comparison, Figure, compare
from .run import Run, RunError, read, run
from .table import Table
from .vector import VectorEnv, world_agents

__all__ = ["Batch", "Client", "Comparison", "Figure", "GymError", "PROTOCOL_VERSION", "Run", "RunError", "Table", "VectorEnv", "compare", "plots",
           "read", "run", "world_agents"]
__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """Loads anole.plots on first use."""
    if name == "plots":
        import importlib

        return importlib.import_module(".plots", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
