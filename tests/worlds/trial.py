"""tests/worlds/trial.py - runs the program on a world and reads what it wrote."""
import csv
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
REPORTS = re.compile(r"Sanitizer|runtime error:|Assertion|assertion|Segmentation")
POINTED = re.compile(r"^anole: \S.*")


class Wrong(Exception):
    """A judge found what must not be. 'what' begins with a few words that stay the same while a world shrinks."""


class Refused(Exception):
    """The program refused a world with a pointed error."""


class Beside(Exception):
    """The world is not one that this judge is about."""


def check(is_right, text):
    if not is_right:
        raise Wrong(text)


def program(fast=False):
    path = (fast and os.environ.get("FIDELITY_ANOLE")) or os.environ.get("ANOLE") or "build/fast/anole"
    return str((TOP / path).resolve())


@functools.cache
def listed(what):
    """What `anole list WHAT` prints."""
    return json.loads(subprocess.run([program(), "list", what, "--format", "json"], capture_output=True, check=True).stdout)


def is_pointed(text):
    """Whether the last line of stderr says what is wrong, and nothing else does."""
    lines = [line for line in text.strip().splitlines() if not line.startswith("anole: warning:")]
    return len(lines) == 1 and POINTED.match(lines[0]) and not REPORTS.search(text)


def to_ps(ns):
    """Nanoseconds with three decimals, as picoseconds."""
    whole, _, rest = ns.partition(".")
    return int(whole) * 1000 + int((rest + "000")[:3])


class Results:
    """The folder of a run."""

    def __init__(self, folder, err=""):
        self.folder, self.err = folder, err

    def rows(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    @functools.cached_property
    def flows(self):
        rows = self.rows("flows.csv")
        for row in rows:
            row["bytes"], row["prio"] = int(row["bytes"]), int(row["prio"])
            row["start"], row["fct"], row["ideal"] = (to_ps(row[f"{key}_ns"]) for key in ("start", "fct", "ideal"))
        return rows

    @functools.cached_property
    def intervals(self):
        return [{key: float(value) if re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", value) else None for key, value in row.items()}
                for row in self.rows("intervals.csv")]

    @functools.cached_property
    def ports(self):
        return [{key: value if key in ("node", "peer") else float(value) for key, value in row.items()}
                for row in self.rows("ports.csv")]

    @functools.cached_property
    def summary(self):
        return json.loads((self.folder / "summary.json").read_text())

    def text(self, name):
        return (self.folder / name).read_bytes()


class Trial:
    """A world in a folder, and the runs that judges ask for. Runs of the same command happen once."""

    def __init__(self, world, folder, seconds=60):
        self.world, self.folder, self.seconds, self.done, self.commands = world, folder, seconds, {}, []
        world.write(folder)

    def execute(self, *arguments, fast=False, seconds=None, keep_going=False):
        """Runs the program in the folder. Returns the process that ended; hangs and crashes are wrong at once."""
        command = [program(fast), *map(str, arguments)]
        self.commands.append(shlex.join(["anole", *command[1:]]))
        started = time.monotonic()
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=seconds or self.seconds, check=False,
                                  text=True, errors="replace", stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise Wrong(f"hang: no end after {seconds or self.seconds:g} s: {self.commands[-1]}") from None
        done.seconds = time.monotonic() - started
        if done.returncode < 0 or REPORTS.search(done.stderr):
            raise Wrong(f"crash: exit code {done.returncode}: {self.commands[-1]}\n{done.stderr[:3000]}")
        if done.returncode and not keep_going:
            self.must_point(done)
            raise Refused(done.stderr.strip())
        return done

    def must_point(self, done):
        check(is_pointed(done.stderr), f"unpointed: no single line says what is wrong: {self.commands[-1]}\n{done.stderr[:2000]}")

    def run(self, *options, world=None, name=None, fast=False, seconds=None):
        """Simulates the world, or another one, and returns its Results."""
        key = (name or "world", options, fast)
        if key not in self.done:
            folder = self.folder / f"out{len(self.done)}"
            where = world.write(self.folder / (name or "world")) if world else self.folder / "world.yaml"
            try:
                done = self.execute("run", where.relative_to(self.folder), "--quiet", "--out", folder, *options, fast=fast,
                                    seconds=seconds)
                self.done[key] = Results(folder, done.stderr)
                self.done[key].seconds = done.seconds
            except (Wrong, Refused) as why:
                self.done[key] = why
            self.must_be_whole(folder)
        if isinstance(self.done[key], Exception):
            raise self.done[key]
        return self.done[key]

    def must_be_whole(self, folder):
        """A folder of results has all its files, or does not exist."""
        parts = [path.name for path in folder.parent.glob(".anole-*")]
        check(not parts, f"half: {parts} left by {self.commands[-1]}")
        files = json.loads((folder / "manifest.json").read_text())["files"] if folder.exists() else []
        missing = [name for name in files if not (folder / name).exists()]
        check(not missing, f"half: {missing} missing after {self.commands[-1]}")

    def base(self):
        """The world as it is, packet by packet."""
        return self.run(*(["--set", "fidelity=packet"] if "fidelity" in self.world.scenario else []))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)
