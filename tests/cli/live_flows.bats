#!/usr/bin/env bats
# tests/cli/live_flows.bats - flow sizes from other programs: softflowd (NetFlow 9, IPFIX) and pmacct (sFlow
# 5) read a capture and send datagrams to a controller.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

# write_capture FILE - RoCEv2 from 10.0.0.1 and some TCP. 600 packets of 4 KB to 10.0.0.2, and 10 of 1 KB to
# 10.0.0.3.
write_capture() {
    python3 - "$1" <<'END'
import struct, sys
def frame(target, port, target_port, payload, protocol):
    body = bytes(payload)
    if protocol == 17:
        l4 = struct.pack(">HHHH", port, target_port, 8 + 12 + len(body) + 4, 0) + bytes.fromhex("0740ffff00000123") + bytes(4) + body + bytes(4)
    else:
        l4 = struct.pack(">HHIIBBHHH", port, target_port, 1, 1, 0x50, 0x10, 1000, 0, 0) + body
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0x6a, 20 + len(l4), 1, 0x4000, 64, protocol, 0, bytes([10, 0, 0, 1]), target)
    return bytes.fromhex("020000000002020000000001") + b"\x08\x00" + ip + l4
frames = [frame(bytes([10, 0, 0, 2]), 0xc001, 4791, 4096, 17)] * 600 + [frame(bytes([10, 0, 0, 3]), 0xc002, 4791, 1024, 17)] * 10 + \
         [frame(bytes([10, 0, 0, 4]), 5555, 80, 1000, 6)] * 20
with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for i, b in enumerate(frames):
        f.write(struct.pack("<IIII", 1700000000, i * 100, len(b), len(b)) + b)
END
}

# with_flows - starts a controller that receives flows at $flows and shows them at $web.
with_flows() {
    command -v curl >/dev/null || skip 'no curl'
    flows=127.0.0.1:$((port + 2))
    web=127.0.0.1:$((port + 1))
    write_controller
    printf 'flows: {listen: "%s", window: 3s}\nhttp: {listen: "%s"}\n' "$flows" "$web" >>controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for grep -q 'http at' controller.log
    write_capture capture.pcap
}

flows_are() {
    curl -sS --max-time 5 "http://$web/api/state" | jq -e "$1" >/dev/null
}

metric_is() {
    curl -sS --max-time 5 "http://$web/metrics" | grep -q "^$1\$"
}

one_elephant_one_mouse() {
    flows_are '.flows.elephants == 1 and .flows.mice == 1'
}

@test "flows: NetFlow 9 of softflowd" {
    needs_live
    command -v softflowd >/dev/null || skip 'no softflowd: tools/deps peers'
    with_flows
    softflowd -r capture.pcap -n "$flows" -v 9 -d -p pid -c ctl >softflowd.log 2>&1
    wait_for one_elephant_one_mouse
    flows_are '.flows.bins[15] == 1 and .flows.bins[7] == 1'             # 2 MB and more; 8 KB and more
    metric_is 'anole_flows_refused_total{why="unreadable"} 0'
    metric_is 'anole_flows_refused_total{why="not RoCEv2"} [1-9]'
}

@test "flows: IPFIX of softflowd" {
    needs_live
    command -v softflowd >/dev/null || skip 'no softflowd: tools/deps peers'
    with_flows
    softflowd -r capture.pcap -n "$flows" -v 10 -d -p pid -c ctl >softflowd.log 2>&1
    wait_for one_elephant_one_mouse
    metric_is 'anole_flows_refused_total{why="unreadable"} 0'
}

@test "flows: a sampling rate in options is applied" {
    needs_live
    command -v softflowd >/dev/null || skip 'no softflowd: tools/deps peers'
    with_flows
    softflowd -r capture.pcap -n "$flows" -v 10 -s 10 -d -p pid -c ctl >softflowd.log 2>&1
    wait_for flows_are '.flows.elephants == 1'                           # 60 packets were seen: 250 KB
    metric_is 'anole_flows_refused_total{why="unreadable"} 0'
}

@test "flows: sFlow 5 of pmacct" {
    needs_live
    command -v pmacctd >/dev/null || skip 'no pmacctd: tools/deps peers'
    with_flows
    cat >pmacct.conf <<END
daemonize: false
pcap_savefile: capture.pcap
pcap_savefile_wait: 1
plugins: sfprobe
sampling_rate: 1
sfprobe_receiver: $flows
sfprobe_agentip: 127.0.0.1
snaplen: 256
plugin_buffer_size: 65536
plugin_pipe_size: 4194304
END
    start pmacct.log pmacctd -f pmacct.conf
    wait_for one_elephant_one_mouse
    metric_is 'anole_flows_refused_total{why="unreadable"} 0'
    mapfile -t started < <(children "$pid")
    kill "$pid"                                  # its plug-in would survive kill -9
    wait_for have_ended "$pid" "${started[@]}"
}

@test "flows: senders must be listed, and other datagrams are ignored" {
    needs_live
    with_flows
    kill -9 "$pid"
    wait_for have_ended "$pid"
    sed -i "s/window: 3s/window: 3s, from: [192.0.2.1]/" controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for flows_are '.flows.datagrams == 0'
    python3 -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
host, port = sys.argv[1].split(":")
s.sendto(b"\0\0\0\5" * 20, (host, int(port)))' "$flows"
    wait_for flows_are '.flows.datagrams == 1 and .flows.refused == 1'
    sed -i 's/^flows: .*/flows: {listen: "0.0.0.0:6343"}/' controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"controller.yaml:13:17: listen: where others can send, 'from' must say who may" ]]
}
