#!/usr/bin/env bats
# tests/cli/trace.bats - traces of applications, from the script that makes one to the results.
# shellcheck disable=SC2154  # common.bash sets dir
load common

@test "trace: a small Llama from tools/make-llama-trace runs on GPU servers, with equal results on two threads" {
    tools/make-llama-trace "$dir/m" --gpus 16 --tensor 8 --layers 1 --hidden 512
    printf 'topology: dgx_h100_16\ntraffic: [{kind: chakra, file: m, groups: m.groups.json, channels: 2}]\n' >"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json >"$dir/one"
    "$ANOLE" run "$dir/s.yaml" --threads 2 --format json >"$dir/two"
    [ "$(jq -c '[.all, .traffic]' "$dir/one")" = "$(jq -c '[.all, .traffic]' "$dir/two")" ]
    # Two all-reduces per pass in two groups of 8 GPUs, over two rings: 2 x 2 x 2 x (8 x 14 x 2) messages.
    # Gradients of 8 pairs: 8 x (2 x 2 x 2).
    [ "$(jq .all.flows "$dir/one")" -eq $((2 * 2 * 2 * 8 * 14 * 2 + 8 * 2 * 2 * 2)) ]
}

@test "trace: without the file of groups a trace is refused with the node" {
    tools/make-llama-trace "$dir/m" --gpus 4 --tensor 2 --layers 1 --hidden 256
    printf 'topology: {kind: star, hosts: 4}\ntraffic: [{kind: chakra, file: m}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"m.0.et: node 1: there is no group 1: name the file of groups"* ]]
}

@test "trace: more ranks than hosts are refused" {
    tools/make-llama-trace "$dir/m" --gpus 4 --tensor 2 --layers 1 --hidden 256
    printf 'topology: {kind: star, hosts: 3}\ntraffic: [{kind: chakra, file: m, groups: m.groups.json}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"4 ranks do not fit on 3 hosts"* ]]
}

# ring RANKS ROUNDS - in each round every rank computes, sends to the next rank and receives from the previous
# one.
ring() {
    awk -v n="$1" -v rounds="$2" 'BEGIN {
        printf "num_ranks %d\n", n
        for (r = 0; r < n; r++) {
            printf "rank %d {\n", r
            for (i = 0; i < rounds; i++) {
                printf "c%d: calc 1000\ns%d: send 64b to %d tag %d\nr%d: recv 64b from %d tag %d\n", i, i, (r + 1) % n, i, i, (r + n - 1) % n, i
                printf "s%d requires c%d\nr%d requires c%d\n", i, i, i, i
                if (i) printf "c%d requires s%d\nc%d requires r%d\n", i, i - 1, i, i - 1
            }
            print "}"
        }
    }'
}

@test "trace: results are the same with two threads" {
    ring 4 300 >"$dir/a.goal"
    printf 'topology: {kind: star, hosts: 4}\ntraffic: [{kind: goal, file: a.goal}]\n' >"$dir/s.yaml"
    for threads in 1 2; do
        "$ANOLE" run "$dir/s.yaml" --threads $threads --format json | jq -c '[.all, .traffic, .packets]' >"$dir/$threads"
    done
    cmp "$dir/1" "$dir/2"
    [ "$(jq '.[0].flows' "$dir/1")" -eq 1200 ]
}

# chakra PREFIX RANKS NODES [NAME_BYTES] - Chakra traces of ranks that compute node after node, with an
# all-reduce at every 100th. Names are holes in the file, so a gigabyte needs no disk space.
chakra() {
    python3 - "$@" <<'PYTHON'
import sys

def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])

def blob(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data

prefix, ranks, nodes, hole = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int((sys.argv[4:] or ["0"])[0])
compute = b"\x18\x04\x38\x01"
reduce = b"\x18\x07" + blob(10, blob(1, b"comm_type") + b"\x48\x00") + blob(10, blob(1, b"comm_size") + b"\x48" + varint(4096))
for rank in range(ranks):
    with open(f"{prefix}.{rank}.et", "wb") as out:
        out.write(b"\x07\x0a\x050.0.4")
        for i in range(nodes):
            body = b"\x08" + varint(i) + (b"\x28" + varint(i - 1) if i else b"") + (reduce if i % 100 == 99 else compute)
            body += b"\x12" + varint(hole)
            out.write(varint(len(body) + hole) + body)
            out.seek(hole, 1)
        out.truncate()
PYTHON
}

@test "trace: results of Chakra traces are the same with two threads" {
    tools/make-llama-trace "$dir/m" --gpus 16 --tensor 8 --layers 1 --hidden 512
    printf 'topology: dgx_h100_16\ntraffic: [{kind: chakra, file: m, groups: m.groups.json, channels: 2}]\n' >"$dir/s.yaml"
    for threads in 1 2; do
        "$ANOLE" run "$dir/s.yaml" --threads $threads --format json | jq -c '[.all, .traffic, .packets]' >"$dir/$threads"
    done
    cmp "$dir/1" "$dir/2"
}

# peak COMMAND... - prints its maximum memory in KB.
peak() {
    ASAN_OPTIONS=quarantine_size_mb=1:detect_leaks=0 python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=open(sys.argv[-1] + ".json", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$ANOLE" run --threads 1 --format json "$1"
}

@test "trace: 1 GB of Chakra need not fit in memory" {
    chakra "$dir/t" 2 500 1048576
    [ "$(stat -c %s "$dir"/t.?.et | awk '{ n += $1 } END { print n }')" -gt 1000000000 ]
    printf 'topology: {kind: star, hosts: 2}\ntraffic: [{kind: chakra, file: t}]\n' >"$dir/s.yaml"
    used=$(peak "$dir/s.yaml")
    echo "$used KB"
    [ "$used" -lt 400000 ]
    [ "$(jq .all.flows "$dir/s.yaml.json")" -eq $((5 * 2 * 2)) ]        # a ring of two: each sends twice
}

@test "trace: a collective that one rank lacks is refused" {
    chakra "$dir/t" 3 100
    chakra "$dir/u" 1 99
    cp "$dir/u.0.et" "$dir/t.1.et"
    printf 'topology: {kind: star, hosts: 3}\ntraffic: [{kind: chakra, file: t}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"the collective of rank 0 (node 99) never ends: rank 1 does not start it"* ]]
}

@test "trace: a hand-written Chakra trace takes the expected time" {
    "$ANOLE" run examples/chakra/scenario.yaml --format json >"$dir/out"
    [ "$(jq .all.flows "$dir/out")" -eq 1 ]
    # 10 us, 1 MB in packets of 1024 bytes and 82 of headers at 100 Gb/s, two links of 1 us, the last packet
    # again, 5 us.
    jq -e '.traffic[0].iteration.us_max | . > 102.4 and . < 104.6' "$dir/out"
}
