#!/usr/bin/env bats
# tests/cli/train_opening.bats - anole train opening from the outside.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# As small as a search can be.
train() {
    "$ANOLE" train opening --quick --generations 2 --networks 2 --check 3 "$@"
}

@test "train opening: a row of numbers from 0 to 1, and what it is worth on networks that it has not met" {
    run_apart train --jobs 1
    [ "$status" -eq 0 ]
    head -1 "$dir/out" | tr -d ' ' | tr , '\n' >"$dir/row"
    [ "$(wc -l <"$dir/row")" -eq 17 ]
    awk '$1 < 0 || $1 > 1 { exit 1 }' "$dir/row"
    grep -qE '^# this on 3 networks that were not met: J [-+][0-9.]+ % against default \(at worst' "$dir/out"
    grep -qE '^# bdp on 3 networks that were not met: J ' "$dir/out"
    grep -qE '^# the one that ships on 3 networks that were not met: J ' "$dir/out"
    grep -qE '^generation 2 of 2: ' "$dir/err"
}

@test "train opening: twice is the same, whatever the number of jobs; another seed is another row" {
    train --jobs 1 --quiet >"$dir/one"
    run_apart train --jobs 2 --quiet
    [ "$status" -eq 0 ]
    [ ! -s "$dir/err" ]
    cmp "$dir/one" "$dir/out"
    train --seed 2 --quiet >"$dir/three"
    ! cmp -s "$dir/one" "$dir/three" || false
}

@test "train opening: wrong options are refused with one line" {
    for args in "--networks 0" "--generations many" "opening"; do
        # shellcheck disable=SC2086  # options apart
        run_apart "$ANOLE" train opening $args
        [ "$status" -ne 0 ]
        [ ! -s "$dir/out" ]
    done
}
