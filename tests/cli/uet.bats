#!/usr/bin/env bats
# tests/cli/uet.bats - model uet, from the user's point of view.
load common

setup() {
    dir=$BATS_TEST_TMPDIR
}

run_incast() {
    "$ANOLE" run "scenarios/uet_incast.yaml" --set 'topology.hosts=9' \
        --set 'traffic=[{kind: incast, senders: 8, receiver: h8, size: 300KB}]' "$@"
}

@test "uet: the report shows trimmed packets, and all flows end" {
    run_incast >"$dir/out"
    grep -qE '^  model +uet, nscc, mixed, lossy' "$dir/out"
    grep -qE '^  trimming +[1-9][0-9,]* packets trimmed, 0 headers lost' "$dir/out"
    grep -qE '^  drops +none' "$dir/out"
    grep -qE '^  Cost +[1-9][0-9,]* packets were trimmed\. Longest queue' "$dir/out"
    grep -qE '^  ECN +[0-9,]+ marks \([0-9.]+ % of data packets\)$' "$dir/out"
    refute grep -q 'had not finished' "$dir/out"
}

@test "uet: receiver credit shows its pulls" {
    run_incast --set cc=rccc >"$dir/out"
    grep -qE '^  credit +[1-9][0-9,]* pulls' "$dir/out"
}

@test "uet: one and three threads write the same flows" {
    for n in 1 3; do
        "$ANOLE" run "scenarios/uet_permutation.yaml" --set topology.k=4 --set 'traffic=[{kind: permutation, size: 200KB}]' \
            --threads $n --out "$dir/out$n" >/dev/null
    done
    cmp "$dir/out1/flows.csv" "$dir/out3/flows.csv"
}

@test "uet: summary.json counts trims, retransmissions and the load of paths" {
    run_incast --out "$dir/out" >/dev/null
    grep -qE '"trimmed": [1-9]' "$dir/out/summary.json"
    grep -qE '"sent_again": [1-9]' "$dir/out/summary.json"
    grep -q '"path_spread"' "$dir/out/summary.json"
}

@test "uet: senders may spray queue pairs with selective repeat" {
    "$ANOLE" run "scenarios/permutation.yaml" --set topology.k=4 --set lb=mixed --set host.retransmit=selective >"$dir/out"
    grep -qE '^  model +nic, dcqcn, mixed' "$dir/out"
    refute grep -q 'had not finished' "$dir/out"
}

@test "uet: a knob of NSCC changes the result" {
    run_incast --out "$dir/a" >/dev/null
    run_incast --set knobs.nscc_target_delay=20 --out "$dir/b" >/dev/null
    refute cmp -s "$dir/a/flows.csv" "$dir/b/flows.csv"
}

@test "uet: the report shows the load of tiers and the states of paths" {
    "$ANOLE" run scenarios/uet_permutation.yaml --set topology.k=4 --set 'traffic=[{kind: permutation, size: 2MB}]' \
        --out "$dir/out" >"$dir/text"
    grep -qE '^  link load +edge to agg: [0-9.]+ % busiest, [0-9.]+ % median, [0-9.]+ % least of 16$' "$dir/text"
    grep -qE '^  path states +[1-9][0-9,]* answers without a mark, [0-9,]+ marked, ' "$dir/text"
    grep -q '"links": "agg to core"' "$dir/out/summary.json"
    grep -qE '"paths_good": [1-9]' "$dir/out/summary.json"
    head -1 "$dir/out/intervals.csv" | grep -q ',paths_marked,.*,paths_skipped'
}

@test "uet: storage over RoCE shares the network with experts over UET" {
    "$ANOLE" run scenarios/uet_moe_storage.yaml --set run=200us --out "$dir/out" >"$dir/text"
    grep -qE '^  model +uet, nscc, dcqcn \(class 4\), mixed' "$dir/text"
    grep -qE '^  ECN .*, [0-9,]+ CNPs?$' "$dir/text"
}

@test "uet: a search proposes trim and paths, and the run applies them" {
    "$ANOLE" tune scenarios/uet_incast.yaml --tuner random --set 'topology.hosts=9' --set interval=50us \
        --set 'traffic=[{kind: incast, senders: 8, receiver: h8, size: 4MB}]' \
        --budget 6 --rounds 1 --check 0 --quiet --history "$dir/history"
    grep -q '"set":{[^}]*"trim":[1-9][^}]*"paths":[1-9]' "$dir/history"
    run_incast --set trim=20KB | grep trimming >"$dir/short"
    run_incast --set trim=4000KB | grep trimming >"$dir/long"
    grep -q ' 0 packets trimmed' "$dir/long"
    refute grep -q ' 0 packets trimmed' "$dir/short"
}
