"""Settings, collectives, calibrations and conversions: `anole tune`, `advise`, `collective`, `calibrate` and `convert`.

    >>> import anole
    >>> times = anole.collective({"kind": "star", "hosts": 4}, minbytes="1MB", maxbytes="2MB")
    >>> times["size_bytes"].tolist(), (times["busbw_GBps"] > 5).all()
    ([1000000, 2000000], True)
    >>> times.data["bottleneck"]["text"]
    'the link h0 -> s0 is busy 93 % of the time.'

Each result has `data`, the JSON of the command (docs/results.md), and tables. With out=FOLDER it is kept and can be read again.
"""
from __future__ import annotations

import json
import pathlib
import shutil
from typing import Any, ClassVar, Mapping, Optional, Sequence, Type, TypeVar, Union

from numpy.typing import NDArray

from ._guard import Work
from ._program import Path, Places, RunError, call, expand, is_parallel, options_of, settings
from .comparison import Figure
from .run import Folder, Scenario
from .table import Rows, Table

__all__ = ["Advice", "Answer", "Calibration", "Collective", "Conversion", "Tuning", "advise", "calibrate", "collective", "convert", "tune"]


class Answer(Folder):
    """What a command answered: a folder with COMMAND.json and the files that the command wrote. `answer[column]` is a column of the
    main table."""

    command: ClassVar[str] = ""
    main: ClassVar[str] = ""
    """Name of the main table."""
    files: ClassVar[Mapping[str, str]] = {}
    """Options that write files, and the names of these in the folder."""

    def __init__(self, folder: Path, work: Optional[Work] = None):
        super().__init__(folder, work)
        self.data: dict[str, Any] = self._json(f"{self.command}.json", f"anole {self.command}")

    @property
    def answer(self) -> dict[str, Optional[str]]:
        """The card that the command prints on a terminal: `finding`, `detail`, `cost`, `certainty`, `next`, .."""
        return self.data.get("answer") or {}

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables."""
        return tuple(sorted({*self._rows(), *super().tables}))

    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        """Returns tables that are in the JSON."""
        raise NotImplementedError

    def table(self, name: str) -> Table:
        """A table, by default in memory."""
        rows = self._rows()
        return Rows(name, rows[name]) if name in rows else super().table(name)

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.table(self.main)[column]

    def frame(self, name: Optional[str] = None) -> Any:
        """A table, or the main one, as a pandas frame; needs pandas."""
        return self.table(name or self.main).frame()

    def __repr__(self) -> str:
        return str(self.answer.get("finding") or f"{type(self).__name__}({str(self.folder)!r})")


A = TypeVar("A", bound=Answer)


def _target(kind: Type[A], out: Path) -> pathlib.Path:
    """Returns the folder to write to; refuses others' folders before any work is done."""
    folder = expand(out)
    is_other = folder.is_dir() and any(folder.iterdir()) and not (folder / f"{kind.command}.json").exists()
    if is_other or folder.exists() and not folder.is_dir():
        raise RunError(f"{folder}: is not the folder of anole {kind.command}; choose another name", file=str(folder))
    return folder


def _ask(kind: Type[A], words: Sequence[str], work: Work, out: Optional[Path], program: Optional[Path], timeout: Optional[float],
         places: Optional[Places] = None) -> A:
    """Runs a command, and returns its answer and files."""
    target = _target(kind, out) if out is not None else None
    folder = work.path / "out"
    folder.mkdir()
    files = [f"--{option}={folder / name}" for option, name in kind.files.items()]
    ended = call([kind.command, "--format=json", *files, *words], program=program, timeout=timeout, places=places)
    (folder / f"{kind.command}.json").write_text(ended.output, encoding="utf-8")
    if target is None:
        return kind(folder, work)
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.iterdir(), key=lambda path: path.suffix == ".json"):       # the JSON last: the folder is complete then
        shutil.copy2(path, target / path.name)
    return kind(target)


# ---- settings ----


