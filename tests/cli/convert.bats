#!/usr/bin/env bats
# tests/cli/convert.bats - anole convert: the same network, flows and settings in another format, or a reason
# for the error.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# write_hpcc: a config of the HPCC fork with four hosts below two switches. One link is slower, and the flows'
# start times are not exact in binary.
write_hpcc() {
    mkdir "$1"
    cat >"$1/topology.txt" <<'END'
6 2 5
4 5
0 4 100Gbps 1us 0.000000
1 4 25Gbps 1us 0.000000
2 5 100Gbps 2000ns 0.000000
3 5 100Gbps 1us 0.000000
4 5 100Gbps 1.5us 0.000000
END
    cat >"$1/flow.txt" <<'END'
4
0 2 3 100 100000 2.000000000
1 3 3 100 1 2.000000412
0 2 3 101 30000 2.000005624
3 0 3 100 200000 2.001
END
    cat >"$1/config.txt" <<'END'
ENABLE_QCN 1
PACKET_PAYLOAD_SIZE 1000
TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
CC_MODE 1
ALPHA_RESUME_INTERVAL 1
RATE_DECREASE_INTERVAL 4
CLAMP_TARGET_RATE 0
RP_TIMER 300
EWMA_GAIN 0.00390625
FAST_RECOVERY_TIMES 1
RATE_AI 20Mb/s
RATE_HAI 200Mb/s
MIN_RATE 1000Mb/s
HAS_WIN 0
ACK_HIGH_PRIO 1
KMAX_MAP 2 25000000000 40 100000000000 160
KMIN_MAP 2 25000000000 10 100000000000 40
PMAX_MAP 2 25000000000 0.2 100000000000 0.35
BUFFER_SIZE 12
END
}

# write_topo FILE : 16 hosts in 4 pods.
write_topo() {
    cat >"$1" <<'END'
Nodes 16
Tiers 3
Podsize 4

Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000

Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 2000

Tier 2
Downlink_speed_Gbps 100
Radix_Down 4
Downlink_Latency_ns 3000
END
}

# fct_of SCENARIO FILE - runs the scenario and writes its flow completion times to FILE.
fct_of() {
    "$ANOLE" run "$1" --quiet --hpcc-fct "$2"
}

# refused REASON ARGUMENT... - anole convert fails with one line that contains the reason, and writes no
# files.
refused() {
    reason=$1
    shift
    run_apart "$ANOLE" convert "$@" -o "$dir/refused"
    [ "$status" -eq 1 ]
    [ "$(wc -l <"$dir/err")" -eq 1 ]
    grep -qF -- "$reason" "$dir/err" || { cat "$dir/err"; false; }
    [ ! -e "$dir/refused" ]
}

@test "convert: --help explains it with examples" {
    run "$ANOLE" convert --help
    [ "$status" -eq 0 ]
    for word in --to --out --set --seed Examples: scenario.yaml config.txt network.topo traffic.cm; do
        [[ "$output" == *"$word"* ]]
    done
}

@test "convert: hpcc to scenario to hpcc has the same links and flows, and runs the same" {
    write_hpcc "$dir/in"
    "$ANOLE" convert "$dir/in/config.txt" --to scenario -o "$dir/s"
    "$ANOLE" convert "$dir/s/scenario.yaml" --to hpcc -o "$dir/back"
    # links: the same ends, rates and delays
    cat >"$dir/links" <<'END'
6 2 5
4 5
0 4 100Gbps 1000ns 0
1 4 25Gbps 1000ns 0
2 5 100Gbps 2000ns 0
3 5 100Gbps 1000ns 0
4 5 100Gbps 1500ns 0
END
    diff "$dir/links" "$dir/back/topology.txt"
    # flows: equal except for the notation of the start
    diff <(cut -d ' ' -f 1-5 "$dir/in/flow.txt") <(cut -d ' ' -f 1-5 "$dir/back/flow.txt")
    # ns-3 truncates 2.001, which is smaller in binary, to 2000999999 ns; the output must be equal
    tail -n 1 "$dir/back/flow.txt" | grep -qx '3 0 3 100 200000 2.0009999990001'
    grep -qx 'KMAX_MAP 2 100000000000 160 25000000000 40' "$dir/back/config.txt"
    grep -qx 'PMAX_MAP 2 100000000000 0.35 25000000000 0.2' "$dir/back/config.txt"
    grep -qx 'BUFFER_SIZE 12' "$dir/back/config.txt"
    # all three give the same run
    echo "hpcc: in/config.txt" >"$dir/in.yaml"
    echo "hpcc: back/config.txt" >"$dir/back.yaml"
    fct_of "$dir/in.yaml" "$dir/in.fct"
    fct_of "$dir/s/scenario.yaml" "$dir/s.fct"
    fct_of "$dir/back.yaml" "$dir/back.fct"
    [ "$(wc -l <"$dir/in.fct")" -eq 4 ]
    cmp "$dir/in.fct" "$dir/s.fct"
    cmp "$dir/in.fct" "$dir/back.fct"
}

