"""Charts as in papers, with matplotlib: slowdown by flow size, cumulative distributions, series over time, and comparisons.

Each function draws into `ax`, or into new axes, and returns them. `runs` is one Run or a dictionary of runs by name, which becomes the
legend. The plotted numbers are also available without matplotlib: slowdown_bins() and cdf_points().

    import anole, anole.plots
    runs = {"default": anole.run("websearch"), "shallow": anole.run("websearch", set={"kmin": "40KB", "kmax": "160KB"})}
    anole.plots.slowdown_by_size(runs).figure.savefig("slowdown.pdf")
"""
from __future__ import annotations

from typing import Any, Mapping, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .comparison import Comparison
from .run import Run

__all__ = ["cdf", "cdf_points", "changes", "slowdown_bins", "slowdown_by_size", "time_series"]

Runs = Union[Run, Mapping[str, Run]]

# Columns of tables that can be drawn: their axis labels and divisors.
_AXES = {
    "slowdown": ("FCT slowdown", 1.0),
    "fct_ns": ("flow completion time (us)", 1e3),
    "bytes": ("flow size (bytes)", 1.0),
    "goodput_bps": ("goodput (Gb/s)", 1e9),
    "rtt_us_mean": ("mean RTT (us)", 1.0),
    "rtt_us_max": ("largest RTT (us)", 1.0),
    "queue_bytes": ("longest queue (KB)", 1e3),
    "queue_bytes_max": ("longest queue (KB)", 1e3),
    "paused_share": ("share of time paused", 1.0),
}


def _new_axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib (Debian: python3-matplotlib; pip install 'anole[plots]')") from None
    return pyplot.subplots(figsize=(5.0, 3.2), layout="constrained")[1]


def _named(runs: Runs) -> Mapping[str, Run]:
    return {"": runs} if isinstance(runs, Run) else runs


def _finish(ax: Any, runs: Mapping[str, Any], x: str, y: str) -> Any:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(True, linewidth=0.3)
    if set(runs) != {""}:
        ax.legend(frameon=False)
    return ax


def _axis(column: str) -> tuple[str, float]:
    return _AXES.get(column, (column.replace("_", " "), 1.0))


def slowdown_bins(run: Run, bins: int = 20, percentile: float = 99) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Sorts flows by size and cuts them into `bins` parts of equal count. Returns each part's largest size and slowdown percentile.

    Flows of one size are never separated: parts that end with the same size are merged.
    """
    if bins < 1:
        raise ValueError(f"{bins} bins; at least one is needed")
    flows = run.table("flows").arrays("bytes", "slowdown")
    done = ~np.isnan(flows["slowdown"].astype(float))
    size, slowdown = flows["bytes"][done].astype(np.int64), flows["slowdown"][done].astype(float)
    if not size.size:
        return np.empty(0, np.int64), np.empty(0)
    ends = np.sort(size)[np.unique(np.ceil(np.arange(1, bins + 1) * size.size / bins).astype(int)) - 1]
    ends = np.unique(ends)
    part = np.searchsorted(ends, size)
    return ends, np.array([np.percentile(slowdown[part == i], percentile) for i in range(ends.size)])


def cdf_points(values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the values in order, and for each the share of values that are no larger. Skips NaN.

    >>> x, share = cdf_points([3, 1, float("nan"), 2, 2])
    >>> x.tolist(), share.tolist()
    ([1.0, 2.0, 2.0, 3.0], [0.25, 0.5, 0.75, 1.0])
    """
    x = np.asarray(values, dtype=float).ravel()
    x = np.sort(x[~np.isnan(x)])
    return x, np.arange(1, x.size + 1) / max(x.size, 1)


def slowdown_by_size(runs: Runs, *, bins: int = 20, percentile: float = 99, ax: Any = None) -> Any:
    """FCT slowdown by flow size. Each point has the same number of flows, so the axis shows their distribution."""
    ax = _new_axes(ax)
    named = _named(runs)
    for name, run in named.items():
        size, slowdown = slowdown_bins(run, bins, percentile)
        ax.plot(size, slowdown, marker="o", markersize=3, linewidth=1, label=name)
    ax.set_xscale("log")
    ax.set_yscale("log")
    return _finish(ax, named, "flow size (bytes)", f"p{percentile:g} FCT slowdown")


def cdf(runs: Runs, column: str = "fct_ns", *, table: str = "flows", ax: Any = None) -> Any:
    """Cumulative distribution of a column (default: flow completion times)."""
    ax = _new_axes(ax)
    named = _named(runs)
    label, unit = _axis(column)
    for name, run in named.items():
        x, share = cdf_points(run.table(table)[column])
        ax.step(x / unit, share, where="post", linewidth=1, label=name)
    ax.set_ylim(0, 1)
    if column in ("fct_ns", "slowdown", "bytes"):
        ax.set_xscale("log")
    return _finish(ax, named, label, "share of flows" if table == "flows" else "share")


def time_series(runs: Runs, column: str = "goodput_bps", *, ax: Any = None) -> Any:
    """A column of the intervals over simulated time, with the length of each interval."""
    ax = _new_axes(ax)
    named = _named(runs)
    label, unit = _axis(column)
    for name, run in named.items():
        series = run.table("intervals").arrays("start_us", "end_us", column)
        if series["end_us"].size:
            edges = np.append(series["start_us"], series["end_us"][-1])
            ax.stairs(series[column].astype(float) / unit, edges / 1e3, baseline=None, linewidth=1, label=name)
    return _finish(ax, named, "time (ms)", label)


def changes(comparison: Comparison, metric: str = "slowdown_p99", *, ax: Any = None) -> Any:
    """Change of a metric of each variant against the baseline, in percent, with 95 % intervals. Gray: not significant."""
    ax = _new_axes(ax)
    figures = {name: figure for name, figure in comparison[metric].items() if name != comparison.baseline and figure.change is not None}
    for at, figure in enumerate(figures.values()):
        change = figure.change or 0.0
        low = change - (change if figure.change_low is None else figure.change_low)          # one seed has no interval
        high = (change if figure.change_high is None else figure.change_high) - change
        colour = "grey" if not figure.is_significant else "tab:green" if figure.is_better else "tab:red"
        ax.errorbar(100 * change, at, xerr=[[100 * max(low, 0)], [100 * max(high, 0)]], fmt="o", color=colour, capsize=3)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(range(len(figures)), list(figures))
    ax.set_ylim(-0.5, max(len(figures), 1) - 0.5)
    return _finish(ax, {"": None}, f"{comparison.label(metric)}: change to {comparison.baseline} (%)", "")
