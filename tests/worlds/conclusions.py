"""tests/worlds/conclusions.py - what run, compare, sweep and advise conclude: intervals, sentences, verdicts, the next command."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess

from judges import judge, need
from trial import TOP, Refused, check, program, to_ps
from world import plain, ps

UNITS = {"ns": ("time", 1e-9), "us": ("time", 1e-6), "ms": ("time", 1e-3), "s": ("time", 1), "seconds": ("time", 1), "ps": ("time", 1e-12),
         "b/s": ("rate", 1), "Kb/s": ("rate", 1e3), "Mb/s": ("rate", 1e6), "Gb/s": ("rate", 1e9), "Tb/s": ("rate", 1e12), "bps": ("rate", 1),
         "B": ("bytes", 1), "KB": ("bytes", 1e3), "MB": ("bytes", 1e6), "GB": ("bytes", 1e9), "bytes": ("bytes", 1), "%": ("share", 0.01),
         "share": ("share", 1), "change": ("share", 1), "low": ("share", 1), "high": ("share", 1)}
NUMBER = re.compile(r"(?<![\w.<>=])([-+]?\d[\d,]*(?:\.\d+)?)(?: ?(ns|us|ms|s|b/s|Kb/s|Mb/s|Gb/s|Tb/s|B|KB|MB|GB|%)(?![\w/]))?(?![\w.]*\w)")

# Numbers that belong to a sentence, not to its results.
USUAL = {("share", 0.95), ("share", 0.01), ("share", 0.02), ("share", 0.05), ("rate", 25e9), ("bytes", 120e3), ("bytes", 1e6)}


def leaves(value, unit=None, key=""):
    """All numbers of a JSON value as (kind of unit, value)."""
    if isinstance(value, dict):
        unit = value["unit"] if isinstance(value.get("unit"), str) else unit
        for name, one in value.items():
            yield from leaves(one, "change" if name.startswith("change") else "us" if key.endswith("_us") else unit, name)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one, unit, key)
    elif isinstance(value, str) and value.isdigit():              # seeds: numbers of JSON lose digits
        yield None, int(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        words = re.split("[_.]", key)
        name = unit or next((word for word in reversed(words) if word in UNITS), None)
        kind, factor = UNITS.get(name, (None, 1))
        yield kind, value * factor


def said(text):
    """Numbers of a sentence: as written, kind of unit, value, half of the last digit. The text of scenario and settings is left out."""
    text = re.sub(r"([-+]?[\d.,]*\d) (to|and|or) (?=[-+]?[\d.,]+ (%|us|ms|s|Gb/s|Mb/s|KB|MB|B)\b|[-+]?[\d.,]+ (%))", lambda m: f"{m[1]} {m[3] or m[4]} {m[2]} ", text)
    for match in NUMBER.finditer(text):
        digits, unit = match[1].replace(",", ""), match[2]
        kind, factor = UNITS.get(unit, (None, 1))
        places = len(digits.partition(".")[2])
        yield match[0], kind, float(digits) * factor, 0.5000001 * 10**-places * factor


def must_be_said_of(t, answer, known):
    """Every number of the finding, the detail, the cost and the certainty is one of the results, rounded."""
    known = list(known)
    names = [entry["name"] for entry in t.world.traffic() if "name" in entry] + [f"{entry['kind']} {i}" for entry in t.world.traffic() for i in range(1, 9)]
    for part in ("finding", "detail", "cost", "certainty"):
        sentence = re.sub(r"[^.]*(?:\.\d[^.]*)*\(docs/hardware\.md\)\.", "", answer.get(part) or "")          # of real devices
        for name in names:
            sentence = sentence.replace(name, "NAME")
        for written, kind, value, half in said(sentence):
            if (kind, round(value, 12)) in USUAL:
                continue
            found = any(abs(abs(value) - abs(x)) <= max(half, abs(x) * 5e-3) for k, x in known if kind is None or k in (kind, None))
            check(found, f"said: {part} says '{written}', which is not in the JSON: {answer[part]}")


def command_json(t, *arguments):
    return json.loads(t.execute(*arguments, "--format", "json", seconds=4 * t.seconds).stdout)


@judge("run: the next command that it prints runs in any folder", "conclusions", 4)
def next_anywhere(t):
    printed = t.execute("run", "world.yaml", *packets_only(t)).stdout
    found = re.search(r"^  Next +.*\n((?: {13}.*\n)+)", printed, re.M)
    need(found)
    lines = [line.strip() for line in found[1].splitlines()]
    first = next(i for i, line in enumerate(lines) if line.startswith("anole "))
    elsewhere = t.folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    must_run(t, {"command": " ".join(lines[first:])}, elsewhere)


def packets_only(t):
    return ["--set", "fidelity=packet"] if "fidelity" in t.world.scenario else []


@judge("run: the numbers of its sentences are those of its results; its next command runs", "conclusions", 4)
def run_says(t):
    for settings in (packets_only(t), *([["--set", "fidelity=fast"]] if t.world.model() == "nic" else [])):
        result = command_json(t, "run", "world.yaml", *settings)
        must_be_said_of(t, result["answer"], [*leaves({key: value for key, value in result.items() if key != "answer"}),
                                              *((None, n) for n in range(len(result.get("outages", []))))])
        must_run(t, result["answer"])


@judge("run: time axes and averages cover the traffic, from its first start to its last end", "conclusions")
def span(t):
    need(not any(entry.get("influx") for entry in t.world.traffic()))
    r = t.base()
    starts = [row["start"] for row in r.flows] + [to_ps(row["start_ns"]) for row in (r.rows("unfinished.csv") if (r.folder / "unfinished.csv").exists() else [])]
    need(starts and r.intervals and r.ports and not {"interval", "tuner", "monitor"} & set(t.world.scenario))
    first, point = min(starts) / 1e6, r.intervals[0]
    least = min(first if entry["kind"] == "flows" else ps(entry.get("start", 0)) / 1e6 for entry in t.world.traffic())
    check(point["start_us"] <= first and min(first, least) <= point["end_us"],
          f"axis: the traffic starts at {least} us, its first flow at {first} us, the first point is {point['start_us']} .. {point['end_us']} us")
    covered = r.summary["simulated_us"] - first
    need(covered > 0)
    share = sum(row["paused_us"] for row in r.ports) / len(r.ports) / covered
    said_share = r.summary["pfc"]["paused_share"]
    check(abs(said_share - share) <= 1e-6 + 1e-3 * share, f"average: paused for {said_share} of the time, ports say {share} of the {covered} us of traffic")


@judge("run: what it says of other seeds holds", "conclusions", 2)
def other_seeds(t):
    need("tuner" not in t.world.scenario and "fidelity" not in t.world.scenario)
    r = t.base()
    need(not r.summary["is_random"])
    other = t.run("--set", f"seed={t.world.get('seed', 1) + 17}")
    for name in ("flows.csv", "ports.csv", "intervals.csv"):
        check(r.text(name) == other.text(name), f"seeds: 'nothing was drawn', but {name} differs with another seed")


@judge("run: each link that failed is named, with what it lost and the flows under way then", "conclusions")
def outages(t):
    r = t.base()
    said = r.summary.get("outages", [])
    need(said)
    lost = {(row["a"], row["b"], row["link_lost_packets"]) for row in said}
    check(sum(packets for _, _, packets in lost) <= r.summary["packets"]["dropped_down"], f"lost: {said}, in all {r.summary['packets']['dropped_down']}")
    for row in said:
        under_way = [flow for flow in r.flows if flow["start"] <= row["start_us"] * 1e6 + 0.5 and flow["start"] + flow["fct"] > row["start_us"] * 1e6 + 0.5]
        hit = [flow for flow in under_way if int(flow["resent_bytes"])]
        check((row["flows_hit"], row["flows_spared"]) == (len(hit), len(under_way) - len(hit)),
              f"flows: {row}, but of {len(under_way)} flows under way then {len(hit)} sent data again")
        if hit:
            mean = sum(flow["fct"] / flow["ideal"] for flow in hit) / len(hit)
            check(abs(row["slowdown_hit"] - mean) <= 1e-3 * mean, f"slowdown: {row}, flows say {mean}")


@judge("run: passes of a trace add up, and so does the time of each of its ranks", "conclusions")
def passes(t):
    need(any(entry["kind"] in ("goal", "chakra", "simai") for entry in t.world.traffic()))
    r = t.base()
    for row in (row for row in r.summary["traffic"] if "passes" in row):
        listed, mean = row["passes"]["iterations_us"], row.get("iteration_us_mean")
        need(listed)
        check(abs(sum(listed) / len(listed) - mean) <= 1e-6 * mean + 1e-6, f"passes: {listed}, but a mean of {mean} us")
        for rank in row["passes"]["ranks"]:
            whole = sum(rank[key] for key in ("computing_us", "hidden_us", "exposed_us", "waiting_us"))
            check(abs(whole - mean) <= 1e-6 * mean + 1e-6, f"rank: {rank} adds up to {whole} us of {mean} us")


def must_run(t, answer, where=None):
    """The next command is accepted: it ends well, or still works when its time is over."""
    if not answer.get("command"):
        return
    place = t.folder / "bin"
    place.mkdir(exist_ok=True)
    if not (place / "anole").exists():
        (place / "anole").symlink_to(program())
    t.commands.append(answer["command"])
    done = subprocess.run(["sh", "-c", f"ulimit -t 2; {answer['command']}"], cwd=where or t.folder, capture_output=True, text=True, errors="replace",
                          env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}"}, stdin=subprocess.DEVNULL, check=False)
    is_cut = done.returncode in (-24, -9, 137, 152) or "Killed" in done.stderr or "CPU time limit" in done.stderr
    for part in t.folder.glob("**/.anole-*") if is_cut else ():
        shutil.rmtree(part)                                                  # it could not clean up
    check(done.returncode == 0 or is_cut, f"next: exit code {done.returncode} of '{answer['command']}': {done.stderr[-1500:]}")


SEEDS = 3


def comparison(t):
    """What compare says of the world and of another setting of its thresholds, as JSON and as runs."""
    key = "comparison"
    if key not in t.done:
        need("tuner" not in t.world.scenario and "changes" not in t.world.scenario)
        try:
            result = command_json(t, "compare", "world.yaml", "--variant", "own", "--variant", "low:kmin=5KB,kmax=5KB,pmax=1", "--seeds", SEEDS,
                                  "--jobs", "1", "--out", "compared", *packets_only(t))
        except Refused as why:
            result = why
        t.done[key] = result
    if isinstance(t.done[key], Refused):
        raise t.done[key]
    return t.done[key]


def is_positive(metric):
    return metric["unit"] in ("us", "bps", "bytes", "count", "share", "per_s") or "slowdown" in metric["name"]


def must_be_possible(metrics):
    """Intervals and verdicts of a comparison's figures. Returns how many are clear."""
    clear = 0
    for metric in metrics:
        own = metric["variants"][0]
        for row in metric["variants"]:
            name = f"{metric['name']} of {row['name']}"
            clear += row["is_significant"]
            for low, value, high in (("low", "mean", "high"), ("difference_low", "difference", "difference_high"), ("change_low", "change", "change_high")):
                if row[value] is None or row[low] is None:
                    continue
                slack = 1e-9 * abs(row[value]) + 1e-12
                check(row[low] - slack <= row[value] <= row[high] + slack, f"interval: {name}: {row[low]} .. {row[high]} does not hold {row[value]}")
            if is_positive(metric) and row["mean"]:
                check(row["low"] is None or row["low"] >= 0, f"impossible: {name}: its mean may be {row['low']}")
                check(metric["unit"] != "share" or row["high"] is None or row["high"] <= 1, f"impossible: {name}: a share of {row['high']}")
                least = row["change_low"]
                can_be_none = metric["unit"] == "share" or (metric["unit"] != "us" and "slowdown" not in metric["name"] and not row["low"])
                check(least is None or least > -1 or not own["low"] or can_be_none, f"impossible: {name}: a change of {least:.0%} would leave nothing of {own['mean']}"
                      if least is not None else "")
            if row["is_significant"]:
                sides = row["difference_low"], row["difference_high"]
                check(sides[0] * sides[1] > 0 or row["change_low"] * row["change_high"] > 0, f"verdict: {name} is clear, and its interval {sides} holds 0")
                wanted = {"lower": -1, "higher": 1}.get(metric["better"], 0)
                check(row["is_better"] == (row["change" if row["change"] is not None else "difference"] * wanted > 0), f"verdict: {name}: {row}")
    return clear


