"""Simulated RoCEv2 networks: scenarios from dictionaries, every command and its results (run, compare, sweep, tune, advise, collective,
calibrate, convert, read), many at once (map), charts (anole.plots), and an environment for learning rate control, a client of `anole gym`.

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
from .commands import Advice, Calibration, Collective, Conversion, Tuning, advise, calibrate, collective, convert, tune
from .comparison import Comparison, Figure, compare
from .environment import Env, steady
from .parallel import map
from .reading import read
from .run import Run, RunError, RunTimeout, RunWarning, run
from .sweep import Sweep, sweep
from .table import Rows, Table
from .vector import VectorEnv, world_agents

__all__ = ["Advice", "Batch", "Calibration", "Client", "Collective", "Comparison", "Conversion", "Env", "Figure", "GymError",
           "PROTOCOL_VERSION", "Rows", "Run", "RunError", "RunTimeout", "RunWarning", "Sweep", "Table", "Tuning", "VectorEnv", "advise",
           "calibrate", "collective", "compare", "convert", "map", "plots", "read", "run", "steady", "sweep", "tune", "world_agents"]
__version__ = "0.2.0"

for _error in (RunError, RunTimeout, RunWarning, GymError):
    _error.__module__ = __name__                                 # as tracebacks and warnings name them


def __getattr__(name: str) -> Any:
    """Loads anole.plots and anole.zoo on first use: they need other packages."""
    if name in ("plots", "zoo"):
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
