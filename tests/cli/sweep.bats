#!/usr/bin/env bats
# tests/cli/sweep.bats - anole sweep: its settings and their ranking. compare.bats covers storing and
# continuing runs.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# Most of the many small runs use an optimized program if there is one; sanitizers check the sweep in
# setup_file, which several tests share, and a few others.
optimised=$(realpath "${FIDELITY_ANOLE:-$ANOLE}")

setup_file() {
    : "${ANOLE:?is the program to test}"
    cat >"$BATS_FILE_TMPDIR/star.yaml" <<'END'
topology: {kind: star, hosts: 5, rate: 100Gbps, delay: 1us}
traffic:
  - {kind: poisson, name: background, load: 0.6, sizes: FB_Hadoop, stop: 100us}
  - {kind: incast, name: burst, senders: 4, size: 64KB, start: 20us}
knobs: {kmin: 5KB, kmax: 400KB, pmax: 1}
run: 150us
END
    dir=$BATS_FILE_TMPDIR
    sweep --jobs 2 --out "$dir/results"
    [ "$status" -eq 0 ]
}

star() {
    echo "$BATS_FILE_TMPDIR/star.yaml"
}

# sweep ARGUMENT... - eight settings of two knobs, with two seeds.
sweep() {
    run_apart "$ANOLE" sweep "$(star)" --range kmin=5KB..400KB:log --range pmax=0.05..1 --samples 8 --seeds 2 "$@"
}

@test "sweep: a table of the best settings, best first" {
    ANOLE=$optimised
    sweep --top 5 --metrics goodput_bps
    [ "$status" -eq 0 ]
    head -n 1 "$dir/out" | grep -qE "^(Use kmin=|Keep the scenario's own setting: none of the best 8 of 8 settings is clearly better in p99 slowdown)"
    sed -n '/^ *kmin  *pmax/,$p' "$dir/out" >"$dir/table"
    head -n 1 "$dir/table" | grep -qE '^ +kmin +pmax +p99 slowdown +95 % interval +goodput$'
    sed -n 3,7p "$dir/table" | awk '{ if ($1 != NR || $4 < last) exit 1; last = $4 } END { exit NR != 5 }'
    # the scenario's own setting is below them
    sed -n 8p "$dir/table" | grep -qE '^own +5KB +1 +[0-9.]+ +\['
    grep -q "^The best 5 of 8 settings by slowdown_p99, and the scenario's own; means over 2 seeds.$" "$dir/out"
    grep -q 'results are not saved. Add --out or --store' "$dir/err"
}

@test "sweep: the folder has all settings, all runs, and a page about the best" {
    dir=$BATS_FILE_TMPDIR
    grep -q '^anole: 18 runs simulated, 0 were in ' "$dir/err"     # with the scenario's own setting
    [ "$(wc -l <"$dir/results/sweep.csv")" -eq 9 ]
    [ "$(wc -l <"$dir/results/runs.csv")" -eq 17 ]
    grep -q '"kind": *"compare"' "$dir/results/report.html"
    grep -q '"title": *"8 settings of star.yaml by p99 slowdown"' "$dir/results/report.html"
    jq -e '.baseline == "as in the scenario" and (.metrics[0].variants | length == 9)' "$dir/results/comparison.json"
    # the first line of sweep.csv has the best mean of its runs
    awk -F , 'FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "\"slowdown_p99\"") n = i }
        NR == FNR && FNR > 1 { sum[$1 "," $2] += $n / 2; next }
        NR != FNR && FNR > 1 { if ((sum[$2 "," $3] - $n) ^ 2 > 1e-18 || $n < last || !$n) exit 1; last = $n }' \
        "$dir/results/runs.csv" "$dir/results/sweep.csv"
}

@test "sweep: page, terminal and JSON name the same winner, and the comparison agrees" {
    ANOLE=$optimised
    sweep --samples 4 --seeds 5 --out "$dir/results"
    "$ANOLE" sweep "$(star)" --range kmin=5KB..400KB:log --range pmax=0.05..1 --samples 4 --seeds 5 --store "$dir/results.sqlite" \
        --format json >"$dir/json" 2>/dev/null
    [ "$(jq -r .answer.finding "$dir/json")" = "$(jq -r .answer.finding "$dir/results/comparison.json")" ]
    sed '/^$/,$d' "$dir/out" | tr '\n' ' ' | grep -qF "$(jq -r .answer.finding "$dir/json")"
    python3 - "$dir/json" "$dir/results/comparison.json" <<'END'
import json, sys
sweep, compared = (json.load(open(path)) for path in sys.argv[1:])
cells = next(m["variants"] for m in compared["metrics"] if m["name"] == sweep["best"])
clear = [cell["name"] for cell in cells if cell["is_better"]]
finding = sweep["answer"]["finding"]
assert finding.startswith(("Use " + clear[0] + ":", "Use " + clear[0] + " if ")) if clear else finding.startswith("Keep the scenario's own setting"), (finding, clear)
assert sweep["own"][sweep["best"]] == cells[0]["mean"]
END
    # A setting that changes the traffic is ranked without a verdict.
    "$ANOLE" sweep "$(star)" --range traffic.0.load=0.1..0.5 --samples 3 --seeds 2 2>/dev/null | tr '\n' ' ' | grep -q '^The settings send different traffic .* without a verdict\.'
}