@judge("compare: every interval holds its estimate and lies in what is possible; verdicts and counts follow from the figures", "conclusions", 4)
def compare(t):
    result = comparison(t)
    clear = must_be_possible(result["metrics"])
    counted = re.search(r"Of (\d+) comparisons over (\d+) seeds (\d+) are clear", (result["answer"]["certainty"] or "").replace(",", ""))
    if counted:
        check(int(counted[1]) == result["tested"] and int(counted[3]) == clear, f"counts: {counted[0]}, but {clear} of {result['tested']}")
    for row in result["verdicts"][1:]:
        check(("better in" in row["text"]) <= any(v["is_better"] for m in result["metrics"] for v in m["variants"] if v["name"] == row["name"]),
              f"verdict: '{row['text']}', but nothing is better")


@judge("compare: the numbers of its sentences are those of its figures; its next command runs", "conclusions", 4)
def compare_says(t):
    result = comparison(t)
    must_be_said_of(t, result["answer"], [*leaves({key: value for key, value in result.items() if key not in ("answer", "verdicts")}),
                                       *counts(result)])
    must_run(t, result["answer"])


def counts(result):
    """Numbers that a reader counts in the figures."""
    yield from ((None, n) for n in range(SEEDS + 1))
    yield from ((None, 1 + row["change"]) for metric in result["metrics"] for row in metric["variants"] if row["change"] is not None)
    for way in ("is_significant", "is_better", "is_shown"):
        rows = [row for metric in result["metrics"] for row in metric["variants"] if metric.get(way, row.get(way))]
        yield from ((None, n) for n in range(len(rows) + 1))
    yield None, len(result["deciding"])


