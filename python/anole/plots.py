"""Charts as in papers, with matplotlib: slowdown by flow size, cumulative distributions, series over time, and comparisons.

Each function draws into `ax`, or into new axes, and returns them. `runs` is one Run or a dictionary of runs by name, which becomes the
legend. The plotted numbers are also available without matplotlib: slowdown_bins() and cdf_points().

    import anole, anole.plots
    runs = {"default": anole.run("websearch"), "shallow": anole.run("websearch", set={"kmin": "40KB", "kmax": "160KB"})}
    anole.plots.slowdown_by_size(runs).figure.savefig("slowdown.pdf")

draw() makes files of what a folder of results has to show, without a program of your own:

    python3 -m anole.plots out/kmin --as png    # out/kmin/plots/slowdown.png, fct.png, time.png; of a sweep pareto.png
"""
from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any, Callable, Iterable, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._program import Path, RunError
from .comparison import Comparison
from .run import Folder, Run

__all__ = ["cdf", "cdf_points", "changes", "draw", "slowdown_bins", "slowdown_by_size", "time_series"]

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


# ---- files of all that a folder has to show, from its charts.json ----

# Columns over time, their labels and divisors.
_OVER_TIME = {"goodput_bps": ("goodput (Gb/s)", 1e9), "rtt_us_mean": ("RTT, mean (us)", 1.0), "queue_bytes_max": ("longest queue (KB)", 1e3)}


