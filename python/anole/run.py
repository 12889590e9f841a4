"""Scenarios as dictionaries, and the results of runs.

    >>> import anole
    >>> star = {"topology": {"kind": "star", "hosts": 3}, "traffic": [{"kind": "incast", "senders": 2, "size": "100KB"}]}
    >>> result = anole.run(star)
    >>> result.summary["all"]["flows"]
    2
    >>> result.tables
    ('flows', 'intervals', 'ports')
    >>> result.table("flows")["bytes"]
    array([100000, 100000])
    >>> star["traffic"][0]["senders"] = 9
    >>> anole.run(star)
    Traceback (most recent call last):
    anole.RunError: traffic[0].senders: senders must be 1 .. 2, not 9

A scenario is a dictionary with the keys of docs/scenario.md, or the name of a file. Files that a dictionary names are found from a
pathlib.Path, whatever the working directory of the program. The program is `anole` of $ANOLE or of $PATH.
"""
from __future__ import annotations

import json
import pathlib
from typing import Any, Iterator, Mapping, Optional, Union

from numpy.typing import NDArray

from ._guard import Work
from ._program import Path, Places, RunError, RunTimeout, RunWarning, call, expand, is_parallel, options_of, settings, warn
from .table import Table

__all__ = ["Run", "RunError", "RunTimeout", "RunWarning", "run"]

Scenario = Union[Mapping[str, Any], Path]


class Folder:
    """Results in a folder. A temporary one is deleted when neither the result nor one of its tables is used any more."""

    def __init__(self, folder: Path, work: Optional[Work] = None):
        self.folder = expand(folder)
        self._work = work

    def _json(self, name: str, what: str) -> Any:
        try:
            return json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise RunError(f"{self.folder} is not the folder of {what}: it has no {name}", file=str(self.folder)) from None
        except ValueError as error:
            raise RunError(f"{self.folder / name}: {error}", file=str(self.folder / name)) from None

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables: of a run "flows", "intervals", "ports" and, if requested, others."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.csv")))

    def table(self, name: str) -> Table:
        """The table NAME.csv, which is read on first use."""
        path = self.folder / f"{name}.csv"
        if not path.is_file():
            raise KeyError(f"{self.folder} has no table {name!r}; there are {', '.join(self.tables)}")
        return Table(path, self)


class Run(Folder):
    """The folder of one run (`anole run --out`). Tables are read on demand."""

    def __init__(self, folder: Path, work: Optional[Work] = None):
        super().__init__(folder, work)
        self.summary: dict[str, Any] = self._json("summary.json", "a run")

    @property
    def is_finished(self) -> bool:
        """Whether all flows that started have finished."""
        return not self.summary["all"].get("flows_unfinished")

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


def run(scenario: Scenario, *, set: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None, out: Optional[Path] = None,
        program: Optional[Path] = None, timeout: Optional[float] = None, **options: Any) -> Run:
    """Runs a scenario. 'set' changes keys as --set does; 'out' keeps the folder, which is otherwise deleted with the result.

    After 'timeout' seconds the run ends with RunTimeout. Further options are those of `anole run`: until="2ms", threads=4. Warns
    (RunWarning) if no flow finished.
    """
    work = Work()
    places = Places(scenario, work.path)
    folder = expand(out) if out is not None else work.path / "out"
    options = {"seed": seed, "threads": 1 if is_parallel() else None, **options}
    call(["run", "--quiet", f"--out={folder}", *settings(set), *options_of(options), "--", places.name], program=program, timeout=timeout,
         places=places)
    result = Run(folder, work if out is None else None)
    _warn_of_nothing(result, scenario)
    return result


def _warn_of_nothing(result: Run, scenario: Scenario) -> None:
    """Warns of a run whose means and percentiles are of no flow at all."""
    all_flows = result.summary["all"]
    if not all_flows["flows"] and all_flows.get("flows_started"):
        name = "the scenario" if isinstance(scenario, Mapping) else pathlib.Path(scenario).name
        waits = ", ".join(f"{count} for {what}" for what, count in all_flows.get("unfinished_waits", {}).items())
        warn(f"{name}: no flow finished; {all_flows['flows_started']} started" + (f", and waited at the end: {waits}" if waits else ""))