def repeats(runs, names):
    """Whether a file of runs has the same figures for all seeds. The settings are in the first columns."""
    values = {}
    for row in csv.reader(runs.read_text().splitlines()[1:]):
        values.setdefault(tuple(row[:names]), set()).add(tuple(row[names + 1:]))
    return all(len(different) == 1 for different in values.values())


def must_not_be_clear(result):
    """Of a comparison whose runs no seed changes."""
    clear = [metric["name"] for metric in result["metrics"] for row in metric["variants"] if row["is_significant"]]
    check(not clear, f"evidence: all seeds gave the same runs, but {len(clear)} of {result['tested']} comparisons are called clear: {clear[:4]}")


@judge("compare: runs that no seed changes are no evidence", "conclusions", 4)
def evidence(t):
    result = comparison(t)
    need(repeats(t.folder / "compared" / "runs.csv", 1))
    must_not_be_clear(result)


@judge("sweep: the best is the best, the numbers of its sentences are those of its figures, its next command runs", "conclusions", 4)
def sweep(t):
    need("tuner" not in t.world.scenario and "changes" not in t.world.scenario)
    result = command_json(t, "sweep", "world.yaml", "--range", "pmax=0.01..1", "--set", "kmin=5KB", "--set", "kmax=40KB", "--samples", 2, "--seeds", 2, "--jobs", 1,
                          "--out", "swept", *packets_only(t))
    ranked = [row["metrics"][result["best"]] for row in result["settings"]]
    ranked = [value for value in ranked if value is not None]
    check(ranked == sorted(ranked, reverse=result["better"] == "higher"), f"ranks: {result['best']} {ranked}")
    must_be_said_of(t, result["answer"], [*leaves({key: value for key, value in result.items() if key != "answer"}), *((None, n) for n in range(500))])
    must_run(t, result["answer"])
    must_be_possible(result["comparison"]["metrics"])
    if repeats(t.folder / "swept" / "runs.csv", 1):
        must_not_be_clear(result["comparison"])


