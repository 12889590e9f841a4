#!/usr/bin/env bats
# tests/cli/planes.bats - multi_plane: hosts with several NICs, or with one that is split into ports.
# shellcheck disable=SC2154  # common.bash sets dir
load common

# rate FLOWS - prints the total rate, in Gb/s, of flows of 2 MB from one host to another over four planes of
# 100 Gb/s.
rate() {
    printf 'topology: {kind: multi_plane, planes: 4, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Gbps}\ncc: none\nhost: {mtu: 4096}\n' >"$dir/s.yaml"
    printf 'traffic: [{kind: incast, senders: [h0], receiver: h3, size: 2MB, flows: %s}]\n' "$1" >>"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json >"$dir/out"
    [ "$(jq .all.flows_unfinished "$dir/out")" -eq 0 ]
    jq '.all.bytes * 8 / .simulated_us / 1000' "$dir/out"
}

@test "planes: one flow uses one port, many flows use all" {
    awk -v one="$(rate 1)" 'BEGIN { exit !(one > 80 && one < 100) }'
    awk -v many="$(rate 64)" 'BEGIN { print many; exit !(many > 250 && many < 400) }'
}

@test "planes: traffic bypasses a failure in one plane through the others" {
    printf 'topology: {kind: multi_plane, planes: 2, tors: 2, hosts_per_tor: 2, spines: 1, rate: 100Gbps, links_down: [{a: tor0, b: spine0, down: 0us}]}\n' >"$dir/s.yaml"
    printf 'traffic: [{kind: incast, senders: [h0], receiver: h3, size: 1MB, flows: 8}]\n' >>"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json >"$dir/out"
    [ "$(jq .all.flows "$dir/out")" -eq 8 ]
}

@test "planes: servers of 8 GPUs with 800 Gb/s each run a ring; invalid counts are refused" {
    "$ANOLE" collective '{kind: multi_plane, planes: 4, tors: 1, hosts_per_tor: 16, spines: 1, gpus: 8}' -b 1MB -e 1MB --channels 8 --format json >"$dir/out"
    jq -e '.sizes[0].busbw_GBps > 10' "$dir/out"
    run "$ANOLE" collective '{kind: multi_plane, tors: 1, hosts_per_tor: 9, spines: 1, gpus: 8}'
    [ "$status" -eq 1 ]
    [[ $output == *"9 hosts are no whole number of servers of 8 GPUs"* ]]
}
