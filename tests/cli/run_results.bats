#!/usr/bin/env bats
# tests/cli/run_results.bats - the files in the folder of a run, and that they agree with each other.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# write_influx FILE - random traffic with more for a while; buffers are small enough for pauses.
write_influx() {
    cat >"$1" <<'END'
topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}
switch: {buffer: 300KB}
traffic:
  - {kind: poisson, name: background, load: 0.2, sizes: FB_Hadoop}
  - {kind: poisson, name: "a, \"b\" <c>", load: 0.5, sizes: WebSearch, start: 300us, for: 300us, influx: yes}
knobs: {kmin: 100KB, kmax: 400KB}
changes: [{at: 450us, knobs: {kmin: 50KB, kmax: 200KB}}]
interval: 30us
run: 1ms
END
}

# write_jobs FILE : one job of each kind.
write_jobs() {
    cat >"$1" <<'END'
topology: {kind: clos, tors: 2, hosts_per_tor: 8, spines: 2, rate: 100Gbps, delay: 1us}
traffic:
  - {kind: training, name: llm, workers: [h0, h1, h2, h3], collective: ring_all_reduce, size: 400KB, compute: 50us}
  - {kind: storage, name: disks, hosts: [h4, h5, h6, h7], depth: 2, replicas: 1}
  - {kind: rpc, name: calls, clients: [h8, h9], servers: [h10, h11]}
interval: 100us
run: 1ms
END
}

setup_file() {
    write_influx "$BATS_FILE_TMPDIR/influx.yaml"
    write_jobs "$BATS_FILE_TMPDIR/jobs.yaml"
    "$ANOLE" run "$BATS_FILE_TMPDIR/influx.yaml" --quiet --out "$BATS_FILE_TMPDIR/influx"
    "$ANOLE" run "$BATS_FILE_TMPDIR/jobs.yaml" --quiet --out "$BATS_FILE_TMPDIR/jobs"
}

# sum_of COLUMN - sums a column of intervals.csv. The first columns have no quotes.
sum_of() {
    awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { sum += $at } END { if (!at) exit 1; printf "%.6f", sum }' "$BATS_FILE_TMPDIR/influx/intervals.csv"
}

# summary EXPRESSION - evaluates it on the summary of the influx.
summary() {
    jq "$1" "$BATS_FILE_TMPDIR/influx/summary.json"
}

@test "intervals.csv: sums equal those of the summary" {
    [ "$(summary .pfc.pauses)" -gt 0 ]
    for row in payload_bytes:.packets.payload_bytes_received pauses:.pfc.pauses paused_us:.pfc.paused_us \
        marked_packets:.packets.marked cnps:.packets.cnps_sent nacks:.packets.nacks_sent \
        data_packets:.packets.data_sent received_packets:.packets.data_received flows_started:.all.flows_started flows_done:.all.flows; do
        jq -en --argjson a "$(sum_of "${row%%:*}")" --argjson b "$(summary "${row#*:}")" '($a - $b | fabs) < 1e-3' || {
            echo "$row differs"
            return 1
        }
    done
}

@test "intervals.csv: one line per interval, without gaps, up to the end" {
    awk -F , 'NR > 1 { if ($1 != last) bad = 1; if ($2 - $1 > 30.0000001) bad = 1; last = $2 }
        NR == 2 && $1 != 0 { bad = 1 } END { exit bad || last != 1000 || NR != 35 }' \
        "$BATS_FILE_TMPDIR/influx/intervals.csv"
}

