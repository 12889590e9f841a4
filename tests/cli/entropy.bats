#!/usr/bin/env bats
# tests/cli/entropy.bats - how many paths the queue pairs between two hosts use.
# shellcheck disable=SC2154  # common.bash sets dir
load common

# One host sends 20 MB to another over 32 queue pairs. Each of 8 spines has an eighth of the host's bandwidth.
time_of() {
    printf 'topology: {kind: clos, tors: 2, hosts_per_tor: 1, spines: 8, rate: 400Gbps, fabric_rate: 50Gbps}\ncc: none\nlb: {kind: %s, entropy: %s}\n' "$1" "$2" >"$dir/s.yaml"
    printf 'traffic: [{kind: flows, file: f.txt, qps: 32}]\n' >>"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json | jq '.simulated_us'
}

@test "entropy: each queue pair has its own path, or all pairs of two hosts share one" {
    { echo 32; for _ in $(seq 32); do echo "0 1 3 100 625000 0"; done; } >"$dir/f.txt"
    # 20 MB in packets of 1024 bytes, 1106 with headers, at 50 Gb/s.
    one=$(awk 'BEGIN { print 20e6 / 1024 * 1106 * 8 / 50e9 * 1e6 }')
    awk -v t="$(time_of ecmp host)" -v one="$one" 'BEGIN { exit !(t > one && t < 1.02 * one + 20) }'
    # With 32 pairs over 8 spines, the busiest spine gets at most 12, except for one hash in a thousand.
    awk -v t="$(time_of ecmp qp)" -v one="$one" 'BEGIN { exit !(t < one * 12 / 32 + 40 && t > one / 8) }'
}

@test "entropy: the forks' models use their own ports" {
    echo 0 >"$dir/f.txt"
    printf 'model: hpcc\ntopology: {kind: star, hosts: 2}\nlb: {entropy: host}\ntraffic: [{kind: permutation, size: 1MB}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"only in model nic"* ]]
}