@judge("tune: the verdict follows from the check, the numbers of its sentences are those of its figures, its next command runs", "conclusions", 8)
def tune(t):
    need("tuner" not in t.world.scenario and "changes" not in t.world.scenario)
    interval = f"{max(1, t.base().summary['simulated_us'] // 10):.0f}us"
    result = command_json(t, "tune", "world.yaml", "--tuner", "random", "--rounds", 2, "--budget", 20, "--check", 3, "--set", f"interval={interval}",
                          *packets_only(t))
    metrics = (result["check"] or {}).get("metrics", [])
    must_be_possible(metrics)
    better = [row for metric in metrics for row in metric["variants"] if row["is_better"]]
    check(result["verdict"] != "better" or better, "verdict: the setting found is called better, and no figure is")
    must_be_said_of(t, result["answer"], [*leaves({key: value for key, value in result.items() if key != "answer"}), *((None, n) for n in range(100))])
    must_run(t, result["answer"])


@judge("advise: advice is clearly better when confirmed, seeds that repeat trials are no evidence, its next command runs", "conclusions", 16)
def advise(t):
    need("changes" not in t.world.scenario)
    result = command_json(t, "advise", "world.yaml", "--budget", 1, "--jobs", 1, *packets_only(t))
    gains = [test["against_yours"] for row in result["settings"] for test in [*row["loads"], row["confirmed"]] if test and test["against_yours"]]
    varies = any(gain["change_low"] is not None and gain["change_high"] - gain["change_low"] > 1e-9 for gain in gains)
    for row in result["settings"]:
        tests = [test for test in [*row["loads"], row["confirmed"]] if test and test["against_yours"]]
        for gain in (test["against_yours"] for test in tests):
            low, mean, high = gain["change_low"], gain["change"], gain["change_high"]
            if low is not None:
                check(low - 1e-9 <= mean <= high + 1e-9, f"interval: {row['name']}: {low} .. {high} does not hold {mean}")
                check(low > -1, f"impossible: {row['name']}: a change of {low:.0%}")
                check(varies or abs(mean) < 1e-6 or high - low > 1e-9 * abs(mean), f"evidence: {row['name']}: an interval without width: {low} .. {high}")
        if row["name"] == result["advised"] and not result["keeps_yours"]:
            check(row["confirmed"] and row["confirmed"]["against_yours"]["change_high"] < 0, f"verdict: {row['name']} is advised, and was not confirmed: {row['confirmed']}")
    must_be_said_of(t, result["answer"], [*leaves({key: value for key, value in result.items() if key != "answer"}), *((None, n) for n in range(100))])
    must_run(t, result["answer"])


