#!/usr/bin/env bats
# tests/cli/run.bats - anole run: its output and files, which are written completely or not at all.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

setup_file() {
    write_scenario "$BATS_FILE_TMPDIR/small.yaml"
}

small() {
    echo "$BATS_FILE_TMPDIR/small.yaml"
}

@test "run: the table names the run and its results" {
    run_apart "$ANOLE" run "$(small)"
    [ "$status" -eq 0 ]
    [ ! -s "$dir/err" ]
    grep -qE '^ +network +8 hosts, 4 switches, 12 links$' "$dir/out"
    grep -qE '^ +traffic +poisson 1: load 0\.[0-9]+ realised, 0\.300 asked; ' "$dir/out"
    grep -qE '^ +burst: 6 flows, 384 KB$' "$dir/out"
    grep -qE '^ +10 KB-100 KB +[0-9]' "$dir/out"
    grep -qE '^ +goodput +[0-9.]+ Gb/s ' "$dir/out"
    grep -qE '^[0-9,]+ packet-hops in [0-9.]+ s, [0-9,]+ hops/s, [0-9,]+ events$' "$dir/out"
}

@test "run: no escape codes in a pipe" {
    "$ANOLE" run "$(small)" 2>&1 | cat >"$dir/both"
    [ -s "$dir/both" ]
    refute grep -q "$(printf '\033')" "$dir/both"
}

# in_terminal COMMAND... - runs it on a pseudo-terminal, with output to $dir/screen.
in_terminal() {
    command -v script >/dev/null || skip 'script(1) is not installed'
    TERM=xterm script -qec "$*" /dev/null >"$dir/screen" </dev/null
}

@test "run: headings are bold on a terminal" {
    in_terminal "$ANOLE" run "$(small)"
    grep -q "$(printf '\033\\[1mNetwork')" "$dir/screen"
}

@test "run: NO_COLOR is respected" {
    export NO_COLOR=1
    in_terminal "$ANOLE" run "$(small)"
    grep -q Network "$dir/screen"
    refute grep -q "$(printf '\033\\[[0-9]*m')" "$dir/screen"
}

@test "run: every line of csv has as many fields as the heading" {
    "$ANOLE" run "$(small)" --format csv >"$dir/csv"
    head -n 1 "$dir/csv" | grep -qE '^set,name,flows,bytes,slowdown_mean,.*,fct_us_p99,'
    # 4 ranges of sizes, all sizes, 2 entries of the traffic, and metrics
    awk -F , 'NR == 1 { n = NF } NF != n { bad = 1 } $1 != "metric" { rows++ }
              END { exit bad || rows != 8 || NR < 40 }' "$dir/csv"
    # the ranges add up to the total
    awk -F , '$1 == "size" { flows += $3; bytes += $4 }
              $1 == "all"  { all = flows == $3 && bytes == $4 && flows > 0 } END { exit !all }' "$dir/csv"
    awk -F , '$1 == "traffic" { flows += $3 } $1 == "all" { all = $3 } END { exit flows != all }' "$dir/csv"
}

@test "run: json is one object that agrees with csv" {
    "$ANOLE" run "$(small)" --format csv >"$dir/csv"
    "$ANOLE" run "$(small)" --format json >"$dir/json"
    jq -e 'type == "object" and .seed == 1 and .simulated_us == 1000 and .network.hosts == 8' "$dir/json"
    [ "$(jq .all.flows "$dir/json")" = "$(awk -F , '$1 == "all" { print $3 }' "$dir/csv")" ]
    [ "$(jq '[.sizes[].bytes] | add' "$dir/json")" = "$(awk -F , '$1 == "all" { print $4 }' "$dir/csv")" ]
    jq -e '.wall.seconds > 0 and .wall.hops_per_second > 0' "$dir/json"
}

@test "run: same seed, same bytes" {
    for i in 1 2; do
        "$ANOLE" run "$(small)" --format json --out "$dir/out$i" | jq 'del(.wall)' >"$dir/json$i"
    done
    cmp "$dir/json1" "$dir/json2"
    # only the manifest contains the duration
    for i in 1 2; do
        jq -e '.wall_seconds > 0' "$dir/out$i/manifest.json"
        jq 'del(.wall_seconds)' "$dir/out$i/manifest.json" >"$dir/manifest$i"
        rm "$dir/out$i/manifest.json"
    done
    cmp "$dir/manifest1" "$dir/manifest2"
    diff -r "$dir/out1" "$dir/out2"
    [ "$(wc -l <"$dir/out1/flows.csv")" -gt 10 ]
}