@test "sweep: without values there is no winner" {
    "$ANOLE" sweep "$(star)" --vary kmin=5KB,400KB --until 1us --seeds 2 --format json >"$dir/json" 2>/dev/null
    [ "$(jq -r .answer.finding "$dir/json")" = "No setting has a p99 slowdown: nothing finished. Run longer, or rank by another figure with --best." ]
    [ "$(jq -r .answer.command "$dir/json")" = null ]
}

@test "sweep: metrics equal those of anole run" {
    ANOLE=$optimised
    cp "$BATS_FILE_TMPDIR/results/sweep.csv" "$dir/out"
    line=$(sed -n 3p "$dir/out")
    kmin=$(cut -d , -f 2 <<<"$line" | tr -d '"')
    pmax=$(cut -d , -f 3 <<<"$line" | tr -d '"')
    for seed in 1 2; do
        "$ANOLE" run "$(star)" --set kmin="$kmin" --set pmax="$pmax" --seed $seed --format json |
            jq '.metrics[] | select(.name == "goodput_bps").value'
    done | awk '{ sum += $1 / 2 } END { printf "%.6e\n", sum }' >"$dir/want"
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "\"goodput_bps\"") n = i }
              NR == 3 { printf "%.6e\n", $n }' "$dir/out" >"$dir/is"
    cmp "$dir/want" "$dir/is"
}

@test "sweep: samples are reproducible; --sample-seed changes them" {
    ANOLE=$optimised
    sweep --jobs 1 --out "$dir/results"
    diff <(sed "s,$BATS_FILE_TMPDIR/results,$dir/results," "$BATS_FILE_TMPDIR/out") "$dir/out"
    diff -r "$BATS_FILE_TMPDIR/results" "$dir/results"
    sweep --sample-seed 2 --format csv
    cut -d , -f 2,3 "$dir/out" | sort >"$dir/other"
    cut -d , -f 2,3 "$dir/results/sweep.csv" | sort >"$dir/first"
    [ "$(comm -12 "$dir/first" "$dir/other" | wc -l)" -eq 1 ]      # the heading
}

@test "sweep: more samples run only new settings; compare reuses the runs too" {
    ANOLE=$optimised
    sweep --store "$dir/runs.sqlite"
    sweep --samples 12 --store "$dir/runs.sqlite"
    grep -q '^anole: 8 runs simulated, 18 were in ' "$dir/err"     # including two of the scenario's own setting
    sweep --method grid --samples 4 --store "$dir/runs.sqlite"
    grep -q '^anole: 8 runs simulated, 2 were in ' "$dir/err"
    run_apart "$ANOLE" compare "$(star)" --variant a:kmin=5KB,pmax=0.05 --variant b:kmin=400KB,pmax=1 --seeds 2 \
        --metrics slowdown_p99 --store "$dir/runs.sqlite"
    [ "$status" -eq 0 ]
    grep -q '^anole: 4 runs simulated, 0 were in ' "$dir/err"      # their pages are missing
    sweep --method grid --samples 4 --store "$dir/runs.sqlite"
    grep -q '^anole: 0 runs simulated, 10 were in ' "$dir/err"
}

@test "sweep: a grid has both ends, --vary all its values" {
    ANOLE=$optimised
    run_apart "$ANOLE" sweep "$(star)" --range kmin=100KB..300KB --vary cc=dcqcn,none --method grid --samples 3 --seeds 1 \
        --best goodput_bps --format json
    [ "$status" -eq 0 ]
    jq -e '[.settings[].set | [.cc, .kmin]] | sort == [["dcqcn", "100KB"], ["dcqcn", "200KB"], ["dcqcn", "300KB"],
        ["none", "100KB"], ["none", "200KB"], ["none", "300KB"]]' "$dir/out"
    jq -e '[.settings[].metrics.goodput_bps] | . == (sort | reverse)' "$dir/out"
}

