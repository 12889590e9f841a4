#!/usr/bin/env bats
# tests/cli/fidelity.bats - fidelity: fast: skipped events, accuracy and messages.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# 32 GPUs on rails: pipelines of two stages, with gradients reduced at the same time.
setup_file() {
    cat >"$BATS_FILE_TMPDIR/training.yaml" <<'EOF'
topology: {kind: rail_optimized, servers: 4, gpus: 8, spines: 2, rate: 400Gbps}
host: {mtu: 4096}
traffic:
  - kind: training
    workers: 32
    groups: {tensor: 8, pipeline: 2}
    steps:
      - {compute: 100us, collective: send_next, group: pipeline, size: 2MB, times: 4, pipelined: yes}
      - {compute: 200us, collective: send_previous, group: pipeline, size: 2MB, times: 4, pipelined: yes}
      - {compute: 100us, collective: ring_all_reduce, group: data, size: 4MB, times: 2, overlap: yes}
    iterations: 3
EOF
    cat >"$BATS_FILE_TMPDIR/mice.yaml" <<'EOF'
topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}
run: 500us
host: {window: bdp}
traffic:
  - {kind: poisson, load: 0.8, sizes: FB_Hadoop}
EOF
    # Workers send everything at once and fill the ports of popular experts.
    cat >"$BATS_FILE_TMPDIR/experts.yaml" <<'EOF'
topology: {kind: clos, tors: 4, hosts_per_tor: 8, spines: 4, rate: 400Gbps}
host: {mtu: 4096}
traffic:
  - {kind: training, workers: 32, steps: [{compute: 50us, collective: all_to_all, size: 256KB, skew: 1}], iterations: 2}
EOF
}

training() {
    echo "$BATS_FILE_TMPDIR/training.yaml"
}

experts() {
    echo "$BATS_FILE_TMPDIR/experts.yaml"
}

# both SCENARIO ARGUMENT... - runs packets ($dir/packet.json) and fast ($dir/fast.json), without fields that
# must differ.
both() {
    for kind in packet fast; do
        "$ANOLE" run "$@" --set "fidelity=$kind" --format json | jq 'del(.wall, .set)' >"$dir/$kind.json"
    done
}

@test "fidelity: training within 0.1 % of packets, with a twentieth of the events" {
    both "$(training)"
    jq -en --slurpfile p "$dir/packet.json" --slurpfile f "$dir/fast.json" '
        def off(a; b): ((a - b) / b) | if . < 0 then -. else . end;
        $p[0].traffic[0].iteration as $was | $f[0].traffic[0].iteration as $is |
        $is.count == 3 and off($is.us_mean; $was.us_mean) < 0.001 and off($is.us_max; $was.us_max) < 0.001 and
        $f[0].packets.events * 20 < $p[0].packets.events and
        $f[0].all.bytes == $p[0].all.bytes and $f[0].all.flows == $p[0].all.flows and
        $f[0].packets.data_sent == $p[0].packets.data_sent and $f[0].packets.acks_sent == $p[0].packets.acks_sent'
}

# Marks are random, so the seed matters.
@test "fidelity: an interval of exposed communication, from further seeds on request" {
    "$ANOLE" run "$(experts)" --set fidelity=fast >"$dir/none"
    grep -qE "^ +exposed +no interval: further seeds would take longer than all packets \('seeds: 5' runs them\)$" "$dir/none"
    "$ANOLE" run "$(experts)" --set 'fidelity={kind: fast, seeds: 4}' --out "$dir/results" >"$dir/some"
    grep -qE '^ +exposed +training 1: [0-9.]+ .s \([0-9.]+ .s to [0-9.]+ .s\) packet by packet; cold [0-9.]+ .s \(.*\), warm [0-9.]+ .s \(' "$dir/some"
    grep -qE '^ +95 % interval for one such run: spread of 4 seeds; [1-9][0-9.]* % for the model$' "$dir/some"
    "$ANOLE" run "$(experts)" --seed 9 --format json >"$dir/packet.json"
    jq -e --slurpfile p "$dir/packet.json" '.fidelity.seeds == 4 and (.fidelity.interval_of | test("packet by packet")) and
        ($p[0].traffic[0] as $was | .traffic[0] |
         .exposed_us_mean_low < .exposed_us_mean_expected and .exposed_us_mean_low < $was.exposed_us_mean and $was.exposed_us_mean < .exposed_us_mean_high and
         .exposed_cold_us_low < $was.exposed_cold_us and $was.exposed_warm_us_mean < .exposed_warm_us_mean_high)' "$dir/results/summary.json"
    grep -q 'not hidden, packet by packet: at least' "$dir/results/report.html"
}

