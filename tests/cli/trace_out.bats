#!/usr/bin/env bats
# tests/cli/trace_out.bats - frames for Wireshark and flows for Perfetto: read by other programs, and limited
# in size.
# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir
load common

# Sixteen hosts send 200 KB each to one receiver.
burst=(scenarios/incast.yaml --set traffic.0.size=200KB)

# Several tests share one capture of all frames.
setup_file() {
    : "${ANOLE:?is the program to test}"
    "$ANOLE" run "${burst[@]}" --pcap "$BATS_FILE_TMPDIR/a.pcapng" --format json >"$BATS_FILE_TMPDIR/one"
}

# Prints every block of a pcapng file as "type length". Fails unless both lengths agree and no bytes are left
# over.
blocks() {
    python3 - "$1" <<'END'
import struct, sys
data, at = open(sys.argv[1], "rb").read(), 0
while at < len(data):
    kind, length = struct.unpack_from("<II", data, at)
    assert length % 4 == 0 and struct.unpack_from("<I", data, at + length - 4)[0] == length, at
    print(kind, length)
    at += length
assert at == len(data)
END
}

@test "pcap: as many frames as host links carried, in valid blocks" {
    "$ANOLE" run "${burst[@]}" --format json >"$dir/two"
    diff <(jq 'del(.wall)' "$BATS_FILE_TMPDIR/one") <(jq 'del(.wall)' "$dir/two")
    blocks "$BATS_FILE_TMPDIR/a.pcapng" >"$dir/blocks"
    [ "$(awk '$1 == 168627466' "$dir/blocks" | wc -l)" -eq 1 ]
    [ "$(awk '$1 == 1' "$dir/blocks" | wc -l)" -eq 34 ]
    # 17 hosts around one switch: every hop uses a host's link
    [ "$(awk '$1 == 6' "$dir/blocks" | wc -l)" -eq "$(jq .packets.hops "$BATS_FILE_TMPDIR/one")" ]
}

@test "pcap: tshark sees RoCEv2 frames, their sequence numbers, marks, ACKs and CNPs" {
    command -v tshark >/dev/null || skip "tshark is not installed"
    dir=$BATS_FILE_TMPDIR
    tshark -r "$dir/a.pcapng" -T fields -e frame.interface_name -e infiniband.bth.opcode -e infiniband.bth.psn -e ip.dsfield.ecn -e infiniband.aeth.syndrome \
        >"$dir/fields" 2>"$dir/err"
    # Each data packet, ACK and CNP leaves its host once.
    sent() { awk -F'\t' -v op="$1" '$1 ~ /^h/ && $2 ~ op' "$dir/fields" | wc -l; }
    [ "$(sent '^(0|1|2|4)$')" -eq "$(jq .packets.data_sent "$dir/one")" ]
    [ "$(sent '^17$')" -eq "$(jq .packets.acks_sent "$dir/one")" ]
    [ "$(sent '^129$')" -eq "$(jq .packets.cnps_sent "$dir/one")" ]
    # The marks are those of frames that the switch sends.
    [ "$(awk -F'\t' '$1 ~ /^s/ && $2 < 17 && $4 == 3' "$dir/fields" | wc -l)" -eq "$(jq .packets.marked "$dir/one")" ]
    # A message of 200 KB is one First, 194 Middle and one Last.
    [ "$(sent '^0$')" -eq 16 ]
    [ "$(sent '^2$')" -eq 16 ]
    # As in Wireshark: no frame is reported as malformed.
    tshark -r "$dir/a.pcapng" >"$dir/lines" 2>/dev/null
    [ "$(wc -l <"$dir/lines")" -eq "$(wc -l <"$dir/fields")" ]
    refute grep -q Malformed "$dir/lines"
    refute grep -qE 'Unknown Attribute|limited during capture' "$dir/lines"
    grep -q 'RC Send Middle' "$dir/lines"
}

@test "pcap: headers alone are the same frames in a smaller file" {
    command -v tshark >/dev/null || skip "tshark is not installed"
    cp "$BATS_FILE_TMPDIR/a.pcapng" "$dir"
    "$ANOLE" run "${burst[@]}" --pcap "$dir/b.pcapng" --pcap-headers -q
    [ "$(stat -c %s "$dir/a.pcapng")" -gt "$((4 * $(stat -c %s "$dir/b.pcapng")))" ]
    for file in a b; do
        tshark -r "$dir/$file.pcapng" -T fields -e frame.time_epoch -e frame.len -e infiniband.bth.opcode -e infiniband.bth.psn >"$dir/$file" 2>/dev/null
    done
    cmp "$dir/a" "$dir/b"
    run "$ANOLE" run "${burst[@]}" --pcap-headers
    [ "$status" -eq 2 ]
}

@test "pcap: pauses are MAC control frames" {
    command -v tshark >/dev/null || skip "tshark is not installed"
    "$ANOLE" run "${burst[@]}" --set switch.buffer=1MB --pcap "$dir/a.pcapng" --format json >"$dir/one"
    [ "$(jq .pfc.frames_sent "$dir/one")" -gt 0 ]
    [ "$(tshark -r "$dir/a.pcapng" -Y 'macc.opcode == 0x0101' 2>/dev/null | wc -l)" -eq "$(jq .pfc.frames_sent "$dir/one")" ]
}

