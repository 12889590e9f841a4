#!/usr/bin/env bats
# tests/live/faults.bats - a short form of what `make chaos` does to real processes.

@test "faults: kills, pauses, power cuts and freezes of real processes, one after another" {
    "$ANOLE" agent --help >/dev/null 2>&1 || skip 'built without gRPC'
    python3 tests/live/faults.py "$ANOLE" --faults 8 --seed 1
}
