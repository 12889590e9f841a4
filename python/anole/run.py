"""Scenarios as dictionaries, and what runs leave behind.

    import anole
    result = anole.run({"topology": "dgx_h100_16", "traffic": [{"kind": "training", "collective": "ring_all_reduce", "size": "4MB",
                                                                "channels": 8, "iterations": 1}]})
    result.summary["all"]["flows"]

A scenario is what docs/scenario.md says, as a dictionary (or the name of a file); the program is `anole` of $ANOLE or of $PATH.
"""
from __future__ import annotations

import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import weakref
from typing import Any, Iterator, Mapping, Optional, Union

__all__ = ["Run", "RunError", "run", "read"]

Scenario = Union[Mapping[str, Any], str, os.PathLike]


class RunError(Exception):
    """The program refused a scenario, or failed; says what it said."""


def _number(text: str) -> Union[int, float, str]:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Run:
    """The folder of one run (`anole run --out`). Tables are read when they are asked for."""

    def __init__(self, folder: Union[str, os.PathLike]):
        self.folder = pathlib.Path(folder)
        try:
            self.summary: dict[str, Any] = json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise RunError(f"{self.folder} is not the folder of a run: it has no summary.json") from error

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The rows of NAME.csv ("flows", "intervals", "ports"), one by one, numbers as numbers."""
        with open(self.folder / f"{name}.csv", newline="", encoding="utf-8") as table:
            for row in csv.DictReader(table):
                yield {key: _number(value) for key, value in row.items()}

    def columns(self, name: str) -> dict[str, Any]:
        """The same by column, as numpy arrays."""
        import numpy

        rows = list(self.rows(name))
        return {key: numpy.array([row[key] for row in rows]) for key in (rows[0] if rows else {})}

    def frame(self, name: str) -> Any:
        """The same as a pandas frame; needs pandas."""
        import pandas

        return pandas.read_csv(self.folder / f"{name}.csv")


def read(folder: Union[str, os.PathLike]) -> Run:
    """The results that `anole run --out FOLDER` left."""
    return Run(folder)


def run(scenario: Scenario, *, set: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None, out: Union[str, os.PathLike, None] = None,
        program: Optional[str] = None) -> Run:
    """Runs a scenario. 'set' changes keys as --set does; 'out' keeps the folder, otherwise it goes with the result."""
    work = tempfile.mkdtemp(prefix="anole-")
    try:
        result = _run(scenario, pathlib.Path(work), set or {}, seed, out, program)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    weakref.finalize(result, shutil.rmtree, work, ignore_errors=True)        # it goes with the result
    return result


def _run(scenario: Scenario, work: pathlib.Path, set: Mapping[str, Any], seed: Optional[int], out: Union[str, os.PathLike, None],
         program: Optional[str]) -> Run:
    if isinstance(scenario, Mapping):
        path = work / "scenario.yaml"
        path.write_text(json.dumps(scenario), encoding="utf-8")      # JSON is YAML
    else:
        path = pathlib.Path(scenario)
    folder = pathlib.Path(out) if out is not None else work / "out"
    command = [program or os.environ.get("ANOLE", "anole"), "run", str(path), "--quiet", "--out", str(folder)]
    for key, value in set.items():
        command += ["--set", f"{key}={value}"]
    if seed is not None:
        command += ["--seed", str(seed)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise RunError(ended.stderr.strip())
    return Run(folder)
