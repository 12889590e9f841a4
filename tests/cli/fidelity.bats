#!/usr/bin/env bats
# tests/cli/fidelity.bats - fidelity: fast from the outside: what it saves, how right it is, what it says and what it refuses.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# Eight workers, four to a rack, with uplinks wide enough for all.
setup_file() {
    cat >"$BATS_FILE_TMPDIR/training.yaml" <<'EOF'
topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, fabric_rate: 400Gbps, delay: 1us}
host: {mtu: 4096, ack_every: 4}
traffic:
  - {kind: training, workers: 8, placement: spread, collective: all_to_all, size: 1MB, compute: 200us, iterations: 30, qps: fresh}
EOF
    cat >"$BATS_FILE_TMPDIR/mice.yaml" <<'EOF'
topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}
run: 500us
traffic:
  - {kind: poisson, load: 0.8, sizes: FB_Hadoop}
EOF
}

training() {
    echo "$BATS_FILE_TMPDIR/training.yaml"
}

# both SCENARIO ARGUMENT... : packet by packet into $dir/packet.json, fast into $dir/fast.json, without what differs by right.
both() {
    for kind in packet fast; do
        "$ANOLE" run "$@" --set "fidelity=$kind" --format json | jq 'del(.wall, .set)' >"$dir/$kind.json"
    done
}

@test "fidelity: training within 1 % of packets, with a tenth of the events" {
    both "$(training)"
    jq -en --slurpfile p "$dir/packet.json" --slurpfile f "$dir/fast.json" '
        def off(a; b): ((a - b) / b) | if . < 0 then -. else . end;
        $p[0].traffic[0].iteration as $was | $f[0].traffic[0].iteration as $is |
        $is.count == 30 and off($is.us_mean; $was.us_mean) < 0.01 and off($is.us_p99; $was.us_p99) < 0.01 and
        off($f[0].simulated_us; $p[0].simulated_us) < 0.01 and
        $f[0].packets.events * 10 < $p[0].packets.events and
        $f[0].all.bytes == $p[0].all.bytes and $f[0].all.flows == $p[0].all.flows and
        $f[0].packets.data_sent == $p[0].packets.data_sent and $f[0].fidelity.error == 0.01'
}

@test "fidelity: what is saved and how well it is known is told" {
    run_apart "$ANOLE" run "$(training)" --set fidelity=fast --out "$dir/results"
    [ "$status" -eq 0 ]
    grep -qE '^ +fidelity +fast: .* skipped, with about [0-9,]+ events, [0-9.]+ % of all$' "$dir/out"
    grep -qE '^ +iterations: [0-9]+ simulated and recorded, [0-9]+ replayed$' "$dir/out"
    grep -qE '^ +error: at most 1 %$' "$dir/out"
    grep -qE '^ +the next takes their mean time within [0-9.e-]+ % \(95 %\); 1 % is allowed$' "$dir/out"
    jq -e '.fidelity | .kind == "fast" and .error_allowed == 0.01 and .skipped_share > 0 and .events_saved > 0 and
           .iterations_recorded + .iterations_replayed == 30' "$dir/results/summary.json"
    grep -q '"fidelity":"fast"' "$dir/results/report.html"
}

@test "fidelity: intervals and ports add up to what the summary says" {
    "$ANOLE" run "$(training)" --set fidelity=fast --set interval=130us --quiet --out "$dir/results"
    want=$(jq '.all.bytes' "$dir/results/summary.json")
    got=$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "payload_bytes") c = i; next }
                    { sum += $c } END { printf "%.0f", sum }' "$dir/results/intervals.csv")
    [ "$got" = "$want" ]
    [ "$(wc -l <"$dir/results/flows.csv")" -eq $((30 * 8 * 7 + 1)) ]
}

@test "fidelity: no interval changes what happens" {
    for interval in 1ms 37us; do
        "$ANOLE" run "$(training)" --set fidelity=fast --set "interval=$interval" --quiet --out "$dir/$interval"
    done
    cmp "$dir/1ms/flows.csv" "$dir/37us/flows.csv"
}

@test "fidelity: where nothing repeats the run is the same, and no gain is told" {
    both "$BATS_FILE_TMPDIR/mice.yaml"
    diff <(jq 'del(.fidelity, .answer)' "$dir/fast.json") <(jq 'del(.answer)' "$dir/packet.json")
    jq -e '.fidelity | .skipped_share == 0 and .events_saved == 0' "$dir/fast.json"
    "$ANOLE" run "$BATS_FILE_TMPDIR/mice.yaml" --set fidelity=fast | grep -qE '^ +fidelity +fast: no gain, '
}

@test "fidelity: iterations that differ by more than is allowed are not replayed" {
    "$ANOLE" run "$(training)" --set fidelity.kind=fast --set fidelity.error=0.0001% >"$dir/out"
    grep -qE '^ +iterations: [0-9]+ simulated and recorded, 0 replayed$' "$dir/out"
}

# It changes nothing here, where queues are short; but nobody knows that before.
@test "fidelity: a change of knobs in the middle is simulated, and all is recorded anew" {
    cat "$(training)" - >"$dir/changes.yaml" <<'EOF'
changes:
  - {at: 9ms, knobs: {kmin: 1000KB, kmax: 2000KB}}
EOF
    both "$dir/changes.yaml"
    jq -en --slurpfile p "$dir/packet.json" --slurpfile f "$dir/fast.json" '
        def off(a; b): ((a - b) / b) | if . < 0 then -. else . end;
        off($f[0].traffic[0].iteration.us_mean; $p[0].traffic[0].iteration.us_mean) < 0.01 and
        $f[0].fidelity.iterations_recorded >= 4 and $f[0].fidelity.iterations_replayed > 15 and $p[0].all.bytes == $f[0].all.bytes'
}

