#!/usr/bin/env bats
# tests/cli/advise.bats - anole advise: settings with evidence, files for devices, and rejected input.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# Sanitizers cover the search in setup_file and a few others. The rest use an optimized program if there is
# one.
optimised=$(realpath "${FIDELITY_ANOLE:-$ANOLE}")

# A slow network whose NICs raise rates again only after 20 ms, so nearly any other setting is better. Its
# file name contains markup, which must not affect the page. Most tests share two results that are made once:
# the advice with its page and setting, by two jobs, and the script alone, by one job.
setup_file() {
    : "${ANOLE:?is the program to test}"
    cat >"$(slow)" <<'END'
topology: {kind: star, hosts: 6, rate: 100Gbps, delay: 1us}
traffic:
  - {kind: poisson, load: 0.5, sizes: FB_Hadoop}
  - {kind: incast, name: burst, senders: 5, size: 200KB, period: 150us}
knobs: {kmin: 1KB, kmax: 2KB, pmax: 1, rpg_min_dec_fac: 10%, rpg_time_reset: 20000us, rpg_byte_reset: 0}
run: 300us
END
    (
        cd "$BATS_FILE_TMPDIR" || exit 1
        "$ANOLE" advise "$(slow)" --budget 2 --jobs 2 --out knobs.yaml --report advice.html >advice.txt 2>/dev/null
        "$optimised" advise "$(slow)" --budget 2 --jobs 1 --quiet --as mlx5 >set-nics.sh 2>quiet.err
    )
}

slow() {
    echo "$BATS_FILE_TMPDIR/<b>&slow.yaml"
}

@test "advise: finds a better setting, and reports its gain and its changes" {
    cp "$BATS_FILE_TMPDIR/knobs.yaml" "$dir"
    cp "$BATS_FILE_TMPDIR/advice.txt" "$dir/out"
    head -n 1 "$dir/out" | grep -qE '^Use (preset [a-z0-9_]+|the searched setting): [0-9.]+ % better \(95 % interval [0-9.]+ to [0-9.]+ %\) than yours by the'
    # the header lists rate, RTT, sizes, load, topology, the replaced setting and the confidence
    grep -qE '^  Network +6 hosts at 100 Gb/s, 1 switch, idle round trip [0-9.]+ us; dcqcn' "$dir/out"
    grep -qE '^  Traffic +poisson 1: FB_Hadoop sizes, load 50 % of host links; burst: messages of 200KB' "$dir/out"
    grep -qE "^  Settings +'Yours' is the setting of the scenario" "$dir/out"
    grep -qE '^  Certainty .*[0-9.]+ % better \(95 %' "$dir/out"
    grep -qE "^ +anole (tune --from knobs.yaml --as mlx5 > set-nics.sh|advise .*slow.yaml'? --budget [0-9]+)$" "$dir/out"
    # the table has the presets that the budget has room for, the best first, and one advised row
    for name in yours bdp; do
        grep -qE "^  $name(, advised)? +[0-9]" "$dir/out"
    done
    [ "$(sed '/^  half the load  /,$d' "$dir/out" | grep -cE '^  [a-z_0-9]+, advised +[0-9]')" -eq 1 ]
    grep -qE '^  half the load ' "$dir/out"
    grep -qE '^  1.5 times the load ' "$dir/out"
    grep -qE '^  rpg_time_reset +20000us ' "$dir/out"
    # the file states the gain and can be read back
    grep -qE '^# Use ' "$dir/knobs.yaml"
    "$ANOLE" tune --from "$dir/knobs.yaml" --as sonic >/dev/null
    # A comparison on other seeds finds the stated gain. All messages end, because unfinished ones would not
    # count.
    "$ANOLE" compare "$(slow)" --set traffic.0.stop=300us --set traffic.1.stop=300us --set run=100ms --seeds 3 \
        --variant yours --variant "advised:tuner={kind: fixed, setting: $dir/knobs.yaml}" --metrics slowdown_mean --format csv >"$dir/compared.csv"
    python3 - "$dir/compared.csv" <<'END'
import csv, sys
rows = {row["variant"]: float(row["mean"]) for row in csv.DictReader(open(sys.argv[1])) if row["metric"] == "slowdown_mean"}
assert rows["advised"] < rows["yours"], rows
END
}

