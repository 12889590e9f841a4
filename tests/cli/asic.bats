#!/usr/bin/env bats
# tests/cli/asic.bats - switch chips by name: their buffers, what is said beside them, and what they cannot carry.
# shellcheck disable=SC2154  # common.bash sets dir
load common

scenario() {
    printf 'topology: {kind: star, hosts: %s, rate: %s}\nswitch: {%s}\ntraffic: [{kind: incast, senders: 15, size: 4MB}]\n' "$1" "$2" "$3"
}

results() {
    scenario "$@" >"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json | jq -c '[.all, .pfc, .packets]'
}

@test "asic: a name is its buffer and its alpha, and what is said beside it counts" {
    [ "$(results 16 100Gbps 'asic: trident3')" = "$(results 16 100Gbps 'buffer: 32732160, alpha: 1')" ]
    [ "$(results 16 100Gbps 'asic: tomahawk')" = "$(results 16 100Gbps 'buffer: 16000000')" ]
    [ "$(results 16 100Gbps 'asic: trident3, buffer: 9MB')" = "$(results 16 100Gbps 'buffer: 9MB, alpha: 1')" ]
    [ "$(results 16 100Gbps 'asic: tomahawk')" != "$(results 16 100Gbps 'asic: trident3')" ]
}

@test "asic: a switch with more links than the chip carries is refused" {
    results 32 100Gbps 'asic: trident3' >/dev/null
    scenario 33 100Gbps 'asic: trident3' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"s.yaml:2:16: the links of s0 have 3.3 Tb/s together, trident3 carries 3.2 Tb/s"* ]]
    scenario 16 100Gbps 'asic: trident' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"did you mean 'trident3'?"* ]]
}

@test "asic: every chip is listed with its source" {
    "$ANOLE" list asic >"$dir/out"
    grep -qE '^ *tomahawk5 .* 166.3 MB +1 +SONiC' "$dir/out"
    [ "$(awk 'NR > 2 && NF < 6' "$dir/out" | wc -l)" -eq 0 ]
}
