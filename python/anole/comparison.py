"""Compares variants of a scenario like `anole compare`: the same flows for all, several seeds, intervals of differences.

    >>> import anole
    >>> star = {"topology": {"kind": "star", "hosts": 5}, "traffic": [{"kind": "incast", "senders": 4, "size": "1MB"}]}
    >>> result = anole.compare(star, {"deep": {}, "shallow": {"kmin": "20KB", "kmax": "80KB"}}, seeds=3)
    >>> result.variants
    ('deep', 'shallow')
    >>> queue = result["queue_bytes_max"]
    >>> queue["shallow"].mean < queue["deep"].mean, queue["shallow"].is_better
    (True, True)
"""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import tempfile
import weakref
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from .run import Scenario, call, scenario_file
from .table import Table

__all__ = ["Comparison", "Figure", "compare"]


class Figure(NamedTuple):
    """One metric of one variant: means over seeds with 95 % intervals. Changes are shares of the baseline's mean (-0.1: 10 % less)."""

    mean: Optional[float]
    low: Optional[float]
    high: Optional[float]
    change: Optional[float]
    change_low: Optional[float]
    change_high: Optional[float]
    is_significant: bool
    """The change is statistically significant."""
    is_better: bool
    """The change is significant and an improvement."""


class Comparison:
    """The results of `anole compare`. `comparison[metric][variant]` is a Figure."""

    def __init__(self, folder: Union[str, "os.PathLike[str]"]):
        self.folder = pathlib.Path(folder)
        self.data: dict[str, Any] = json.loads((self.folder / "comparison.json").read_text(encoding="utf-8"))
        self.baseline: str = self.data["baseline"]
        self.verdicts: dict[str, str] = {verdict["name"]: verdict["text"] for verdict in self.data["verdicts"]}
        self._metrics: dict[str, dict[str, Any]] = {metric["name"]: metric for metric in self.data["metrics"]}

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of the variants, in the given order."""
        return tuple(self.verdicts)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self._metrics)

    @property
    def runs(self) -> Table:
        """Every run: variant, seed and metrics."""
        return Table(self.folder / "runs.csv")

    def label(self, metric: str) -> str:
        """Returns the label of a metric, with its unit."""
        found = self._find(metric)
        return f"{found['label']} ({found['unit']})" if found["unit"] else str(found["label"])

    def _find(self, metric: str) -> dict[str, Any]:
        try:
            return self._metrics[metric]
        except KeyError:
            raise KeyError(f"there is no figure {metric!r}; there are {', '.join(self.metrics)}") from None

    def __getitem__(self, metric: str) -> dict[str, Figure]:
        return {row["name"]: Figure(*(row.get(field) for field in Figure._fields)) for row in self._find(metric)["variants"]}

    def frame(self) -> Any:
        """Returns all metrics of all variants as a pandas frame; needs pandas."""
        return Table(self.folder / "comparison.csv").frame()

    def __repr__(self) -> str:
        return "\n".join(self.verdicts.values())


def compare(scenario: Scenario, variants: Mapping[str, Mapping[str, Any]], *, seeds: Union[int, Sequence[int]] = 5,
            baseline: Optional[str] = None, set: Optional[Mapping[str, Any]] = None, out: Union[str, "os.PathLike[str]", None] = None,
            jobs: Optional[int] = None, program: Optional[str] = None) -> Comparison:
    """Runs every variant of a scenario with every seed and compares.

    `variants` maps names to changes, with the keys of --set; an empty dictionary is the unchanged scenario. The first is the baseline
    unless another is named. `seeds` is a number or a list. `out` keeps the folder and a store next to it, so that the same call
    continues an interrupted comparison. Otherwise the folder is deleted with the result.
    """
    if not variants:
        raise ValueError("no variants to compare")
    work = tempfile.mkdtemp(prefix="anole-")
    try:
        folder = pathlib.Path(out) if out is not None else pathlib.Path(work, "out")
        options = [f"--set={key}={value}" for key, value in (set or {}).items()]
        for name, changes in variants.items():
            options.append(f"--variant={name}" + (":" + ",".join(f"{key}={value}" for key, value in changes.items()) if changes else ""))
        options.append(f"--seeds={seeds}" if isinstance(seeds, int) else "--seed-list=" + ",".join(map(str, seeds)))
        if baseline is not None:
            options.append(f"--baseline={baseline}")
        if jobs is not None:
            options.append(f"--jobs={jobs}")
        call(["compare", "--quiet", "--out", str(folder), *options, "--", scenario_file(scenario, pathlib.Path(work))], program)
        result = Comparison(folder)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    weakref.finalize(result, shutil.rmtree, work, ignore_errors=True)        # deleted with the result
    return result
