#!/usr/bin/env bats
# tests/cli/export.bats - anole distil and anole export: from a net to C for a NIC, or a one-line error.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

net=tests/data/rlcc/mlp.rlcc
lstm=tests/data/rlcc/lstm.rlcc
freestanding='-O2 -std=gnu11 -Wall -Wextra -Werror -ffreestanding -nostdlib -fno-builtin'

# distil_test.c and quant_test.c run this code with sanitizers. Here an optimized program runs it, if there is
# one; its files are the same.
optimised=${FIDELITY_ANOLE:-$ANOLE}

# distil PROGRAM OPTION... - with the smallest useful parameters.
distil() {
    "$1" distil "$net" --to trees --actions 3 --deltas 40 --sweeps 3 "${@:2}"
}

setup_file() {
    : "${ANOLE:?is the program to test}"
    distil "$ANOLE" --out "$BATS_FILE_TMPDIR/trees.rlcc" >"$BATS_FILE_TMPDIR/trees.out"
    distil "$optimised" --no-mend --out "$BATS_FILE_TMPDIR/wild.rlcc" >"$BATS_FILE_TMPDIR/wild.out"
}

@test "distil: trees, their distance from the net, its worst state, and proven properties" {
    out=$BATS_FILE_TMPDIR/trees.out
    grep -qxE '10 trees, grown from 11[0-9]{3} states, measured on [23][0-9]{3} others' "$out"
    grep -qxE '  root mean square against the teacher 0\.0[0-9]+, mean 0\.0[0-9]+, largest 0\.[0-9]+' "$out"
    grep -qE '^    largest at actions .* and deltas .*: teacher [0-9.]+, trees [0-9.]+$' "$out"
    [ "$(grep -c '^proven: ' "$out")" -eq 3 ]
    grep -qE '^exported, a decision of the trees takes [0-9]{2} integer operations' "$out"
    [ "$(grep -c '^proven: ' "$BATS_FILE_TMPDIR/wild.out")" -eq 2 ]
    grep -qE '^    broken by actions .*: multiplier 1\.' "$BATS_FILE_TMPDIR/wild.out"
}

@test "distil: the file is reproducible, and --quiet prints nothing" {
    run_apart distil "$optimised" --quiet --out "$dir/again.rlcc"
    [ "$status" -eq 0 ]
    [ ! -s "$dir/out" ]
    [ ! -s "$dir/err" ]
    cmp "$BATS_FILE_TMPDIR/trees.rlcc" "$dir/again.rlcc"
}

@test "distil: int8, and its error over a million states, near the target and far from it" {
    run_apart "$optimised" distil "$net" --to int8 --out "$dir/int8.rlcc"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^against the net in 1000000 states' "$dir/out")" -eq 2 ]
    # docs/rlcc.md quotes these
    grep -qxE '  mean 0\.000[0-9]+, root mean square 0\.00[0-9]+' "$dir/out"
    run_apart "$optimised" distil "$dir/int8.rlcc" --to trees --actions 2 --deltas 20 --sweeps 0 --out "$dir/t.rlcc"
    [ "$status" -eq 0 ]
    run_apart "$ANOLE" distil "$dir/int8.rlcc" --to int8 --out "$dir/t.rlcc"
    [ "$status" -eq 1 ]
    [ "$(cat "$dir/err")" = "anole: $dir/int8.rlcc: the model is already int8" ]
    run_apart "$ANOLE" distil "$BATS_FILE_TMPDIR/trees.rlcc" --to int8 --out "$dir/t.rlcc"
    [ "$status" -eq 1 ]
    [ "$(cat "$dir/err")" = "anole: $BATS_FILE_TMPDIR/trees.rlcc: only an mlp or an lstm can be made int8, not trees" ]
}

@test "distil: an int8 LSTM that controls a simulated network" {
    run_apart "$optimised" distil data/models/rlcc_lstm.model --to int8 --out "$dir/int8_lstm.rlcc"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^against the net in 100000 states' "$dir/out")" -eq 2 ]
    grep -qxE '  mean 0\.000[0-9]+, root mean square 0\.00[0-9]+' "$dir/out"
    run_apart "$ANOLE" explain rlcc "$dir/int8_lstm.rlcc" --states 100
    grep -qx 'a decision takes 2640 multiplications and additions' "$dir/out"
    run_apart "$ANOLE" run scenarios/cc_rlcc.yaml --set "rlcc=$dir/int8_lstm.rlcc" --set run=200us --set traffic.0.spread=100us
    [ "$status" -eq 0 ]
}

@test "distil: from the flows of a simulated network, also with an LSTM" {
    for model in "$net" "$lstm"; do
        run_apart "$optimised" distil "$model" --to trees --world many_to_one:2_1 --flow-states 2000 --no-grid --out "$dir/t.rlcc"
        [ "$status" -eq 0 ]
        sed -n 1p "$dir/out" | grep -qxE '10 trees, grown from 1[56][0-9]{2} states, measured on [34][0-9]{2} others'
    done
    run_apart "$ANOLE" distil "$net" --to trees --world ring:2 --out "$dir/none.rlcc"
    [ "$status" -ne 0 ]
    [ ! -e "$dir/none.rlcc" ]
}

