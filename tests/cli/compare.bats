#!/usr/bin/env bats
# tests/cli/compare.bats - anole compare from the outside: variants, what it keeps, and that it goes on where it was.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# Most of the many small runs use an optimized program if there is one; sanitizers check the comparison in
# setup_file, whose folder and output several tests share, and the tests of stores, signals and errors.
optimised=$(realpath "${FIDELITY_ANOLE:-$ANOLE}")

setup_file() {
    : "${ANOLE:?is the program to test}"
    cat >"$BATS_FILE_TMPDIR/star.yaml" <<'END'
topology: {kind: star, hosts: 5, rate: 100Gbps, delay: 1us}
traffic:
  - {kind: poisson, name: background, load: 0.6, sizes: FB_Hadoop, stop: 300us}
  - {kind: incast, name: burst, senders: 4, size: 64KB, start: 50us}
knobs: {kmax: 400KB, pmax: 1}
run: 400us
END
    dir=$BATS_FILE_TMPDIR
    compare --jobs 2 --out "$dir/results"
    [ "$status" -eq 0 ]
}

star() {
    echo "$BATS_FILE_TMPDIR/star.yaml"
}

# compare ARGUMENT... : two variants and three seeds of the star.
compare() {
    run_apart "$ANOLE" compare "$(star)" --vary kmin=5KB,400KB --seeds 3 "$@"
}

@test "compare: a table of means, changes and intervals" {
    ANOLE=$optimised
    compare --set kmax=800KB
    [ "$status" -eq 0 ]
    head -n 1 "$dir/out" | grep -qE '^(Use kmin=400KB|Keep kmin=5KB)'
    grep -qE '^  Network +5 hosts at 100 Gb/s, 1 switch, idle round trip' "$dir/out"
    grep -qE '^  Traffic +background: FB_Hadoop sizes, load [0-9]+ % of host links' "$dir/out"
    grep -qE '^ +kmin=5KB +kmin=400KB +change +95 % interval$' "$dir/out"
    grep -qE '^p99 slowdown +[0-9.]+ +[0-9.]+ +[-+0-9.]+ % +\[[-+0-9.]+, [-+0-9.]+\]' "$dir/out"
    grep -q "Means over 3 seeds; changes to 'kmin=5KB'" "$dir/out"
    grep -q 'Fewer than 5 seeds' "$dir/out"
    grep -q 'results are not saved. Add --out or --store' "$dir/err"
    refute grep -q "$(printf '\033')" "$dir/out" "$dir/err"
}

@test "compare: the lines of the table line up" {
    sed '1,/^$/d' "$BATS_FILE_TMPDIR/out" | sed '1,/^$/d' >"$dir/table"      # the answer card stands before it
    awk 'NR == 2 { n = length($0) } NR > 1 && /^$/ { exit } NR > 2 && length($0) > n { exit 1 }' "$dir/table"
    awk 'NR == 2 { at = index($0, "  ") } NR > 2 && /^$/ { exit } NR > 2 && substr($0, at, 2) != "  " { exit 1 }' "$dir/table"
}

@test "compare: colours on a terminal, unless NO_COLOR" {
    ANOLE=$optimised
    command -v script >/dev/null || skip 'script(1) is not installed'
    unset NO_COLOR
    TERM=xterm script -qec "$ANOLE compare $(star) --vary topology.delay=1us,20us --seeds 5 --metrics rtt_us_mean" /dev/null \
        >"$dir/screen" </dev/null
    grep -qE "$(printf '\033')\[3[12]m(better|worse)" "$dir/screen"
    NO_COLOR=1 TERM=xterm script -qec "$ANOLE compare $(star) --vary topology.delay=1us,20us --seeds 5 --metrics rtt_us_mean" \
        /dev/null >"$dir/plain" </dev/null
    grep -qE '(better|worse)' "$dir/plain"
    refute grep -q "$(printf '\033')\[3" "$dir/plain"
}