@test "sweep: settings that deadlock come last" {
    write_ring "$dir/ring.yaml"
    run_apart "$ANOLE" sweep "$dir/ring.yaml" --vary switch.buffer=800KB,100MB,900KB --seeds 1 --best pauses
    [ "$status" -eq 0 ]
    # The deadlocked run has the fewest pauses, because nothing moves.
    grep -qE '^ *1 +100MB ' "$dir/out"
    refute grep -qE '^ *1 +[89]00KB ' "$dir/out"
    [ "$(grep -c '^PARTIAL: with ' "$dir/out")" -eq 3 ]
    grep -q "^PARTIAL: with 'as in the scenario' " "$dir/out"
}

@test "sweep: settings with conflicting knobs are skipped" {
    ANOLE=$optimised
    run_apart "$ANOLE" sweep "$(star)" --range kmin=5KB..400KB --range kmax=5KB..400KB --samples 8 --seeds 1 --format csv
    [ "$status" -eq 0 ]
    grep -qE "^anole: [1-7] of 8 settings are left out; the first: .*'kmin' .* must not be above 'kmax'" "$dir/err"
    tr -d '"KB' <"$dir/out" | awk -F , 'NR > 1 && $2 > $3 { exit 1 } END { exit NR < 2 }'
    run_apart "$ANOLE" sweep "$(star)" --range kmin=500KB..900KB --samples 4
    [ "$status" -eq 1 ]
    grep -q "must not be above 'kmax'" "$dir/err"
}

@test "sweep: with many runs only the best keep their pages" {
    ANOLE=$optimised
    run_apart "$ANOLE" sweep "$(star)" --range pmax=0..1 --samples 260 --seeds 1 --set run=20us --set traffic.0.stop=20us \
        --set traffic.1.start=1us --out "$dir/results"
    [ "$status" -eq 0 ]
    grep -q '^anole: 261 runs simulated, 0 were in ' "$dir/err"
    python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*), count(page) FROM detail").fetchone())' \
        "$dir/results.sqlite" | grep -qx '(261, 9)'
    grep -q '"kind": *"compare"' "$dir/results/report.html"
}

@test "sweep: a crashed run is retried once" {
    set -- --range pmax=0..1 --samples 3 --seeds 1 --set run=4ms --set traffic.0.stop=4ms --jobs 1 --format csv
    "$ANOLE" sweep "$(star)" "$@" >"$dir/want" 2>/dev/null
    "$ANOLE" sweep "$(star)" "$@" >"$dir/out" 2>"$dir/err" &
    pid=$!
    kill_child() { kill -KILL "$(children $pid)" 2>/dev/null; }
    wait_for kill_child          # a run may end before it is hit
    wait $pid
    [ "$(grep -c 'ended by signal 9 (Killed); trying once more$' "$dir/err")" -eq 1 ]
    cmp "$dir/want" "$dir/out"
}

@test "sweep: errors are reported before any run" {
    refused() {
        message=$1
        shift
        run_apart "$ANOLE" sweep "$@" --store "$dir/runs.sqlite" --out "$dir/results"
        [ "$status" -ne 0 ]
        [ "$(wc -l <"$dir/err")" -eq 1 ]
        grep -qF -- "$message" "$dir/err"
        [ ! -e "$dir/runs.sqlite" ]
        [ ! -e "$dir/results" ]
    }
    refused "what shall vary?" "$(star)"
    refused "'kmim' is not a knob or a key; did you mean 'kmin'?" "$(star)" --range kmim=5KB..9KB
    refused "--range kmin=5KB..9us: 'kmin' is a size, not '9us'; write 400KB" "$(star)" --range kmin=5KB..9us
    refused "'lgo' is not a scale" "$(star)" --range kmin=5KB..9KB:lgo
    refused "'kmin' is there twice" "$(star)" --range kmin=5KB..9KB --range kmin=5KB..9KB
    refused "--best: 'slowdown_p98' is not a figure of these runs; did you mean 'slowdown_p99'?" "$(star)" \
        --range pmax=0..1 --best slowdown_p98
    refused "--best: neither high nor low is good for 'marked_share'" "$(star)" --range pmax=0..1 --best marked_share
    refused "--method: unknown value 'soboll'; did you mean 'sobol'?" "$(star)" --range pmax=0..1 --method soboll
    refused "a grid of 2 ranges has 4 points at least" "$(star)" --range pmax=0..1 --range kmin=5KB..9KB --method grid \
        --samples 3
    refused "one scenario at a time" "$(star)" "$(star)" --range pmax=0..1
    refused "$dir/none.yaml: No such file" "$dir/none.yaml" --range pmax=0..1
    run_apart "$ANOLE" sweep
    [ "$status" -eq 2 ]
    grep -q 'which scenario?' "$dir/err"
}

