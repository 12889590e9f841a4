#!/usr/bin/env bats
# tests/cli/simai.bats - clusters and workloads of SimAI and ASTRA-sim, run from their files, compared with
# closed forms.
# shellcheck disable=SC2154  # common.bash sets dir
load common

# Two servers of four GPUs: NVLink of 2880 Gb/s, 25 ns to the NV switch, one switch for all NICs.
topology() {
    echo "11 4 2 1 16 H100"
    echo "8 9 10"
    for i in 0 1 2 3 4 5 6 7; do
        echo "$i $((8 + i / 4)) 2880Gbps 0.000025ms 0"
        echo "$i 10 400Gbps 0.0005ms 0"
    done
}

@test "simai: two passes of a layer inside servers take the expected sum, to the picosecond" {
    topology >"$dir/t.topo"
    printf '%s\n' "HYBRID_TRANSFORMER model_parallel_NPU_group: 4 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8" 1 \
        "mlp -1 556000 ALLREDUCE 16777216 1000 NONE 0 2000 NONE 0 7" >"$dir/w.txt"
    printf 'topology: {kind: simai, file: t.topo}\ntraffic: [{kind: simai, file: w.txt, passes: 2}]\n' >"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json >"$dir/one"
    # Six steps of a ring of four. Each sends a quarter at 2880 Gb/s, rounded up, with 50 ns there and 50 ns
    # back.
    want=$(awk 'BEGIN { ps = int(4194304 * 8e12 / 2880e9) + 1; printf "%.6f", (556000 + 6 * (ps / 1000 + 100) + 7 + 1000 + 2000) / 1000 }')
    [ "$(jq '.traffic[0].iteration.us_max' "$dir/one" | awk '{ printf "%.6f", $1 }')" = "$want" ]
    [ "$(jq .all.flows "$dir/one")" -eq $((2 * 2 * 6 * 4)) ]
    # the passes are listed, and all ranks spend their time alike: nothing hides 2 x 6 steps
    jq -e --arg want "$want" '.traffic[0].passes | (.iterations_us | length == 2 and all(. - ($want | tonumber) | fabs < 1e-5)) and
        (.ranks | length == 8 and all((.computing_us - 559.007 | fabs) < 1e-6 and .hidden_us == 0 and .waiting_us == 0)) and
        (.collectives | length == 1 and .[0].ranks == 4 and .[0].groups == 2)' "$dir/one"
    "$ANOLE" run "$dir/s.yaml" --threads 2 --format json >"$dir/two"
    [ "$(jq -c '[.all, .traffic]' "$dir/one")" = "$(jq -c '[.all, .traffic]' "$dir/two")" ]
}

@test "simai: gradients overlap the next layer's computation, and delay its next forward pass" {
    topology >"$dir/t.topo"
    # 8 MB between pairs across servers, over NICs of 400 Gb/s: at least 170 us, after 1 ms of computing.
    printf '%s\n' "HYBRID_TRANSFORMER model_parallel_NPU_group: 4 all_gpus: 8" 2 "a -1 1000000 NONE 0 1000000 NONE 0 1000000 NONE 0 1" \
        "b -1 1000000 NONE 0 1000000 NONE 0 1000000 ALLREDUCE 8000000 1" >"$dir/w.txt"
    printf 'topology: {kind: simai, file: t.topo}\ntraffic: [{kind: simai, file: w.txt, passes: 2}]\n' >"$dir/s.yaml"
    [ "$("$ANOLE" run "$dir/s.yaml" --format json | jq '.traffic[0].passes.iterations_us | add')" = 12000 ]
}

