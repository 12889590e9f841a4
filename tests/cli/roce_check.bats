#!/usr/bin/env bats
# tests/cli/roce_check.bats - captures obey the rules of RoCEv2 (roce_check.py), and tshark reads the same
# fields.
# shellcheck disable=SC2154  # common.bash sets dir
load common

check() {
    python3 "$BATS_TEST_DIRNAME/roce_check.py" "$@"
}

# Two senders, one receiver, and losses between two switches. Captures at the edge show all frames of the
# NICs.
write_lossy() {
    cat >"$1" <<'END_OF_SCENARIO'
topology:
  kind: graph
  hosts: 4
  switches: [S0, S1]
  links:
    - {a: h0, b: S0, rate: 100Gbps, delay: 1us}
    - {a: h1, b: S0, rate: 100Gbps, delay: 1us}
    - {a: h2, b: S1, rate: 100Gbps, delay: 1us}
    - {a: h3, b: S1, rate: 100Gbps, delay: 1us}
    - {a: S0, b: S1, rate: 200Gbps, delay: 1us, loss: 0.004}
traffic:
  - {kind: many_to_one, hosts: [h0, h1], receiver: h2, size: 1000001B, spread: 1us}
END_OF_SCENARIO
}

# Five hosts send to a sixth while all send to all, which causes pauses and marks.
write_paused() {
    cat >"$1" <<'END_OF_SCENARIO'
topology: {kind: star, hosts: 6, rate: 100Gbps, delay: 1us}
switch: {buffer: 300KB}
knobs: {min_time_between_cnps: 50, kmin: 20KB, kmax: 80KB}
traffic:
  - {kind: all_to_all, size: 50003B}
  - {kind: incast, senders: 5, receiver: h0, size: 100001B}
run: 3ms
END_OF_SCENARIO
}

@test "roce_check: go-back-N on a lossy link: gaps make NAKs, NAKs make retransmissions" {
    write_lossy "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --pcap "$dir/a.pcapng" --format json >"$dir/one"
    check "$dir/a.pcapng" --cnp-gap 4 >"$dir/seen"
    [ "$(jq .naks "$dir/seen")" -eq "$(jq .packets.nacks_sent "$dir/one")" ]
    [ "$(jq .naks "$dir/seen")" -ge 3 ]
    [ "$(jq .go_backs "$dir/seen")" -ge 3 ]
    # All received data frames are in the capture.
    [ "$(jq .data "$dir/seen")" -eq "$(jq .packets.data_received "$dir/one")" ]
    jq -e '.nak_us[2] < 0.1' "$dir/seen"
    # With more losses timeouts occur too.
    "$ANOLE" run "$dir/s.yaml" --set topology.links.4.loss=0.04 --set seed=2 --pcap "$dir/a.pcapng" -q
    check "$dir/a.pcapng" --cnp-gap 4 >"$dir/seen"
    [ "$(jq .naks "$dir/seen")" -ge 30 ]
    [ "$(jq .timeouts "$dir/seen")" -ge 1 ]
}

@test "roce_check: CNPs are spaced by queue pair, by address or by port, as roce_cc_cnp_moderation says; no data while paused" {
    write_paused "$dir/s.yaml"
    per=(qp address port)
    for moderation in 0 1 2; do
        "$ANOLE" run "$dir/s.yaml" --set "knobs.roce_cc_cnp_moderation=$moderation" --pcap "$dir/a.pcapng" --format json >"$dir/one"
        for as in 0 1 2; do
            if [ "$as" -eq "$moderation" ]; then
                check "$dir/a.pcapng" --cnp-gap 50 --cnp-per "${per[$as]}" >"$dir/seen"
                [ "$(jq .cnps "$dir/seen")" -eq "$(jq .packets.cnps_sent "$dir/one")" ]
                [ "$(jq .cnps "$dir/seen")" -ge 2 ]
                [ "$(jq .pauses "$dir/seen")" -ge 10 ]
            else
                refute check "$dir/a.pcapng" --cnp-gap 50 --cnp-per "${per[$as]}" 2>/dev/null
            fi
        done
    done
    refute check "$dir/a.pcapng" --cnp-gap 55 --cnp-per port 2>/dev/null
}

@test "roce_check: queue pairs with messages of any length, and RDMA READs" {
    cat >"$dir/r.goal" <<'END_OF_TRACE'
num_ranks 4
rank 0 {
}
rank 1 {
a: read 100000b from 0
b: read 5000b from 0
c: read 777b from 0
d: send 3001b to 2 tag 1
e: send 2999b to 2 tag 2
}
rank 2 {
a: recv 3001b from 1 tag 1
e: recv 2999b from 1 tag 2
b: read 70001b from 0
c: read 70002b from 0
}
rank 3 {
b: read 70001b from 0
}
END_OF_TRACE
    write_lossy "$dir/s.yaml"
    sed -i '/^traffic/,$d; s/0.004/0.03/' "$dir/s.yaml"
    echo 'traffic: [{kind: goal, file: r.goal}]' >>"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --pcap "$dir/a.pcapng" -q
    check "$dir/a.pcapng" --cnp-gap 4 >"$dir/seen"
    # Two SENDs, and six READs with a request and an answer each.
    [ "$(jq .messages "$dir/seen")" -eq 14 ]
    [ "$(jq .naks "$dir/seen")" -ge 1 ]
}

