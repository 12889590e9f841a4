"""Tries many settings of a scenario and ranks them, like `anole sweep`.

    >>> import anole
    >>> star = {"topology": {"kind": "star", "hosts": 5}, "traffic": [{"kind": "incast", "senders": 4, "size": "100KB"}]}
    >>> result = anole.sweep(star, vary={"kmin": ["20KB", "90KB"]}, seeds=2)
    >>> len(result), sorted(result.settings[0])
    (2, ['kmin'])
    >>> result["slowdown_p99"].tolist() == sorted(result["slowdown_p99"])
    True
"""
from __future__ import annotations

import re
from typing import Any, Mapping, Optional, Sequence, Union

from numpy.typing import NDArray

from ._guard import Work
from ._program import Path, Places, call, expand, is_parallel, options_of, settings, text_of
from .comparison import Comparison, seeds_of
from .run import Folder, Scenario

__all__ = ["Sweep", "sweep"]


class Sweep(Folder):
    """The results of `anole sweep`: one row per setting, the best first. `sweep[column]` is a column of sweep.csv as a numpy array."""

    def __init__(self, folder: Path, work: Optional[Work] = None):
        super().__init__(folder, work)
        self._points: dict[str, Any] = self._json("charts.json", "a sweep").get("sweep") or {}
        self.comparison = Comparison(folder, work)
        """The best settings against the scenario's own."""
        self.answer: dict[str, Optional[str]] = self.comparison.data["answer"]

    @property
    def ranked_by(self) -> str:
        """The metric that settings are ranked by."""
        return str(self._points["best"])

    @property
    def settings(self) -> list[dict[str, Any]]:
        """The changed keys of each setting, the best first, as run(set=...) takes them."""
        keys = [str(key["name"]) for key in self._points["keys"]]
        return [_changes(point["name"], keys) for point in self._points["points"]]

    @property
    def own(self) -> dict[str, float]:
        """Main metrics of the scenario's own setting."""
        return dict(zip((figure["name"] for figure in self._points["figures"]), self._points["own"]["figures"]))

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.table("sweep")[column]

    def __len__(self) -> int:
        return len(self._points["points"])

    def frame(self) -> Any:
        """Returns all settings with all metrics as a pandas frame; needs pandas."""
        return self.table("sweep").frame()

    def __repr__(self) -> str:
        return str(self.answer["finding"])


def _changes(name: str, keys: Sequence[str]) -> dict[str, str]:
    """Returns the changes that a setting is named after.

    >>> _changes("kmin=90KB traffic.0.name=a b=c", ["kmin", "traffic.0.name"])
    {'kmin': '90KB', 'traffic.0.name': 'a b=c'}
    """
    words = re.split("(?:^| )(" + "|".join(map(re.escape, keys)) + ")=", name)
    return dict(zip(words[1::2], words[2::2]))


def sweep(scenario: Scenario, ranges: Optional[Mapping[str, str]] = None, *, vary: Optional[Mapping[str, Sequence[Any]]] = None,
          samples: Optional[int] = None, seeds: Union[int, Sequence[int]] = 3, best: Optional[str] = None, method: Optional[str] = None,
          set: Optional[Mapping[str, Any]] = None, out: Optional[Path] = None, jobs: Optional[int] = None, program: Optional[Path] = None,
          timeout: Optional[float] = None, launcher: Sequence[str] = (), **options: Any) -> Sweep:
    """Runs a scenario with many settings.

    `ranges` maps keys to ranges: {"kmin": "50KB..1600KB:log"}; `samples` settings are drawn from all ranges. `vary` maps keys to
    values: each of them with everything else. `best` is the metric to rank by. `out`, `jobs`, `launcher`: as for
    compare(). Further options are those of `anole sweep`.
    """
    work = Work()
    places = Places(scenario, work.path)
    folder = expand(out) if out is not None else work.path / "out"
    tried = [f"--range={key}={text}" for key, text in (ranges or {}).items()]
    tried += [f"--vary={key}=" + ",".join(text_of(value, key) for value in values) for key, values in (vary or {}).items()]
    options = {"samples": samples, "best": best, "method": method, "jobs": 1 if jobs is None and is_parallel() else jobs, **options}
    call(["sweep", "--quiet", f"--out={folder}", *settings(set), *tried, *seeds_of(seeds), *options_of(options), "--", places.name],
         program=program, timeout=timeout, places=places, launcher=launcher)
    return Sweep(folder, work if out is None else None)
