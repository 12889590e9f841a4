#!/usr/bin/env bats
# tests/cli/verbs.bats - operations of queue pairs in scenarios.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# write_reads FILE : storage and calls by RDMA READ; the run ends before all of them do.
write_reads() {
    cat >"$1" <<'END'
topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps}
traffic:
  - {kind: storage, verb: read, reads: 1, preset: backup, depth: 4, read_limit: 2}
  - {kind: rpc, verb: read, load: 0.1}
run: 500us
END
}

@test "verbs: a READ is one flow, whether it has finished or not; the same with any number of threads" {
    write_reads "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --quiet --threads 1 --out "$dir/one"
    "$ANOLE" run "$dir/s.yaml" --quiet --threads 2 --out "$dir/two"
    cmp "$dir/one/flows.csv" "$dir/two/flows.csv"
    cmp "$dir/one/unfinished.csv" "$dir/two/unfinished.csv"
    cmp "$dir/one/intervals.csv" "$dir/two/intervals.csv"
    # No request of 16 bytes is a flow, and no READ is faster than alone.
    awk -F, 'NR > 1 { n++; if ($7 == 16 || $11 < 1) bad++ } END { exit !(n > 500 && !bad) }' "$dir/one/flows.csv"
    [ "$(jq '.all.flows_started - .all.flows' "$dir/one/summary.json")" = "$(($(wc -l <"$dir/one/unfinished.csv") - 1))" ]
}

@test "verbs: operations that need persistent queue pairs are refused without them" {
    write_reads "$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml" --set traffic.0.qps=fresh
    [ "$status" -ne 0 ]
    [[ "$output" == *"'verb' has operations that need persistent queue pairs: there are none with 'qps: fresh'"* ]]
    run "$ANOLE" run "$dir/s.yaml" --set model=hpcc
    [ "$status" -ne 0 ]
    [[ "$output" == *"s.yaml:3:"*"'verb' has operations that need persistent queue pairs: there are none in this model"* ]]
}