@test "intervals.csv: a column for each entry's goodput, then one for each knob" {
    head -n 1 "$BATS_FILE_TMPDIR/influx/intervals.csv" >"$dir/head"
    grep -qF ',"background.goodput_bps","a, ""b"" <c>.goodput_bps",' "$dir/head"
    # every knob of the list has a column with its unit
    "$ANOLE" list knob | awk 'NR > 2 { print $1 }' >"$dir/knobs"
    [ -s "$dir/knobs" ]
    while read -r knob; do
        grep -qE ",$knob(_[a-z0-9_]+)?(,|\$)" "$dir/head" || return 1
    done <"$dir/knobs"
    # kmin changes at 450 us, in the interval that ends there. The column is counted from the end, because
    # names contain commas.
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "kmin_kb") behind = NF - i; next }
        $(NF - behind) != ($2 >= 450 ? 50 : 100) { bad = 1 } END { exit bad || !behind }' \
        "$BATS_FILE_TMPDIR/influx/intervals.csv"
}

@test "intervals.csv: goodput and shares agree with the other columns" {
    awk -F , 'NR > 1 { d = $4 - $3 * 8 / (($2 - $1) * 1e-6); if (d > 1 || d < -1) bad = 1
                       s = $13 - $12 / (($2 - $1) * 24); if (s > 1e-6 || s < -1e-6) bad = 1 } END { exit bad }' \
        "$BATS_FILE_TMPDIR/influx/intervals.csv"
}

@test "intervals change no results: flows, ports and totals are the same" {
    for interval in 10us 1ms; do
        "$ANOLE" run "$BATS_FILE_TMPDIR/influx.yaml" --quiet --set interval=$interval --out "$dir/$interval"
    done
    cmp "$dir/10us/flows.csv" "$dir/1ms/flows.csv"
    cmp "$dir/10us/ports.csv" "$dir/1ms/ports.csv"
    [ "$(wc -l <"$dir/10us/intervals.csv")" = 101 ]
    [ "$(wc -l <"$dir/1ms/intervals.csv")" = 2 ]
    # except the division between phases by intervals, and the settings
    for interval in 10us 1ms; do
        jq 'del(.set, .phases, .metrics, .answer)' "$dir/$interval/summary.json" >"$dir/$interval.json"
    done
    cmp "$dir/10us.json" "$dir/1ms.json"
}

@test "manifest.json: has everything needed to repeat the run" {
    manifest=$BATS_FILE_TMPDIR/influx/manifest.json
    jq -j .scenario.text "$manifest" | cmp - "$BATS_FILE_TMPDIR/influx.yaml"
    jq -e '.seed == 1 and .model == "nic" and .simulated_us == 1000 and .interval_us == 30 and .wall_seconds > 0
           and .counts.intervals == 34 and .traffic[0].load_asked == 0.2 and .traffic[0].load_realised > 0' "$manifest"
    # the counts of the summary, and every file
    [ "$(jq '[.counts.flows_started, .counts.hops, .counts.events]' -c "$manifest")" = \
        "$(summary '[.all.flows_started, .packets.hops, .packets.events]' | jq -c .)" ]
    [ "$(jq -r '.files[]' "$manifest" | sort)" = \
        "$(find "$BATS_FILE_TMPDIR/influx" -type f ! -name .anole -printf '%f\n' | sort)" ]
}

# page_data DIR - prints the data of report.html.
page_data() {
    tr '\n' ' ' <"$1/report.html" | sed 's/.*id="anole-data">\([^<]*\)<\/script>.*/\1/'
}

@test "report.html: contains the summary, and needs no other files" {
    page_data "$BATS_FILE_TMPDIR/influx" >"$dir/data"
    jq -S '.runs[0].summary' "$dir/data" | cmp - <(jq -S . "$BATS_FILE_TMPDIR/influx/summary.json")
    jq -e '.kind == "run" and .title == "influx.yaml" and (.runs | length) == 1' "$dir/data"
    jq -e '.runs[0] | .topology.links | length == 12' "$dir/data"
    # the points of the chart are the lines of intervals.csv
    [ "$(jq -c '.runs[0].series.at_us | length' "$dir/data")" = 34 ]
    jq -r '.runs[0].series.columns[] | select(.name == "pauses").values[]' "$dir/data" >"$dir/pauses"
    awk -F , 'NR > 1 { print $11 }' "$BATS_FILE_TMPDIR/influx/intervals.csv" |
        paste -d ' ' - "$dir/pauses" | awk '$1 != $2 { bad = 1 } END { exit bad || NR != 34 }'
    # every linked file exists
    jq -r '.runs[0].files[]' "$dir/data" | while read -r file; do [ -f "$BATS_FILE_TMPDIR/influx/$file" ] || exit 1; done
    refute grep -qE '(src|href)="https?:' "$BATS_FILE_TMPDIR/influx/report.html"
}