@test "advise: shows the time that is left, and no answer before the last; --quiet shows nothing" {
    # on a terminal a line that renews; the clock of a log is too slow for a test
    if command -v script >/dev/null; then
        script -qec "'$ANOLE' advise '$(slow)' --budget 2 --jobs 1" /dev/null >"$dir/seen"
        grep -qE '[0-9]+ %, (screen|search|race|new messages|confirming the best), about [0-9]+:[0-9][0-9] left' "$dir/seen"
        refute grep -q preliminary "$dir/seen"
    fi
    [ ! -s "$BATS_FILE_TMPDIR/quiet.err" ]
}

@test "advise: the page does not depend on jobs, has scripts to apply and undo, and runs no code from data" {
    cd "$BATS_FILE_TMPDIR" || return 1
    sh -n set-nics.sh
    python3 - advice.html advice.txt set-nics.sh <<'END'
import html.parser, re, sys
VOID = ("meta", "link", "input")
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.words, self.rows, self.pre, self.scripts = [], "", [], {}, []
    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("id", "")))
        if tag == "script":
            self.scripts.append(dict(attrs))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, tag
    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if "script" in tags or "style" in tags or "head" in tags:
            return
        self.words += data
        if self.open and self.open[-1][0] in ("pre", "code"):
            self.pre[self.open[-1][1]] = self.pre.get(self.open[-1][1], "") + data
        if self.rows and {"td", "th"} & set(tags[-2:]):
            self.rows[-1][-1] += data
page = Page()
page.feed(open(sys.argv[1]).read())
results = open(sys.argv[2]).read()
assert page.open == [], page.open
# the program's own script and an empty element for data, nothing else
assert len(page.scripts) == 2 and not any("src" in attrs for attrs in page.scripts), page.scripts
assert "<b>&slow.yaml" in page.words
said = " ".join(page.words.split())
for sign, typed in (("µs", "us"), ("−", "-"), ("→", "->")):        # of the page, and of the terminal
    said = said.replace(sign, typed)
assert " ".join(results.split("\n\n")[0].split()) in said, results
assert "Traffic poisson 1: FB_Hadoop sizes, load 50 % of host links" in said
rows = {row[0]: row for row in reversed(page.rows) if row}
for name in ("yours", "bdp"):
    label, figures = re.search(r"^  (%s(?:, advised)?) +([0-9.]+) " % name, results, re.M).groups()
    assert rows[label][1] == figures, (name, rows[label], figures)
assert "rpg_time_reset" in rows
# byte for byte the script that --as prints with one job
assert page.pre["nics-script"] == open(sys.argv[3]).read()
assert page.pre["nics-undo"] == "sudo sh set-nics.sh --undo INTERFACE..."
# assumptions and limits are visible
assert [cell.strip() for cell in rows["Goal"][1:]] == ["balanced", "assumed", "--goal"], rows["Goal"]
assert "This is a simulation." in said and "PFC thresholds must be above" in said
END
}

@test "advise: tries other controls only if allowed, and only those of the model" {
    ANOLE=$optimised
    "$ANOLE" advise "$(slow)" --budget 2 --allow control,mtu --format json 2>/dev/null >"$dir/out.json"
    jq -e '[.settings[] | select(.name == "cc=swift")][0] | .changes[0].needs | test("^NICs .* on all hosts at once")' "$dir/out.json"
    jq -e '[.settings[].name] | index("host.mtu=4096") and (index("host.mtu=1024") | not)' "$dir/out.json"    # the scenario has 1024 already
    "$ANOLE" advise "$(slow)" --set model=hpcc --set run=100us --budget 2 --allow control --format json 2>/dev/null >"$dir/out.json"
    jq -e '([.settings[].name] | index("cc=swift")) == null' "$dir/out.json"
    jq -e '.answer.detail | test("Not tried: cc=swift \\(.*needs the model nic")' "$dir/out.json"
    refuses "--allow: 'contrl' cannot be allowed; did you mean 'control'" "$ANOLE" advise "$(slow)" --allow contrl
}

