#!/usr/bin/env bats
# tests/cli/train_rlcc.bats - anole train rlcc, and models for cc rlcc.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# The smallest possible training.
train() {
    "$ANOLE" train rlcc --updates 12 --warm-up 2 --steps 4 --renew 2 --world many_to_one:2_1 --world all_to_all:2_1 "$@"
}

scenario() {
    printf '%s\n' 'cc: rlcc' 'topology: {kind: star, hosts: 5, rate: 100Gbps, delay: 1us}' 'run: 1ms' \
        'traffic: [{kind: many_to_one, qps: 2, spread: 10us}]' >"$1"
}

setup_file() {
    : "${ANOLE:?is the program to test}"
    train --out "$BATS_FILE_TMPDIR/one.model" --json "$BATS_FILE_TMPDIR/one.json" --jobs 1 >"$BATS_FILE_TMPDIR/one.out"
}

@test "train rlcc: reports progress and behavior, and leaves only a model" {
    grep -qE '^ +12 +-?[0-9.]+ +-[0-9.]+ +0\.[0-9]+ +[0-9.]+ us' "$BATS_FILE_TMPDIR/one.out"
    grep -q 'Table VI' "$BATS_FILE_TMPDIR/one.out"
    grep -qE '^ +many_to_one:2_1, lossy +0\.[0-9]+ +[0-9.]+ us' "$BATS_FILE_TMPDIR/one.out"
    grep -q 'one.model: an mlp after 12 updates' "$BATS_FILE_TMPDIR/one.out"
    [ ! -e "$BATS_FILE_TMPDIR/one.model.state" ]
    jq -e . "$BATS_FILE_TMPDIR/one.json" >/dev/null
    grep -q 'anole train rlcc --body mlp --seed 1 --updates 12' "$BATS_FILE_TMPDIR/one.json"
}

@test "train rlcc, distil: a model does not contain the program's version: the next version makes the same bytes" {
    "$ANOLE" distil "$BATS_FILE_TMPDIR/one.model" --to trees --sweeps 0 --deltas 10 --out "$dir/t.model" --quiet
    for model in "$BATS_FILE_TMPDIR/one.model" "$dir/t.model" data/models/rlcc_mlp.model data/models/rlcc_trees.model; do
        grep -qaF 'command=anole ' "$model"
        ! grep -qaF version= "$model" || false
    done
}

@test "train rlcc: the number of jobs does not matter" {
    run_apart train --out "$dir/many.model" --jobs 2 --quiet
    [ "$status" -eq 0 ]
    [ ! -s "$dir/out" ]
    [ ! -s "$dir/err" ]
    cmp "$BATS_FILE_TMPDIR/one.model" "$dir/many.model"
}

@test "train rlcc: an LSTM learns too, and controls a simulated network" {
    train --body lstm --out "$dir/l.model" --quiet
    scenario "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --set rlcc=l.model >"$dir/out"
    grep -q 'nic, rlcc' "$dir/out"
}

@test "train rlcc: a training with other options is not continued" {
    cp "$BATS_FILE_TMPDIR/one.model" "$dir/m.model.state"
    run_apart train --out "$dir/m.model"
    [ "$status" -eq 1 ]
    [ "$(wc -l <"$dir/err")" -eq 1 ]
    grep -q 'm.model.state: not such a training state' "$dir/err"
}

@test "train rlcc: rejects wrong options in one line" {
    for args in "" "--out $dir/x --world ring:4_1" "--out $dir/x --world many_to_one:4" "--out $dir/x --body tree" \
        "--out $dir/x --rate 2" "--out $dir/x --updates 0" "rlcc --out $dir/x" "--out $dir/x --mtu 100"; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" train rlcc $args
        [ "$status" -eq 2 ]
        [ "$(wc -l <"$dir/err")" -eq 1 ]
        [ ! -e "$dir/x" ]
    done
}

@test "rlcc: rejects invalid models, with the place that names them" {
    scenario "$dir/s.yaml"
    head -c 100 "$BATS_FILE_TMPDIR/one.model" >"$dir/cut.model"
    cp data/models/acc.model "$dir/acc.model"
    cp "$BATS_FILE_TMPDIR/one.model" "$dir/odd.model"
    printf '\377' | dd of="$dir/odd.model" bs=1 seek=60 conv=notrunc status=none
    for model in cut acc odd none; do
        printf 'rlcc: %s.model\n' "$model" | cat "$dir/s.yaml" - >"$dir/$model.yaml"
        run_apart "$ANOLE" run "$dir/$model.yaml"
        [ "$status" -eq 1 ]
        [ "$(wc -l <"$dir/err")" -eq 1 ]
        grep -q "$model.yaml:5:7: rlcc: .*$model.model: " "$dir/err"
    done
    run_apart "$ANOLE" run "$dir/s.yaml" --set rlcc_base=201us
    [ "$status" -ne 0 ]
    grep -q "'rlcc_base' must be 0 .. 200 us, not 201us" "$dir/err"
}

@test "rlcc: four flows on links of 5 us fill 90 % of the line without options" {
    printf '%s\n' 'cc: rlcc' 'topology: {kind: star, hosts: 5, rate: 100Gbps, delay: 5us}' 'run: 10ms' \
        'traffic: [{kind: many_to_one, hosts: 4, qps: 1, spread: 0us}]' >"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json | jq -e '.packets.goodput_bps > 0.9 * 100e9 * 1000 / 1082'
    "$ANOLE" run "$dir/s.yaml" --set rlcc_base=8.192us >/dev/null 2>"$dir/err"
    grep -q "warning: .*'rlcc_base' of 8.192 us does not fit a path whose empty round trip is" "$dir/err"
}

@test "rlcc: every built-in model runs, with equal results on any number of threads" {
    scenario "$dir/s.yaml"
    for model in trees exported mlp int8 lstm int8_lstm; do
        for threads in 1 2 3 8; do
            "$ANOLE" run "$dir/s.yaml" --set rlcc=$model --set rlcc_decision=0.9us --threads $threads --format json |
                jq 'del(.. | .seconds?, .hops_per_second?, .events_per_second?)' >"$dir/$model.$threads"
            [ -s "$dir/$model.$threads" ]
            cmp "$dir/$model.1" "$dir/$model.$threads"
        done
    done
    cmp <(jq 'del(.. | .set?, .answer?)' "$dir/trees.1") <(jq 'del(.. | .set?, .answer?)' "$dir/exported.1")
}

@test "list cc: shows the state size of an rlcc flow" {
    "$ANOLE" list cc | grep -E '^ *rlcc ' | grep -q '32 trees, 40 mlp, 168 lstm'
}