@test "run: another seed gives other flows" {
    "$ANOLE" run "$(small)" --quiet --out "$dir/a"
    "$ANOLE" run "$(small)" --quiet --out "$dir/b" --seed 2
    refute cmp -s "$dir/a/flows.csv" "$dir/b/flows.csv"
    [ "$(jq .seed "$dir/b/summary.json")" = 2 ]
}

@test "run: --set changes the scenario, and the output says so" {
    "$ANOLE" run "$(small)" --set run=2ms --set kmin=50KB --format json >"$dir/json"
    jq -e '.simulated_us == 2000 and .set == ["run=2ms", "kmin=50KB"]' "$dir/json"
}

# What says how to simulate holds for both; what devices are set to is compared.
@test "run: the next command compares settings under the same conditions" {
    next() { "$ANOLE" run "$(small)" --format json "$@" | jq -r '.answer.command'; }
    [[ "$(next --set fidelity=fast --set kmin=20KB)" == *' --set fidelity=fast --variant before --variant after:kmin=20KB' ]]
    [[ "$(next --set seed=3)" == 'anole advise '*' --set seed=3' ]]
    eval "set -- $(next --set seed=3 --set kmin=20KB)"
    shift
    (cd "$dir" && "$ANOLE" "$@" --seeds 2 --quiet)
}

@test "run: --out has every flow, every port, the summary and the scenario" {
    "$ANOLE" run "$(small)" --out "$dir/out" --format json >"$dir/json"
    [ "$(find "$dir/out" -type f ! -name .anole -printf '%f\n' | sort | xargs)" = \
        'charts.json flows.csv intervals.csv manifest.json ports.csv report.html scenario.yaml summary.json unfinished.csv' ]
    cmp "$(small)" "$dir/out/scenario.yaml"
    jq 'del(.wall)' "$dir/json" | cmp - <(jq . "$dir/out/summary.json")
    # one line per flow, with the bytes and slowdowns of the summary
    [ "$(tail -n +2 "$dir/out/flows.csv" | wc -l)" = "$(jq .all.flows "$dir/json")" ]
    [ "$(awk -F , 'NR > 1 { sum += $7 } END { printf "%.0f", sum }' "$dir/out/flows.csv")" = \
        "$(jq .all.bytes "$dir/json")" ]
    mean=$(jq .all.slowdown_mean "$dir/json")
    awk -F , -v mean="$mean" 'NR > 1 { sum += $11; n++ }
        END { d = sum / n - mean; exit !(d < 1e-5 && d > -1e-5) }' "$dir/out/flows.csv"
    # two ports per link; their packets add up to the hops
    [ "$(tail -n +2 "$dir/out/ports.csv" | wc -l)" = 24 ]
    [ "$(awk -F , 'NR > 1 { sum += $6 + $7 + $8 + $9 + $10 } END { printf "%.0f", sum }' "$dir/out/ports.csv")" = \
        "$(jq .packets.hops "$dir/json")" ]
    # slowdown is fct / ideal; lines are in the order in which flows end
    awk -F , 'NR > 1 { s = $9 / $10; if (s < 1) s = 1; d = s - $11; if (d > 1e-5 || d < -1e-5) bad = 1
                       if ($8 + $9 < last - 1e-3) bad = 1; last = $8 + $9 } END { exit bad }' "$dir/out/flows.csv"
}

@test "run: loads, goodput and the worst ports agree with the files" {
    "$ANOLE" run "$(small)" --set switch.buffer=300KB --out "$dir/out" --quiet
    # 8 hosts of 100 Gb/s for 1 ms are 100 MB at full load
    jq -e '.traffic[0] | .load_asked == 0.3 and .load_realised > 0
           and (.load_realised - .bytes_started / 100e6 | fabs) < 1e-9' "$dir/out/summary.json"
    # goodput counts from the first flow; the run of 1 ms lets all flows finish
    first=$(awk -F , 'NR > 1 && (NR == 2 || $8 + 0 < first) { first = $8 } END { print first }' "$dir/out/flows.csv")
    jq -e --argjson first "$first" '.packets | (.goodput_bps / (.payload_bytes_received * 8 / (1e-3 - $first * 1e-9)) - 1
           | fabs) < 1e-9' "$dir/out/summary.json"
    # columns 12 and 14 of ports.csv: longest queue, time paused
    tail -n +2 "$dir/out/ports.csv" | sort -t , -k 12,12nr -s |
        awk -F , 'NR <= 5 { print $1 ":" $2, $12 }' >"$dir/queued"
    jq -r '.queues[] | "\(.port) \(.queue_bytes_max)"' "$dir/out/summary.json" | cmp - "$dir/queued"
    tail -n +2 "$dir/out/ports.csv" | sort -t , -k 14,14nr -s |
        awk -F , '$14 > 0 && NR <= 5 { print $1 ":" $2, $13 }' >"$dir/paused"
    [ -s "$dir/paused" ]
    jq -r '.pfc.worst[] | "\(.port) \(.pauses)"' "$dir/out/summary.json" | cmp - "$dir/paused"
    sum=$(awk -F , 'NR > 1 { sum += $14 } END { printf "%.6f", sum }' "$dir/out/ports.csv")
    jq -e --argjson sum "$sum" '(.pfc.paused_us - $sum | fabs) < 1e-4' "$dir/out/summary.json"
}