@test "convert: a topology whose switches come first keeps its numbers" {
    write_hpcc "$dir/in"
    printf '4 1 3\n0\n1 0 100Gbps 1us 0\n2 0 100Gbps 1us 0\n3 0 100Gbps 1us 0\n' >"$dir/in/topology.txt"
    printf '2\n1 3 3 100 1000 2.0\n2 3 3 100 1000 2.0\n' >"$dir/in/flow.txt"
    "$ANOLE" convert "$dir/in/config.txt" --to scenario -o "$dir/s"
    grep -q 'kind: hpcc' "$dir/s/scenario.yaml"
    echo "hpcc: in/config.txt" >"$dir/in.yaml"
    fct_of "$dir/in.yaml" "$dir/in.fct"
    fct_of "$dir/s/scenario.yaml" "$dir/s.fct"
    cmp "$dir/in.fct" "$dir/s.fct"
}

@test "convert: a failing link is kept in the scenario and in the config" {
    write_hpcc "$dir/in"
    printf '5 2 6\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n3 4 100Gbps 1us 0\n' >"$dir/in/topology.txt"
    sed -i '1s/.*/5 2 4/' "$dir/in/topology.txt"
    printf '1\n0 1 3 100 1000 2.0\n' >"$dir/in/flow.txt"
    echo "LINK_DOWN 70 3 4" >>"$dir/in/config.txt"
    # without an end of the run, host 2 could never receive: the scenario says so
    run_apart "$ANOLE" convert "$dir/in/config.txt" --to scenario -o "$dir/s" --set run=3s
    [ "$status" -eq 0 ]
    grep -q 'links_down:' "$dir/s/scenario.yaml"
    grep -q '{a: s0, b: s1, which: 0, down: 2000070us}' "$dir/s/scenario.yaml"
    "$ANOLE" convert "$dir/s/scenario.yaml" --to hpcc -o "$dir/back"
    grep -qx 'LINK_DOWN 70 3 4' "$dir/back/config.txt"
}

@test "convert: topology and flows, without a config, in any order" {
    write_hpcc "$dir/in"
    "$ANOLE" convert "$dir/in/flow.txt" "$dir/in/topology.txt" --to scenario -o "$dir/s"
    grep -qx 'model: hpcc' "$dir/s/scenario.yaml"
    fct_of "$dir/s/scenario.yaml" "$dir/s.fct"
    [ "$(wc -l <"$dir/s.fct")" -eq 4 ]
    # rows beyond the announced number are left out, with a warning
    sed -i '1s/.*/2/' "$dir/in/flow.txt"
    for files in "$dir/in/flow.txt $dir/in/topology.txt" "$dir/in/config.txt"; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" convert $files --to scenario -o "$dir/short"
        [ "$status" -eq 0 ]
        grep -q "^anole: warning: .*flow.txt:4: the first line announces 2 flows" "$dir/err"
        [ "$(head -n 1 "$dir/short/flows.txt")" -eq 2 ]
    done
}

@test "convert: a config of the ConWeave fork" {
    write_hpcc "$dir/in"
    sed -i '/ACK_HIGH_PRIO/d' "$dir/in/config.txt"
    printf 'LB_MODE 0\nENABLE_PFC 1\nENABLE_IRN 0\n' >>"$dir/in/config.txt"
    printf '2 \n0 2 3 100000 2.000000000\n3 0 3 200000 2.001000000\n' >"$dir/in/flow.txt"
    "$ANOLE" convert "$dir/in/config.txt" --to scenario -o "$dir/s"
    grep -qx '  alpha: 0.0625' "$dir/s/scenario.yaml"
    grep -qx 'model: conweave' "$dir/s/scenario.yaml"
    echo "hpcc: in/config.txt" >"$dir/in.yaml"
    fct_of "$dir/in.yaml" "$dir/in.fct"
    fct_of "$dir/s/scenario.yaml" "$dir/s.fct"
    [ "$(wc -l <"$dir/s.fct")" -eq 2 ]
    cmp "$dir/in.fct" "$dir/s.fct"
    sed -i 's/LB_MODE 0/LB_MODE 6/' "$dir/in/config.txt"
    "$ANOLE" convert "$dir/in/config.txt" --to scenario -o "$dir/l"
    grep -qx 'lb: letflow' "$dir/l/scenario.yaml"
    sed -i 's/LB_MODE 6/LB_MODE 9/' "$dir/in/config.txt"
    "$ANOLE" convert "$dir/in/config.txt" --to scenario -o "$dir/c"
    grep -qx 'lb: conweave' "$dir/c/scenario.yaml"
}

