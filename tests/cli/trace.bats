#!/usr/bin/env bats
# tests/cli/trace.bats - traces of applications, from the script that makes one to the results.
# shellcheck disable=SC2154  # common.bash sets dir
load common

@test "trace: a small Llama, made by our script, runs on GPU servers, the same with two threads" {
    tools/make-llama-trace "$dir/m" --gpus 16 --tensor 8 --layers 1 --hidden 512
    printf 'topology: dgx_h100_16\ntraffic: [{kind: chakra, file: m, groups: m.groups.json, channels: 2}]\n' >"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json >"$dir/one"
    "$ANOLE" run "$dir/s.yaml" --threads 2 --format json >"$dir/two"
    [ "$(jq -c '[.all, .traffic]' "$dir/one")" = "$(jq -c '[.all, .traffic]' "$dir/two")" ]
    # Two all-reduces of each pass in two groups of 8 GPUs by two rings: 2 x 2 x 2 x (8 x 14 x 2) messages; gradients by 8 pairs: 8 x (2 x 2 x 2).
    [ "$(jq .all.flows "$dir/one")" -eq $((2 * 2 * 2 * 8 * 14 * 2 + 8 * 2 * 2 * 2)) ]
}

@test "trace: without the file of groups a trace is refused, with the node" {
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