@test "run: HPCC's files agree with flows.csv" {
    "$ANOLE" run "$(small)" --quiet --out "$dir/out" --hpcc-fct "$dir/fct.txt" --hpcc-pfc "$dir/pfc.txt"
    refute grep -vE '^0b[0-9a-f]{6} 0b[0-9a-f]{6} [0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+$' "$dir/fct.txt"
    # h3 is node 3: 0b000301
    awk -F , 'NR > 1 { sub(/^h/, "", $1); sub(/^h/, "", $2);
        sub(/\..*/, "", $8); sub(/\..*/, "", $9); sub(/\..*/, "", $10)
        printf "0b%04x01 0b%04x01 %s %s %s %s %s %s\n", $1, $2, $3, $4, $7, $8, $9, $10 }' "$dir/out/flows.csv" |
        cmp - "$dir/fct.txt"
    [ -f "$dir/pfc.txt" ]
}

@test "run: PFC frames in HPCC's file are the pauses of the summary" {
    "$ANOLE" run "$(small)" --set switch.buffer=300KB --format json --hpcc-pfc "$dir/pfc.txt" >"$dir/json"
    pauses=$(jq .pfc.pauses "$dir/json")
    [ "$pauses" -gt 0 ]
    [ "$(awk '$5 == 1' "$dir/pfc.txt" | wc -l)" = "$pauses" ]
    refute grep -vE '^[0-9]+ [0-9]+ [01] [0-9]+ [01]$' "$dir/pfc.txt"
    jq -e '.pfc.paused_us > 0 and (.pfc.worst[0].port | test("^[a-z]+[0-9]+:[0-9]+$"))' "$dir/json"
}

@test "run: --quiet prints nothing" {
    run_apart "$ANOLE" run "$(small)" --quiet
    [ "$status" -eq 0 ]
    [ ! -s "$dir/out" ]
    [ ! -s "$dir/err" ]
}

@test "run, compare, tune: --quiet leaves what --format requests" {
    "$ANOLE" run "$(small)" --quiet --format json 2>"$dir/err" | jq -e '.metrics | length > 10'
    "$ANOLE" run "$(small)" --quiet --format csv | grep -q ,
    "$ANOLE" compare "$(small)" --vary kmin=20KB,200KB --seeds 2 --quiet --format json 2>>"$dir/err" | jq -e '.metrics | length > 3'
    "$ANOLE" tune "$(small)" --tuner default --quiet --format json 2>>"$dir/err" | jq -e '.verdict'
    [ ! -s "$dir/err" ]
}

@test "run: a scenario from standard input" {
    "$ANOLE" run - --format csv <"$(small)" >"$dir/piped"
    "$ANOLE" run "$(small)" --format csv | cmp - "$dir/piped"
}

@test "run: an invalid scenario is reported with its place, and leaves no files" {
    sed 's/kmin:/kmim:/' "$(small)" >"$dir/bad.yaml"
    run_apart "$ANOLE" run "$dir/bad.yaml" --out "$dir/result" --hpcc-fct "$dir/fct.txt"
    [ "$status" -eq 1 ]
    [ "$(wc -l <"$dir/err")" = 1 ]
    grep -qE "^anole: .*bad.yaml:7:[0-9]+: .*'kmim'.*did you mean 'kmin'" "$dir/err"
    rm "$dir/bad.yaml" "$dir/err" "$dir/out"
    [ -z "$(ls -A "$dir")" ]
}

@test "run: a missing scenario" {
    run_apart "$ANOLE" run "$dir/none.yaml"
    [ "$status" -eq 1 ]
    grep -qE '^anole: .*none.yaml: No such file' "$dir/err"
}