@test "phases: flows before, during and after add up, and equal those of flows.csv" {
    [ "$(summary '[.phases[].flows] | add')" = "$(summary .all.flows)" ]
    [ "$(summary '[.phases[].phase] | join(" ")' | tr -d '"')" = 'before during after' ]
    jq -e '[.phases[].us] == [300, 300, 400]' "$BATS_FILE_TMPDIR/influx/summary.json"
    # start_ns is the fifth column from the end: names contain commas
    during=$(awk -F , 'NR > 1 && $(NF - 4) >= 300000 && $(NF - 4) < 600000' "$BATS_FILE_TMPDIR/influx/flows.csv" | wc -l)
    [ "$(summary '.phases[1].flows')" = "$during" ]
    [ "$(summary '[.phases[1].traffic[].flows] | add')" = "$during" ]
    # each byte of payload belongs to a phase
    jq -e '([.phases[] | .goodput_bps * .us * 1e-6 / 8] | add) / .packets.payload_bytes_received - 1 | fabs < 1e-9' \
        "$BATS_FILE_TMPDIR/influx/summary.json"
}

@test "phases: are in the table and in csv" {
    "$ANOLE" run "$BATS_FILE_TMPDIR/influx.yaml" >"$dir/table"
    grep -qE '^  before +all +[0-9]' "$dir/table"
    grep -qE '^  during +all +[0-9]' "$dir/table"
    grep -qE '^  after +all +[0-9]' "$dir/table"
    "$ANOLE" run "$BATS_FILE_TMPDIR/influx.yaml" --format csv >"$dir/csv"
    [ "$(awk -F , '$1 == "phase" { sum += $3 } END { print sum }' "$dir/csv")" = "$(summary .all.flows)" ]
}

@test "a run without an influx has no phases" {
    jq -e '.phases == [] and ([.metrics[].name | select(startswith("during"))] == [])' \
        "$BATS_FILE_TMPDIR/jobs/summary.json"
}

@test "the table: time series with the influx marked, in blocks or in ASCII" {
    LC_ALL=C.UTF-8 "$ANOLE" run "$BATS_FILE_TMPDIR/influx.yaml" >"$dir/blocks"
    grep -qE '^  goodput +[▁▂▃▄▅▆▇█]+  [0-9.]+ .b/s \.\. [0-9.]+ .b/s$' "$dir/blocks"
    grep -qE '^  RTT mean +[▁▂▃▄▅▆▇█ ]+  [0-9.]+ us \.\. [0-9.]+ us$' "$dir/blocks"
    grep -qE '^  influx +-+$' "$dir/blocks"
    LC_ALL=C "$ANOLE" run "$BATS_FILE_TMPDIR/influx.yaml" >"$dir/ascii"
    grep -qE '^  goodput +[_.:=+*#-]+  [0-9.]+ .b/s' "$dir/ascii"
    refute grep -qP '[^\x00-\x7f]' "$dir/ascii"
    # 34 intervals with a column each; the influx from 300 to 600 us has 10
    [ "$(sed -n 's/^  influx *\(-*\)$/\1/p' "$dir/ascii" | tr -d '\n' | wc -c)" = 10 ]
}

@test "training: bandwidths follow nccl-tests" {
    jobs=$BATS_FILE_TMPDIR/jobs/summary.json
    jq -e '.traffic[0] | .iteration.count > 2 and .collective_bytes == 400000
        and (.algbw_bps / (400000 * 8 / (.iteration.us_mean * 1e-6)) - 1 | fabs) < 1e-9
        and (.busbw_bps / .algbw_bps - 2 * 3 / 4 | fabs) < 1e-9
        and (.iteration_us_mean - .iteration.us_mean - 50 | fabs) < 1e-6
        and .bound_share > 0 and .bound_share <= 1' "$jobs"
}

@test "training: every message belongs to a collective, and exposed communication is reported" {
    "$ANOLE" run scenarios/training_groups.yaml --format json >"$dir/groups.json"
    # 4 x 200 + 400 + 100 us of computing
    jq -e '.traffic[0] | (.iteration_us_mean - .exposed_us_mean - 1300 | fabs) < 1e-6
        and ((.exposed_cold_us + (.iteration.count - 1) * .exposed_warm_us_mean) / .iteration.count - .exposed_us_mean | fabs) < 1e-6
        and ([.collectives[].messages] | add) == .flows
        and (.collectives | length) == 5 and all(.collectives[]; .worst_us >= .worst_alone_us)' "$dir/groups.json"
    "$ANOLE" run scenarios/training_groups.yaml >"$dir/groups"
    grep -qE '^  first +all_to_all +expert +288 +[0-9.]+ +h[0-9]+ -> h[0-9]+ +[0-9.]+ us +[0-9.]+ us$' "$dir/groups"
}

@test "storage and calls: rates are counts divided by the time" {
    jobs=$BATS_FILE_TMPDIR/jobs/summary.json
    jq -e '.traffic[1] | .read.count > 0 and .write.count > 0 and .iops > 0
        and .iops >= (.read.count + .write.count) / 1e-3 and .read.us_p99 >= .read.us_p50' "$jobs"
    jq -e '.traffic[2] | .call.count > 0 and .calls_per_s >= .call.count / 1e-3' "$jobs"
    # the same, by name
    [ "$(jq '.metrics[] | select(.name == "disks.iops").value' "$jobs")" = "$(jq '.traffic[1].iops' "$jobs")" ]
    [ "$(jq '.metrics[] | select(.name == "llm.busbw_bps").value' "$jobs")" = "$(jq '.traffic[0].busbw_bps' "$jobs")" ]
    [ "$(jq '.metrics[] | select(.name == "calls.call_us_p99").value' "$jobs")" = "$(jq '.traffic[2].call.us_p99' "$jobs")" ]
}

@test "jobs: are in the table and in csv" {
    "$ANOLE" run "$BATS_FILE_TMPDIR/jobs.yaml" >"$dir/table"
    grep -qE '^  llm +[0-9]+ .*GB/s \([0-9.]+ [GMT]b/s\) +[0-9.]+ GB/s \([0-9.]+ [GMT]b/s\) +[0-9.]+ %$' "$dir/table"
    grep -qE '^  disks +[0-9.]+( [KM])?/s +[0-9.]+ .b/s +reads +[0-9]+' "$dir/table"
    grep -qE '^  calls +[0-9.]+( [KM])?/s +[0-9.]+ .b/s +calls +[0-9]+' "$dir/table"
    "$ANOLE" run "$BATS_FILE_TMPDIR/jobs.yaml" --format csv >"$dir/csv"
    for op in iteration read write call; do
        count=$(jq "[.traffic[].$op.count // 0] | add" "$BATS_FILE_TMPDIR/jobs/summary.json")
        [ "$(awk -F , -v op=$op '$1 == op { print $3 }' "$dir/csv")" = "$count" ]
    done
}

@test "metrics: csv and json are equal" {
    "$ANOLE" run "$BATS_FILE_TMPDIR/jobs.yaml" --format csv |
        awk -F , '$1 == "metric" { gsub(/"/, "", $2); print $2, $NF }' >"$dir/csv"
    jq -r '.metrics[] | "\(.name) \(.unit)"' "$BATS_FILE_TMPDIR/jobs/summary.json" | cmp - "$dir/csv"
    [ -z "$(cut -d ' ' -f 1 "$dir/csv" | sort | uniq -d)" ]
}

@test "metrics: a missing value is null, and none is NaN" {
    jq -e '[.metrics[] | select(.name == "elephants.slowdown_p99")][0] | has("value") and .value == null' \
        "$BATS_FILE_TMPDIR/jobs/summary.json"
    refute grep -rqwE 'nan|NaN|inf|Infinity' "$BATS_FILE_TMPDIR/jobs" --include='*.json' --include='*.csv'
}

# write_one FILE KIND-AND-MORE - one flow of 100 KB, alone in its network, with recorded gaps.
write_one() {
    cat >"$1" <<END
topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us}
host: {record_gaps: yes}
traffic: [{senders: 1, size: 100KB, $2}]
END
}

