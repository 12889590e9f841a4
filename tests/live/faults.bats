#!/usr/bin/env bats
# tests/live/faults.bats - a short form of what `make chaos` does to real processes.

# faults KIND N : so many of a kind.
faults() {
    "$ANOLE" agent --help >/dev/null 2>&1 || skip 'built without its live part'
    said=$(python3 tests/live/faults.py "$ANOLE" --kind "$1" --faults "$2" --seed 1)
    echo "$said"
    case $said in *skipped:*) skip "${said#*skipped: }" ;; esac
}

@test "faults: kills, pauses, power cuts and freezes of real processes, one after another" {
    faults plain 8
}

@test "faults: etcd and two controllers are killed and stand still" {
    faults etcd 4
}

@test "faults: Redis, the agent and the controller of a switch that ACC sets are killed and stand still" {
    faults switch 5
}

@test "faults: links between agents, a relay and the controller are cut and slow" {
    faults net 4
}