@test "compare: figures are those of anole run" {
    ANOLE=$optimised
    for kmin in 5KB 400KB; do
        for seed in 1 2 3; do
            "$ANOLE" run "$(star)" --set kmin=$kmin --seed $seed --format json >"$dir/run.json"
            want=$(jq '.metrics[] | select(.name == "goodput_bps").value' "$dir/run.json")
            is=$(awk -F , -v v="\"kmin=$kmin\"" -v s=$seed '
                NR == 1 { for (i = 1; i <= NF; i++) if ($i == "\"goodput_bps\"") n = i }
                $1 == v && $2 == s { print $n }' "$BATS_FILE_TMPDIR/results/runs.csv")
            awk -v a="$want" -v b="$is" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 <= (1e-6 * a) ^ 2) }'
        done
    done
}

@test "compare: means and differences are those of runs.csv" {
    dir=$BATS_FILE_TMPDIR
    awk -F , '
        FNR == 1 && NR == 1 { for (i = 1; i <= NF; i++) if ($i == "\"slowdown_p99\"") n = i }
        NR == FNR && FNR > 1 { sum[$1] += $n / 3 }
        NR != FNR && $1 == "\"slowdown_p99\"" { mean[$4] = $6; difference[$4] = $9 }
        END {
            a = "\"kmin=5KB\""; b = "\"kmin=400KB\""
            exit !(sum[a] > 1 && (sum[a] - mean[a]) ^ 2 < 1e-18 && (sum[b] - mean[b]) ^ 2 < 1e-18 &&
                   (sum[b] - sum[a] - difference[b]) ^ 2 < 1e-18 && difference[a] == 0)
        }' "$dir/results/runs.csv" "$dir/results/comparison.csv"
}

@test "compare: the same flows for every variant of one seed" {
    ANOLE=$optimised
    for kmin in 5KB 400KB; do
        "$ANOLE" run "$(star)" --set kmin=$kmin --set run=100ms --seed 3 --out "$dir/$kmin" --quiet
    done
    refute cmp -s "$dir/5KB/flows.csv" "$dir/400KB/flows.csv"
    for kmin in 5KB 400KB; do
        awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i
                            if (!at["src"] || !at["dst"] || !at["bytes"] || !at["start_ns"]) exit 1 }
                  NR > 1  { print $at["start_ns"], $at["src"], $at["dst"], $at["bytes"] }' \
            "$dir/$kmin/flows.csv" | sort >"$dir/$kmin.flows"
        [ "$(wc -l <"$dir/$kmin.flows")" -gt 20 ]
    done
    cmp "$dir/5KB.flows" "$dir/400KB.flows"
}

@test "compare: scenarios with different traffic get no verdict" {
    ANOLE=$optimised
    sed 's/load: [0-9.]*/load: 0.3/' "$(star)" >"$dir/other.yaml"
    run_apart "$ANOLE" compare "$(star)" "$dir/other.yaml" --seeds 5
    [ "$status" -eq 0 ]
    head -n 1 "$dir/out" | grep -qx 'The variants send different traffic: they are shown side by side, without a verdict.'
    grep -qE '^p99 slowdown +[0-9.]+ +[0-9.]+$' "$dir/out"
    refute grep -qE 'same flows|better|worse|interval' "$dir/out"
    "$ANOLE" compare "$(star)" --vary traffic.0.load=0.2,0.5 --seeds 5 --format json >"$dir/json" 2>/dev/null
    jq -e '[.metrics[].variants[1] | select(.is_significant or .change != null)] == [] and .verdicts[1].has_same_flows == false' "$dir/json"
    # the same traffic in another file, with another setting: a verdict
    sed 's/knobs: {/knobs: {rpg_ai_rate: 50Mbps, /' "$(star)" >"$dir/faster.yaml"
    "$ANOLE" compare "$(star)" "$dir/faster.yaml" --seeds 5 2>/dev/null | grep -q "seed by seed with the same flows"
}

@test "compare: labels keep the false discovery rate" {
    ANOLE=$optimised
    "$ANOLE" compare "$(star)" --vary topology.delay=1us,20us --seeds 5 --format json >"$dir/json" 2>/dev/null
    python3 - "$dir/json" <<'END'
import json, sys
results = json.load(open(sys.argv[1]))
cells = [v for m in results["metrics"] for v in m["variants"] if v["p"] is not None and v["p"] < 1]
assert len(cells) == results["tested"], (len(cells), results["tested"])
# Benjamini and Hochberg by hand
ps = sorted(cell["p"] for cell in cells)
limit = max((p for i, p in enumerate(ps, 1) if p <= results["false_discovery_rate"] * i / len(ps)), default=-1)
assert all(not cell["is_significant"] for cell in cells if cell["p"] > limit)
assert any(cell["is_significant"] for cell in cells)
assert "false discovery rate" in results["answer"]["certainty"]
END
}