def _floats(values: Iterable[Any]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _curves(runs: list[Any], curve: Callable[[Any], Optional[tuple[Any, Any]]]) -> list[tuple[str, Any, Any]]:
    found = [(run.get("name") or "run", curve(run)) for run in runs]
    return [(name, *points) for name, points in found if points is not None]


def _sizes(run: Any, percentile: str) -> Optional[tuple[Any, Any]]:
    """A row per range of sizes: at the mean size of its flows, or the middle of the range."""
    rows = run.get("sizes") or []
    low, end, mean = (_floats(row.get(key) for row in rows) for key in ("bytes_min", "bytes_end", "bytes_mean"))
    middle = np.where(np.isfinite(end), np.where(low < 1, end / 2, np.sqrt(low * np.nan_to_num(end))), 2 * low)
    return (np.where(np.isfinite(mean), mean, middle), _floats(row.get(percentile) for row in rows)) if rows else None


def _draw_slowdown(page: Any, figure: Any) -> bool:
    runs = page["runs"]
    names = {"p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9"} if len(runs) == 1 else {"p99": "p99"}
    curves = [(names[key] if len(runs) == 1 else name, x, y) for key in names for name, x, y in _curves(runs, lambda run: _sizes(run, key))]
    ax = figure.subplots()
    for name, x, y in curves:
        ax.plot(x, y, marker="o", markersize=3, linewidth=1, label=name)
    ax.set_xscale("log")
    ax.set_yscale("log")
    seeds = len(runs[0].get("seeds", []))
    ax.set_title(("FCT slowdown" if len(runs) == 1 else "p99 FCT slowdown") + " by flow size" + (f", mean of {seeds} seeds' percentiles" if seeds > 1 else ""))
    _finish(ax, dict.fromkeys(name for name, _, _ in curves), "flow size (bytes)", "slowdown: FCT / FCT of the same flow alone")
    return bool(curves)


def _draw_fct(page: Any, figure: Any) -> bool:
    runs = page["runs"]
    found = [(run, one) for run in runs for one in run.get("cdfs") or [] if one["quantity"] == "FCT"]
    ax = figure.subplots()
    if len(runs) == 1:
        curves = [(one["label"].removeprefix("FCT, "), one) for _, one in found]
    else:
        curves = [(run.get("name") or "run", one) for run, one in found if one["label"] == "FCT, all flows"]
    for name, one in curves:
        ax.step(_floats(one["x"]), _floats(one["p"]), where="post", linewidth=1, label=name)
    ax.set_xscale("log")
    ax.set_ylim(0, 1)
    ax.set_title("Flow completion times")
    _finish(ax, dict(curves), "FCT (us)", "cumulative share of flows")
    return bool(curves)


def _draw_time(page: Any, figure: Any) -> bool:
    runs = page["runs"]

    def values(run: Any, column: str) -> Optional[tuple[Any, Any]]:
        series = run.get("series") or {}
        return next(((_floats(series["at_us"]) / 1e3, _floats(one["values"])) for one in series.get("columns", [])
                     if one["name"] == column and one["values"]), None)

    if values(runs[0], "goodput_bps") is None:
        return False
    figure.set_size_inches(7.2, 6.5)
    axes = figure.subplots(len(_OVER_TIME), sharex=True)
    for ax, (column, (label, unit)) in zip(axes, _OVER_TIME.items()):
        for name, x, y in _curves(runs, lambda run: values(run, column)):
            ax.plot(x, y / unit, linewidth=1, label=name)
        for window in runs[0].get("windows") or []:
            ax.axvspan(window["start_us"] / 1e3, window["stop_us"] / 1e3, color="0.9")
        ax.set_ylim(bottom=0)
        _finish(ax, {"": None} if len(runs) == 1 or ax is not axes[-1] else dict.fromkeys(run.get("name") for run in runs), "time (ms)" if ax is axes[-1] else "", label)
    axes[0].set_title("Over time" if len(runs) == 1 else "Over time, first seed")
    return True


def _front(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[int]:
    """Where nothing else is lower in both, in the order of x."""
    front: list[int] = []
    for i in np.lexsort((y, x)):
        if np.isfinite(x[i]) and np.isfinite(y[i]) and (not front or y[i] < y[front[-1]]):
            front.append(int(i))
    return front


def _draw_pareto(page: Any, figure: Any) -> bool:
    """The metric by which settings are ranked, against one that conflicts with it, or any other."""
    sweep = page.get("sweep") or {}
    judged = [(i, one) for i, one in enumerate(sweep.get("figures", [])) if one["better"] != "neither"]
    ranked = next(((i, one) for i, one in judged if one["name"] == sweep.get("best")), None)
    others = [pair for pair in judged if pair != ranked]
    if ranked is None or not others:
        return False
    against = next((pair for pair in others if pair[1]["better"] != ranked[1]["better"]), others[0])
    ax = figure.subplots()
    x, y = (_floats((point["figures"][i][0] if isinstance(point["figures"][i], list) else point["figures"][i]) for point in sweep["points"])
            for i, _ in (ranked, against))
    signs = [-1 if one["better"] == "higher" else 1 for _, one in (ranked, against)]
    front = _front(signs[0] * x, signs[1] * y)
    ax.plot(x, y, "o", color="0.6", markersize=3)
    ax.plot(x[front], y[front], marker="o", markersize=4, linewidth=1, label="Pareto front: no other setting is better in both")
    ax.set_title("All settings of the sweep" + (", means over seeds" if len(page["runs"][0].get("seeds", [])) > 1 else ""))
    labels = [one["label"] + (f" ({one['unit']})" if one["unit"] else "") for _, one in (ranked, against)]
    _finish(ax, {"front": None}, *labels)
    return True


_CHARTS: Mapping[str, Callable[[Any, Any], bool]] = {"slowdown": _draw_slowdown, "fct": _draw_fct, "time": _draw_time, "pareto": _draw_pareto}


def _source(page: Any) -> str:
    seeds = page["runs"][0].get("seeds", []) if page["runs"] else []
    text = f", seed {seeds[0]}" if len(seeds) == 1 else f", {len(seeds)} seeds, {seeds[0]} to {seeds[-1]}" if seeds else ""
    return f"{page['title'].rpartition('/')[2]}{text}, anole {page['version']}"


def draw(folder: Path, *, form: str = "svg", chart: Optional[str] = None, out: Optional[Path] = None) -> list[pathlib.Path]:
    """Draws all charts (or one) of the results of a run, a comparison or a sweep into files: FOLDER/plots/slowdown.svg, ...

    The same results give the same bytes with the same matplotlib.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("plots need matplotlib (Debian: python3-matplotlib; pip install 'anole[plots]')") from None
    results = Folder(folder)
    page = results._json("charts.json", "a run, a comparison or a sweep")
    if not isinstance(page, dict) or not isinstance(page.get("runs"), list):
        raise RunError(f"{results.folder / 'charts.json'}: not what anole run, compare or sweep --out writes")
    into = results.folder / "plots" if out is None else pathlib.Path(out)
    files = []
    with rc_context({"svg.hashsalt": "anole", "svg.fonttype": "none"}):
        for name, paint in _CHARTS.items():
            figure = Figure(figsize=(7.2, 4.3), layout="constrained")
            if chart not in (None, name) or not page["runs"] or not paint(page, figure):
                continue
            figure.supxlabel(_source(page), fontsize=7, x=0.99, ha="right")
            into.mkdir(parents=True, exist_ok=True)
            files.append(into / f"{name}.{form}")
            figure.savefig(files[-1], metadata={"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {}))
    if not files:
        raise RunError(f"{results.folder}: these results have no data for " + ("charts" if chart is None else f"the chart {chart}"))
    return files


def main() -> int:
    """The command: python3 -m anole.plots"""
    parser = argparse.ArgumentParser(prog="python3 -m anole.plots", description="Draws charts of results as files.")
    parser.add_argument("folder", help="what anole run, compare or sweep --out has written")
    parser.add_argument("-a", "--as", dest="form", choices=("svg", "png", "pdf"), default="svg")
    parser.add_argument("-c", "--chart", choices=tuple(_CHARTS), help="this one alone")
    parser.add_argument("-o", "--out", help="where to write the files (default: FOLDER/plots)")
    options = parser.parse_args()
    try:
        files = draw(options.folder, form=options.form, chart=options.chart, out=options.out)
    except (ImportError, OSError, RunError) as error:
        print(f"anole.plots: {error}", file=sys.stderr)
        return 1
    print(*files, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