@test "astra: an all-reduce by dimensions moves less data in the slow one" {
    printf 'topology: [ Switch, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 180, 11.641532182693481 ]\nlatency: [ 500, 500 ]\n' >"$dir/net.yml"
    printf '%s\n' MICRO 1 "x -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 40000000 0" >"$dir/w.txt"
    printf '{"logical-dims": ["4", "2"]}' >"$dir/logical.json"
    for how in "logical: logical.json" "dims: [4, 2]"; do
        printf 'topology: {kind: astra, file: net.yml}\ncc: none\ntraffic: [{kind: simai, file: w.txt, %s}]\n' "$how" >"$dir/s.yaml"
        "$ANOLE" run "$dir/s.yaml" --format json >"$dir/one"
        # 3 steps of 10 MB, 2 of 5 MB, 3 of 10 MB, in each of the two and four rings: 8 workers each.
        [ "$(jq .all.bytes "$dir/one")" -eq $((8 * (6 * 10000000 + 2 * 5000000))) ]
        # 1024 of 1106 bytes are payload, and the same link carries 86 of an acknowledgment. 6 x 10 MB go at
        # 180 GB/s and 2 x 5 MB at 100 Gb/s; each of 8 steps waits at most 4 us.
        jq -e '(.traffic[0].iteration.us_max) as $t | ((6 * 1e7 * 8 / 1546.19e9 + 2 * 5e6 * 8 / 100e9) * 1e6 * (1106 + 86) / 1024) as $least | $t > $least and $t < $least + 8 * 4' "$dir/one"
    done
}

@test "astra: the first dimension may be inside servers" {
    printf 'topology: [ Switch, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 400, 50 ]\nlatency: [ 25, 500 ]\n' >"$dir/net.yml"
    printf '%s\n' "HYBRID_TRANSFORMER model_parallel_NPU_group: 4" 1 "x -1 0 ALLREDUCE 40000000 0 NONE 0 0 NONE 0 0" >"$dir/w.txt"
    printf 'topology: {kind: astra, file: net.yml, servers: yes}\ntraffic: [{kind: simai, file: w.txt}]\n' >"$dir/s.yaml"
    want=$(awk 'BEGIN { ps = int(1e7 * 8e12 / (400 * 8 * 2 ^ 30)) + 1; printf "%.6f", 6 * (ps / 1000 + 100) / 1000 }')
    [ "$("$ANOLE" run "$dir/s.yaml" --format json | jq '.traffic[0].iteration.us_max' | awk '{ printf "%.6f", $1 }')" = "$want" ]
    printf 'topology: {kind: astra, file: net.yml}\ntraffic: [{kind: simai, file: w.txt}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"net.yml:3:12: dimension 0: a link has at most 1.6 Tb/s"* ]]
}

@test "simai, astra: errors are reported with file and line" {
    topology >"$dir/t.topo"
    printf '%s\n' "HYBRID_TRANSFORMER model_parallel_NPU_group: 4 all_gpus: 64" 1 "x -1 0 NONE 0 0 NONE 0 0 NONE 0 0" >"$dir/w.txt"
    printf 'topology: {kind: simai, file: t.topo}\ntraffic: [{kind: simai, file: w.txt}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"w.txt:1: all_gpus: 64 do not fit on 8 hosts"* ]]
    printf '%s\n' "HYBRID_TRANSFORMER model_parallel_NPU_group: 4" 1 "x -1 0 NONE 0 0 NONE 0 0 NONE 0 0" >"$dir/w.txt"
    printf 'topology: {kind: simai, file: t.topo}\ntraffic: [{kind: simai, file: w.txt, dims: [4, 4]}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"s.yaml:2:44: the dimensions have 16 ranks, and there are 8"* ]]
    sed -i 's/^8 9 10/8 9 9/' "$dir/t.topo"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"t.topo:2: switch 9 is listed twice"* ]]
}

@test "simai, astra: the examples run" {
    [ "$("$ANOLE" run examples/simai/scenario.yaml --format json | jq '.traffic[0].iteration.count')" -eq 2 ]
    [ "$("$ANOLE" run examples/astra-sim/scenario.yaml --format json | jq '.traffic[0].iteration.count')" -eq 1 ]
}