@test "advise: a load that cannot be raised to 1.5 times" {
    printf 'topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\ntraffic: [{kind: poisson, load: 0.8, sizes: SolarRPC}]\nrun: 100us\n' >"$dir/full.yaml"
    "$optimised" advise "$dir/full.yaml" --budget 2 --format json 2>/dev/null >"$dir/out.json"
    jq -e '.advised' "$dir/out.json"
}

# Random workloads, with other seeds than those of the advice.
@test "advise: on other seeds the advice harms no class and no job beyond the bound" {
    ANOLE=$optimised
    for seed in 8 14; do
        "$ANOLE" draw-workload --seed $seed --hops 1 >"$dir/w.yaml"
        "$ANOLE" advise "$dir/w.yaml" --budget 4 --quiet --out "$dir/w.knobs"
        "$ANOLE" compare "$dir/w.yaml" --seed-list 101,102,103 --variant yours --format csv --metrics all \
            --variant "advised:tuner={kind: fixed, setting: $dir/w.knobs}" 2>/dev/null >"$dir/w.csv"
        python3 - "$dir/w.csv" <<'END'
import csv, re, sys
bounds = {r"(mice|elephants)\.slowdown_mean": 0.05, r".*\.iteration_us_mean": 0.02}
rows = [row for row in csv.DictReader(open(sys.argv[1])) if row["variant"] == "advised"]
seen = 0
for row in rows:
    for name, bound in bounds.items():
        if re.fullmatch(name, row["metric"]) and row["change"]:
            seen += 1
            assert float(row["change"]) <= bound, row
assert seen > 0
END
    done
}

# Like slow.yaml, with a training job.
@test "advise: trials of training use fidelity=fast, the confirmation packets, unless the scenario chooses" {
    cat >"$dir/job.yaml" <<'END'
topology: {kind: star, hosts: 6, rate: 100Gbps, delay: 1us}
traffic:
  - {kind: training, collective: ring_all_reduce, size: 2MB, compute: 50us, iterations: 2}
  - {kind: incast, senders: 5, size: 200KB, period: 150us, stop: 300us}
knobs: {kmin: 1KB, kmax: 2KB, pmax: 1, rpg_min_dec_fac: 10%, rpg_time_reset: 20000us, rpg_byte_reset: 0}
END
    "$optimised" advise "$dir/job.yaml" --budget 3 --jobs 2 2>/dev/null | tr -s ' \n' ' ' >"$dir/fast"
    grep -q 'Trials skipped packets of flows that were alone (fidelity: fast); these seeds were run packet by packet' "$dir/fast"
    "$optimised" advise "$dir/job.yaml" --set fidelity=packet --budget 3 --jobs 2 2>/dev/null | tr -s ' \n' ' ' >"$dir/packet"
    refute grep -q 'fidelity: fast' "$dir/packet"
    refute grep -q 'fidelity: fast' "$BATS_FILE_TMPDIR/advice.txt"      # this scenario has no job
    # the user's setting takes the same time in both confirmations
    yours=$(grep -oE 'training 1 takes [0-9.]+ .s instead of [0-9.]+ .s' "$dir/packet" | sed 's/.* instead/instead/')
    [ -n "$yours" ]
    grep -q "$yours" "$dir/fast"
}

@test "advise: a file that is missing is what it complains about" {
    for path in node7.csv /nowhere/node7.csv; do
        run "$ANOLE" advise "$path" --rtt 5us --load 10%
        [ "$status" -eq 1 ]
        [[ "$output" == "anole: $path: "[Nn]"o such file"* ]]
    done
}

# At 400G with few packet-hops, a trial of 0.1 ms cannot show what a timer of 300 us does.
@test "advise: tries nothing if it cannot try enough as long as the slowest knob, and says which budget can" {
    "$optimised" advise --rate 400Gbps --sizes SolarRPC --load 30% --budget 5 --format json >"$dir/out.json" 2>/dev/null
    jq -e '.cannot_tell and .keeps_yours and .search.trials == 0 and .search.trial_us >= 600' "$dir/out.json"
    budget=$(jq -r .answer.command "$dir/out.json" | sed -n 's/.*--budget \([0-9]*\)$/\1/p')
    [ "$budget" -gt 5 ]
    "$optimised" advise --rate 400Gbps --sizes SolarRPC --load 30% --budget $((budget / 2)) --format json 2>/dev/null | jq -e '.search.trials == 0'
    run timeout -s INT 5 "$optimised" advise --rate 400Gbps --sizes SolarRPC --load 30% --budget "$budget"
    refute grep -q 'nothing was tried' <<<"$output"
}