@test "convert: the flows of a scenario depend on its seed" {
    write_scenario "$dir/s.yaml"
    "$ANOLE" convert "$dir/s.yaml" --to hpcc -o "$dir/one" 2>"$dir/notes"
    grep -q '^anole: note: the buffer becomes 30 MiB$' "$dir/notes"
    grep -q '^anole: note: starts of flows are cut to whole nanoseconds$' "$dir/notes"
    "$ANOLE" convert "$dir/s.yaml" --to hpcc -o "$dir/same" 2>/dev/null
    "$ANOLE" convert "$dir/s.yaml" --to hpcc -o "$dir/other" --seed 2 2>/dev/null
    cmp "$dir/one/flow.txt" "$dir/same/flow.txt"
    refute cmp -s "$dir/one/flow.txt" "$dir/other/flow.txt"
    # the same flows as in a run of the scenario
    "$ANOLE" run "$dir/s.yaml" --set run=1s --set traffic.0.stop=1ms --quiet --hpcc-fct "$dir/fct"
    diff <(awk '{ print $4, $5, int($6) }' "$dir/fct" | sort) \
         <(awk 'NR > 1 { printf "%s %s %d\n", $4, $5, $6 * 1e9 + 0.001 }' "$dir/one/flow.txt" | sort)
    # and they run
    echo "hpcc: one/config.txt" >"$dir/run.yaml"
    fct_of "$dir/run.yaml" "$dir/run.fct"
    [ "$(wc -l <"$dir/run.fct")" -eq "$(head -n 1 "$dir/one/flow.txt")" ]
}

# starts FLOWS.CSV - in nanoseconds, sorted
starts() {
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "start_ns") c = i; next } { print $c }' "$1" | sort
}

# ns-3 reads most of these times as one nanosecond earlier; model nic must not, and what convert writes must be
# the same time for both.
@test "convert: flows start at the written nanosecond, and in every model after a conversion" {
    awk 'BEGIN { print 300; for (at = 0; i++ < 300; at += 1 + i * i % 7919)
        print i % 4, (i + 1) % 4, 3, 100 + i, 1000, sprintf("2.%09d", at) }' >"$dir/flow.txt"
    awk 'NR > 1 { sub(/\./, "", $6); print $6 ".000" }' "$dir/flow.txt" | sort >"$dir/want"
    echo '{topology: {kind: star, hosts: 4}, traffic: [{kind: flows, file: flow.txt}]}' >"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" -o "$dir/exact" >/dev/null
    diff "$dir/want" <(starts "$dir/exact/flows.csv")
    "$ANOLE" run "$dir/s.yaml" --set model=hpcc -o "$dir/early" >/dev/null
    [ "$(starts "$dir/early/flows.csv" | comm -23 "$dir/want" - | wc -l)" -gt 100 ]
    "$ANOLE" convert "$dir/s.yaml" --to hpcc -o "$dir/in" 2>/dev/null
    "$ANOLE" convert "$dir/in/config.txt" --to scenario -o "$dir/out"
    for model in hpcc nic; do
        "$ANOLE" run "$dir/out/scenario.yaml" --set model=$model --set cc=dcqcn -o "$dir/$model" >/dev/null
        diff "$dir/want" <(starts "$dir/$model/flows.csv")
    done
}

@test "convert: htsim to scenario" {
    write_topo "$dir/n.topo"
    printf 'Nodes 16\nConnections 3\n0->5 id 1 start 0 size 2000000\n0->5 id 2 start 1000000 size 3000\n15->1 start 0 size 7\n' \
        >"$dir/t.cm"
    "$ANOLE" convert "$dir/n.topo" "$dir/t.cm" --to scenario -o "$dir/s"
    [ "$(grep -c -- '- {a:' "$dir/s/scenario.yaml")" -eq 48 ]
    grep -qF -- '- {a: agg1, b: core1, rate: 100Gbps, delay: 3us}' "$dir/s/scenario.yaml"
    # 0.000001 is smaller in binary and would be truncated to 999 ns, so convert adds a tenth of a picosecond
    printf '3\n0 5 3 4791 2000000 0.000000000\n15 1 3 4791 7 0.000000000\n0 5 3 4791 3000 0.0000010000001\n' >"$dir/want"
    diff "$dir/want" "$dir/s/flows.txt"
    fct_of "$dir/s/scenario.yaml" "$dir/s.fct"
    [ "$(wc -l <"$dir/s.fct")" -eq 3 ]
}

