#!/usr/bin/env bats
# tests/cli/live_start.bats - first steps: the files in the package, certificates, help.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

samples=$BATS_TEST_DIRNAME/../../data/live

asks() {
    "$ANOLE" ctl status --address "localhost:$port" --ca certs/ca.pem --cert certs/operator.pem --key certs/operator.key >out 2>&1
}

is_connected() {
    asks && grep -q 'host1/mlx5_0' out
}

@test "live: sample configurations and certificates work unchanged" {
    needs_live
    command -v openssl >/dev/null || skip 'no openssl'
    "$samples/make-certs" certs localhost host1
    [ "$(stat -c %a certs/host1.key certs/ca.key | sort -u)" = 600 ]
    "$samples/make-certs" certs localhost host1 host2            # adds one and keeps the others
    openssl verify -CAfile certs/ca.pem certs/controller.pem certs/host1.pem certs/host2.pem certs/operator.pem
    make_nic nic1
    for name in agent controller; do
        sed "s|/etc/anole/|certs/|g; s|/var/lib/|$dir/|; s|controller.example:7471|localhost:$port|; s|0.0.0.0:7471|127.0.0.1:$port|" "$samples/$name.yaml" >$name.yaml
    done
    echo 'root: nic1' >>agent.yaml
    "$ANOLE" controller controller.yaml --check-config
    "$ANOLE" agent agent.yaml --check-config
    start controller.log "$ANOLE" controller controller.yaml
    start agent.log "$ANOLE" agent agent.yaml
    wait_for is_connected
}

@test "live: anole-switch --help describes its arguments" {
    needs_live
    program=$(dirname "$ANOLE")/anole-switch
    run "$program" --help
    [ "$status" -eq 0 ]
    [[ "$output" == "Usage: anole-switch FOLDER "* ]]
    [ ! -e --help ]
    run "$program" --hlep
    [ "$status" -eq 2 ]
    [[ "$output" == *"see anole-switch --help" ]]
    [ ! -e --hlep ]
}

@test "live: an agent logs what it applies and reverts, and why" {
    needs_live
    write_controller
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    agent=$pid
    wait_for grep -q 'host1/mlx5_0: applies rpg_ai_rate 5 -> 50Mbps, rpg_hai_rate 50 -> 150Mbps, change [0-9]* of the controller with term [0-9]*' agent1.log
    kill -TERM "$agent"
    wait "$agent"
    grep -q 'host1/mlx5_0: reverted rpg_ai_rate 50 -> 5Mbps, rpg_hai_rate 150 -> 50Mbps, ' agent1.log
}

@test "live: a controller continues with a damaged log and state" {
    needs_live
    write_controller
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    wait_for grep -q '"what":"begin"' statec/audit.jsonl
    kill "$controller"
    wait "$controller"
    truncate -s -100 statec/audit.jsonl && echo '?' >>statec/audit.jsonl         # its last line
    truncate -s 10 statec/controller                                            # one copy of its state
    start controller.log "$ANOLE" controller controller.yaml
    wait_for grep -q '"what":"begin","term":131073' statec/audit.jsonl           # the second term: the other copy of the state has the counter
    grep -q 'audit.jsonl.damaged' controller.log
    "$ANOLE" ctl verify statec/audit.jsonl
}