@test "compare: identical variants do not differ" {
    ANOLE=$optimised
    run_apart "$ANOLE" compare "$(star)" --variant one --variant two --seeds 5 --format json
    [ "$status" -eq 0 ]
    jq -e '[.metrics[].variants[] | select(.is_significant or (.difference != null and .difference != 0))] == []' \
        "$dir/out"
    jq -e '[.metrics[].variants[] | select(.mean != null)] | length > 20' "$dir/out"
}

@test "compare: the folder holds page, tables and runs" {
    dir=$BATS_FILE_TMPDIR
    grep -q "^Report: $dir/results/report.html$" "$dir/out"
    [ "$(find "$dir/results" -type f | wc -l)" -eq 6 ]
    jq -e '.baseline == "kmin=5KB" and .seeds == 3 and .confidence == 0.95' "$dir/results/comparison.json"
    grep -q '"kind": *"compare"' "$dir/results/report.html"
    [ "$(wc -l <"$dir/results/runs.csv")" -eq 7 ]
    awk -F , 'FNR == 1 { n = NF } NF != n { exit 1 }' "$dir/results/runs.csv" "$dir/results/comparison.csv"
}

@test "compare: one job or two, the same bytes" {
    ANOLE=$optimised
    compare --jobs 1 --out "$dir/results"
    [ "$status" -eq 0 ]
    diff <(sed "s,$BATS_FILE_TMPDIR/results,$dir/results," "$BATS_FILE_TMPDIR/out") "$dir/out"
    diff -r "$BATS_FILE_TMPDIR/results" "$dir/results"
    # --quiet prints nothing
    compare --quiet --out "$dir/results"
    [ "$status" -eq 0 ]
    [ ! -s "$dir/out" ]
    [ ! -s "$dir/err" ]
}

@test "compare: what is finished is not run again" {
    grep -q '^anole: 6 runs simulated, 0 were in ' "$BATS_FILE_TMPDIR/err"
    cp "$BATS_FILE_TMPDIR/results.sqlite" "$dir/runs.sqlite"
    compare --store "$dir/runs.sqlite"
    grep -q '^anole: 0 runs simulated, 6 were in ' "$dir/err"
    # the same answer; where the files are and how to go on is another matter
    diff -B <(grep -vE '^Report: |anole compare ' "$BATS_FILE_TMPDIR/out") <(grep -v 'anole compare ' "$dir/out")
    # more seeds, another variant, another name: only what is new
    run_apart "$ANOLE" compare "$(star)" --variant a:kmin=5KB --variant b:kmin=7KB --seeds 4 --store "$dir/runs.sqlite"
    grep -q '^anole: 5 runs simulated, 3 were in ' "$dir/err"
}

@test "compare: a changed scenario is run again" {
    cp "$(star)" "$dir/s.yaml"
    printf '1000 0\n20000 1\n' >"$dir/sizes.cdf"
    sed -i 's/FB_Hadoop/sizes.cdf/' "$dir/s.yaml"
    again() {
        run_apart "$ANOLE" compare "$dir/s.yaml" --vary kmin=5KB,400KB --seeds 1 --store "$dir/runs.sqlite"
        grep -q "^anole: $1 runs simulated, $2 were in " "$dir/err"
    }
    again 2 0
    again 0 2
    sed -i 's/size: 64KB/size: 65KB/' "$dir/s.yaml"
    again 2 0
    printf '1000 0\n30000 1\n' >"$dir/sizes.cdf"
    again 2 0
    again 0 2
}

# Three seeds that take a moment and one variant that takes for ever. What a script starts in the background ignores
# SIGINT, and would be right to.
start_long() {
    env --default-signal=INT "$ANOLE" compare "$(star)" --variant short --variant "long:run=1000s,traffic.0.stop=1000s" --seeds 3 --jobs 2 \
        --out "$dir/results" >"$dir/out" 2>"$dir/err" &
    pid=$!
    wait_for runs_in "$dir/results.sqlite" 1
    wait_for has_children $pid 2
    mapfile -t started < <(children $pid)
}