@test "convert: connections with triggers stay a connection matrix" {
    write_topo "$dir/n.topo"
    cat >"$dir/t.cm" <<'END'
Nodes 16
Connections 3
Triggers 1
0->5 id 1 start 5 size 2000000 send_done_trigger 9
1->5 id 2 start 0 size 3000 recv_done_trigger 9
15->1 id 3 trigger 9 size 7
trigger id 9 barrier count 2
END
    "$ANOLE" convert "$dir/n.topo" "$dir/t.cm" --to scenario -o "$dir/s"
    grep -qF -- '- {kind: htsim, file: traffic.cm}' "$dir/s/scenario.yaml"
    diff "$dir/t.cm" "$dir/s/traffic.cm"
    refused 'connections that start when others have ended' "$dir/n.topo" "$dir/t.cm" --to hpcc
}

# no_hpcc REASON REST-OF-SCENARIO [TOPOLOGY]
no_hpcc() {
    star='{kind: star, hosts: 4}'
    printf 'topology: %s\n%b\n' "${3-$star}" "$2" >"$dir/t.yaml"
    grep -q traffic "$dir/t.yaml" || echo 'traffic: [{kind: permutation, size: 1KB}]' >>"$dir/t.yaml"
    refused "$1" "$dir/t.yaml" --to hpcc
}

@test "convert: rejects features that the HPCC fork lacks" {
    no_hpcc 'a congestion control other than DCQCN' 'cc: none'
    for lb in spray letflow conga drill; do no_hpcc 'a load balancer other than ECMP' "lb: $lb"; done
    no_hpcc 'hosts that stretch gaps (hf2t)' 'knobs: {hf2t: 1}'
    no_hpcc 'selective repeat' 'host: {retransmit: selective}'
    no_hpcc 'a lossy network' 'switch: {lossless: no}'
    no_hpcc 'marks by the queue that a packet finds' 'switch: {ecn_at: enqueue}'
    no_hpcc 'a buffer of less than 1 MiB' 'switch: {buffer: 1MB}'
    no_hpcc 'knobs that change during the run' 'changes: [{at: 1us, knobs: {kmin: 1KB}}]'
    no_hpcc 'a window in bytes' 'host: {window: 10KB}'
    no_hpcc 'a kmin or kmax that is not whole KB' 'knobs: {kmin: 1500}\nswitch: {ecn_by_rate: [{rate: 100Gbps, kmin: 1500B, kmax: 4KB, pmax: 1}]}'
    no_hpcc 'parallel links' '' '{kind: clos, tors: 2, hosts_per_tor: 2, spines: 1, links: 2}'
    no_hpcc 'a bit error rate' '' '{kind: star, hosts: 4, ber: 1e-12}'
    no_hpcc 'a delay that is not whole nanoseconds' '' '{kind: star, hosts: 4, delay: 1500ps}'
    no_hpcc 'a link that fails before 2.000001s' 'run: 1ms' '{kind: clos, tors: 2, hosts_per_tor: 2, spines: 2,
        links_down: [{a: tor0, b: spine0, down: 1us}]}'
    no_hpcc 'more than one link that fails' '' '{kind: clos, tors: 2, hosts_per_tor: 2, spines: 2,
        links_down: [{a: tor0, b: spine0, down: 1us, up: 2us}]}'
    no_hpcc 'traffic that starts flows when others have ended' 'run: 1ms\ntraffic: [{kind: training, size: 1MB}]'
    no_hpcc 'a list of flows cannot express this: TCP' 'run: 1ms\ntraffic: [{kind: tcp, senders: 2, size: 1MB}]'
    no_hpcc 'a flow of 4 GiB or more' 'traffic: [{kind: permutation, size: 5GB}]'
}

