#!/usr/bin/env bats
# tests/cli/live_controller.bats - a controller as a process: records of its inputs, its log, its orders.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

teardown() {
    kill_started
    [ ! -f "$dir/ports_file" ] || xargs -r rm -f <"$dir/ports_file"
    umount "$dir/statec" 2>/dev/null || true
}

is_tried() {
    has_rate nic1 50 || has_rate nic2 50
}

is_back() {
    has_rate nic1 5 && has_rate nic2 5
}

@test "controller: its decisions follow again from a record of its inputs" {
    needs_live
    write_controller
    write_agent 1
    write_agent 2
    start controller.log "$ANOLE" controller controller.yaml --record inputs.jsonl
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for is_tried
    ctl freeze --why 'an incident'
    wait_for is_back
    kill -9 "$controller"
    "$ANOLE" ctl replay inputs.jsonl >replayed.txt
    grep -q 'freeze: an incident$' replayed.txt
    grep -q 'try rpg_ai_rate 50' replayed.txt
    [[ "$(tail -n 1 replayed.txt)" == *" inputs: the same actions follow" ]]
    sed -i 's/an incident/an accident/' inputs.jsonl
    run "$ANOLE" ctl replay inputs.jsonl
    [ "$status" -eq 1 ]
    [[ "$output" == *"inputs.jsonl:"*": after this input other actions follow than were recorded"* ]]
    run "$ANOLE" controller controller.yaml --record inputs.jsonl
    [ "$status" -eq 1 ]
    [[ "$output" == *"inputs.jsonl: File exists" ]]
}

@test "controller: a freeze survives a full disk and kill -9" {
    needs_live
    mkdir statec
    mount -t tmpfs -o size=256k none statec 2>/dev/null || skip 'only root may mount a small disk'
    write_controller
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for says 'host1/mlx5_0'
    dd if=/dev/zero of=statec/fill bs=1k 2>/dev/null || true
    ctl freeze --why 'the disk is full'
    kill -9 "$controller"
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    wait_for says 'nothing is tried: frozen by .*the disk is full'
    kill -9 "$controller"
}
