#!/usr/bin/env bats
# tests/cli/calibrate.bats - anole calibrate finds the parameters behind measurements, and rejects
# undetermined ones.
# shellcheck disable=SC2154  # common.bash sets dir
load common

pair() {
    printf 'topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us}\ncc: none\nrun: 1ms\n' >"$dir/pair.yaml"
    printf 'traffic: [{kind: posted, hosts: [h0], receiver: h1, outstanding: 1, size: 64KB, spread: 1us}]\n' >>"$dir/pair.yaml"
}

# One message at a time over two hops of 100 Gb/s with 700 ns each. Its time is n + 1 packets of 1024 bytes on
# the wire, two ACKs of 86 bytes, and four delays.
measure() {
    echo ' #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]'
    for n in 1 2 4 8 16 32; do
        awk -v n=$n 'BEGIN { ns = ((n + 1) * 1106 + 2 * 86) * 0.08 + 4 * 700; print n * 1024, 5000, "0.0", n * 8192 / ns, "0.1" }'
    done
}

@test "calibrate: finds the delay that made perftest's bandwidths" {
    pair
    measure >"$dir/bw.txt"
    "$ANOLE" calibrate "$dir/bw.txt" --scenario "$dir/pair.yaml" --fit topology.delay=100ns..5000ns --format json >"$dir/json"
    jq -e '.kind == "perftest" and (.fitted[0].value - 700 | fabs) < 7 and (.predicted | length) == 3 and
        all(.predicted[]; (.error_pct | fabs) < 1)' "$dir/json"
    "$ANOLE" calibrate "$dir/bw.txt" --scenario "$dir/pair.yaml" --fit topology.delay=100ns..5000ns | grep -q '^  topology.delay=[67]..\(\.[0-9]\)\?ns  \['
}

# In the size of alltoall_perf each rank sends one n-th to each; in a scenario 'size' is per pair.
@test "calibrate: takes sizes of nccl-tests only where they mean the same" {
    printf 'topology: {kind: star, hosts: 4}\ncc: none\ntraffic: [{kind: training, collective: %s, size: 1MB, iterations: 2}]\n' \
        ring_all_reduce >"$dir/ring.yaml"
    sed 's/ring_all_reduce/all_to_all/' "$dir/ring.yaml" >"$dir/all.yaml"
    for bytes in 1048576 2097152 4194304; do
        "$ANOLE" run "$dir/ring.yaml" --set traffic.0.size=$bytes --set traffic.0.step_cost=7us --format json |
            jq -r "\"  $bytes 1 float sum -1 1.0 1.0 \\(.traffic[0].busbw_bps / 8e9) 0\""
    done >"$dir/nccl.txt"
    "$ANOLE" calibrate "$dir/nccl.txt" -S "$dir/ring.yaml" --fit traffic.0.step_cost=1us..100us --format json >"$dir/json"
    jq -e '.kind == "nccl-tests" and (.fitted[0].value - 7 | fabs) < 0.1' "$dir/json"
    run "$ANOLE" calibrate "$dir/nccl.txt" -S "$dir/all.yaml" --fit traffic.0.step_cost=1us..100us
    [ "$status" -eq 1 ]
    [[ $output == *"nccl.txt:1: nccl-tests print 1.049 MB, but as 'size' of this collective that is 4.194 MB in all; give CSV"* ]]
}

@test "calibrate: rejects parameters that the measurements do not determine" {
    pair
    measure >"$dir/bw.txt"
    run "$ANOLE" calibrate "$dir/bw.txt" --scenario "$dir/pair.yaml" --fit topology.delay=100ns..5000ns --fit host.nack_gap=10us..99us
    [ "$status" -eq 1 ]
    [[ $output == *"cannot tell host.nack_gap: none of them depends on it"* ]]
    run "$ANOLE" calibrate "$dir/bw.txt" --scenario "$dir/pair.yaml" --fit topology.delay=100ns..5000ns --fit switch.latency=100ns..5000ns
    [ "$status" -eq 1 ]
    [[ $output == *"cannot tell topology.delay from the other parameters"* ]]
    run "$ANOLE" calibrate "$dir/bw.txt" --scenario "$dir/pair.yaml"
    [ "$status" -eq 2 ]
}

@test "calibrate: shows progress on a terminal if it takes longer than a second, and clears it" {
    command -v script >/dev/null || skip 'script(1) is not installed'
    pair
    measure >"$dir/bw.txt"
    TERM=xterm script -qec "$ANOLE calibrate $dir/bw.txt --scenario $dir/pair.yaml --set run=40ms --fit topology.delay=100ns..5000ns" \
        /dev/null >"$dir/screen" </dev/null
    grep -q 'simulation [0-9]*: .* simulated, ' "$dir/screen"
    tr '\r' '\n' <"$dir/screen" | grep -q 'Fitted to 3 measurements'
    "$ANOLE" calibrate "$dir/bw.txt" --scenario "$dir/pair.yaml" --fit topology.delay=100ns..5000ns 2>"$dir/err"
    [ ! -s "$dir/err" ]
}

@test "calibrate: damaged input and wrong options are refused in one line" {
    pair
    measure >"$dir/bw.txt"
    refused() {                  # STATUS MESSAGE ARGUMENT...
        run_apart "$ANOLE" calibrate "${@:3}"
        [ "$status" -eq "$1" ] && [[ $(cat "$dir/err") == *"$2"* ]] && [ "$(wc -l <"$dir/err")" -eq 1 ] && [ ! -s "$dir/out" ]
    }
    fit=(--scenario "$dir/pair.yaml" --fit topology.delay=100ns..5000ns)
    refused 1 'No such file' "$dir/none.txt" "${fit[@]}"
    head -c 300 /dev/urandom >"$dir/bad.txt"
    refused 1 'no measurements' "$dir/bad.txt" "${fit[@]}"
    printf 'figure,measured\nnothing,1\nnothing,2\nnothing,3\nnothing,4\n' >"$dir/bad.csv"
    refused 1 "bad.csv:2: the run has no figure 'nothing'" "$dir/bad.csv" "${fit[@]}"
    head -2 "$dir/bad.csv" >"$dir/few.csv"
    refused 1 'there must be more of them' "$dir/few.csv" "${fit[@]}"
    printf 'figure,measured,topology.dealy\ngoodput_bps,1,1us\ngoodput_bps,2,2us\ngoodput_bps,3,3us\n' >"$dir/bad.csv"
    refused 1 'dealy' "$dir/bad.csv" "${fit[@]}"
    refused 1 'no_such' "$dir/bw.txt" --scenario "$dir/no_such.yaml" --fit topology.delay=100ns..5000ns
    refused 2 "is not KEY=LOW..HIGH" "$dir/bw.txt" --scenario "$dir/pair.yaml" --fit topology.delay=5us..1us
}
