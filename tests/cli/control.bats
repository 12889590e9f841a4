#!/usr/bin/env bats
# tests/cli/control.bats - several congestion controls in one network.
# shellcheck disable=SC2154  # common.bash sets dir
load common

# write_halves FILE CC - two racks without traffic between them. In each, three hosts send to one. Neither
# rack affects the other, and h4, h5 and h6 feed every queue of the second rack.
write_halves() {
    cat >"$1" <<END
topology:
  kind: graph
  links:
    - {a: h0, b: s0}
    - {a: h1, b: s0}
    - {a: h2, b: s0}
    - {a: h3, b: s0}
    - {a: h4, b: s1}
    - {a: h5, b: s1}
    - {a: h6, b: s1}
    - {a: h7, b: s1}
    - {a: s0, b: s1}
  hosts: 8
  switches: [s0, s1]
cc: $2
run: 2ms
changes: [{at: 1ms, knobs: {rpg_ai_rate: 50Mbps, rlcc_target: 0.1}}]
traffic:
  - {kind: posted, hosts: [h0, h1, h2], receiver: h3, qps: 2, outstanding: 4, size: 64KB, spread: 100us}
  - {kind: posted, hosts: [h4, h5, h6], receiver: h7, qps: 2, outstanding: 4, size: 64KB, spread: 100us}
END
}

# flows_of CC THREADS - prints flows.csv of this network.
flows_of() {
    write_halves "$dir/s.yaml" "$1"
    rm -rf "$dir/out"
    "$ANOLE" run "$dir/s.yaml" --quiet --threads "$2" --out "$dir/out"
    cat "$dir/out/flows.csv"
}

# rack FILE SOURCES - prints the flows from these hosts.
rack() {
    grep -E "^h[$2]," "$1"
}

@test "control: racks with different controls behave as if the whole network had the same one" {
    # Pairs whose receivers respond to marks in the same way. They cover probes and CNPs, windows, and ACKs
    # with path data.
    for pair in "dcqcn rlcc" "rlcc dcqcn" "timely swift" "dcqcn rttcc" "none dcqcn"; do
        read -r first second <<<"$pair"
        flows_of "$first" 1 >"$dir/first"
        flows_of "$second" 1 >"$dir/second"
        flows_of "{kind: $first, others: [{kind: $second, hosts: [h4, h5, h6, h7]}]}" 1 >"$dir/both"
        [ "$(rack "$dir/both" 456 | wc -l)" -gt 100 ]
        rack "$dir/first" 012 | cmp - <(rack "$dir/both" 012)
        rack "$dir/second" 456 | cmp - <(rack "$dir/both" 456)
        refute cmp -s <(rack "$dir/first" 456) <(rack "$dir/both" 456)
    done
}

@test "control: several controls give the same results on one thread and on three" {
    for threads in 1 3; do
        flows_of "{kind: rlcc, others: [{kind: dcqcn, hosts: [h0, h5]}, {kind: rttcc, hosts: [h1, h4]}]}" "$threads" >"$dir/$threads"
    done
    cmp "$dir/1" "$dir/3"
}

@test "control: one that names all hosts gives the same results as a single control" {
    flows_of dcqcn 1 >"$dir/one"
    flows_of "{kind: rlcc, others: [{kind: dcqcn, hosts: 8}]}" 1 >"$dir/all"
    cmp "$dir/one" "$dir/all"
}

@test "control: results list all controls" {
    write_halves "$dir/s.yaml" "{kind: rlcc, others: [{kind: dcqcn, hosts: 4}]}"
    [ "$("$ANOLE" run "$dir/s.yaml" --until 100us --format json | jq -r .cc)" = "rlcc, dcqcn (4 hosts)" ]
    run "$ANOLE" run "$dir/s.yaml" --until 100us --set cc.others.0.kind=hpcc
    [ "$status" -eq 1 ]
    [[ $output == *"cc.others.0.kind=hpcc: "*"do not go together"* ]]
}