@test "convert: rejects files that do not match" {
    write_hpcc "$dir/in"
    write_scenario "$dir/s.yaml"
    write_topo "$dir/n.topo"
    printf 'Nodes 99\nConnections 0\n' >"$dir/t.cm"
    refused 'this is a network; give the file with its flows as well' "$dir/in/topology.txt" --to scenario
    refused 'these are flows; give the file with their network as well' "$dir/in/flow.txt" --to scenario
    refused 'two files are a network and its flows' "$dir/in/topology.txt" "$dir/n.topo" --to scenario
    refused 'two files are a network and its flows' "$dir/s.yaml" "$dir/in/flow.txt" --to scenario
    refused 'the connections are for 99 hosts, but the network has 16' "$dir/n.topo" "$dir/t.cm" --to scenario
    refused 'this is a scenario already' "$dir/s.yaml" --to scenario
    refused 'No such file' "$dir/no.topo" "$dir/t.cm" --to scenario
    echo 'Tier 9' >>"$dir/n.topo"
    refused 'n.topo:21: Tier: 9 is more than 2' "$dir/n.topo" "$dir/t.cm" --to scenario
}

@test "convert: an invalid command line is a usage error" {
    cd "$dir"
    write_scenario s.yaml
    for arguments in '' '--to hpcc' 's.yaml -o x' 's.yaml --to hpcc' 's.yaml --to hpc -o x' 's.yaml a b --to hpcc -o x' \
        's.yaml --to hpcc -o x --set kmin' 's.yaml --to hpcc -o x --seed one'; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" convert $arguments
        [ "$status" -eq 2 ]
        [ "$(wc -l <"$dir/err")" -eq 1 ]
    done
    run_apart "$ANOLE" convert "$dir/s.yaml" --to hpc -o x
    grep -q -- "--to: unknown value 'hpc'; did you mean 'hpcc'?" "$dir/err"
}

@test "convert: a folder with other files is not overwritten" {
    write_scenario "$dir/s.yaml"
    mkdir "$dir/mine"
    echo precious >"$dir/mine/file"
    run_apart "$ANOLE" convert "$dir/s.yaml" --to hpcc -o "$dir/mine"
    [ "$status" -eq 1 ]
    [ "$(cat "$dir/mine/file")" = precious ]
    [ "$(ls "$dir/mine")" = file ]
}

@test "convert: accepts the name of a built-in scenario" {
    "$ANOLE" convert permutation --to hpcc -o "$dir/c"
    [ -s "$dir/c/config.txt" ]
}

@test "convert: recognizes files that scenarios use directly, and the command it prints works" {
    cd "$dir"
    printf 'num_ranks 2\nrank 0 {\na: send 64b to 1 tag 0\n}\nrank 1 {\nb: recv 64b from 0 tag 0\n}\n' >two.goal
    printf '%s\n' "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 all_gpus: 2" 1 "a -1 1000 ALLREDUCE 64 1000 NONE 0 1000 NONE 0 1" >w.txt
    printf '3 1 0 1 2 H100\n2\n0 2 100Gbps 0.001ms 0\n1 2 100Gbps 0.001ms 0\n' >net.topo
    printf 'topology: [ Switch ]\nnpus_count: [ 2 ]\nbandwidth: [ 11.6 ]\nlatency: [ 500 ]\n' >net.yml
    run "$ANOLE" convert two.goal
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "two.goal: this is a GOAL trace. To use it in a scenario:" ]
    [ "${lines[1]}" = "  traffic: [{kind: goal, file: two.goal}]" ]
    for network in net.topo net.yml; do
        for traffic in two.goal w.txt; do
            "$ANOLE" convert "$network" "$traffic" | grep '^  ' | sed 's/^  //' >s.yaml
            "$ANOLE" run s.yaml --quiet
        done
    done
    [ "$("$ANOLE" convert w.txt --format json | jq -r '.[0].line')" = "traffic: [{kind: simai, file: w.txt}]" ]
    run "$ANOLE" convert two.goal --to scenario -o x
    [ "$status" -eq 1 ]
    [ "$output" = "anole: two.goal: this is a GOAL trace, which a scenario runs as it is: traffic: [{kind: goal, file: two.goal}]" ]
    # for Chakra, any rank's file or the prefix; names with blanks are quoted
    : >'a b.0.et'
    : >'a b.1.et'
    for name in 'a b.1.et' 'a b'; do
        run "$ANOLE" convert "$name"
        [ "${lines[1]}" = '  traffic: [{kind: chakra, file: "a b"}]' ]
    done
    # also files that can be converted
    printf '1\n0 1 3 100 1000 2.0\n' >flow.txt
    run "$ANOLE" convert flow.txt
    [ "${lines[1]}" = "  traffic: [{kind: flows, file: flow.txt}]" ]
    # compiled GOAL
    printf '\177\020\0\0\0\0\0\0' >compiled
    run "$ANOLE" convert compiled
    [ "${lines[0]}" = "compiled: this is a GOAL trace. To use it in a scenario:" ]
}
