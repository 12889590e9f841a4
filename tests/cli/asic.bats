#!/usr/bin/env bats
# tests/cli/asic.bats - switch chips by name: their buffers, overrides, and limits.
# shellcheck disable=SC2154  # common.bash sets dir
load common

scenario() {
    printf 'topology: {kind: star, hosts: %s, rate: %s}\nswitch: {%s}\ntraffic: [{kind: incast, senders: 15, size: 4MB}]\n' "$1" "$2" "$3"
}

results() {
    scenario "$@" >"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json | jq -c '[.all, .pfc, .packets]'
}

@test "asic: a name sets buffer, alpha and latency; explicit values override it" {
    [ "$(results 16 100Gbps 'asic: trident3')" = "$(results 16 100Gbps 'buffer: 32732160, alpha: 1, latency: 800ns, cut_through: yes')" ]
    [ "$(results 16 100Gbps 'asic: trident3, latency: 0, cut_through: no')" = "$(results 16 100Gbps 'buffer: 32732160, alpha: 1')" ]
    [ "$(results 16 100Gbps 'asic: tomahawk')" = "$(results 16 100Gbps 'buffer: 16000000')" ]
    [ "$(results 16 100Gbps 'asic: trident3, buffer: 9MB, latency: 0, cut_through: no')" = "$(results 16 100Gbps 'buffer: 9MB, alpha: 1')" ]
    [ "$(results 16 100Gbps 'asic: tomahawk')" != "$(results 16 100Gbps 'asic: trident3')" ]
}

@test "asic: a switch with more links than the chip carries is refused" {
    results 32 100Gbps 'asic: trident3' >/dev/null
    scenario 33 100Gbps 'asic: trident3' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"s.yaml:2:16: the links of s0 have 3.3 Tb/s together, trident3 carries 3.2 Tb/s"* ]]
    scenario 16 100Gbps 'asic: tridents3' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"did you mean 'trident3'?"* ]]
}

@test "asic: marks count the chip's cells on request" {
    [ "$(results 16 100Gbps 'asic: trident3, ecn_cell: asic')" = "$(results 16 100Gbps 'asic: trident3, ecn_cell: 256')" ]
    [ "$(results 16 100Gbps 'asic: trident3, ecn_cell: asic')" != "$(results 16 100Gbps 'asic: trident3')" ]
    while IFS='|' read -r keys message; do
        scenario 16 100Gbps "$keys" >"$dir/s.yaml"
        run "$ANOLE" run "$dir/s.yaml"
        [ "$status" -eq 1 ]
        [[ $output == *"$message"* ]]
    done <<'END'
ecn_cell: asic|'ecn_cell: asic' needs 'asic', a chip whose cells are known (anole list asic)
asic: trident4, ecn_cell: asic|'ecn_cell: asic' needs 'asic'
ecn_cell: 3|s.yaml:2:
END
    scenario 16 100Gbps 'ecn_lag: 1us' >"$dir/s.yaml"
    echo 'model: hpcc' >>"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [[ $output == *"'ecn_lag' needs 'model: nic'"* ]]
    scenario 16 100Gbps 'ecn_lag: 1us' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml" --set fidelity=fast
    [ "$status" -eq 0 ]
    [[ $output == *"'ecn_cell' and 'ecn_lag' follow every packet"* ]]
}

@test "asic: a burst behind a pause is marked as on a Trident 3 (sonic-mgmt 25003), given its lag" {
    marked() { "$ANOLE" run repro/hardware/ecn.yaml --seed "${2:-1}" --set "switch.ecn_lag=$1" --format json | jq .packets.marked; }
    # 101 packets of 1024 bytes: packet i leaves 101 - i behind it, more than 50,000 bytes up to i = 52. A packet takes 83.52 ns.
    [ "$(marked 0)" -eq 52 ]
    [ "$(marked 2.7us)" -eq 85 ]
    [ "$(marked 2.67us)" -eq 84 ]
    [ "$(marked 2.7us 2)" -eq 85 ]       # whatever the seed
}

@test "asic: every chip is listed with its source" {
    "$ANOLE" list asic >"$dir/out"
    grep -qE '^ *tomahawk5 .* 166.3 MB +1 +254 B +- +SONiC' "$dir/out"
    grep -qE '^ *trident3 .* 256 B +800 ns +SONiC' "$dir/out"
    [ "$(awk 'NR > 2 && NF < 6' "$dir/out" | wc -l)" -eq 0 ]
}
