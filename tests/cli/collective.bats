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
