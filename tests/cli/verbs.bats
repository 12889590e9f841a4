#!/usr/bin/env bats
# tests/cli/verbs.bats - operations of queue pairs in scenarios.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# write_reads FILE - storage and calls by RDMA READ; the run ends before all of them do.
write_reads() {
    cat >"$1" <<'END'
topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps}
traffic:
  - {kind: storage, verb: read, reads: 1, preset: backup, depth: 4, read_limit: 2}
  - {kind: rpc, verb: read, load: 0.1}
run: 500us
END
}

@test "verbs: a READ is one flow, finished or not; the same with any number of threads" {
    write_reads "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --quiet --threads 1 --out "$dir/one"
    "$ANOLE" run "$dir/s.yaml" --quiet --threads 2 --out "$dir/two"
    cmp "$dir/one/flows.csv" "$dir/two/flows.csv"
    cmp "$dir/one/unfinished.csv" "$dir/two/unfinished.csv"
    cmp "$dir/one/intervals.csv" "$dir/two/intervals.csv"
    # No request of 16 bytes counts as a flow, and no READ is faster than alone.
    awk -F, 'NR > 1 { n++; if ($7 == 16 || $11 < 1) bad++ } END { exit !(n > 500 && !bad) }' "$dir/one/flows.csv"
    [ "$(jq '.all.flows_started - .all.flows' "$dir/one/summary.json")" = "$(($(wc -l <"$dir/one/unfinished.csv") - 1))" ]
}

@test "verbs: operations that need persistent queue pairs are refused without them" {
    write_reads "$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml" --set traffic.0.qps=fresh
    [ "$status" -ne 0 ]
    [[ "$output" == *"'verb' has operations that need persistent queue pairs: there are none with 'qps: fresh'"* ]]
    run "$ANOLE" run "$dir/s.yaml" --set model=hpcc
    [ "$status" -ne 0 ]
    [[ "$output" == *"s.yaml:3:"*"'verb' has operations that need persistent queue pairs: there are none in this model"* ]]
}

# write_calls FILE - calls by SEND and by datagrams, over lossy links.
write_calls() {
    cat >"$1" <<'END'
topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, loss: 0.001}
host: {receives: 1, repost: 100us, rnr_timer: 10us}
traffic:
  - {kind: rpc, name: sends, verb: send, load: 0.1}
  - {kind: rpc, name: datagrams, verb: ud, load: 0.05, sizes: small.txt}
run: 500us
END
    printf '64 0\n1000 1\n' >"$dir/small.txt"
}

@test "verbs: some SENDs find no receive, and datagrams are lost; the same with any number of threads" {
    write_calls "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --quiet --threads 1 --out "$dir/one"
    "$ANOLE" run "$dir/s.yaml" --quiet --threads 2 --out "$dir/two"
    cmp "$dir/one/flows.csv" "$dir/two/flows.csv"
    cmp "$dir/one/unfinished.csv" "$dir/two/unfinished.csv"
    jq -e '.packets | .rnr_nacks > 0 and .datagrams_sent > 1000 and .datagrams_received < .datagrams_sent and
        .datagrams_received > 0.97 * .datagrams_sent' "$dir/one/summary.json"
}

@test "verbs: rejects what a verb cannot do" {
    write_calls "$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml" --set traffic.1.answer=5000
    [ "$status" -ne 0 ]
    [[ "$output" == *"a datagram is one packet of at most 1024 bytes: 'answer' has up to 5000"* ]]
    run "$ANOLE" run "$dir/s.yaml" --set traffic.0.verb=ud
    [ "$status" -ne 0 ]
    [[ "$output" == *"'sizes' has up to "* ]]
    run "$ANOLE" run "$dir/s.yaml" --set host.retransmit=selective
    [ "$status" -ne 0 ]
    [[ "$output" == *"'receives' needs 'retransmit: go_back_n'"* ]]
    run "$ANOLE" run "$dir/s.yaml" --set model=uet
    [ "$status" -ne 0 ]
    [[ "$output" == *"'receives' needs 'model: nic'"* ]]
    printf 'num_ranks 2\nrank 0 {\nsend 2000b to 1\n}\nrank 1 {\nrecv 2000b from 0\n}\n' >"$dir/g.goal"
    printf 'topology: {kind: star, hosts: 2}\ntraffic: [{kind: goal, file: g.goal, verb: ud}]\n' >"$dir/g.yaml"
    run "$ANOLE" run "$dir/g.yaml"
    [ "$status" -ne 0 ]
    [[ "$output" == *"'file' has up to 2000"* ]]
    "$ANOLE" run "$dir/g.yaml" --quiet --set traffic.0.verb=send
}

