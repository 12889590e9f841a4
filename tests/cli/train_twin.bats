#!/usr/bin/env bats
# tests/cli/train_twin.bats - anole train twin from the outside.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# As small as a campaign can be.
train() {
    "$ANOLE" train twin --quick --rounds 2 --networks 2 --epochs 5 "$@"
}

setup_file() {
    : "${ANOLE:?is the program to test}"
    train --out "$BATS_FILE_TMPDIR/one.model" --json "$BATS_FILE_TMPDIR/one.json" --jobs 1 2>"$BATS_FILE_TMPDIR/one.err"
}

@test "train twin: tells what its choices are worth on networks that it has not met, and leaves a model" {
    grep -qE '^round 1 of 2: [0-9]+ settings were tried on 2 networks\. .*: bdp [-+][0-9.]+ %, the best' "$BATS_FILE_TMPDIR/one.err"
    grep -qE '^round 2 of 2: [0-9]+ settings were tried on 4 networks\. .* what was chosen [-+][0-9.]+ % \(at worst' "$BATS_FILE_TMPDIR/one.err"
    jq -e '.kind == "twin"' "$BATS_FILE_TMPDIR/one.json" >/dev/null
    grep -q '"networks"' "$BATS_FILE_TMPDIR/one.json"
}

@test "train twin: twice is the same, whatever the number of jobs; another seed is another model" {
    run_apart train --out "$dir/two.model" --jobs 2 --quiet
    [ "$status" -eq 0 ]
    [ ! -s "$dir/out" ]
    [ ! -s "$dir/err" ]
    cmp "$BATS_FILE_TMPDIR/one.model" "$dir/two.model"
    train --out "$dir/three.model" --seed 2 --quiet
    ! cmp -s "$BATS_FILE_TMPDIR/one.model" "$dir/three.model" || false
}

@test "train twin: wrong options are refused with one line" {
    for args in "" "--out $dir/x --rounds 0" "--out $dir/x --networks none" "twin --out $dir/x"; do
        # shellcheck disable=SC2086  # options apart
        run_apart "$ANOLE" train twin $args
        [ "$status" -ne 0 ]
        [ ! -s "$dir/out" ]
        [ ! -e "$dir/x" ]
    done
    run_apart "$ANOLE" train twin --quick --rounds 1 --networks 1 --epochs 1 --quiet --out /dev/null/no/model
    [ "$status" -ne 0 ]
    [ "$(wc -l <"$dir/err")" -eq 1 ]
}