@test "gaps.csv: 98 packets of a queue pair, one every 88.48 ns" {
    write_one "$dir/one.yaml" 'kind: incast'
    "$ANOLE" run "$dir/one.yaml" --quiet --out "$dir/one"
    [ "$(cat "$dir/one/gaps.csv")" = "$(printf 'from_ns,to_ns,rdma,tcp\n86.016,90.112,97,0')" ]
    jq -e '.files | index("gaps.csv")' "$dir/one/manifest.json"
}

@test "gaps.csv: TCP has its own column" {
    write_one "$dir/one.yaml" 'kind: tcp, algorithm: cubic'
    "$ANOLE" run "$dir/one.yaml" --quiet --out "$dir/one"
    sent=$(jq .packets.data_sent "$dir/one/summary.json")
    awk -F , -v sent="$sent" 'NR > 1 { rdma += $3; tcp += $4; if ($1 >= $2 || $1 < last) bad = 1; last = $2 }
        END { exit bad || rdma != 0 || tcp != sent - 1 }' "$dir/one/gaps.csv"
}

@test "gaps.csv: exists only on request" {
    [ ! -e "$BATS_FILE_TMPDIR/influx/gaps.csv" ]
}

# write_star FILE - eight senders of 1 MB and one receiver, h8; later a flow elsewhere, so that the slot in
# which they end is complete.
write_star() {
    cat >"$1" <<'END'
topology: {kind: star, hosts: 10, rate: 25Gbps, delay: 1us}
traffic:
  - {kind: incast, senders: 8, receiver: h8, size: 1MB}
  - {kind: incast, senders: [h0], receiver: h9, size: 1MB, start: 6ms}
tuner: {kind: acc, record: yes, guard: no}
END
}