# start_seeds - starts a run with more further seeds than any test waits for. Returns when the first results
# exist. Sets pid.
start_seeds() {
    env --default-signal=INT "$ANOLE" run "$(experts)" --set 'fidelity={kind: fast, seeds: 100}' --threads 2 --out "$dir/results" >"$dir/out" 2>"$dir/err" 3>&- &
    pid=$!
    wait_for [ -e "$dir/results/.anole" ]
    wait_for has_children "$pid" 1
}

# has_no_interval WHY - the results of the first run exist, and state why they lack an interval.
has_no_interval() {
    jq -e --arg why "$1" '.fidelity.why_no_interval == $why and .traffic[0].iteration.count == 2' "$dir/results/summary.json"
    [ "$(find "$dir" -name '.anole-*')" = '' ]
}

@test "fidelity: Ctrl-C during the further seeds keeps the results of the first run" {
    start_seeds
    kill -INT "$pid"
    status=0; wait "$pid" || status=$?
    [ "$status" -eq 130 ]
    has_no_interval 'the further seeds were interrupted'
    grep -qE '^ +exposed +no interval: the further seeds were interrupted$' "$dir/out"
    [ "$(cat "$dir/err")" = 'anole: interrupted after the run: its results have no interval' ]
}

@test "fidelity: a crash affects only its own further seed" {
    start_seeds
    kill -SEGV "$(children "$pid" | head -n 1)"
    wait "$pid"
    has_no_interval 'a run with another seed failed'
    grep -qE '^ +exposed +no interval: a run with another seed failed$' "$dir/out"
}

@test "fidelity: the results of the first run are in place before further seeds run" {
    start_seeds
    kill -KILL "$pid"
    wait "$pid" || true
    has_no_interval 'the further seeds have not ended'
}

# A folder at the file's path simulates a full disk.
@test "fidelity: when the interval cannot be written, the first run's results stay and are printed" {
    start_seeds
    mv "$dir/results/summary.json" "$dir/kept.json"
    mkdir "$dir/results/summary.json"
    kill -TERM "$pid"
    status=0; wait "$pid" || status=$?
    [ "$status" -eq 1 ]
    grep -qE '^anole: .*/results/summary.json: ' "$dir/err"
    grep -qE '^ +exposed +no interval: ' "$dir/out"
    [ -s "$dir/results/flows.csv" ] && [ -s "$dir/results/report.html" ]
}

@test "fidelity: reports how much it skipped" {
    run_apart "$ANOLE" run "$(training)" --set fidelity=fast --out "$dir/results"
    [ "$status" -eq 0 ]
    grep -qE '^ +fidelity +fast: [0-9.]+ % of hops skipped, those of flows alone on their way$' "$dir/out"
    grep -qE '^ +95 % interval for one such run: seeds have no effect; ' "$dir/out"
    jq -e '.fidelity | .kind == "fast" and .seeds == 1 and .hops_skipped_share > 0.9 and .packets_skipped > 10000 and .why_not == null' \
        "$dir/results/summary.json"
    grep -q '"fidelity":"fast"' "$dir/results/report.html"
}

# 16 hosts that send to each other at full load leave nothing to skip.
@test "fidelity: says on stderr that it saved too little, or nothing and why" {
    all="topology: {kind: star, hosts: 16, rate: 100Gbps, delay: 1us}
traffic: [{kind: poisson, sizes: WebSearch, load: 0.8, stop: 10ms}]
fidelity: fast"
    run_apart "$ANOLE" run - --quiet <<<"$all"
    [ "$status" -eq 0 ]
    [ "$(cat "$dir/err")" = "anole: note: fidelity fast saved too little and simulated most packets: few flows are alone" ]
    run_apart "$ANOLE" run - --quiet --set cc=hpcc <<<"$all"
    [ "$status" -eq 0 ]
    grep -q '^anole: note: fidelity fast simulated every packet: ' "$dir/err"
}

@test "fidelity: intervals and ports add up to the summary" {
    "$ANOLE" run "$(training)" --set fidelity=fast --set interval=130us --quiet --out "$dir/results"
    want=$(jq '.packets.payload_bytes_received' "$dir/results/summary.json")
    got=$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "payload_bytes") c = i; next }
                    { sum += $c } END { printf "%.0f", sum }' "$dir/results/intervals.csv")
    [ "$got" = "$want" ]
}

@test "fidelity: intervals and threads do not change results" {
    "$ANOLE" run "$(training)" --set fidelity=fast --quiet --out "$dir/a"
    "$ANOLE" run "$(training)" --set fidelity=fast --set interval=37us --threads 4 --quiet --out "$dir/b"
    cmp "$dir/a/flows.csv" "$dir/b/flows.csv"
    for threads in 1 2 4; do
        "$ANOLE" run "$(training)" --set fidelity=fast --threads "$threads" --format json | jq 'del(.wall)' >"$dir/$threads.json"
    done
    cmp "$dir/1.json" "$dir/2.json"
    cmp "$dir/1.json" "$dir/4.json"
}