@test "run: replaces results of an earlier run" {
    "$ANOLE" run "$(small)" --quiet --out "$dir/result" --seed 1
    cp "$dir/result/flows.csv" "$dir/first.csv"
    "$ANOLE" run "$(small)" --quiet --out "$dir/result" --seed 2
    refute cmp -s "$dir/first.csv" "$dir/result/flows.csv"
}

@test "run: refuses a folder with other files, and leaves it alone" {
    mkdir "$dir/photos"
    echo precious >"$dir/photos/one"
    run_apart "$ANOLE" run "$(small)" --out "$dir/photos"
    [ "$status" -eq 1 ]
    [ ! -s "$dir/out" ]
    grep -q '^anole: .*photos: exists and was not written by anole' "$dir/err"
    [ "$(ls -A "$dir/photos")" = one ]
    [ "$(cat "$dir/photos/one")" = precious ]
}

@test "run: refuses a path where it cannot create files, before the run" {
    run_apart "$ANOLE" run "$(small)" --out /dev/null/result
    [ "$status" -eq 1 ]
    grep -q '^anole: /dev/null/result: ' "$dir/err"
    run_apart "$ANOLE" run "$(small)" --hpcc-fct /dev/null/fct.txt
    [ "$status" -eq 1 ]
    grep -q '^anole: /dev/null/fct.txt: Not a directory' "$dir/err"
}

@test "run: creates parent folders of the results, and leaves none if the run fails" {
    "$ANOLE" run "$(small)" --quiet --out "$dir/new/er/result" --trace "$dir/traces/t.json"
    [ -s "$dir/new/er/result/report.html" ]
    [ -s "$dir/traces/t.json" ]
    run_apart "$ANOLE" run "$(small)" --out "$dir/other/result" --hpcc-fct /dev/null/fct.txt
    [ "$status" -eq 1 ]
    [ ! -e "$dir/other" ]
}

@test "run: refuses a folder without write permission" {
    [ "$(id -u)" -ne 0 ] || skip 'root may write everywhere'
    mkdir -m 555 "$dir/closed"
    run_apart "$ANOLE" run "$(small)" --out "$dir/closed/result"
    [ "$status" -eq 1 ]
    grep -q '^anole: .*closed/result: ' "$dir/err"
}

@test "run: refuses a device as file for results" {
    run_apart "$ANOLE" run "$(small)" --hpcc-fct /dev/null
    [ "$status" -eq 1 ]
    grep -q '^anole: /dev/null: exists and is not a regular file' "$dir/err"
    [ -c /dev/null ]
}

# end_with SIGNAL STATUS - a long run that is ended after two seconds leaves no files.
end_with() {
    write_long_scenario "$BATS_FILE_TMPDIR/long.yaml"
    run_apart timeout --preserve-status -s "$1" 2 "$ANOLE" run "$BATS_FILE_TMPDIR/long.yaml" --out "$dir/result" \
        --hpcc-fct "$dir/fct.txt" --hpcc-pfc "$dir/pfc.txt"
    [ "$status" -eq "$2" ]
    # Only this line: no progress without a terminal.
    grep -qE '^anole: interrupted at [0-9]+\.[0-9]{3}us$' "$dir/err"
    [ "$(wc -l <"$dir/err")" = 1 ]
    [ ! -s "$dir/out" ]
    [ "$(find "$dir" -mindepth 1 -printf '%P\n' | sort | xargs)" = 'err out' ]
}

@test "run: SIGINT ends it with 130 and leaves no files" {
    end_with INT 130
}

@test "run: SIGTERM ends it with 143 and leaves no files" {
    end_with TERM 143
}

@test "run: the next run removes the leftovers of a killed run, and nothing else" {
    write_long_scenario "$BATS_FILE_TMPDIR/long.yaml"
    mkdir "$dir/.anole-abcdef"
    echo precious >"$dir/.anole-abcdef/one"
    run_apart timeout --preserve-status -s KILL 2 "$ANOLE" run "$BATS_FILE_TMPDIR/long.yaml" --out "$dir/result" \
        --hpcc-fct "$dir/fct.txt"
    [ "$status" -eq 137 ]
    [ "$(find "$dir" -mindepth 1 -maxdepth 1 -name '.anole-*' | wc -l)" = 3 ]
    [ ! -e "$dir/result" ]
    [ ! -e "$dir/fct.txt" ]
    run_apart "$ANOLE" run "$(small)" --out "$dir/result"
    [ "$status" -eq 0 ]
    [ "$(find "$dir" -mindepth 1 -maxdepth 1 -printf "%P\n" | LC_ALL=C sort | xargs)" = '.anole-abcdef err out result' ]
    [ "$(cat "$dir/.anole-abcdef/one")" = precious ]
}

