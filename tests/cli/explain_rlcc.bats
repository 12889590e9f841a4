#!/usr/bin/env bats
# tests/cli/explain_rlcc.bats - anole explain rlcc: how a model behaves, and which properties are proven.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

net=tests/data/rlcc/mlp.rlcc

setup_file() {
    : "${ANOLE:?is the program to test}"
    "$ANOLE" distil "$net" --to trees --actions 3 --deltas 40 --sweeps 3 --quiet --out "$BATS_FILE_TMPDIR/trees.rlcc"
    "$ANOLE" distil "$net" --to trees --actions 3 --deltas 40 --sweeps 3 --quiet --no-mend --out "$BATS_FILE_TMPDIR/wild.rlcc"
}

@test "explain rlcc: a net, in words, tables and numbers" {
    run_apart "$ANOLE" explain rlcc "$net" --states 1000
    [ "$status" -eq 0 ]
    [ ! -s "$dir/err" ]
    [ "$(head -n 1 "$dir/out")" = "$net: mlp" ]
    grep -qE '^  the network stays empty \(delta -0\.8\) +x 1\.051: up 5\.1 % an RTT, twice the rate in 14$' "$dir/out"
    # The row of the released net for delta 0, within 0.001; docs/rlcc.md
    grep -qE '^ +0\.0  1\.09[5-7]  1\.05[4-6]  1\.00[3-5]  0\.94[7-9]  0\.90[5-7]' "$dir/out"
    grep -qE '^ +on target +1\.[01][0-9]{2} \(1\.10\) +1\.00[0-9] \(1\.00\) +0\.9[0-9]{2} \(0\.90\)$' "$dir/out"
    grep -qE '^    in [0-9.]+ % of 1000 such states it goes up' "$dir/out"
    # every line fits the screen
    [ "$(awk 'length > max { max = length } END { print max }' "$dir/out")" -le 130 ]
}

@test "explain rlcc: trees have a certificate, or a state that violates it" {
    run_apart "$ANOLE" explain rlcc "$BATS_FILE_TMPDIR/trees.rlcc"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^proven: ' "$dir/out")" -eq 3 ]
    grep -qE 'integer operations at most; [0-9]+ bytes of tables, 12 bytes per flow' "$dir/out"
    run_apart "$ANOLE" explain rlcc "$BATS_FILE_TMPDIR/wild.rlcc"
    [ "$status" -eq 0 ]
    grep -qx 'BROKEN: the rate never goes up when the RTT is above its target and rising' "$dir/out"
    grep -qE '^    broken by actions .*: multiplier 1\.' "$dir/out"
}

@test "explain rlcc: two models, and where they differ most" {
    run_apart "$ANOLE" explain rlcc "$net" "$BATS_FILE_TMPDIR/trees.rlcc" --states 5000
    [ "$status" -eq 0 ]
    [ "$(grep -c '^The first and the second in 5000 states' "$dir/out")" -eq 2 ]
    [ "$(grep -cE '^  largest 0\.[0-9]+: mlp [0-9.]+, trees [0-9.]+$' "$dir/out")" -eq 2 ]
    # A model compared with itself has no differences.
    "$ANOLE" explain rlcc "$net" "$net" --states 100 | grep -qE '^  largest 0\.00000: the first ([0-9.]+), the second \1$'
}

@test "explain rlcc: RTTs follow the rule's options" {
    "$ANOLE" explain rlcc "$net" --states 10 | grep -oE '[0-9.]+ us for 64 flows' >"$dir/a"
    "$ANOLE" explain rlcc "$net" --states 10 --base-rtt 16384ns | grep -oE '[0-9.]+ us for 64 flows' >"$dir/b"
    python3 -c 'import sys
a, b = (float(open(f).read().split()[0]) for f in sys.argv[1:])
assert abs(b - 2 * a) < 0.2, (a, b)' "$dir/a" "$dir/b"
}

@test "explain rlcc: errors are one line" {
    while IFS='|' read -r code args words; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" explain $args
        [ "$status" -eq "$code" ] || { echo "anole explain $args: $status"; false; }
        [ "$(wc -l <"$dir/err")" -eq 1 ]
        grep -qF -- "$words" "$dir/err" || { cat "$dir/err"; echo "not: $words"; false; }
    done <<END
2|rlcc|which model? anole explain rlcc MODEL
2|rlcc a b c|two models at most; 'c' is one too many
1|rlcc $dir/nowhere|$dir/nowhere
1|rlcc data/models/acc.model|is a model for acc, not for rlcc
1|rlcc $net $dir/nowhere|$dir/nowhere
2|rlcc $net --states 0|--states must be 1 .. 1000000000, not 0
END
    run_apart "$ANOLE" explain rlcc --help
    [ "$status" -eq 0 ]
    grep -q '^Usage: anole explain rlcc ' "$dir/out"
}

@test "explain rlcc: a folder named rlcc is still a folder" {
    mkdir "$dir/rlcc"
    printf '{"tuner":"random","options":{},"knobs":{"kmin":400}}\n' >"$dir/rlcc/tuning.jsonl"
    (cd "$dir" && run_apart "$ANOLE" explain ./rlcc)
    grep -q '^Tuner random' "$dir/out" || grep -q 'rlcc/tuning.jsonl' "$dir/err"
}