# Single runs differ as two seeds do, by up to 7 %.
@test "fidelity: a skewed exchange of experts has half the events, and takes as long on average" {
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        both "$(experts)" --seed "$seed"
        jq -n --slurpfile p "$dir/packet.json" --slurpfile f "$dir/fast.json" \
            '[$f[0].packets.events / $p[0].packets.events, $f[0].fidelity.packets_skipped / $p[0].packets.data_sent,
              $f[0].traffic[0].iteration_us_mean, $p[0].traffic[0].iteration_us_mean]' >>"$dir/runs.json"
    done
    jq -es 'all(.[]; .[0] < 0.6 and .[1] > 0.2) and ((map(.[2]) | add) / (map(.[3]) | add) - 1 | fabs) < 0.05' "$dir/runs.json"
    "$ANOLE" run "$(experts)" --set fidelity=fast >"$dir/out"
    grep -qE '^ +fidelity +fast: [0-9.]+ % of hops skipped' "$dir/out"
}

@test "fidelity: where every packet is needed the run is the same, and says why" {
    both "$BATS_FILE_TMPDIR/mice.yaml"
    diff <(jq 'del(.fidelity, .answer)' "$dir/fast.json") <(jq 'del(.answer)' "$dir/packet.json")
    jq -e '.fidelity | .packets_skipped == 0 and .why_not != null' "$dir/fast.json"
    for more in 'monitor: paraleon' 'monitor: none' 'knobs: {hf2t: 1}' 'lb: letflow' 'cc: timely'; do
        printf '%s\n' "$more" 'fidelity: fast' | cat "$(training)" - >"$dir/more.yaml"
        "$ANOLE" run "$dir/more.yaml" --set traffic.0.iterations=1 >"$dir/out"
        grep -qE '^ +fidelity +fast: nothing was skipped: ' "$dir/out"
    done
}

@test "fidelity: knobs may change" {
    cat "$(training)" - >"$dir/changes.yaml" <<'EOF'
changes:
  - {at: 1ms, knobs: {kmin: 1000KB, kmax: 2000KB}}
EOF
    both "$dir/changes.yaml"
    jq -en --slurpfile p "$dir/packet.json" --slurpfile f "$dir/fast.json" '
        ($f[0].traffic[0].iteration.us_mean / $p[0].traffic[0].iteration.us_mean - 1) as $off |
        $off < 0.001 and $off > -0.001 and $f[0].fidelity.packets_skipped > 0 and $p[0].all.bytes == $f[0].all.bytes'
}

@test "fidelity: rejects an unknown kind" {
    run_apart "$ANOLE" run "$(training)" --set fidelity=fats
    [ "$status" -ne 0 ]
    grep -q "'fats' is not a fidelity; did you mean 'fast'" "$dir/err"
}

# Flows that share full ports are simulated packet by packet. Shortened training scenarios.
@test "fidelity: training scenarios take as long as with packets" {
    for scenario in training.yaml training_all_reduce.yaml training_pipeline.yaml dgx_h100.yaml; do
        case $scenario in
        training.yaml)            set -- --set traffic.0.size=200KB --set traffic.0.compute=100us ;;
        training_all_reduce.yaml) set -- --set traffic.0.size=4MB --set traffic.1.size=4MB --set traffic.2.size=4MB ;;
        training_pipeline.yaml)   set -- --set traffic.0.iterations=1 --set traffic.0.steps.2.size=400KB ;;
        dgx_h100.yaml)            set -- --set traffic.0.size=8MB ;;
        esac
        both "scenarios/$scenario" "$@"
        jq -n --slurpfile p "$dir/packet.json" --slurpfile f "$dir/fast.json" '
            [[$p[0], $f[0] | [.traffic[].iteration // empty | .us_mean]] | transpose[] | .[1] / .[0] - 1] | max_by(fabs)' >"$dir/off"
        echo "$scenario: off by $(cat "$dir/off")"
        jq -e 'fabs < 0.05' "$dir/off"
    done
}

@test "fidelity: compare measures the error" {
    "$ANOLE" compare "$(training)" --variant packet:fidelity=packet --variant fast:fidelity=fast --seeds 2 --quiet \
        --format csv --out "$dir/compared"
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { gsub(/"/, "") }
        $at["metric"] ~ /collective_us_(mean|p99)$/ && $at["variant"] == "fast" {
            rows++
            bad += $at["change"] > 0.01 || $at["change"] < -0.01
        }
        END { exit rows != 2 || bad }' "$dir/compared/comparison.csv"
}