@test "roce_check: SENDs without a posted receive cause RNR NAKs with the timer's code; datagrams are UD" {
    printf '64 0\n5000 1\n' >"$dir/sends.txt"
    printf '64 0\n1000 1\n' >"$dir/small.txt"
    cat >"$dir/s.yaml" <<'END_OF_SCENARIO'
topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}
host: {receives: 1, repost: 20us, rnr_timer: 25us}
traffic:
  - {kind: rpc, name: sends, verb: send, load: 0.1, sizes: sends.txt, stop: 200us}
  - {kind: rpc, name: datagrams, verb: ud, load: 0.05, sizes: small.txt, stop: 200us}
END_OF_SCENARIO
    "$ANOLE" run "$dir/s.yaml" --pcap "$dir/a.pcapng" --format json >"$dir/one"
    check "$dir/a.pcapng" --cnp-gap 4 >"$dir/seen"
    [ "$(jq .rnr_naks "$dir/seen")" -eq "$(jq .packets.rnr_nacks "$dir/one")" ]
    [ "$(jq .rnr_naks "$dir/seen")" -ge 10 ]
    [ "$(jq .datagrams "$dir/seen")" -ge 10 ]
    command -v tshark >/dev/null || skip "tshark is not installed (tools/deps peers)"
    # 25 us is not a time that a NAK can encode; the next one is 30 us, code 3.
    [ "$(tshark -r "$dir/a.pcapng" -Y 'infiniband.aeth.syndrome.opcode == 1' -T fields -e infiniband.aeth.syndrome.timer 2>/dev/null |
        sort -u)" = 3 ]
    [ "$(tshark -r "$dir/a.pcapng" -Y 'infiniband.bth.opcode == 100 && infiniband.deth' 2>/dev/null | wc -l)" -eq "$((2 * $(jq .datagrams "$dir/seen")))" ]
    [ "$(tshark -r "$dir/a.pcapng" -Y '_ws.malformed' 2>/dev/null | wc -l)" -eq 0 ]
}

@test "roce_check: each kind of damaged capture violates its own rule" {
    write_lossy "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --set traffic.0.size=300001B --set topology.links.4.loss=0.01 --set knobs.kmin=10KB \
        --set knobs.kmax=40KB --pcap "$dir/lossy.pcapng" -q
    write_paused "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --pcap "$dir/paused.pcapng" -q
    check "$dir/lossy.pcapng" --cnp-gap 4 | jq -e ".naks > 2 and .cnps > 2"
    check "$dir/paused.pcapng"
    while IFS='|' read -r capture kind message; do
        python3 "$BATS_TEST_DIRNAME/roce_damage.py" "$dir/$capture.pcapng" "$dir/d.pcapng" "$kind"
        run check "$dir/d.pcapng" --cnp-gap "$([ "$capture" = lossy ] && echo 4 || echo 50)"
        [ "$status" -eq 1 ] || { echo "$kind: not found" >&2; return 1; }
        [[ $output == *"$message"* ]] || { echo "$kind: $output" >&2; return 1; }
    done <<'END_OF_TABLE'
lossy|icrc|the ICRC is wrong
lossy|payload|the ICRC is wrong
lossy|ip|the IPv4 header or its checksum is wrong
lossy|opcode|not a message
lossy|opcode-of-write|is not used here
lossy|psn|is sent after
lossy|last-without-request|asks for no ACK
lossy|ack-of-the-future|but was not sent
lossy|ack-for-nak|no NAK
lossy|nak-for-ack|is expected
lossy|nak-of-the-next|is expected
lossy|nak-missing|no NAK
lossy|nak-late|no NAK
lossy|nak-twice|a second NAK
lossy|msn|messages are complete
lossy|cnp-missing|CNPs for
lossy|cnp-twice|after the last one
lossy|cnp-without-becn|needs BECN
paused|resume-missing|class 3 is paused
END_OF_TABLE
}

@test "roce_check: tshark reads the same fields of every frame, and finds nothing malformed" {
    command -v tshark >/dev/null || skip "tshark is not installed (tools/deps peers)"
    write_lossy "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --pcap "$dir/lossy.pcapng" -q
    write_paused "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --pcap "$dir/paused.pcapng" -q
    for capture in lossy paused; do
        check "$dir/$capture.pcapng" --fields >"$dir/ours"
        tshark -r "$dir/$capture.pcapng" -T fields -e frame.number -e frame.len -e ip.dsfield.ecn -e infiniband.bth.opcode \
            -e infiniband.bth.destqp -e infiniband.bth.psn -e infiniband.aeth.syndrome -e infiniband.aeth.msn \
            -e infiniband.invariant.crc >"$dir/theirs" 2>/dev/null
        [ "$(wc -l <"$dir/theirs")" -gt 5000 ]
        cmp "$dir/ours" "$dir/theirs"
        [ "$(tshark -r "$dir/$capture.pcapng" -Y '_ws.malformed || _ws.expert.severity >= 6291456' 2>/dev/null | wc -l)" -eq 0 ]
    done
}

@test "roce_check: model uet has no RoCEv2 frames" {
    printf 'model: uet\ntopology: {kind: star, hosts: 3}\ntraffic: [{kind: incast, senders: 2, size: 64KB}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml" --pcap "$dir/a.pcapng"
    [ "$status" -eq 1 ]
    [ "$output" = "anole: --pcap writes RoCEv2 frames; model uet has none" ]
    [ ! -e "$dir/a.pcapng" ]
}
