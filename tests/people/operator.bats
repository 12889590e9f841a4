#!/usr/bin/env bats
# tests/people/operator.bats - what an operator types, and what must be answered.
# shellcheck disable=SC2154  # common.bash sets dir
load ../cli/common

# His switch marks, his NIC counts it: two readings of `ethtool -S`, with the numbers of a busy port.
ethtool_dump() {
    for second in 0 10; do
        date -u -d "2026-01-01T00:00:$((10 + second))Z" -Is
        echo "NIC statistics:"
        echo "     rx_bytes_phy: $((1000000000 + second * 500000000))"
        echo "     tx_bytes_phy: $((1000000000 + second * 500000000))"
        echo "     rx_ecn_mark: $((second * 330000))"
        echo "     rx_prio3_pause: $second"
    done
}

@test "operator: his ethtool output names ECN as the first symptom" {
    ethtool_dump >"$dir/eth0.txt"
    "$ANOLE" advise "$dir/eth0.txt" --rate 100Gbps --rtt 12us --budget 1 >"$dir/out" 2>/dev/null
    sed -n '/^Symptoms:/,/^[^ ]/p' "$dir/out" | sed -n 2p | grep -qi 'ecn'
}

@test "operator: a file that is not there is what is missing" {
    run "$ANOLE" advise node7.csv --rtt 12us
    [ "$status" -eq 1 ]
    [[ "$output" == *node7.csv*[Nn]"o such file"* ]]
}

@test "operator: at 400G a small budget is not enough to advise, and he is told which one is" {
    "$ANOLE" advise --rate 400Gbps --rtt 12us --sizes WebSearch --load 50% --budget 20 --format json 2>/dev/null >"$dir/json"
    jq -e '.cannot_tell and .search.trials == 0' "$dir/json"
    [ "$(jq -r .answer.command "$dir/json" | sed -n 's/.*--budget \([0-9]*\)$/\1/p')" -gt 20 ]
}

@test "operator: of a failed link he reads which one, when, and what it cost" {
    "$ANOLE" run link_failure >"$dir/out"
    tr -s ' \n' ' ' <"$dir/out" | grep -qE 'Link tor0 - spine1 was down from 1\.00 ms to 3\.00 ms: [0-9]+ packets? lost\. [0-9]+ flows? then under way sent data again and took [0-9.]+ times'
}