@test "compare: interrupted, it keeps what is finished and goes on from there" {
    start_long
    kill -INT $pid
    status=0
    wait $pid || status=$?
    [ "$status" -eq 130 ]
    [ ! -s "$dir/out" ]
    [ ! -e "$dir/results" ]
    [ "$(find "$dir" -name '.anole-*' | wc -l)" -eq 0 ]
    grep -qE "^anole: interrupted: [1-3] of 6 runs are in $dir/results.sqlite; the same command goes on from there$" \
        "$dir/err"
    have_ended "${started[@]}"
    kept=$(sed -E 's/.*: ([0-9]) of 6.*/\1/' "$dir/err")
    run_apart "$ANOLE" compare "$(star)" --variant short --variant other:kmin=5KB --seeds 3 --out "$dir/results"
    [ "$status" -eq 0 ]
    grep -q "^anole: $((6 - kept)) runs simulated, $kept were in " "$dir/err"
    [ -s "$dir/results/report.html" ]
}

# In a program with sanitizers the signal would start a report that reads all symbols.
@test "compare: a run that crashes is named, and takes nothing with it" {
    ANOLE=$optimised
    start_long
    until have_ended $pid; do
        for run in $(children $pid); do kill -SEGV "$run" 2>/dev/null || true; done
        sleep 0.2
    done
    status=0
    wait $pid || status=$?
    [ "$status" -eq 1 ]
    grep -qE "^anole: variant 'long', seed [123]: ended " "$dir/err"
    grep -qE "^anole: [1-5] of 6 runs failed; the others are kept in $dir/results.sqlite$" "$dir/err"
    [ ! -e "$dir/results" ]
}

@test "compare: a variant that gets stuck is reported at once" {
    write_ring "$dir/ring.yaml"
    run_apart "$ANOLE" compare "$dir/ring.yaml" --variant small --variant large:switch.buffer=100MB --seeds 2 --out "$dir/results"
    [ "$status" -eq 0 ]
    grep -qxF "PARTIAL: with 'small' nothing moved any more in 2 of 2 runs: its figures are of what came before; \
anole run says what is stuck." "$dir/out"
    refute grep -q "PARTIAL: with 'large'" "$dir/out"
    jq -e '.metrics[] | select(.name == "flows_stuck").variants | map(.mean) == [10, 0]' "$dir/results/comparison.json"
    # Runs out of the store are marked as well.
    "$ANOLE" compare "$dir/ring.yaml" --variant small --variant large:switch.buffer=100MB --seeds 2 --store "$dir/results.sqlite" |
        grep -q "^PARTIAL: with 'small'"
}

@test "compare: killed hard, no process stays" {
    start_long
    kill -KILL $pid
    wait $pid || true
    wait_for have_ended "${started[@]}"
    # and the store is whole
    runs_in "$dir/results.sqlite" 1
    run_apart "$ANOLE" compare "$(star)" --variant short --seeds 3 --store "$dir/results.sqlite"
    [ "$status" -eq 0 ]
}

@test "compare: a store that is something else is refused" {
    for _ in $(seq 100); do echo 'this is not a database'; done >"$dir/runs.sqlite"
    cp "$dir/runs.sqlite" "$dir/before"
    compare --store "$dir/runs.sqlite" --out "$dir/results"
    [ "$status" -eq 1 ]
    grep -q "^anole: $dir/runs.sqlite: exists and is not a store of anole" "$dir/err"
    [ "$(wc -l <"$dir/err")" -eq 1 ]
    cmp "$dir/before" "$dir/runs.sqlite"
    [ ! -e "$dir/results" ]
}

@test "compare: a damaged store is refused" {
    cp "$BATS_FILE_TMPDIR/results.sqlite" "$dir/runs.sqlite"
    head -c 6000 /dev/urandom | dd of="$dir/runs.sqlite" bs=1 seek=4096 conv=notrunc status=none
    compare --store "$dir/runs.sqlite"
    [ "$status" -eq 1 ]
    grep -q "^anole: $dir/runs.sqlite: is damaged" "$dir/err"
}