@test "advise: counts all trials in its budget" {
    for budget in 4 8; do
        "$optimised" advise "$(slow)" --budget $budget --format json >"$dir/out.json" 2>/dev/null
        jq -e --argjson budget $budget '.search.packet_hops / $budget / 1e6 | . > 0.9 and . < 3' "$dir/out.json"
    done
}

@test "advise: a network described with options" {
    ANOLE=$optimised
    run_apart "$ANOLE" advise --rate 25Gbps --rtt 20us --oversubscription 4 --sizes SolarRPC --load 10% --set rpg_time_reset=20us --budget 2
    [ "$status" -eq 0 ]
    grep -qE '^  [a-z_0-9]+, advised +[0-9]' "$dir/out"
    grep -qE '^  Network +32 hosts at 25 Gb/s, [0-9]+ switches, oversubscribed 4 : 1, idle round trip 20.0 us' "$dir/out"
    grep -qE '^  Traffic +messages: SolarRPC sizes, load 10 % of host links\.$' "$dir/out"
        # the output names the assumed values
    "$ANOLE" advise --load 10% --sizes SolarRPC --rtt 20us --budget 1 --format json >"$dir/out.json"
    jq -r .answer.settings "$dir/out.json" | grep -q "'Yours' is NVIDIA's default, because no other setting was given"
    jq -r .answer.traffic "$dir/out.json" | grep -q 'Assumed, because not given: --rate 100Gbps, --oversubscription 1.'
}

@test "advise: user-defined weights; with the smallest budget the advice is never worse than a preset in the test" {
    "$optimised" advise "$(slow)" --budget 6 --goal mice=0.7,elephants=0.3 >"$dir/out"
    head -n 1 "$dir/out" | grep -qE '^Use '
    # weights equal to those of a named goal select that goal
    "$optimised" advise "$(slow)" --budget 2 --goal all=0.5,elephants=0.5 --out "$dir/weights.yaml" --format json >"$dir/out.json" 2>/dev/null
    diff <(grep -v '^#' "$dir/weights.yaml") <(grep -v '^#' "$BATS_FILE_TMPDIR/knobs.yaml")
    python3 - "$dir/out.json" <<'END'
import json, math, sys
results = json.load(open(sys.argv[1]))
rows = {row["name"]: row for row in results["settings"]}
score = lambda row: (row["loads"][0]["against_yours"] or {"change": 0})["change"]
advised = rows[results["advised"]]
best = min(rows.values(), key=score)
# "Clearly worse than the best" means further away than the advice's own interval reaches.
assert score(advised) <= max(0, (best["loads"][0]["against_yours"] or {"change_high": 0})["change_high"]), (results["advised"], best["name"])
assert results["answer"]["finding"].startswith("Use ") == (results["advised"] != "yours")
assert results["answer"]["network"] and results["answer"]["certainty"] and results["answer"]["command"].startswith("anole tune --from ")
END
}

# One day of four 25 Gb/s ports: 10 % busy at night and 40 % during the day.
ports_of_a_day() {
    awk 'BEGIN { print "time_s,port,bytes"
                 for (t = 0; t <= 86400; t += 600)
                     for (p = 0; p < 4; p++) {
                         printf "%d,p%d,%.0f\n", t, p, sent[p]
                         sent[p] += 600 * 25e9 / 8 * (t >= 28800 && t < 64800 ? 0.4 : 0.1)
                     } }'
}