# A packet has 1024 bytes of payload and 62 of headers. With 8 for the preamble and 12 for the gap, the share
# of a full link is 0.982. In a slot of 100 us one more packet is 0.0035.
@test "queues.csv: the shares of a link add up to the flows' frames" {
    write_star "$dir/star.yaml"
    "$ANOLE" run "$dir/star.yaml" --quiet --out "$dir/star"
    jq -e '.files | index("queues.csv")' "$dir/star/manifest.json"
    [ "$(head -1 "$dir/star/queues.csv")" = \
        start_us,node,port,peer,queue_bytes_mean,tx_share,marked_share,kmin_bytes,kmax_bytes,pmax,changed ]
    frames=$(awk -F , '$2 == "h8" { sum += $7 + int(($7 + 1023) / 1024) * 62 } END { print sum }' "$dir/star/flows.csv")
    awk -F , -v frames="$frames" '
        NR == 1 { next }
        $6 < 0 || $6 > 0.9855 || ($6 > 0) != ($7 != "") || $7 > 1 || $8 > $9 || $10 > 1 || $11 !~ /^[01]$/ { exit bad = 1 }
        $4 ~ /^h8:/ {
            sum += $6 * 312500
            if (was != "" && (was != $8 "," $9 "," $10) != $11) exit bad = 1
            was = $8 "," $9 "," $10
            changes += $11
        }
        END { exit bad || frames != 8 * (1e6 + 977 * 62) || sum < frames - 20 || sum > frames + 20 || !changes }' \
        "$dir/star/queues.csv"
}