@judge("collective: no bandwidth above the ideal one, the numbers of its sentences are those of its figures, its next command runs", "conclusions", 8)
def collective(t):
    need(not t.world.files)
    result = command_json(t, "collective", plain(t.world.scenario["topology"]), "--minbytes", "64KB", "--maxbytes", "128KB", "--seed", t.world.get("seed", 1))
    for row in result["sizes"]:
        check(row["ideal_share"] is None or 0 < row["ideal_share"] <= 1 + 1e-9, f"ideal: {row['ideal_share']} of the ideal bandwidth: {row}")
    must_be_said_of(t, result["answer"], [*leaves({key: value for key, value in result.items() if key != "answer"}), *((None, n) for n in range(100))])
    must_run(t, result["answer"])


@judge("the interval of fidelity fast holds its mean and is possible", "conclusions")
def fast_interval(t):
    need(t.world.model() == "nic" and any(entry["kind"] == "training" for entry in t.world.traffic()))
    other = t.world.copy()
    other.scenario["fidelity"] = {"kind": "fast", "seeds": 3}
    r = t.run(world=other, name="interval", fast=True)
    for row in r.summary["traffic"]:
        low, mean, high = (row.get(f"exposed_us_mean{end}") for end in ("_low", "", "_high"))
        if low is not None and mean is not None:
            check(0 <= low <= high, f"impossible: {row['name']}: exposed communication of {low} .. {high} us")


@judge("docs: every option of a command in the documentation exists", "text", 10**9)
def docs_options(_t):
    known = {}
    for path in [*sorted((TOP / "docs").glob("*.md")), TOP / "README.md", TOP / "CONTRIBUTING.md"]:
        for command, word, rest in re.findall(r"\banole ([a-z-]+)((?: [a-z]+)?)((?:[^\n`|;#]|\\\n)*)", path.read_text()):
            for name in (command, command + word):
                if name not in known:
                    told = subprocess.run([program(), *name.split(), "--help"], capture_output=True, text=True, check=False)
                    known[name] = set(re.findall(r"--[a-z][a-z0-9-]*", told.stdout)) if not told.returncode else set()
            for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", rest) if known[command] else ():
                check(option in known[command] | known[command + word] | {"--help", "--version"},
                      f"docs: {pathlib.Path(path).name} has 'anole {command}{word} {option}', which does not exist")
    check(len(known) > 10, "docs: no commands found")