@test "compare: a store inside the folder of results is refused" {
    cp -r "$BATS_FILE_TMPDIR/results" "$dir"
    compare --out "$dir/results" --store "$dir/results/runs.sqlite"
    [ "$status" -eq 1 ]
    grep -q 'lies in the folder that --out replaces' "$dir/err"
}

@test "compare: two comparisons share one store" {
    for i in 1 2; do
        "$ANOLE" compare "$(star)" --vary kmin=5KB,400KB --seeds 4 --store "$dir/runs.sqlite" >"$dir/out$i" 2>"$dir/err$i" &
    done
    wait
    cmp "$dir/out1" "$dir/out2"
    [ -s "$dir/out1" ]
    compare --store "$dir/runs.sqlite"
    grep -q '^anole: 0 runs simulated, 6 were in ' "$dir/err"
}

@test "compare: files are variants, called by their names" {
    ANOLE=$optimised
    cp "$(star)" "$dir/a.yaml"
    sed 's/pmax: 1/pmax: 0.5/' "$(star)" >"$dir/b.yaml"
    run_apart "$ANOLE" compare "$dir/a.yaml" "$dir/b.yaml" --seeds 2 --baseline b
    [ "$status" -eq 0 ]
    grep -qE '^ +b +a +change' "$dir/out"
}

@test "compare: --metrics chooses, with patterns" {
    ANOLE=$optimised
    compare --metrics 'goodput_bps,burst.*' --format csv
    cut -d , -f 1 "$dir/out" | sort -u >"$dir/names"
    grep -q '^"goodput_bps"$' "$dir/names"
    grep -q '^"burst.fct_us_p99"$' "$dir/names"
    refute grep -q slowdown_mean\"'$' <(grep -v burst "$dir/names")
    compare --format csv
    [ "$(wc -l <"$dir/out")" -gt 40 ]
}

@test "compare: what is wrong is refused before anything runs" {
    refused() {
        message=$1
        shift
        run_apart "$ANOLE" compare "$@" --store "$dir/runs.sqlite" --out "$dir/results"
        [ "$status" -ne 0 ]
        [ "$(wc -l <"$dir/err")" -eq 1 ]
        grep -qF -- "$message" "$dir/err"
        [ ! -e "$dir/runs.sqlite" ]
        [ ! -e "$dir/results" ]
    }
    refused "'slowdown_p98' is not a figure of these runs; did you mean 'slowdown_p99'?" "$(star)" --metrics slowdown_p98
    refused "variant 'kmim=2KB': kmim=2KB: 'kmim' is not a knob or a key; did you mean 'kmin'?" "$(star)" --vary kmim=2KB
    refused "there is no variant 'tow'; did you mean 'two'?" "$(star)" --variant one --variant two --baseline tow
    refused "two variants are called 'a'" "$(star)" --variant a --variant a:kmin=5KB
    refused "--vary: 'kmin' has no '='" "$(star)" --vary kmin
    refused "--seeds must be 1 .. 65535, not 0" "$(star)" --seeds 0
    refused "3 is there twice" "$(star)" --seed-list 3,4,3
    refused "--format: unknown value 'tabel'; did you mean 'table'?" "$(star)" --format tabel
    echo 'topology: {kind: sta}' >"$dir/bad.yaml"
    refused "$dir/bad.yaml:1:18: 'sta' is not" "$(star)" "$dir/bad.yaml"
    refused "$dir/none.yaml: No such file" "$dir/none.yaml"
    run_apart "$ANOLE" compare
    [ "$status" -eq 2 ]
    grep -q 'which scenarios?' "$dir/err"
}

@test "compare: --seed-list names the seeds" {
    ANOLE=$optimised
    run_apart "$ANOLE" compare "$(star)" --vary kmin=5KB,400KB --seed-list 9,18446744073709551615 --out "$dir/results" --quiet
    [ "$status" -eq 0 ]
    [ "$(cut -d , -f 2 "$dir/results/runs.csv" | tail -n 2 | tr '\n' ' ')" = '9 18446744073709551615 ' ]
}