@test "queues.csv: ports have the names of ports.csv" {
    write_star "$dir/star.yaml"
    "$ANOLE" run "$dir/star.yaml" --quiet --out "$dir/star"
    awk -F , 'FNR == 1 { next } FNR == NR { port[$1 "," $2 "," $3]; next } !(($2 "," $3 "," $4) in port) || $2 != "s0" { exit bad = 1 }
        END { exit bad || FNR < 100 }' "$dir/star/ports.csv" "$dir/star/queues.csv"
}

@test "queues.csv: does not depend on threads, and recording changes no other results" {
    write_scenario "$dir/s.yaml"
    for threads in 1 3; do
        "$ANOLE" run "$dir/s.yaml" --quiet --threads $threads --set tuner=acc --set tuner.guard=no --set tuner.record=yes --out "$dir/$threads"
    done
    [ "$(wc -l <"$dir/1/queues.csv")" -gt 50 ]
    cmp "$dir/1/queues.csv" "$dir/3/queues.csv"
    "$ANOLE" run "$dir/s.yaml" --quiet --set tuner=acc --set tuner.guard=no --out "$dir/plain"
    [ ! -e "$dir/plain/queues.csv" ]
    for file in flows.csv intervals.csv ports.csv tuning.jsonl; do cmp "$dir/1/$file" "$dir/plain/$file"; done
}

@test "queues.csv: a tuner without slots is refused; without --out nothing is written" {
    write_scenario "$dir/s.yaml"
    printf 'tuner: {kind: paraleon, record: yes}\n' >>"$dir/s.yaml"
    run_apart "$ANOLE" run "$dir/s.yaml" --out "$dir/r"
    [ "$status" -eq 1 ]
    [ ! -s "$dir/out" ]
    [ "$(cat "$dir/err")" = "anole: $dir/s.yaml:10:33: record: the tuner paraleon does not set queues slot by slot" ]
    [ ! -e "$dir/r" ]
    run_apart "$ANOLE" run "$dir/s.yaml" --set tuner=acc --set tuner.record=perhaps
    [ "$status" -eq 1 ]
    [ "$(cat "$dir/err")" = "anole: --set tuner.record=perhaps: record: 'perhaps' is neither true nor false" ]
    mkdir "$dir/here"
    cd "$dir/here"
    "$ANOLE" run "$dir/s.yaml" --quiet --set tuner.kind=acc
    [ -z "$(ls -A)" ]
}

# write_reordered FILE - packets of a flow take different paths, so some overtake others.
write_reordered() {
    cat >"$1" <<'END'
topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 4, rate: 100Gbps, delay: 1us}
lb: spray
traffic: [{kind: poisson, load: 0.5, sizes: WebSearch, stop: 300us}]
END
}

@test "recovery: sums over sizes equal the totals, in json and in metrics" {
    write_reordered "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json >"$dir/json"
    jq -e '.packets.reordered > 0 and .packets.nacks_sent > 0 and .packets.payload_bytes_resent > 0
        and ([.sizes[].reordered] | add) == .packets.reordered
        and ([.sizes[].nacks] | add) == .packets.nacks_sent
        and ([.sizes[].resent_bytes] | add) == .packets.payload_bytes_resent' "$dir/json"
    jq -e '([.metrics[] | {key: .name, value: .value}] | from_entries) as $m | .packets
        | [$m.reordered, $m.nacks, $m.resent_bytes, $m.delayed, $m.flowlets, $m.reroutes, $m.timeouts]
        == [.reordered, .nacks_sent, .payload_bytes_resent, .delayed, .flowlets, .reroutes, .timeouts]
        and (($m.resent_share * .payload_bytes_sent - .payload_bytes_resent) | fabs) < 1' "$dir/json"
}