@test "sweep: compares the scenario's own setting with others, never with itself" {
    ANOLE=$optimised
    run_apart "$ANOLE" sweep "$(star)" --vary kmin=5KB,300KB --vary kmax=400KB,500KB --seeds 2 --out "$dir/results"
    [ "$status" -eq 0 ]
    python3 - "$dir/results" <<'END'
import json, re, sys
page = json.loads(re.search(r'id="anole-data">(.*?)</script>', open(sys.argv[1] + "/report.html").read(), re.S).group(1))
shown = {v["name"] for v in page["comparison"]["metrics"][0]["variants"]}
assert shown == {"as in the scenario", "kmin=5KB kmax=500KB", "kmin=300KB kmax=400KB", "kmin=300KB kmax=500KB"}, shown
assert {run["name"] for run in page["runs"]} == shown
for name in shown - {"as in the scenario"}:
    assert any(v["change"] for m in page["comparison"]["metrics"] for v in m["variants"] if v["name"] == name), name
assert len(page["sweep"]["points"]) == 4         # the ranking has it
detail = page["comparison"]["answer"]["detail"] or ""
best = re.search(r"The best of them, (.*), has", detail)
assert not best or best.group(1) in shown, detail
END
    run_apart "$ANOLE" sweep "$(star)" --vary kmin=5KB --seeds 2 --out "$dir/one"
    [ "$status" -eq 0 ]
    head -n 1 "$dir/out" | grep -qxF "Keep the scenario's own setting: no setting changes any figure."
    [ -s "$dir/one/report.html" ]
}

@test "sweep: values are numbers in CSV and on the page, with units" {
    run_apart "$ANOLE" sweep "$(star)" --range kmin=5KB..400KB:log --vary topology.delay=1us,2us --vary lb=ecmp,letflow --samples 3 \
        --seeds 2 --until 100us --out "$dir/results"
    [ "$status" -eq 0 ]
    python3 - "$dir/results" <<'END'
import csv, json, re, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/sweep.csv")))
assert len(rows) == 12, len(rows)
assert {float(r["topology.delay_us"]) for r in rows} == {1.0, 2.0}
assert all(5 <= float(r["kmin_kb"]) <= 400 for r in rows)
assert {r["lb"] for r in rows} == {"ecmp", "letflow"}
page = json.loads(re.search(r'id="anole-data">(.*?)</script>', open(sys.argv[1] + "/report.html").read(), re.S).group(1))
sweep = page["sweep"]
assert sweep["settings"] == 12 and len(sweep["points"]) == 12
names = [f["name"] for f in sweep["figures"]]
at = names.index("slowdown_p99")
keys = [k["name"] for k in sweep["keys"]]
for row, point in zip(rows, sweep["points"]):
    assert abs(float(row["slowdown_p99"]) - point["figures"][at]) < 1e-9
    assert float(row["kmin_kb"]) == point["values"][keys.index("kmin")]
    assert row["lb"] == point["values"][keys.index("lb")]
assert page["comparison"]["baseline"] == "as in the scenario"
# the own setting is present, and the recommended one is among those shown
assert sweep["own"]["name"] == "as in the scenario" and sweep["own"]["values"][keys.index("kmin")] == 5
assert sweep["advised"] is None or sweep["advised"] in [p["name"] for p in sweep["points"]] + ["as in the scenario"]
assert page["repeat"].startswith("anole sweep ") and "--out" not in page["repeat"]
END
}

@test "sweep: if few seeds leave the ranking unclear, it suggests a command with more" {
    ANOLE=$optimised
    "$ANOLE" sweep "$(star)" --range kmin=5KB..6KB --samples 2 -n 2 --format json >"$dir/json"
    jq -e '.answer.finding | startswith("Keep ")' "$dir/json"
    jq -re .answer.command "$dir/json" | tee "$dir/next"
    grep -qE -- '^anole sweep .*--samples 2 .*star.yaml --seeds 10$' "$dir/next"
    refute grep -q -- '-n 2' "$dir/next"
}

# A fixed list of flows without random marks: three equal runs of a setting are one.
@test "sweep: runs that all seeds repeat are no evidence" {
    ANOLE=$optimised
    echo '{topology: {kind: star, hosts: 5}, traffic: [{kind: incast, senders: 4, size: 640KB}], knobs: {kmin: 5, kmax: 5}}' \
        >"$dir/fixed.yaml"
    run_apart "$ANOLE" sweep "$dir/fixed.yaml" --range rpg_time_reset=10..300 --samples 2 --seeds 3 --format json
    [ "$status" -eq 0 ]
    grep -q "none of the best 2 of 2 settings is clearly better" "$dir/out"
    grep -q "All 3 seeds gave the same runs, and count as one." "$dir/out"
    grep -q '"seeds_counted": 1' "$dir/out"
    refute grep -q '"is_significant": true' "$dir/out"
}
