#!/usr/bin/env bats
# tests/cli/train.bats - anole train: models are reproducible, and what they can be used for.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# The smallest training with a search: one generation, three rounds of two runs, of a twentieth of the time.
# That is still a hundred runs, so it uses an optimized program if there is one. Sanitizers check train_test.c
# and the short training below.
optimised=$(realpath "${FIDELITY_ANOLE:-$ANOLE}")
train() {
    "$optimised" train acc --quick --search 1 --rounds 3 --runs 2 --updates 20 --check 2 "$@"
}

# write_drawn FILE - a scenario to learn from, with random traffic.
write_drawn() {
    printf '%s\n' 'topology: {kind: star, hosts: 9, rate: 25Gbps, delay: 1us}' 'run: 200us' \
        'traffic: [{kind: poisson, load: 60%, sizes: FB_Hadoop}]' >"$1"
}

setup_file() {
    : "${ANOLE:?is the program to test}"
    train --out "$BATS_FILE_TMPDIR/one.acc" --json "$BATS_FILE_TMPDIR/one.json" --jobs 1 >"$BATS_FILE_TMPDIR/one.out"
}

@test "train: reports progress, and leaves only a model" {
    grep -qE '^ +0 +-?[0-9.]+ ( +[0-9]+){5}  \|( +[0-9]+){5}  \|( +[0-9]+){5}  new$' "$BATS_FILE_TMPDIR/one.out"
    grep -qE '^ +0  0\.[0-9]+ +[0-9.]+ +0\.500 +[0-9]+ %( +-?[0-9.]+){9}  best$' "$BATS_FILE_TMPDIR/one.out"
    grep -qE 'one.acc: the net of round [02]$' "$BATS_FILE_TMPDIR/one.out"
    [ -s "$BATS_FILE_TMPDIR/one.acc" ]
    [ "$(stat -c %s "$BATS_FILE_TMPDIR/one.acc")" -le 30000 ]
    [ ! -e "$BATS_FILE_TMPDIR/one.acc.state" ]
    jq -e . "$BATS_FILE_TMPDIR/one.json" >/dev/null
    grep -q 'anole train acc --seed 1 --nics both --search 1 --rounds 3 --runs 2 --updates 20 --hold 4 --check 2 --quick' "$BATS_FILE_TMPDIR/one.json"
}

@test "train: a model ships with the program, and does not depend on threads" {
    write_scenario "$dir/s.yaml"
    for threads in 1 2; do
        "$ANOLE" run "$dir/s.yaml" --set tuner=acc --set tuner.guard=no --threads $threads --format json |
            jq 'del(.. | .seconds?, .hops_per_second?, .events_per_second?)' >"$dir/$threads"
    done
    [ -s "$dir/1" ]
    cmp "$dir/1" "$dir/2"
    refute "$ANOLE" tune "$dir/s.yaml" --tuner acc 2>"$dir/err"
    grep -q 'acc sets every queue separately' "$dir/err"
}

# A net with the paper's 630 actions and one agent for all: the model states how it was made, and runs.
@test "train: by the paper's method, C-ACC alone" {
    "$ANOLE" train acc --quick --search 0 --check 0 --traffic published --set loss=squared --set draw=reward --set actions=text \
        --set agents=central --rounds 2 --runs 2 --updates 5 --quiet --out "$dir/c.acc" --json "$dir/c.json"
    grep -q -- '--traffic published --quick --set loss=squared --set draw=reward --set actions=text --set agents=central' "$dir/c.json"
    refute grep -q 'WebSearch' "$dir/c.json"
    jq -e '.notes.loss == "1" and .notes.draw == "1"' "$dir/c.json" >/dev/null
    refute grep -q '"loss"' "$BATS_FILE_TMPDIR/one.json"
    write_scenario "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --set tuner.kind=acc --set "tuner.model=$dir/c.acc" --set tuner.actions=text --set tuner.agents=central --format json >"$dir/out"
    jq -e . "$dir/out" >/dev/null
    refute "$ANOLE" train acc --traffic publised --out "$dir/x.acc" 2>"$dir/err"
    grep -qF -- "--traffic: unknown value 'publised'; did you mean 'published'?" "$dir/err"
    [ ! -e "$dir/x.acc" ]
}

# What a script starts in the background ignores SIGINT by default.
@test "train: continues after an interruption; the model does not depend on jobs" {
    write_drawn "$dir/drawn.yaml"
    training=("$optimised" train acc "$dir/drawn.yaml" --search 3 --rounds 3 --runs 2 --updates 20 --check 2)
    "${training[@]}" --out "$dir/one.acc" --jobs 1 --quiet
    env --default-signal=INT "${training[@]}" --out "$dir/m.acc" --jobs 3 >"$dir/out" 2>"$dir/err" &
    pid=$!
    wait_for test -e "$dir/m.acc.state"
    kill -INT "$pid"
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq 130 ]
    [ -s "$dir/m.acc.state" ]
    [ ! -e "$dir/m.acc" ]
    run_apart "${training[@]}" --out "$dir/m.acc" --jobs 3
    [ "$status" -eq 0 ]
    grep -q 'resuming after' "$dir/out"
    [ ! -s "$dir/err" ]
    cmp "$dir/one.acc" "$dir/m.acc"
}