@test "recovery: the table describes the balancer if there is one" {
    write_reordered "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" >"$dir/table"
    grep -qE '^  balancing +0 flowlets, 0 on another path than the last; 0 packets held by hosts$' "$dir/table"
    grep -qE '^  recovery +[0-9,]+ packets out of order, [0-9,]+ NACKs, 0 time-outs, [0-9.]+ [KM]B of payload sent again$' \
        "$dir/table"
    grep -qE '^ +10 KB-100 KB: [0-9,]+ out of order, [0-9,]+ NACKs?, [0-9.]+ [KM]?B$' "$dir/table"
    "$ANOLE" run "$dir/s.yaml" --set lb=ecmp >"$dir/table"
    refute grep -q '^  balancing' "$dir/table"
    grep -qE '^  recovery +0 packets out of order, 0 NACKs, 0 time-outs, 0 B of payload sent again$' "$dir/table"
    "$ANOLE" run "$dir/s.yaml" --set lb=letflow --set flowlet_timeout=2us --set hf2t=1 --set hf2t_training=50us \
        --set hf2t_guard=1 >"$dir/table"
    grep -qE '^  balancing +[1-9][0-9,]* flowlets, [1-9][0-9,]* on .*; [1-9][0-9,]* packets? held by hosts$' "$dir/table"
}

@test "run: --out keeps the user's files next to the results, and compare does not replace them" {
    write_scenario "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --quiet --out "$dir/r"
    mkdir "$dir/r/plots"
    echo work >"$dir/r/plots/a.svg"
    echo work >"$dir/r/notes.ipynb"
    "$ANOLE" run "$dir/s.yaml" --seed 2 --quiet --out "$dir/r"
    [ "$(cat "$dir/r/plots/a.svg" "$dir/r/notes.ipynb" | xargs)" = 'work work' ]
    [ "$(jq .seed "$dir/r/manifest.json")" = 2 ]
    run_apart "$ANOLE" compare "$dir/s.yaml" --vary kmin=100KB,200KB --seeds 1 --out "$dir/r"
    [ "$status" -eq 1 ]
    [ "$(cat "$dir/err")" = "anole: $dir/r: holds results of 'anole run', not of 'anole compare'; name another folder, or remove it" ]
    [ "$(jq .seed "$dir/r/manifest.json")" = 2 ]
    [ -e "$dir/r/notes.ipynb" ]
    [ ! -e "$dir/r.sqlite" ]
}

# page_of REPORT.html - prints its data.
page_of() {
    sed -n 's/.*<script type="application\/json" id="anole-data">\(.*\)<\/script>.*/\1/p' "$1"
}

@test "report: no interval and no phase marks more packets than arrive" {
    for name in tcp_beside_rdma incast; do
        "$ANOLE" run "scenarios/$name.yaml" --quiet --set interval=50us --out "$dir/$name"
        page_of "$dir/$name/report.html" >"$dir/page"
        empty=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "received_packets") at = i; next }
            $at == 0 { n++ } END { print n + 0 }' "$dir/$name/intervals.csv")
        jq -e --argjson empty "$empty" '.runs[0].series.columns[] | select(.name == "marked_share") | .values |
            length > 30 and (map(select(. == null)) | length) == $empty and
            (map(select(. != null)) | all(. >= 0 and . <= 1) and max > 0.5)' "$dir/page"
        jq -e '.packets | .marked > 0 and .marked <= .data_received' "$dir/$name/summary.json"
    done
    jq -e '[.runs[0].phases[].metrics[] | select(.name | test("marked_share")) | .value] | all(. == null or . <= 1)' "$dir/page"
}

