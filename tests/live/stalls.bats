#!/usr/bin/env bats
# tests/live/stalls.bats - NICs are back in time although their agent is stalled: see stalls.py. STALL_TRIALS sets the
# number of trials of each kind.

# stalls KIND - causes stalls of this kind.
stalls() {
    "$ANOLE" agent --help >/dev/null 2>&1 || skip 'built without its live part'
    command -v "${CC:-cc}" >/dev/null || skip 'no C compiler for the library that stalls'
    run python3 tests/live/stalls.py "$ANOLE" --kind "$1"
    echo "$output"
    [[ "$output" != *"not tried: "* ]] || skip "${output#*not tried: }"
    [ "$status" -eq 0 ]
}

@test "stalls: fsync hangs" {
    stalls fsync
}

@test "stalls: nobody reads standard error" {
    stalls stderr
}

@test "stalls: writes to one NIC hang" {
    stalls hang
}

@test "stalls: the agent is stopped" {
    stalls stop
}

@test "stalls: the agent is killed" {
    stalls kill
}

@test "stalls: the guards are killed" {
    stalls guards
}

@test "stalls: all of them together" {
    stalls all
}

@test "stalls: the agent's control group is frozen" {
    stalls cgroup
}

@test "stalls: agent and guards are frozen together" {
    stalls group
}

@test "stalls: the disk is full" {
    stalls disk
}

@test "stalls: the agent of a switch is stopped" {
    stalls switch-stop
}

@test "stalls: all of them together at the agent of a switch" {
    stalls switch-all
}
