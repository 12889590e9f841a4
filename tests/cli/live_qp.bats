#!/usr/bin/env bats
# tests/cli/live_qp.bats - a tuner acts on flow sizes that were collected by real agents: counters of queue pairs, as the kernel would tell them.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

# start_traffic : queue pairs of two hosts; what they send is in the file 'kind'.
start_traffic() {
    echo mice >kind
    for i in 1 2; do
        mkdir -p "nic$i/rdma"
        start "traffic$i.log" /usr/bin/python3 "$BATS_TEST_DIRNAME/../live/qp_traffic.py" "nic$i" kind
    done
    wait_for test -s nic1/rdma/mlx5_0
    wait_for test -s nic2/rdma/mlx5_0
}

# has_decided REGEX : whether the tuner has begun a search because flow sizes have become such.
has_decided() {
    grep -q "\"why\":\"tuner paraleon: flow sizes changed (divergence [^)]*; elephants $1 % of flows)" statec/audit.jsonl
}

@test "flow sizes: a tuner acts when those that agents collect change" {
    needs_live
    write_controller
    sed -i 's/^mode:.*/mode: direct/; /^tuner:/d' controller.yaml
    cat >>controller.yaml <<'END'
tuner: {name: paraleon, known: no, remember: no, confirm: 0, settle: 0, measure: 1, iterations: 1, temperature_start: 9, temperature_end: 8}
END
    write_agent 1
    write_agent 2
    start_traffic
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for has_decided 0
    wait_for grep -q '"what":"apply"' state1/mlx5_0/audit.jsonl
    refute has_decided '[1-9][0-9]*'
    echo elephants >kind
    wait_for has_decided '[1-9][0-9]*'
    "$ANOLE" ctl verify statec/audit.jsonl
}