@test "advise: recorded traffic, and a range of loads" {
    ANOLE=$optimised
    printf 'topology: {kind: star, hosts: 8, rate: 25Gbps, delay: 1us}\ntraffic: [{kind: poisson, load: 30%%, sizes: SolarRPC}]\nrun: 20ms\n' >"$dir/made.yaml"
    "$ANOLE" run "$dir/made.yaml" --quiet --out "$dir/made"
    ports_of_a_day >"$dir/ports.csv"
    "$ANOLE" advise --rate 25Gbps --messages "$dir/made/flows.csv" --counters "$dir/ports.csv" --set rpg_time_reset=20us --budget 3 --format json --report "$dir/advice.html" >"$dir/out.json"
    python3 - "$dir/out.json" <<'END'
import json, sys
results = json.load(open(sys.argv[1]))
# the load of the messages equals the load of the run
assert abs(results["messages"]["load"] - 0.30) < 0.03, results["messages"]
assert results["messages"]["hosts"] == 8
assert abs(results["counters"]["load"] - (10 * 0.4 + 14 * 0.1) / 24) < 1e-6
shares = [load["load_share"] for load in results["settings"][0]["loads"]]
assert abs(1.2 * shares[0] - 0.4) < 1e-6, shares          # the race includes the busy hours
assert abs(shares[1] - 0.1) < 1e-6 and abs(shares[2] - 0.4) < 1e-6, shares
END
    grep -q 'ports.csv: 580 readings of 4 ports in 24.0 hours' "$dir/advice.html"
    "$ANOLE" advise --rate 25Gbps --sizes SolarRPC --load 10%-40% --set rpg_time_reset=20us --budget 3 >"$dir/out"
    grep -qE '^  load of 10 % ' "$dir/out"
    grep -qE '^  load of 40 % ' "$dir/out"
    "$ANOLE" advise --rate 25Gbps --counters "$dir/ports.csv" --set rpg_time_reset=20us --budget 3 >"$dir/out"
    # nothing is sent at night
    awk 'BEGIN { print "time_s,port,bytes"; for (t = 0; t <= 86400; t += 600) { printf "%d,p0,%.0f\n", t, sent; sent += t >= 43200 ? 600 * 25e9 / 8 * 0.3 : 0 } }' >"$dir/night.csv"
    "$ANOLE" advise --rate 25Gbps --sizes SolarRPC --counters "$dir/night.csv" --set rpg_time_reset=20us --budget 3 >"$dir/night"
    grep -qE '^  load of 0.1 % ' "$dir/night"
    grep -q 'Counters do not show message sizes; assumed: FB_Hadoop' "$dir/out"
}

@test "advise: errors are one line" {
    refuses "which network\?" "$ANOLE" advise
    refuses "no.yaml: no such file, and no scenario of that name" "$ANOLE" advise no.yaml
    refuses "--load: how busy are hosts' links\?" "$ANOLE" advise --rate 25Gbps
    refuses "a range goes from less to more" "$ANOLE" advise --load 50%-20%
    refuses "--load and --counters: one of them" "$ANOLE" advise --load 50% --counters x.csv
    refuses "--sizes and --messages: one of them" "$ANOLE" advise --sizes WebSearch --messages x.csv
    refuses "x.csv: No such file" "$ANOLE" advise --messages x.csv
    printf 'src,dst,size,start_us\n' >"$dir/bad.csv"
    refuses "bad.csv:1: column 'bytes' is missing; the first line must name the columns: src,dst,bytes,start_us" "$ANOLE" advise --messages "$dir/bad.csv"
    refuses "--load goes without a scenario" "$ANOLE" advise "$(slow)" --load 10%
    refuses "'balance' is not a goal; did you mean 'balanced'\?" "$ANOLE" advise "$(slow)" --goal balance
    refuses "--goal: 'mouse' is not a class of messages; there are all, mice, middle and elephants" "$ANOLE" advise "$(slow)" --goal mouse=1
    refuses "neither a built-in table of sizes nor a file" "$ANOLE" advise --load 10% --sizes Websurch
    refuses "a full packet and its acknowledgement take .* cannot be" "$ANOLE" advise --load 10% --rate 10Gbps --rtt 1us
    printf 'topology: {kind: star, hosts: 2, rate: 1Gbps, delay: 1us}\ntraffic: [{kind: poisson, load: 0.001%%, sizes: WebSearch}]\nrun: 1us\n' >"$dir/idle.yaml"
    refuses "not a message is sent in it" "$ANOLE" advise "$dir/idle.yaml"
    refuses "is not a key|unknown|did you mean" "$ANOLE" advise "$(slow)" --set topology.hots=3
    [ ! -e "$dir/knobs.yaml" ]
    # a setting file that cannot be written fails before the search, not minutes later
    refuses "/dev/null/knobs.yaml: Not a directory" timeout 5 "$ANOLE" advise "$(slow)" --budget 100000 \
        --out /dev/null/knobs.yaml
}

