"""Reads results again, whatever command wrote them."""
from __future__ import annotations

from typing import Any, Optional, TypeVar, Union, overload

from ._program import Path, RunError, expand
from .commands import Advice, Calibration, Collective, Tuning
from .comparison import Comparison
from .run import Run
from .sweep import Sweep

__all__ = ["read"]

Result = Union[Run, Comparison, Sweep, Tuning, Advice, Collective, Calibration]

# The file that tells what wrote a folder. A sweep also has a comparison.
_KINDS: tuple[tuple[str, type[Result]], ...] = (
    ("summary.json", Run), ("sweep.csv", Sweep), ("comparison.json", Comparison), ("tune.json", Tuning), ("advise.json", Advice),
    ("collective.json", Collective), ("calibrate.json", Calibration))


Kind = TypeVar("Kind", Run, Comparison, Sweep, Tuning, Advice, Collective, Calibration)


@overload
def read(folder: Path) -> Result: ...


@overload
def read(folder: Path, kind: type[Kind]) -> Kind: ...


def read(folder: Path, kind: Optional[type[Any]] = None) -> Any:
    """Returns the results in a folder: of `anole run`, `compare` and `sweep` with --out, or of a function of this package with out=.

    With a kind, as read(folder, anole.Run), another kind of results is an error, and type checkers know the result.
    """
    path = expand(folder)
    if kind is not None:
        return kind(path)
    for name, found in _KINDS:
        if (path / name).is_file():
            return found(path)
    if not path.is_dir():
        raise RunError(f"{path}: is not a folder" if path.exists() else f"{path}: there is no such folder", file=str(path))
    raise RunError(f"{path}: has no results; there is none of {', '.join(name for name, _ in _KINDS)}", file=str(path))