@test "run: unfinished flows are counted" {
    "$ANOLE" run "$(small)" --set run=101us --format json >"$dir/json"
    jq -e '.all.flows_unfinished >= 6 and .all.flows_started == .all.flows + .all.flows_unfinished' "$dir/json"
    "$ANOLE" run "$(small)" --set run=101us | grep -A1 -E '^ +and [0-9,]+ flows? that had not finished$' |
        grep -qE '^ +[0-9]+ (in turn at the NIC|paced by the rate|sent, ACKs on their way)$'
}

@test "run: unfinished flows list what they wait for" {
    for threads in 1 2 3; do
        "$ANOLE" run "$(small)" --set run=101us --threads $threads --out "$dir/$threads" >/dev/null
        cmp "$dir/1/unfinished.csv" "$dir/$threads/unfinished.csv"
        cmp "$dir/1/summary.json" "$dir/$threads/summary.json"
    done
    jq -e '.all.flows_unfinished == (.all.unfinished_waits | add)' "$dir/1/summary.json"
    jq -e '.files | index("unfinished.csv")' "$dir/1/manifest.json"
    # One line for each flow, and as many for each reason as in the summary.
    [ "$(tail -n +2 "$dir/1/unfinished.csv" | wc -l)" = "$(jq .all.flows_unfinished "$dir/1/summary.json")" ]
    [ "$(awk -F , 'NR > 1 { print $NF }' "$dir/1/unfinished.csv" | sort | uniq -c | awk '{ print $2, $1 }')" = \
        "$(jq -r '.all.unfinished_waits | to_entries | sort_by(.key)[] | "\(.key) \(.value)"' "$dir/1/summary.json")" ]
}

@test "run: without an end the run lasts until the last flow is complete" {
    printf '%s\n' 'topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us}' \
        'traffic: [{kind: incast, senders: 1, size: 1MB}]' >"$dir/two.yaml"
    run_apart "$ANOLE" run "$dir/two.yaml" --format json --hpcc-fct "$dir/fct.txt"
    [ "$status" -eq 0 ]
    [ ! -s "$dir/err" ]
    # 977 packets with 82 bytes of headers and spacing, at 80 ps per byte, take 86.409 us on the first wire. A
    # flow alone in the network has no slowdown.
    jq -e '.all.flows == 1 and .all.flows_unfinished == 0 and .simulated_us > 86.409 and .simulated_us < 95
           and .simulated_us == .all.fct_us_max and .all.slowdown_max == 1' "$dir/out"
}

@test "run: warns of flows that can never finish" {
    # 5 % of all packets are lost, and timeouts are off.
    printf '%s\n' 'topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us, loss: 0.05}' 'host: {rto: 0}' \
        'traffic: [{kind: incast, senders: 2, size: 20KB, flows: 20}]' >"$dir/stuck.yaml"
    run_apart "$ANOLE" run "$dir/stuck.yaml" --format json
    [ "$status" -eq 0 ]
    unfinished=$(jq .all.flows_unfinished "$dir/out")
    [ "$unfinished" -gt 1 ]
    grep -q "^anole: warning: $unfinished flows never finished" "$dir/err"
    # The run ends when the last packet has arrived, not at a check of the clock.
    jq -e '.simulated_us < 4000' "$dir/out"
    "$ANOLE" run "$dir/stuck.yaml" --format json 2>/dev/null | jq 'del(.wall)' | cmp - <(jq 'del(.wall)' "$dir/out")
}

@test "run: a lossless network has no timeouts by default, even with long queues" {
    # 32 senders fill a buffer that takes 25.6 ms to drain.
    printf '%s\n' 'topology: {kind: star, hosts: 33, rate: 10Gbps, delay: 1us}' \
        'traffic: [{kind: incast, senders: 32, size: 10MB}]' >"$dir/star.yaml"
    "$ANOLE" run "$dir/star.yaml" --format json >"$dir/out"
    jq -e '.packets.timeouts == 0 and .packets.payload_bytes_resent == 0 and .packets.goodput_bps > 8.4e9' "$dir/out"
    # If rto is too short, all retransmissions are unnecessary, and the output says so.
    run_apart "$ANOLE" run "$dir/star.yaml" --set host.rto=4ms --set nic=truncated_alpha --out "$dir/short"
    [ "$status" -eq 0 ]
    grep -qxF "anole: warning: --set host.rto=4ms: an 'rto' of 4 ms is shorter than a full queue takes, 25.61 ms: time-outs may \
send again what is not lost; 'auto' chooses one" "$dir/err"
    grep -qE '^ +237 MB of that in vain: time-outs had it sent again, and it had arrived; see host: rto$' "$dir/out"
    jq -e '.packets | .timeouts > 1000 and .payload_bytes_resent > 2e8 and .payload_bytes_spurious == .payload_bytes_resent' \
        "$dir/short/summary.json"
    jq -e '.packets.payload_bytes_spurious == (.metrics[] | select(.name == "spurious_bytes").value)' "$dir/short/summary.json"
}