@test "compare: figures that no run has a value of step back, unless they are asked for" {
    ANOLE=$optimised
    printf 'topology: {kind: star, hosts: 4}\ntraffic: [{kind: incast, senders: 3, size: 500KB}]\n' >"$dir/middle.yaml"
    "$ANOLE" compare "$dir/middle.yaml" --vary kmin=5KB,400KB --seeds 2 --out "$dir/c" >"$dir/out" 2>/dev/null
    jq -e '[.metrics[] | select(.is_shown and ([.variants[].mean] | all(. == null)))] | length == 0' "$dir/c/comparison.json"
    jq -e '[.metrics[] | select([.variants[].mean] | all(. == null))] | length > 0' "$dir/c/comparison.json"
    refute grep -q '>=1 MB' "$dir/out"
    "$ANOLE" compare "$dir/middle.yaml" --vary kmin=5KB,400KB --seeds 2 --metrics 'elephants.*' >"$dir/out" 2>/dev/null
    grep -q '>=1 MB' "$dir/out"
}

# Short queues make small messages much faster and large ones much slower.
@test "compare: a goal decides, within its bounds" {
    ANOLE=$optimised
    printf 'topology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}\ntraffic: [{kind: poisson, load: 0.5, sizes: FB_Hadoop}]\nrun: 4ms\n' >"$dir/s.yaml"
    set -- "$dir/s.yaml" --variant long --variant short:kmin=4KB,kmax=8KB,pmax=1 --seeds 3 --format json
    run_apart "$ANOLE" compare "$@" --goal 'p99_slowdown of mice, class_bound=10000%'
    [ "$status" -eq 0 ]
    jq -r .answer.finding "$dir/out" | grep -q "^Use short: it is better by the goal 'p99_slowdown of mice'"
    run_apart "$ANOLE" compare "$@" --goal 'p99_slowdown of mice'
    jq -r .answer.finding "$dir/out" | grep -q "^Keep long: .* no class of messages more than 5 % slower"
    # the same from the scenario; with one seed J is the root of the product of two means
    "$ANOLE" compare "$@" --set 'goal=balanced' --seeds 1 2>/dev/null |
        jq -e '[.metrics[] | {(.name): .variants[0].mean}] | add | (.goal * .goal / (.["started.slowdown_mean"] * .["started.elephants.slowdown_mean"]) - 1) | fabs < 1e-9'
    "$ANOLE" compare "$@" --goal 'mean_slowdown of middle' --seeds 1 2>/dev/null |
        jq -e '[.metrics[] | {(.name): .variants[1].mean}] | add | (.goal / .["started.middle.slowdown_mean"] - 1) | fabs < 1e-9'
}

@test "compare: a goal without a value gives no verdict" {
    ANOLE=$optimised
    run_apart "$ANOLE" compare incast --variant long --variant short:kmin=5KB --seeds 2 --goal 'mean_slowdown of mice'
    [ "$status" -eq 0 ]
    grep -q "^No verdict: the goal 'mean_slowdown of mice' has no value with long" "$dir/out"
    refute grep -q '^Keep' "$dir/out"
}

# Short thresholds halve what a closed loop completes. Finished writes are hardly slower, because the slow ones have not finished.
@test "compare: a setting that starves a closed loop is not advised" {
    ANOLE=$optimised
    printf 'topology: {kind: star, hosts: 40, rate: 50Gbps, delay: 327ns}\ntraffic: [{kind: storage, preset: exchange, depth: 4, replicas: 3}]\nrun: 3ms\n' >"$dir/loop.yaml"
    run_apart "$ANOLE" compare "$dir/loop.yaml" --variant long --variant short:kmin=1KB,kmax=4KB,pmax=1 --goal 'mean_slowdown, class_bound=10000%' --seeds 2 --format json
    [ "$status" -eq 0 ]
    jq -r .answer.finding "$dir/out" | grep -q '^Keep long: .* no job, storage or rpc more than 2 %'
    jq -e '[.metrics[] | {(.name): .variants[1].mean}] | add | .["started.slowdown_mean"] > 1.1 * .slowdown_mean' "$dir/out"
}

@test "compare: a variant whose name is not UTF-8 has a name in JSON" {
    "$ANOLE" compare scenarios/incast.yaml --variant $'\xff:kmin=50KB' --variant own --seeds 2 --until 100us --format json >"$dir/json"
    [ "$(jq -c '[.baseline, .verdicts[].name, .metrics[0].variants[].name]' "$dir/json")" = '["?","?","own","?","own"]' ]
}