# refuses PATTERN COMMAND... - the command fails, prints one line to standard error that matches, and no
# output.
refuses() {
    local pattern=$1
    shift
    run_apart "$@"
    [ "$status" -ne 0 ]
    [ ! -s "$dir/out" ]
    [ "$(wc -l <"$dir/err")" -eq 1 ]
    grep -qE -- "$pattern" "$dir/err" || { cat "$dir/err"; false; }
}

@test "advise: a file of anole record gives rate, load, setting and symptoms" {
    ANOLE=$optimised
    cat >"$dir/record.csv" <<'END'
time_s,device,name,value
10.00,host,info.host,node7
10.00,host,info.ethtool,yes
10.00,mlx5_0,info.speed_mbps,25000
10.00,mlx5_0,info.settings,sysfs
10.00,mlx5_0,setting.rpg_ai_rate,50
10.00,mlx5_0,counter.port_xmit_data,0
10.00,mlx5_0,counter.rx_prio3_pause,7
10.00,mlx5_0,counter.rx_prio3_pause_duration,0
10.00,mlx5_0,counter.rp_cnp_handled,4
20.00,mlx5_0,counter.port_xmit_data,781250000
20.00,mlx5_0,counter.rx_prio3_pause,19
20.00,mlx5_0,counter.rx_prio3_pause_duration,500000
20.00,mlx5_0,counter.rp_cnp_handled,4
END
    "$ANOLE" advise "$dir/record.csv" --budget 1 >"$dir/out" 2>/dev/null
    grep -q 'the network paused priority 3 for 5 % of the time' "$dir/out"
    grep -q 'pauses but no CNPs' "$dir/out"
    grep -q 'Links were busy for 10.0 % of the time' "$dir/out"      # 3.125 GB in 10 s at 25 Gb/s
    tr -s ' \n' ' ' <"$dir/out" >"$dir/line"
    grep -q "32 hosts at 25 Gb/s" "$dir/line"
    grep -q "'Yours' is what was read from mlx5_0 of node7" "$dir/line"
    run_apart "$ANOLE" advise "$dir/record.csv" --counters "$dir/record.csv"
    [ "$status" -eq 2 ]
    grep -q 'has counters already' "$dir/err"
    sed -i 's/781250000/x/' "$dir/record.csv"
    run_apart "$ANOLE" advise "$dir/record.csv"
    [ "$status" -eq 1 ]
    grep -q 'record.csv:11: value: ' "$dir/err"
}

@test "advise: if no setting has an effect, it says so and stops the search" {
    printf 'topology: {kind: star, hosts: 4}\ntraffic: [{kind: permutation, size: 200000}]\nrun: 300us\n' >"$dir/idle.yaml"
    "$optimised" advise "$dir/idle.yaml" --budget 1 --format json >"$dir/json"
    jq -e '.answer | (.finding | test("^Keep your setting: all [0-9]+ others give the same results\\.$")) and
        (.detail | test("no congestion")) and .command == null and (.traffic | test("messages of 200 KB"))' "$dir/json"
    # A packet simulation would show queues of a few packets, which some presets mark; trials of a job skip
    # them.
    printf 'topology: {kind: star, hosts: 4}\ntraffic: [{kind: training, collective: ring_all_reduce, size: 2MB, iterations: 2}]\n' >"$dir/alone.yaml"
    "$optimised" advise "$dir/alone.yaml" --budget 1 --format json >"$dir/json"
    jq -e '.answer | (.finding | test("^Keep your setting: of [0-9]+ others none is clearly better")) and
        (.certainty | test("nothing was confirmed packet by packet"))' "$dir/json"
}