class Tuning(Answer):
    """The result of `anole tune`. Tables: "changes", and "check" with each metric on the seeds of the check."""

    command, main = "tune", "changes"
    files = {"out": "setting.yaml", "history": "history.jsonl", "report": "report.html"}

    @property
    def verdict(self) -> str:
        """`better`, `unclear`, `worse`, `same` or `unchecked`."""
        return str(self.data["verdict"])

    @property
    def is_kept(self) -> bool:
        """Whether the found setting is the result; otherwise the scenario's own is."""
        return bool(self.data["is_kept"])

    @property
    def setting(self) -> pathlib.Path:
        """The resulting setting as a file: set={"tuner.kind": "fixed", "tuner.setting": result.setting}."""
        return self.folder / "setting.yaml"

    @property
    def knobs(self) -> dict[str, float]:
        """All knobs of the setting, in the units of docs/knobs.md."""
        return dict(self.data["knobs"])

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The start of the search and each step, as tuning.jsonl of a run."""
        with open(self.folder / "history.jsonl", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        check = self.data.get("check") or {}
        rows = [{"metric": metric["name"], "unit": metric["unit"], "variant": row["name"],
                 **{field: row.get(field) for field in Figure._fields}}
                for metric in check.get("metrics", []) for row in metric["variants"]]
        return {"changes": self.data["changes"], "check": rows}


def tune(scenario: Scenario, tuner: Optional[str] = None, *, set: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None,
         budget: Optional[int] = None, rounds: Optional[int] = None, check: Optional[int] = None, out: Optional[Path] = None,
         program: Optional[Path] = None, timeout: Optional[float] = None, **options: Any) -> Tuning:
    """Searches with a tuner in the loop, and checks the found setting on other seeds. Further options are those of `anole tune`."""
    work = Work()
    places = Places(scenario, work.path)
    options = {"tuner": tuner, "seed": seed, "budget": budget, "rounds": rounds, "check": check,
               "threads": 1 if is_parallel() else None, **options}
    return _ask(Tuning, [*settings(set), *options_of(options), "--", places.name], work, out, program, timeout, places)


class Advice(Answer):
    """The result of `anole advise`. Table "settings": each setting at each load; "changes": what the advice changes."""

    command, main = "advise", "settings"
    files = {"out": "setting.yaml", "report": "report.html"}

    @property
    def keeps_yours(self) -> bool:
        """Whether the advice is to change nothing."""
        return bool(self.data["keeps_yours"])

    @property
    def advised(self) -> str:
        """The name of the advised setting."""
        return str(self.data["advised"])

    @property
    def setting(self) -> pathlib.Path:
        """The advised setting as a file: set={"tuner.kind": "fixed", "tuner.setting": result.setting}."""
        return self.folder / "setting.yaml"

    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        return {"settings": [_flat({"name": setting["name"], **load}) for setting in self.data["settings"] for load in setting["loads"]],
                "changes": self.data["changes"]}


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Returns a row without rows inside.

    >>> _flat({"load": 1, "slowdown_mean": {"all": 1.5}})
    {'load': 1, 'slowdown_mean.all': 1.5}
    """
    flat: dict[str, Any] = {}
    for name, value in row.items():
        flat.update(_flat(value, f"{before}{name}.") if isinstance(value, Mapping) else {before + name: value})
    return flat


def advise(scenario: Optional[Scenario] = None, *, goal: Optional[str] = None, budget: Optional[int] = None,
           set: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None, jobs: Optional[int] = None, out: Optional[Path] = None,
           program: Optional[Path] = None, timeout: Optional[float] = None, **options: Any) -> Advice:
    """Recommends a setting, with evidence. Without a scenario: rate="200Gbps", rtt="12us", load="50%", sizes="WebSearch", or
    messages=FILE. Further options are those of `anole advise`."""
    work = Work()
    places = Places(scenario, work.path) if scenario is not None else None
    options = {"goal": goal, "budget": budget, "seed": seed, "jobs": 1 if jobs is None and is_parallel() else jobs, **options}
    named = ["--", places.name] if places else []
    return _ask(Advice, [*settings(set), *options_of(options), *named], work, out, program, timeout, places)


