# Every example runs, for a short while, and says at its top what it shows.

load common

@test "every scenario has a comment on top" {
    for file in scenarios/*.yaml; do
        head -1 "$file" | grep -q '^# .' || { echo "$file"; return 1; }
    done
}

# runs_for FILE TIME : it runs, and data arrives.
runs_for() {
    "$ANOLE" run "$1" --until "$2" --format json >"$BATS_TEST_TMPDIR/out.json" 2>"$BATS_TEST_TMPDIR/err" \
        || { echo "$1: $(cat "$BATS_TEST_TMPDIR/err")"; return 1; }
    jq -e '.packets.data_received > 0' "$BATS_TEST_TMPDIR/out.json" >/dev/null
}

# Where links are slow the first flow comes later.
@test "every scenario runs for a while and data arrives" {
    for file in scenarios/*.yaml; do
        runs_for "$file" 60us || runs_for "$file" 2ms || { echo "$file: no data"; return 1; }
    done
}

@test "every scenario is the same on one thread and on three" {
    for file in scenarios/*.yaml; do
        for threads in 1 3; do
            "$ANOLE" run "$file" --until 60us --format json --threads "$threads" 2>/dev/null | jq 'del(.wall)' \
                >"$BATS_TEST_TMPDIR/$threads.json"
        done
        cmp "$BATS_TEST_TMPDIR/1.json" "$BATS_TEST_TMPDIR/3.json" || { echo "$file"; return 1; }
    done
}