@test "run: a flow alone has no slowdown, even over long links" {
    printf '%s\n' 'topology: {kind: star, hosts: 2, rate: 10Gbps, delay: 2ms}' \
        'traffic: [{kind: incast, senders: 1, size: 10MB}]' >"$dir/long.yaml"
    for more in switch.lossless=yes switch.lossless=no; do
        "$ANOLE" run "$dir/long.yaml" --set $more --format json |
            jq -e '.all.slowdown_max == 1 and .packets.timeouts == 0 and .packets.payload_bytes_resent == 0'
    done
    run_apart "$ANOLE" run "$dir/long.yaml" --set host.rto=4ms
    [ "$status" -eq 1 ]
    grep -q "^anole: --set host.rto=4ms: an 'rto' of 4 ms is not longer than the round trip of the longest path, 8.00. ms, " \
        "$dir/err"
    [ ! -s "$dir/out" ]
}

@test "run: a deadlock ends the run, which lists what is stuck; the same with any number of threads" {
    write_ring "$dir/ring.yaml"
    for n in 1 2 3; do
        run_apart "$ANOLE" run "$dir/ring.yaml" --threads $n --out "$dir/$n"
        [ "$status" -eq 0 ]
        grep -qE '^anole: warning: 10 flows never finished: nothing moves any more after [0-9.]+ us; h0 -> h4 ' "$dir/err"
        grep -qF 'PFC deadlock, each paused by the next: s0 -> s1 -> s2 -> s3 -> s4 -> s0' "$dir/err"
        grep -qE '^  PARTIAL: nothing moves any more after [0-9.]+ us. h0 -> h4 .*waits in s0, paused by s1; ' "$dir/out"
        for file in flows.csv intervals.csv ports.csv summary.json; do cmp "$dir/1/$file" "$dir/$n/$file"; done
    done
    jq -e '.all | .flows_stuck == 10 and .stuck_since_us < 1000 and (.stuck_why | startswith("h0 -> h4"))' "$dir/1/summary.json"
    # With larger buffers nothing is stuck, and nothing is reported.
    "$ANOLE" run "$dir/ring.yaml" --set switch.buffer=100MB --format json >"$dir/json" 2>"$dir/err"
    [ ! -s "$dir/err" ]
    jq -e '.all | .flows_stuck == 0 and .flows_unfinished == 0 and has("stuck_why") == false' "$dir/json"
}

# write_changes FILE TIME - an incast through a switch that marks every packet from TIME on.
write_changes() {
    printf '%s\n' 'topology: {kind: star, hosts: 5, rate: 100Gbps, delay: 1us}' \
        'traffic: [{kind: incast, senders: 4, size: 1MB}]' \
        "changes: [{at: $2, knobs: {kmin: 0KB, kmax: 1KB, pmax: 1}}]" >"$1"
}

# marks DIR - prints the number of marked packets of the run that wrote DIR.
marks() {
    jq .packets.marked "$1/summary.json"
}

@test "run: changes of knobs take effect at their time" {
    write_changes "$dir/late.yaml" 100us
    sed '/^changes:/d' "$dir/late.yaml" >"$dir/plain.yaml"
    # Before the change results are equal; after it more packets are marked.
    for end in 100000001ps 150us; do
        for which in late plain; do
            "$ANOLE" run "$dir/$which.yaml" --quiet --set run=$end --out "$dir/$which-$end"
        done
    done
    cmp "$dir/late-100000001ps/ports.csv" "$dir/plain-100000001ps/ports.csv"
    [ "$(marks "$dir/late-150us")" -gt "$(marks "$dir/plain-150us")" ]
    # A change before the first packet reaches the switch equals an initial value.
    write_changes "$dir/early.yaml" 1ns
    sed 's/^changes:.*/knobs: {kmin: 0KB, kmax: 1KB, pmax: 1}/' "$dir/early.yaml" >"$dir/fixed.yaml"
    "$ANOLE" run "$dir/early.yaml" --quiet --out "$dir/early"
    "$ANOLE" run "$dir/fixed.yaml" --quiet --out "$dir/fixed"
    cmp "$dir/early/flows.csv" "$dir/fixed/flows.csv"
    cmp "$dir/early/ports.csv" "$dir/fixed/ports.csv"
}