# write_slow FILE - one of 16 hosts reads data at a tenth of its link rate.
write_slow() {
    cat >"$1" <<'END'
topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps}
host: {drain: 10Gbps, drain_hosts: [h5], rx_buffer: 100KB}
traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.3}]
run: 500us
END
}

@test "slow hosts: pause their switch; the same with any number of threads" {
    write_slow "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --quiet --threads 1 --out "$dir/one"
    "$ANOLE" run "$dir/s.yaml" --quiet --threads 2 --out "$dir/two"
    cmp "$dir/one/flows.csv" "$dir/two/flows.csv"
    cmp "$dir/one/ports.csv" "$dir/two/ports.csv"
    # the switch port towards h5 is paused longest
    [ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
                  $c["paused_us"] > most { most = $c["paused_us"]; who = $c["peer"] } END { print who }' "$dir/one/ports.csv")" = h5:1 ]
    jq -e '.pfc.pauses > 0 and .packets.dropped_host == 0' "$dir/one/summary.json"
    "$ANOLE" run "$dir/s.yaml" --quiet --set switch.lossless=no --out "$dir/lossy"
    jq -e '.pfc.pauses == 0 and .packets.dropped_host > 0' "$dir/lossy/summary.json"
}

@test "slow hosts: rejects invalid values" {
    write_slow "$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml" --set host.drain_hosts='[h99]'
    [ "$status" -ne 0 ]
    [[ "$output" == *"h99"* ]]
    run "$ANOLE" run "$dir/s.yaml" --set model=hpcc
    [ "$status" -ne 0 ]
    [[ "$output" == *"'drain' needs 'model: nic'"* ]]
    sed 's/drain: 10Gbps, //' "$dir/s.yaml" >"$dir/no.yaml"
    run "$ANOLE" run "$dir/no.yaml"
    [ "$status" -ne 0 ]
    [[ "$output" == *"'drain_hosts' is about slow hosts: it needs 'drain'"* ]]
}

@test "host times: of post, poll, copy and think; the same with any number of threads" {
    printf '500 0\n1500 0.9\n9000 1\n' >"$dir/times.txt"
    cat >"$dir/s.yaml" <<'END'
topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps}
traffic:
  - {kind: storage, preset: backup, depth: 4, post_time: exp 1us, poll_time: times.txt, copy_rate: 50Gbps, think_time: 1us..3us}
  - {kind: rpc, load: 0.05, post_time: 500ns, poll_time: times.txt}
run: 500us
END
    "$ANOLE" run "$dir/s.yaml" --quiet --threads 1 --out "$dir/one"
    "$ANOLE" run "$dir/s.yaml" --quiet --threads 2 --out "$dir/two"
    cmp "$dir/one/flows.csv" "$dir/two/flows.csv"
    cmp "$dir/one/intervals.csv" "$dir/two/intervals.csv"
    run "$ANOLE" run "$dir/s.yaml" --set traffic.1.post_time=3us..1us
    [ "$status" -ne 0 ]
    [[ "$output" == *"'3us..1us' is not a range: its start is after its end"* ]]
    run "$ANOLE" run "$dir/s.yaml" --set traffic.1.post_time=none.txt
    [ "$status" -ne 0 ]
    [[ "$output" == *"none.txt"* ]]
    run "$ANOLE" run "$dir/s.yaml" --set traffic.1.post_time=soon
    [ "$status" -ne 0 ]
    [[ "$output" == *"'soon' is not a time"* ]]
}