@test "export: C compiles without a library for every available processor, with the same results" {
    "$ANOLE" export rlcc "$BATS_FILE_TMPDIR/trees.rlcc" --as c --out "$dir/rlcc.c" >"$dir/out"
    [ "$(grep -c '^proven: ' "$dir/out")" -eq 3 ]
    "$ANOLE" export rlcc "$BATS_FILE_TMPDIR/trees.rlcc" --as c | cmp - "$dir/rlcc.c"
    "$ANOLE" export rlcc "$BATS_FILE_TMPDIR/trees.rlcc" --as doca >"$dir/rlcc_pcc.c"
    for compiler in cc x86_64-linux-gnu-gcc aarch64-linux-gnu-gcc 'riscv64-linux-gnu-gcc -march=rv64imac -mabi=lp64'; do
        command -v "${compiler%% *}" >/dev/null || { echo "# no ${compiler%% *}"; continue; }
        # shellcheck disable=SC2086  # words
        $compiler $freestanding -c "$dir/rlcc.c" -o "$dir/c.o"
        # shellcheck disable=SC2086  # words
        $compiler $freestanding -Itests/export/doca -c "$dir/rlcc_pcc.c" -o "$dir/pcc.o"
        # The object file needs no library function.
        [ "${compiler%% *}" != cc ] || [ -z "$(nm -u "$dir/c.o")" ]
    done
    "$ANOLE" export rlcc "$BATS_FILE_TMPDIR/trees.rlcc" --as c --rtt-max 99us --base-rtt 4us | diff "$dir/rlcc.c" - >"$dir/diff" || true
    [ "$(grep -c '^>' "$dir/diff")" -eq 1 ]
    grep -q '^> const struct rlcc_params rlcc_params_default = { 6000u, 65536u, .* 99000u };$' "$dir/diff"
}

@test "export: rejects uncertified trees with the claim and a state, and writes no files" {
    run_apart "$ANOLE" export rlcc "$BATS_FILE_TMPDIR/wild.rlcc" --as c --out "$dir/rlcc.c"
    [ "$status" -eq 1 ]
    [ ! -s "$dir/out" ]
    [ "$(wc -l <"$dir/err")" -eq 1 ]
    grep -qE 'not exported, because this is not so: the rate never goes up when .*; broken by actions .* deltas .*: multiplier 1\.[0-9]+$' \
        "$dir/err"
    [ ! -e "$dir/rlcc.c" ]
    run_apart "$ANOLE" export rlcc "$BATS_FILE_TMPDIR/wild.rlcc" --as c
    [ "$status" -eq 1 ]
    [ ! -s "$dir/out" ]
    # A minimum rate that a NIC cannot represent.
    run_apart "$ANOLE" export rlcc "$BATS_FILE_TMPDIR/trees.rlcc" --as c --rate-min 1e-8
    [ "$status" -eq 1 ]
    grep -q "the rule's lowest rate is not within" "$dir/err"
}

@test "export: a net needs --distil" {
    run_apart "$ANOLE" export rlcc "$net" --as c
    [ "$status" -eq 1 ]
    [ "$(cat "$dir/err")" = "anole: $net: the model is an mlp, not trees; add --distil, or use anole distil" ]
    run_apart "$optimised" export rlcc "$net" --as c --distil --out "$dir/rlcc.c"
    [ "$status" -eq 0 ]
    grep -q '^10 trees, grown from' "$dir/out"
    grep -q '^/\* RL-CC in integers, made by anole export rlcc of mlp.rlcc \*/$' "$dir/rlcc.c"
}

@test "export: file names cannot end a comment" {
    cp "$BATS_FILE_TMPDIR/trees.rlcc" "$dir/a*"$'\n'"b"
    "$ANOLE" export rlcc "$dir/a*"$'\n'"b" --as c | sed -n 1p | grep -qxF '/* RL-CC in integers, made by anole export rlcc of a??b */'
}

@test "export, distil: invalid files and arguments" {
    head -c 500 "$net" >"$dir/cut.rlcc"
    while IFS='|' read -r code args words; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" $args
        [ "$status" -eq "$code" ] || { echo "anole $args: $status"; false; }
        [ "$(wc -l <"$dir/err")" -eq 1 ]
        grep -qF -- "$words" "$dir/err" || { cat "$dir/err"; echo "not: $words"; false; }
    done <<END
2|export|which model? anole export rlcc MODEL --as c
2|export rlcc|which model? anole export rlcc MODEL --as c
2|export rlc $net --as c|export: unknown value 'rlc'; did you mean 'rlcc'?
2|export rlcc $net|--as is missing: --as c or --as doca
2|export rlcc $net --as rust|--as: unknown value 'rust'; there are c and doca
2|export rlcc $net --as c --base-rtt 0|--base-rtt must be 1 ps .. 
2|export rlcc $net --as c --target 0|--target must be 1e-12 .. 1e+12, not 0
1|export rlcc $dir/nowhere.rlcc --as c|$dir/nowhere.rlcc
1|export rlcc $dir/cut.rlcc --as c|$dir/cut.rlcc: 
1|export rlcc data/models/acc.model --as c|is a model for acc, not for rlcc
2|distil|which model? anole distil MODEL --to trees --out FILE
2|distil $net --out x|--to is missing: --to int8 or --to trees
2|distil $net --to trees|--out FILE is missing: the file for the model
2|distil $net --to trees --out x --trees 17|--trees must be 1 .. 16, not 17
2|distil $net --to trees --out x --actions 64 --deltas 2000|--actions times --deltas is 128000; at most 4096
2|distil $net --to trees --out x --world many_to_none:8_1|--world: 'many_to_none:8_1' is not a world to learn in
2|distil $net --to trees --out x --no-grid|--no-grid needs --world NAME
END
    [ ! -e x ]
}
