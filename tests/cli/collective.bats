#!/usr/bin/env bats
# tests/cli/collective.bats - anole collective: nccl-tests' table, and what is wrong with its options.
# shellcheck disable=SC2154  # common.bash sets dir
load common

@test "collective: bus bandwidth of a ring in a star nears that of the hosts' links" {
    "$ANOLE" collective '{kind: star, hosts: 4}' -b 1MB -e 16MB -f 4 --channels 1 --format csv >"$dir/table"
    [ "$(head -1 "$dir/table")" = "size_bytes,time_us,algbw_GBps,busbw_GBps" ]
    [ "$(wc -l <"$dir/table")" -eq 4 ]
    # 12.5 GB/s, of which 1024 of 1106 + 86 bytes are payload, less what the first and the last chunk take.
    awk -F, 'NR == 4 { exit !($4 > 0.9 * 12.5 * 1024 / 1192 && $4 < 12.5 * 1024 / 1106) }' "$dir/table"
    # algbw is size / time, busbw 2 (n - 1) / n times that
    awk -F, 'NR > 1 && (($1 / $2 / 1000 - $3) ^ 2 > 1e-6 || ($3 * 1.5 - $4) ^ 2 > 1e-6) { exit 1 }' "$dir/table"
}

@test "collective: all_to_all sizes are of a rank's whole buffer" {
    "$ANOLE" collective '{kind: star, hosts: 4}' -c all_to_all -b 4MB -e 4MB --format json >"$dir/table"
    [ "$(jq '.[0].size_bytes' "$dir/table")" -eq 4000000 ]
    # 3 MB leave each host, at 100 Gb/s 240 us at least
    jq -e '.[0].time_us > 240 and .[0].time_us < 320' "$dir/table"
}

@test "collective: names of nccl-tests are taken, and the choice stands above the table" {
    "$ANOLE" collective '{kind: star, hosts: 4}' -c all_reduce -b 1MB -e 1MB --channels 2 >"$dir/table"
    [ "$(head -1 "$dir/table")" = "# {kind: star, hosts: 4}: 4 ranks, ring_all_reduce, 2 channels, chunks of 512KB" ]
    "$ANOLE" collective '{kind: star, hosts: 4}' -b 1MB -e 1MB --channels 2 | cmp - "$dir/table"
    "$ANOLE" collective '{kind: star, hosts: 4}' -c alltoall -b 1MB -e 1MB --format json >"$dir/json"
    [ "$(jq -c '.[0] | [.collective, .ranks, .channels]' "$dir/json")" = '["all_to_all",4,0]' ]
    "$ANOLE" collective '{kind: star, hosts: 4}' -b 1MB -e 1MB | grep -q '^# .* 4 ranks, ring_all_reduce, one ring, which waits for acknowledgements$'
}

@test "collective: wrong words are refused" {
    run "$ANOLE" collective
    [ "$status" -eq 2 ]
    run "$ANOLE" collective dgx_h100_9
    [ "$status" -eq 1 ]
    [[ $output == *"a multiple of 8"* ]]
    run "$ANOLE" collective dgx_h100_8 -c ring_all_reduc
    [ "$status" -eq 2 ]
    [[ $output == *"did you mean 'ring_all_reduce'"* ]]
    run "$ANOLE" collective dgx_h100_8 -b 2MB -e 1MB
    [ "$status" -eq 2 ]
    run "$ANOLE" collective dgx_h100_8 -b much
    [ "$status" -eq 2 ]
}

@test "collective: with PXN an all-to-all stays on its rails, and takes what NICs need" {
    # Two servers of four GPUs; between rails there is next to nothing.
    printf 'topology: {kind: rail_optimized, servers: 2, gpus: 4, spines: 1, fabric_rate: 1Gbps}\ntraffic: [{kind: training, size: 1MB, pxn: PXN, at_once: yes, iterations: 1}]\n' >"$dir/t"
    time_of() {
        sed "s/PXN/$1/" "$dir/t" >"$dir/s.yaml"
        "$ANOLE" run "$dir/s.yaml" --format json | jq '.traffic[0].iteration.us_max'
    }
    # Each NIC sends what four GPUs have for one: 4 MB, 1106 bytes for 1024, beside an ACK of 86 for each packet that comes, at 400 Gb/s; NVLink is nine times as fast.
    awk -v t="$(time_of yes)" 'BEGIN { least = 4e6 * (1106 + 86) / 1024 * 8 / 400e9 * 1e6; exit !(t > 0.93 * least && t < 1.15 * least + 10) }'
    # By the spine: 3 MB of each go at 1 Gb/s between rails.
    awk -v t="$(time_of no)" 'BEGIN { exit !(t > 20000) }'
    printf 'topology: {kind: rail_optimized, servers: 2, gpus: 4, spines: 1}\ntraffic: [{kind: training, collective: all_gather, size: 1MB, pxn: yes, iterations: 1}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"only all_to_all has messages that PXN takes to another rail"* ]]
}