@test "train: a training that was begun with other options is not continued" {
    printf 'ANOLETRAIN2\n' >"$dir/m.acc.state"
    run_apart train --out "$dir/m.acc"
    [ "$status" -eq 1 ]
    [ "$(wc -l <"$dir/err")" -eq 1 ]
    grep -q 'm.acc.state: the file is truncated' "$dir/err"
}

# The second scenario names the list of the first one's flows, in the same folder.
@test "train: learns from scenarios and recorded flows; each changes the model" {
    mkdir "$dir/ours"
    write_drawn "$dir/ours/drawn.yaml"
    "$ANOLE" convert "$dir/ours/drawn.yaml" --to hpcc --out "$dir/ns3"
    cp "$dir/ns3/flow.txt" "$dir/ours/monday.txt"
    sed 's/{kind: poisson.*}/{kind: flows, file: monday.txt}/' "$dir/ours/drawn.yaml" >"$dir/ours/recorded.yaml"
    short=(--search 1 --check 1 --rounds 2 --runs 2 --updates 5 --quiet)
    "$ANOLE" train acc "$dir/ours/drawn.yaml" "$dir/ours/recorded.yaml" "${short[@]}" --jobs 1 --out "$dir/1.acc" --json "$dir/1.json"
    "$optimised" train acc "$dir/ours/drawn.yaml" "$dir/ours/recorded.yaml" "${short[@]}" --jobs 2 --out "$dir/2.acc"
    cmp "$dir/1.acc" "$dir/2.acc"
    grep -qE 'anole train acc --seed 1 .*/drawn.yaml .*/recorded.yaml"' "$dir/1.json"
    "$optimised" train acc "$dir/ours/recorded.yaml" "${short[@]}" --out "$dir/other.acc"
    refute cmp -s "$dir/1.acc" "$dir/other.acc"
    "$ANOLE" run "$dir/ours/drawn.yaml" --set "tuner=acc:$dir/1.acc" --quiet --out "$dir/tuned"
}

@test "train: reads scenarios before it writes anything" {
    echo 'topolgy: {kind: star}' >"$dir/bad.yaml"
    run_apart "$ANOLE" train acc "$dir/bad.yaml" --out "$dir/x"
    [ "$status" -eq 2 ]
    grep -q "bad.yaml:1:1: .*did you mean 'topology'?" "$dir/err"
    write_scenario "$dir/s.yaml"
    for option in --quick '--nics dcqcn' '--traffic published'; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" train acc "$dir/s.yaml" $option --out "$dir/x"
        [ "$status" -eq 2 ]
        [ "$(cat "$dir/err")" = 'anole: --quick, --nics and --traffic are for generated traffic, not for scenarios' ]
    done
    [ ! -e "$dir/x.state" ]
}

@test "train: rejects wrong options in one line" {
    for args in "" "acc" "ac --out $dir/x" "acc --out $dir/x --set gama=1" "acc --out $dir/x --set gamma=2" \
        "acc --out $dir/x --rounds 0" "acc --out $dir/x --set model=none" "acc --out $dir/x --nics intel" "acc acc --out $dir/x"; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" train $args
        [ "$status" -eq 2 ]
        [ "$(wc -l <"$dir/err")" -eq 1 ]
        [ ! -e "$dir/x" ]
    done
    run_apart "$ANOLE" train acc --out /dev/null/x.acc --rounds 1
    [ "$status" -eq 1 ]
    [ "$(cat "$dir/err")" = "anole: /dev/null/x.acc.state: Not a directory" ]
    [ ! -s "$dir/out" ]
}

@test "train: a run uses the model, with or without options" {
    write_scenario "$dir/s.yaml"
    cd "$dir"
    run_apart "$ANOLE" run s.yaml --set "tuner=acc:$BATS_FILE_TMPDIR/one.acc" --set tuner.slot_us=50
    [ "$status" -eq 0 ]
    cp "$BATS_FILE_TMPDIR/one.acc" here.acc
    run_apart "$ANOLE" run s.yaml --set tuner=acc:here.acc
    [ "$status" -eq 0 ]
    printf 'tuner: {kind: acc, model: here.acc, slot_us: 50}\n' >>s.yaml
    run_apart "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 0 ]
}

@test "train: rejects a damaged model in one line" {
    write_scenario "$dir/s.yaml"
    head -c 1000 "$BATS_FILE_TMPDIR/one.acc" >"$dir/cut.acc"
    run_apart "$ANOLE" run "$dir/s.yaml" --set "tuner=acc:$dir/cut.acc"
    [ "$status" -eq 1 ]
    [ "$(wc -l <"$dir/err")" -eq 1 ]
    run_apart "$ANOLE" run "$dir/s.yaml" --set "tuner=acc:$BATS_FILE_TMPDIR/one.acc" --set tuner.history=5
    [ "$status" -eq 1 ]
    [ "$(wc -l <"$dir/err")" -eq 1 ]
    run_apart "$ANOLE" run "$dir/s.yaml" --set "tuner=acc:$dir/none.acc"
    [ "$status" -eq 1 ]
    grep -q 'none.acc' "$dir/err"
}
