#!/usr/bin/env bats
# tests/live/faults.bats - a short version of the faults that `make chaos` causes in real processes.

# faults KIND N - causes N faults of this kind.
faults() {
    "$ANOLE" agent --help >/dev/null 2>&1 || skip 'built without its live part'
    said=$(python3 tests/live/faults.py "$ANOLE" --kind "$1" --faults "$2" --seed 1)
    echo "$said"
    case $said in *skipped:*) skip "${said#*skipped: }" ;; esac
}

@test "faults: kills, pauses, power cuts and freezes of real processes" {
    faults plain 8
}

@test "faults: etcd and two controllers are killed and suspended" {
    faults etcd 4
}

@test "faults: Redis, agent and controller of a switch with ACC are killed and suspended" {
    faults switch 5
}

@test "faults: links between agents, a relay and the controller are cut and slowed down" {
    faults net 4
}