@test "fidelity: what needs every packet is refused, with its place" {
    for more in 'monitor: paraleon' 'tuner: paraleon' 'model: hpcc' 'knobs: {hf2t: 1}'; do
        printf '%s\n' "$more" 'fidelity: fast' | cat "$(training)" - >"$dir/refused.yaml"
        run_apart "$ANOLE" run "$dir/refused.yaml"
        [ "$status" -ne 0 ]
        [ ! -s "$dir/out" ]
        grep -qE '^anole: .*refused\.yaml:6:11: fidelity fast (needs|does not go with) ' "$dir/err"
    done
    run_apart "$ANOLE" run "$(training)" --set fidelity=fats
    [ "$status" -ne 0 ]
    grep -q "'fats' is not a fidelity; did you mean 'fast'" "$dir/err"
}

# off PACKET FAST: the largest share by which iterations and completion times differ.
off() {
    jq -n --slurpfile p "$1" --slurpfile f "$2" '
        def times: [.all.fct_us_mean, .all.fct_us_p99] + [.traffic[].iteration // empty | .us_mean, .us_p99];
        [[$p[0] | times, ($f[0] | times)] | transpose[] | select(.[0]) | .[1] / .[0] - 1 | if . < 0 then -. else . end] | max'
}

# All that have training, shortened: as they are they are refused, since their queue pairs persist. With fresh ones the error is not above what is reported.
@test "fidelity: no reported error is below the actual one in any training scenario" {
    cat >"$dir/ring.yaml" <<'EOF'
topology: {kind: clos, tors: 2, hosts_per_tor: 8, spines: 2, rate: 100Gbps, delay: 1us}
traffic: [{kind: training, workers: 16, collective: ring_all_reduce, size: 1MB, compute: 50us, iterations: 12}]
EOF
    cat >"$dir/star.yaml" <<'EOF'
topology: {kind: star, hosts: 16, rate: 100Gbps, delay: 1us}
traffic: [{kind: training, workers: 16, collective: ring_all_reduce, size: 1MB, compute: 50us, iterations: 12}]
EOF
    bounded=0
    for scenario in $(grep -l 'kind: training' scenarios/*.yaml) "$dir/ring.yaml" "$dir/star.yaml"; do
        set --
        i=0
        while read -r kind; do
            [ "$kind" != training ] || set -- "$@" --set "traffic.$i.qps=fresh"
            i=$((i + 1))
        done < <(grep -oE 'kind: (training|poisson)' "$scenario" | cut -d ' ' -f 2)
        case $scenario in
        */training.yaml)            set -- "$@" --set traffic.0.size=200KB --set traffic.0.compute=100us ;;
        */training_fast.yaml)       set -- "$@" --set traffic.0.size=200KB --set traffic.0.compute=100us --set traffic.0.iterations=6 ;;
        */training_all_reduce.yaml) for k in 0 1 2; do set -- "$@" --set "traffic.$k.size=4MB"; done ;;
        */training_groups.yaml)     set -- "$@" --set traffic.0.iterations=1 --set traffic.1.iterations=1 --set traffic.0.steps.5.size=1MB --set traffic.1.steps.5.size=1MB ;;
        */training_pipeline.yaml)   set -- "$@" --set traffic.0.iterations=1 --set traffic.0.steps.2.size=400KB ;;
        */training_influx.yaml)     set -- "$@" --set run=2ms --set traffic.1.start=1ms --set traffic.1.for=1ms ;;
        esac
        if [[ $scenario != */training_fast.yaml ]]; then
            run "$ANOLE" run "$scenario" --set fidelity=fast -q
            echo "$scenario: $output"
            [ "$status" -eq 1 ]
            [[ $output == *"every flow has its own queue pair: 'qps' must be 'fresh'"* || $output == *"fidelity fast does not go with"* ]]
        fi
        run "$ANOLE" run "$scenario" "$@" --set fidelity=fast --format json
        if [ "$status" -ne 0 ]; then
            [[ $output == *"fidelity fast does not go with"* ]]
            continue
        fi
        echo "$output" >"$dir/fast"
        error=$(jq .fidelity.error "$dir/fast")
        [ "$error" != null ] || continue
        bounded=$((bounded + 1))
        "$ANOLE" run "$scenario" "$@" --set fidelity=packet --format json >"$dir/packet"
        echo "$scenario: off by $(off "$dir/packet" "$dir/fast"), reported $error"
        jq -en "$(off "$dir/packet" "$dir/fast") <= $error"
    done
    [ "$bounded" -ge 3 ]
}

@test "fidelity: where switches mark no error is claimed" {
    "$ANOLE" run "$(training)" --set topology.fabric_rate=100Gbps --set fidelity.kind=fast --set fidelity.error=40% --format json >"$dir/out"
    jq -e '.packets.marked > 0 and .fidelity.skipped_share > 0 and .fidelity.error == null' "$dir/out"
    "$ANOLE" run "$(training)" --set topology.fabric_rate=100Gbps --set fidelity.kind=fast --set fidelity.error=40% | grep -qE '^ +error: not known, '
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