@test "run: without an interval there are enough points, and intervals.csv has them" {
    "$ANOLE" run scenarios/incast.yaml --quiet --out "$dir/incast"
    points=$(($(wc -l <"$dir/incast/intervals.csv") - 1))
    [ "$points" -ge 100 ]
    [ "$points" -le 512 ]
    [ "$(jq .counts.intervals "$dir/incast/manifest.json")" = "$points" ]
    [ "$(page_of "$dir/incast/report.html" | jq '.runs[0].series.at_us | length')" = "$points" ]
    awk -F, 'NR > 1 { if ($1 != last) bad = 1; last = $2; sum += $3 } NR == 2 && $1 != 0 { bad = 1 }
        END { if (bad) exit 1; print sum }' "$dir/incast/intervals.csv" >"$dir/sum"
    [ "$(cat "$dir/sum")" = "$(jq .packets.payload_bytes_received "$dir/incast/summary.json")" ]
    # the values of a knob over time
    "$ANOLE" run scenarios/tuning_midway.yaml --quiet --out "$dir/midway"
    python3 - "$dir/midway" <<'END'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/intervals.csv")))
values = [row["kmin_kb"] for row in rows]
assert len(set(values)) > 1, values[:3]
for row, before in zip(rows[1:], rows):
    assert row["start_us"] == before["end_us"]
END
}

@test "run: no kind of traffic enters a host faster than its link, also when TCP repairs a loss" {
    "$ANOLE" run scenarios/tcp_beside_rdma.yaml --quiet --out "$dir/tcp"
    python3 - "$dir/tcp" <<'END'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/intervals.csv")))
assert sum(int(row["dropped_packets"]) for row in rows) > 0     # otherwise nothing is repaired
for name in ("tcp 1", "incast 1"):                              # both go to h8, at 100 Gb/s
    rates = [float(row[name + ".goodput_bps"]) for row in rows]
    assert max(rates) < 100e9, (name, max(rates))
    assert min(rates) >= 0, (name, min(rates))
sent = sum(float(row["tcp 1.goodput_bps"]) * (float(row["end_us"]) - float(row["start_us"])) / 8e6 for row in rows)
assert abs(sent - 4 * 30e6) < 1e3, sent                         # all of it arrives once
END
}

@test "run: with selective repeat too, no kind of traffic exceeds its link" {
    for qps in fresh 1; do
        printf '%s\n' 'topology: {kind: star, hosts: 9, rate: 100Gbps, delay: 10us}' 'host: {retransmit: selective}' \
            'switch: {lossless: no, buffer: 1MB}' 'interval: 100us' "traffic: [{kind: incast, senders: 8, size: 2MB, qps: $qps}]" >"$dir/$qps.yaml"
        "$ANOLE" run "$dir/$qps.yaml" --quiet --out "$dir/$qps"
        python3 - "$dir/$qps" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/intervals.csv")))
assert sum(int(row["dropped_packets"]) for row in rows) > 0
rates = [float(row["incast 1.goodput_bps"]) for row in rows]
assert 0 <= min(rates) and max(rates) < 100e9, max(rates)
sent = sum(rate * (float(row["end_us"]) - float(row["start_us"])) / 8e6 for rate, row in zip(rates, rows))
assert abs(sent - 8 * 2e6) < 1e3, sent
END
    done
}

@test "run: recordings quote the names of switches" {
    printf '%s\n' 'topology: {kind: graph, hosts: 3, switches: ['"'s\"w,\\'"'], links: [{a: h0, b: '"'s\"w,\\'"'}, {a: h1, b: '"'s\"w,\\'"'}, {a: h2, b: '"'s\"w,\\'"', rate: 10Gbps}]}' \
        'traffic: [{kind: incast, senders: 2, size: 200KB}]' >"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --quiet --trace "$dir/t.json" --samples "$dir/t.csv"
    jq -e '[.traceEvents[] | select(.ph == "C").name] | unique == ["s\"w,\\:3"]' "$dir/t.json"
    python3 - "$dir/t.csv" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert {row["where"] for row in rows if row["what"] == "queue"} == {'s"w,\\:3'}, rows[:3]
assert all(float(row["value"]) >= 0 for row in rows)
END
}