@test "run: a terminal shows progress, which is cleared at the end" {
    # qemu-user crashes when a signal handler looks at a terminal
    [ -z "${TEST_WRAPPER:-}" ] || skip "not under an emulator"
    write_long_scenario "$dir/long.yaml"
    in_terminal timeout -s INT 3 "$ANOLE" run "$dir/long.yaml" || true
    grep -q 'simulated, .*% of 1000 s, .* left, .*M hops/s' "$dir/screen"
    # the last action on the progress line clears it
    tr '\r' '\n' <"$dir/screen" | tail -n 2 | grep -q "^$(printf '\033')\[Kanole: interrupted at "
}

@test "run: names its tuner, and where to look next" {
    "$ANOLE" run scenarios/tuning_search.yaml --until 2ms --out "$dir/r" >"$dir/out"
    grep -qE '^  tuner +[a-z_]+: ' "$dir/out"
    [ "$(tail -n 1 "$dir/out")" = "Report: $dir/r/report.html; what the tuner did: anole explain $dir/r" ]
    "$ANOLE" run "$(small)" --out "$dir/s" | tail -n 1 | grep -qx "Report: $dir/s/report.html"
    "$ANOLE" run "$(small)" --out "$dir/s" --format json | jq -e .all.flows
}

@test "run, compare, sweep, tune: --until has the same meaning" {
    "$ANOLE" run "$(small)" --until 300us --seed 1 --format json | jq '.metrics[] | select(.name == "flows").value' >"$dir/want"
    "$ANOLE" compare "$(small)" --until 300us --seeds 1 --variant a --quiet --out "$dir/c"
    "$ANOLE" sweep "$(small)" --until 300us --seeds 1 --vary seed=1 --metrics flows --format json 2>/dev/null |
        jq '.settings[0].metrics.flows' >"$dir/sweep"
    python3 -c 'import csv, sys
print(int(float(list(csv.DictReader(open(sys.argv[1])))[0]["flows"])))' "$dir/c/runs.csv" >"$dir/compare"
    for file in compare sweep; do
        awk -v a="$(cat "$dir/want")" -v b="$(cat "$dir/$file")" 'BEGIN { exit !(a > 0 && a == b) }'
    done
    # another end is another run: the store does not reuse the old one
    "$ANOLE" compare "$(small)" --until 600us --seeds 1 --variant a --quiet --out "$dir/c"
    [ "$(python3 -c 'import csv, sys
print(int(float(list(csv.DictReader(open(sys.argv[1])))[0]["flows"])))' "$dir/c/runs.csv")" -gt "$(cat "$dir/compare")" ]
    "$ANOLE" tune "$(small)" --until 300us --set interval=10us --tuner random --set tuner.budget=3 --rounds 1 --check 0 \
        --history "$dir/h" --quiet
    jq -es '.[-1].end_us <= 300' "$dir/h"
}

@test "run: tables fit a terminal of 80 columns, and list omitted columns" {
    python3 - "$ANOLE" >"$dir/screen" <<'END'
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    os.environ["NO_COLOR"] = "1"
    os.execv(sys.argv[1], [sys.argv[1], "run", "scenarios/training_influx.yaml", "--until", "2ms"])
out = b""
try:
    while chunk := os.read(fd, 65536):
        out += chunk
except OSError:
    pass
print(out.decode().replace("\r\n", "\n"))
END
    grep -q '^  (without .*: the terminal is too narrow)$' "$dir/screen"
    # table lines: those between a heading of dashes and an empty line
    python3 - "$dir/screen" <<'END'
import sys
is_table, rows = False, 0
for line in open(sys.argv[1], encoding="utf-8"):
    line = line.rstrip("\n")
    is_table = is_table and line != "" or line.strip(" -") == "" and "--" in line
    rows += is_table
    assert not is_table or len(line) <= 80, line
assert rows > 10, rows
END
    "$ANOLE" run scenarios/training_influx.yaml --until 2ms >"$dir/wide"
    grep -q 'algbw' "$dir/wide"
    refute grep -q 'too narrow' "$dir/wide"
}

# Every flow receives its first CNP before its first rate cut.
@test "run: under dcqcn_paraleon a first CNP undoes three knobs of its NIC" {
    write_scenario "$dir/s.yaml"
    echo 'model: hpcc' >>"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --set cc=dcqcn_paraleon --set rpg_gd=13 --set rpg_min_dec_fac=90 --set dce_tcp_g=900 \
        --set initial_alpha_value=500 --out "$dir/wiped" >/dev/null
    "$ANOLE" run "$dir/s.yaml" --set cc=dcqcn_hpcc --set dce_tcp_g=1019 --out "$dir/first" >/dev/null
    "$ANOLE" run "$dir/s.yaml" --set cc=dcqcn_hpcc --set rpg_gd=13 --set rpg_min_dec_fac=90 --set dce_tcp_g=900 \
        --out "$dir/heeded" >/dev/null
    cmp "$dir/wiped/flows.csv" "$dir/first/flows.csv"
    refute cmp -s "$dir/wiped/flows.csv" "$dir/heeded/flows.csv"
}

# The HPCC fork's own files name others relative to the folder it is started in, and have more rows than they
# declare.
@test "run: a config of the HPCC fork runs unchanged, with a warning for surplus rows" {
    mkdir -p "$dir/simulation/mix"
    cat >"$dir/simulation/mix/config.txt" <<'END'
TOPOLOGY_FILE mix/topology.txt
FLOW_FILE mix/flow.txt
CC_MODE 3
HAS_WIN 1
VAR_WIN 1
MULTI_RATE 0
INT_MULTI 1
L2_ACK_INTERVAL 1
BUFFER_SIZE 32
END
    printf '4 1 3\n0\n0 1 100Gbps 0.001ms 0\n0 2 100Gbps 0.001ms 0\n0 3 100Gbps 0.001ms 0\n0 4 100Gbps 0.001ms 0\n' \
        >"$dir/simulation/mix/topology.txt"
    printf '2\n2 1 3 100 100000 2\n3 1 3 100 100000 2\n1 2 3 100 5 2\n\nFirst line: flow #\n' \
        >"$dir/simulation/mix/flow.txt"
    echo 'hpcc: simulation/mix/config.txt' >"$dir/mix.yaml"
    run_apart "$ANOLE" run "$dir/mix.yaml" --quiet --hpcc-fct "$dir/fct"
    [ "$status" -eq 0 ]
    [ "$(wc -l <"$dir/fct")" -eq 2 ]
    [ "$(wc -l <"$dir/err")" -eq 2 ]
    grep -qE '^anole: warning: .*/mix/topology.txt:6: the first line announces 3 links; what is from here on is not read$' "$dir/err"
    grep -qE '^anole: warning: .*/mix/flow.txt:4: the first line announces 2 flows; what is from here on is not read$' "$dir/err"
}

@test "run: warns of a buffer of the HPCC fork that is smaller than its headroom" {
    mkdir "$dir/w"
    printf 'TOPOLOGY_FILE t.txt\nFLOW_FILE f.txt\nBUFFER_SIZE 1\n' >"$dir/w/config.txt"
    printf '3 1 2\n2\n0 2 100Gbps 20us 0\n1 2 100Gbps 20us 0\n' >"$dir/w/t.txt"
    printf '1\n0 1 3 100 5000 2\n' >"$dir/w/f.txt"
    echo 'hpcc: w/config.txt' >"$dir/w.yaml"
    run_apart "$ANOLE" run "$dir/w.yaml" --quiet --hpcc-fct "$dir/fct"
    [ "$status" -eq 0 ]
    [ "$(wc -l <"$dir/fct")" -eq 1 ]
    grep -q 'the buffer of s0 is smaller than the headroom of its ports; as in the fork' "$dir/err"
}

@test "run: refuses a link of the fork that leaves a flow without a route" {
    cp tests/fidelity/random/link_down_hangs/*.txt "$BATS_TEST_TMPDIR"
    printf '6 2 5\n4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n4 5 100Gbps 1us 0\n' \
        > "$BATS_TEST_TMPDIR/topology.txt"
    sed -i 's/^LINK_DOWN .*/LINK_DOWN 11 4 5/' "$BATS_TEST_TMPDIR/config.txt"
    echo 'hpcc: config.txt' > "$BATS_TEST_TMPDIR/s.yaml"
    run "$ANOLE" run "$BATS_TEST_TMPDIR/s.yaml" --quiet
    [ "$status" -ne 0 ]
    [[ "$output" == *"there is no way from h3 to h0"* ]]
}