@test "pcap: respects its limit, and reports what it omits" {
    run "$ANOLE" run "${burst[@]}" --pcap "$dir/a.pcapng" --pcap-limit 100KB -q
    [ "$status" -eq 0 ]
    [[ $output == *"frames are not in it: it would be larger than --pcap-limit"* ]]
    [ "$(stat -c %s "$dir/a.pcapng")" -le 100000 ]
    blocks "$dir/a.pcapng" >/dev/null
    run "$ANOLE" run "${burst[@]}" --pcap "$dir/a.pcapng" --pcap-limit 5
    [ "$status" -eq 2 ]
}

@test "trace: every flow and every pause begins and ends" {
    "$ANOLE" run "${burst[@]}" --set switch.buffer=1MB --trace "$dir/t.json" --format json >"$dir/one"
    flows=$(jq .all.flows "$dir/one")
    [ "$(jq '[.traceEvents[] | select(.ph == "b")] | length' "$dir/t.json")" -eq "$flows" ]
    [ "$(jq '[.traceEvents[] | select(.ph == "e")] | length' "$dir/t.json")" -eq "$flows" ]
    # Spans last as long as their flows.
    jq -e '[.traceEvents[] | select(.cat == "flow")] | group_by(.id) | all(.[]; (map(select(.ph == "b"))[0].ts) < (map(select(.ph == "e"))[0].ts))' "$dir/t.json"
    [ "$(jq '[.traceEvents[] | select(.ph == "B")] | length' "$dir/t.json")" -gt 0 ]
    printf 'topology: {kind: star, hosts: 8}\ntraffic: [{kind: poisson, sizes: FB_Hadoop, load: 60%%, stop: 5ms}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml" --trace "$dir/t.json" --trace-limit 66KB -q
    [ "$status" -eq 0 ]
    [[ $output == *"events are not in it"* ]]
    [ "$(stat -c %s "$dir/t.json")" -le 67000 ]
    jq -e '.otherData.left_out > 0' "$dir/t.json"
}

@test "samples: queues and rates over time add up, and recording changes no results" {
    "$ANOLE" run "${burst[@]}" --samples "$dir/s.csv" --sample-every 5us --format json >"$dir/one"
    "$ANOLE" run "${burst[@]}" --threads 1 --format json >"$dir/two"
    diff <(jq 'del(.wall)' "$dir/one") <(jq 'del(.wall)' "$dir/two")
    [ "$(head -1 "$dir/s.csv")" = "time_us,what,where,value" ]
    # A queue never exceeds its maximum and is empty at the end. The goodput of all 16 flows together is at
    # most the rate of the receiver's link.
    longest=$(jq '[.queues[].queue_bytes_max] | max' "$dir/one")
    awk -F, -v longest="$longest" '
        $2 == "queue" { last[$3] = $4; if ($4 > most) most = $4 }
        $2 == "goodput" { sum[$1] += $4; bytes[$3] += $4 * 5e-6 * 1e9 / 8 }
        $2 == "rate" { rates++ }
        END {
            for (q in last) if (last[q]) exit 1
            if (most == 0 || most > longest + 2000) exit 2
            for (t in sum) if (sum[t] > 100 * 1024 / 1106 * 1.01) exit 3
            for (f in bytes) { n++; if (bytes[f] > 2e5 * 1.000001 || bytes[f] < 1.8e5) exit 4 }
            exit !(n == 16 && rates > 16)
        }' "$dir/s.csv"
}

@test "samples: respect their limit and report it; skipped packets cannot be sampled" {
    run "$ANOLE" run "${burst[@]}" --samples "$dir/s.csv" --sample-every 1us --samples-limit 66KB -q
    [ "$status" -eq 0 ]
    [[ $output == *"rows are not in it: it would be larger than --samples-limit"* ]]
    [ "$(stat -c %s "$dir/s.csv")" -le 66000 ]
    run "$ANOLE" run "${burst[@]}" --set fidelity=fast --samples "$dir/s.csv"
    [ "$status" -eq 1 ]
    [[ $output == *"--samples needs every packet"* ]]
}

@test "trace: contains iterations and queues" {
    "$ANOLE" run scenarios/dgx_h100.yaml --trace "$dir/t.json" --format json >"$dir/one"
    [ "$(jq '[.traceEvents[] | select(.ph == "b" and .cat == "work")] | length' "$dir/t.json")" -eq "$(jq '.traffic[0].iteration.count' "$dir/one")" ]
    "$ANOLE" run "${burst[@]}" --trace "$dir/t.json" -q
    [ "$(jq '[.traceEvents[] | select(.ph == "C")] | length' "$dir/t.json")" -gt 10 ]
    [ "$(jq '[.traceEvents[] | select(.ph == "C")] | group_by(.name) | map(last.args.bytes) | add' "$dir/t.json")" -eq 0 ]
}

@test "trace: an option for a file that was not requested is refused" {
    while read -r option value file; do
        run "$ANOLE" run scenarios/incast.yaml "$option" "$value" -q
        [ "$status" -eq 2 ]
        [[ $output == *"$option goes with $file"* ]]
    done <<'END'
--pcap-limit 1MB --pcap
--trace-limit 1MB --trace
--samples-limit 1MB --samples
--sample-every 5us --samples or --trace
END
    "$ANOLE" run "${burst[@]}" --trace "$dir/t.json" --sample-every 50us -q
}
