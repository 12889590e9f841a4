"""Scenarios as dictionaries, and the results of runs.

    >>> import anole
    >>> result = anole.run({"topology": {"kind": "star", "hosts": 3}, "traffic": [{"kind": "incast", "senders": 2, "size": "100KB"}]})
    >>> result.summary["all"]["flows"]
    2
    >>> result.tables
    ('flows', 'intervals', 'ports')
    >>> result.table("flows")["bytes"]
    array([100000, 100000])

A scenario is a dictionary with the keys of docs/scenario.md, or the name of a file. The program is `anole` of $ANOLE or of $PATH.
"""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import weakref
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from numpy.typing import NDArray

from ._program import find_program
from .table import Table

__all__ = ["Run", "RunError", "run", "read"]

Path = Union[str, "os.PathLike[str]"]
Scenario = Union[Mapping[str, Any], Path]


class RunError(Exception):
    """The program refused a scenario, or failed; contains its message."""


class Run:
    """The folder of one run (`anole run --out`). Tables are read on demand."""

    def __init__(self, folder: Path):
        self.folder = pathlib.Path(folder)
        try:
            self.summary: dict[str, Any] = json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise RunError(f"{self.folder} is not the folder of a run: it has no summary.json") from error

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables of the run: "flows", "intervals", "ports" and, if requested, others."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.csv")))

    def table(self, name: str) -> Table:
        """The table NAME.csv, which is read on first use."""
        path = self.folder / f"{name}.csv"
        if not path.is_file():
            raise KeyError(f"{self.folder} has no table {name!r}; there are {', '.join(self.tables)}")
        return Table(path)

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Iterates over the rows of a table. Numbers are numbers; empty cells are None."""
        return iter(self.table(name))

    def columns(self, name: str) -> dict[str, NDArray[Any]]:
        """All columns of a table as numpy arrays."""
        return self.table(name).arrays()

    def frame(self, name: str) -> Any:
        """A table as a pandas frame; needs pandas."""
        return self.table(name).frame()

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}, {self.summary['all']['flows']} flows)"


def read(folder: Path) -> Run:
    """Returns the results of `anole run --out FOLDER`."""
    return Run(folder)


def run(scenario: Scenario, *, set: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None, out: Optional[Path] = None,
        program: Optional[str] = None) -> Run:
    """Runs a scenario. 'set' changes keys as --set does; 'out' keeps the folder, which is otherwise deleted with the result."""
    work = tempfile.mkdtemp(prefix="anole-")
    try:
        result = _run(scenario, pathlib.Path(work), set or {}, seed, out, program)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    weakref.finalize(result, shutil.rmtree, work, ignore_errors=True)        # deleted with the result
    return result


def scenario_file(scenario: Scenario, work: pathlib.Path) -> str:
    """Returns the name of a file, or of an example, with the content of 'scenario'."""
    if isinstance(scenario, Mapping):
        path = work / "scenario.yaml"
        path.write_text(json.dumps(scenario), encoding="utf-8")      # JSON is YAML
        return str(path)
    return os.fspath(scenario)


def call(arguments: Sequence[str], program: Optional[str]) -> str:
    """Returns the program's output; raises RunError with its message if it fails."""
    name = find_program(program)
    try:
        ended = subprocess.run([name, *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise RunError(f"{name}: {error.strerror}; name the program in $ANOLE") from None
    if ended.returncode != 0:
        raise RunError(ended.stderr.strip().removeprefix("anole: "))
    return ended.stdout


def _run(scenario: Scenario, work: pathlib.Path, set: Mapping[str, Any], seed: Optional[int], out: Optional[Path],
         program: Optional[str]) -> Run:
    folder = pathlib.Path(out) if out is not None else work / "out"
    options = [f"--set={key}={value}" for key, value in set.items()]
    if seed is not None:
        options.append(f"--seed={seed}")
    call(["run", "--quiet", "--out", str(folder), *options, "--", scenario_file(scenario, work)], program)
    return Run(folder)
