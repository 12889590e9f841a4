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

import operator
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._guard import Work
from ._program import Path, Places, call, expand, is_parallel, options_of, settings, text_of
from .run import Folder, Scenario
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


class Comparison(Folder):
    """The results of `anole compare`. `comparison[metric][variant]` is a Figure."""

    def __init__(self, folder: Path, work: Optional[Work] = None):
        super().__init__(folder, work)
        self.data: dict[str, Any] = self._json("comparison.json", "a comparison")
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
        return self.table("runs")

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
        return self.table("comparison").frame()

    def __repr__(self) -> str:
        return "\n".join(self.verdicts.values())


def seeds_of(seeds: Union[int, Sequence[int]]) -> list[str]:
    """Returns a number of seeds, or a list of them, as an option."""
    if np.ndim(seeds):
        return ["--seed-list=" + ",".join(str(operator.index(seed)) for seed in seeds)]      # type: ignore[union-attr]
    return [f"--seeds={operator.index(seeds)}"]                  # type: ignore[arg-type]


def _variant(name: str, changes: Mapping[str, Any]) -> str:
    texts = {key: text_of(value, key) for key, value in changes.items()}
    for key, text in texts.items():
        if "," in text:
            raise ValueError(f"{name}: {key}: a value of a variant cannot have a comma: {text}")
    if ":" in name:
        raise ValueError(f"the name of a variant cannot have a colon: {name}")
    return f"--variant={name}" + (":" + ",".join(f"{key}={text}" for key, text in texts.items()) if texts else "")


def compare(scenario: Scenario, variants: Mapping[str, Mapping[str, Any]], *, seeds: Union[int, Sequence[int]] = 5,
            baseline: Optional[str] = None, set: Optional[Mapping[str, Any]] = None, out: Optional[Path] = None, jobs: Optional[int] = None,
            program: Optional[Path] = None, timeout: Optional[float] = None, launcher: Sequence[str] = (), **options: Any) -> Comparison:
    """Runs every variant of a scenario with every seed and compares.

    `variants` maps names to changes, with the keys of --set; an empty dictionary is the unchanged scenario. The first is the baseline
    unless another is named. `seeds` is a number or a list. `out` keeps the folder and a store next to it, so that the same call
    continues an interrupted comparison. Otherwise the folder is deleted with the result. `launcher` spreads the runs over hosts:
    ["mpirun", "-n", "64"] or ["srun"]. Further options are those of `anole compare`.
    """
    if not variants:
        raise ValueError("no variants to compare")
    work = Work()
    places = Places(scenario, work.path)
    folder = expand(out) if out is not None else work.path / "out"
    options = {"baseline": baseline, "jobs": 1 if jobs is None and is_parallel() else jobs, **options}
    named = [_variant(name, changes) for name, changes in variants.items()]
    call(["compare", "--quiet", f"--out={folder}", *settings(set), *named, *seeds_of(seeds), *options_of(options), "--", places.name],
         program=program, timeout=timeout, places=places, launcher=launcher)
    return Comparison(folder, work if out is None else None)