# ---- collectives ----


class Collective(Answer):
    """The result of `anole collective`. Table "sizes" has a row for each size; "time_line" the steps of the last one."""

    command, main = "collective", "sizes"
    files = {"report": "report.html", "save": "scenario.yaml"}

    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        return {"sizes": self.data["sizes"], "time_line": (self.data.get("time_line") or {}).get("rows", [])}


def collective(topology: Union[str, Mapping[str, Any]], collective: Optional[str] = None, *, minbytes: Union[str, int, None] = None,
               maxbytes: Union[str, int, None] = None, set: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None,
               out: Optional[Path] = None, program: Optional[Path] = None, timeout: Optional[float] = None, **options: Any) -> Collective:
    """Times a collective for a range of sizes. `topology` is a name, or a dictionary as in a scenario. Further options are those of
    `anole collective`."""
    work = Work()
    name = topology if isinstance(topology, str) else options_of({"x": dict(topology)})[0].removeprefix("--x=")
    options = {"collective": collective, "minbytes": minbytes, "maxbytes": maxbytes, "seed": seed, **options}
    return _ask(Collective, [*settings(set), *options_of(options), "--", name], work, out, program, timeout)


# ---- measurements and other simulators ----


class Calibration(Answer):
    """The result of `anole calibrate`. Table "fitted" has the parameters with 95 % intervals, "predicted" the other measurements."""

    command, main = "calibrate", "fitted"

    @property
    def set(self) -> dict[str, str]:
        """The fitted parameters, as run(set=...) takes them."""
        return {key: f"{row['value']:.15g}{row['unit']}" for row in self.data["fitted"] for key in row["keys"].split(",")}

    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        return {"fitted": self.data["fitted"], "predicted": self.data["predicted"]}


def calibrate(measurements: Path, scenario: Scenario, fit: Mapping[str, str], *, set: Optional[Mapping[str, Any]] = None,
              out: Optional[Path] = None, program: Optional[Path] = None, timeout: Optional[float] = None, **options: Any) -> Calibration:
    """Fits keys of a scenario to measurements: fit={"topology.delay": "100ns..5000ns"}. Further options are those of `anole calibrate`."""
    work = Work()
    places = Places(scenario, work.path)
    words = [*settings(set), *(f"--fit={key}={text}" for key, text in fit.items()), *options_of(options)]
    return _ask(Calibration, [*words, f"--scenario={places.name}", "--", str(expand(measurements))], work, out, program, timeout, places)


class Conversion(Folder):
    """The result of `anole convert`: a folder with files for another simulator, or with a scenario."""

    def __init__(self, folder: Path, data: Mapping[str, Any], work: Optional[Work] = None):
        super().__init__(folder, work)
        self.data = dict(data)
        self.files = tuple(pathlib.Path(name) for name in self.data["files"])

    @property
    def scenario(self) -> pathlib.Path:
        """The written scenario, for run()."""
        return self.folder / "scenario.yaml"

    def __repr__(self) -> str:
        return f"Conversion({str(self.folder)!r}, {', '.join(path.name for path in self.files)})"


def convert(files: Union[Scenario, Sequence[Path]], to: str = "scenario", *, set: Optional[Mapping[str, Any]] = None,
            seed: Optional[int] = None, out: Optional[Path] = None, program: Optional[Path] = None,
            timeout: Optional[float] = None) -> Conversion:
    """Converts files of other simulators to a scenario, or, with to="hpcc", a scenario to files of the HPCC ns-3 fork."""
    work = Work()
    if isinstance(files, Sequence) and not isinstance(files, str):
        places, names = None, [str(expand(name)) for name in files]
    else:
        places = Places(files, work.path)
        names = [places.name]
    folder = expand(out) if out is not None else work.path / "out"
    words = ["--format=json", f"--to={to}", f"--out={folder}", *settings(set), *options_of({"seed": seed})]
    ended = call(["convert", *words, "--", *names], program=program, timeout=timeout, places=places)
    return Conversion(folder, ended.json(), work if out is None else None)
