#!/usr/bin/env bats
# tests/cli/json.bats - --format json of every command: one value on standard output, with the content of the
# table.
# shellcheck disable=SC2154  # common.bash sets dir
load common

# scenario FILE - a short incast.
scenario() {
    printf 'topology: {kind: star, hosts: 6}\ntraffic: [{kind: incast, senders: 5, size: 200KB, flows: 1, period: 300us}]\nrun: 3ms\ninterval: 300us\n' >"$1"
}

# value FILE - the file holds exactly one JSON value.
value() {
    [ "$(jq -s length "$1")" -eq 1 ]
}

@test "json: every command has --format, except those that need none" {
    commands=$("$ANOLE" --help | sed '/^Examples:/q' | awk '/^  / { print $1 }')
    [ "$(wc -w <<<"$commands")" -ge 20 ]
    for command in $commands; do
        case $command in
        serve | gym | record | draw-workload | controller | agent | twin | help | ctl) ;;    # ctl: see below
        *) "$ANOLE" "$command" --help | grep -qE '^ +(-f, )?--format=' || { echo "$command has none"; return 1; } ;;
        esac
    done
    "$ANOLE" train rlcc --help | grep -q -- --format=
    "$ANOLE" explain rlcc --help | grep -q -- --format=
    run "$ANOLE" tune x.yaml --format jsn
    [ "$status" -eq 2 ]
    [[ $output == *"--format: unknown value 'jsn'; did you mean 'json'?"* ]]
}

@test "json: ctl takes --format as well as --json" {
    "$ANOLE" ctl --help >"$dir/help" || skip "built without the live part"
    grep -q -- --format= "$dir/help"
    run "$ANOLE" ctl status --format xml
    [ "$status" -eq 2 ]
    [[ $output == *"--format: unknown value 'xml'"* ]]
}

@test "json: tune reports the file it wrote, and explain describes it" {
    scenario "$dir/s.yaml"
    "$ANOLE" tune "$dir/s.yaml" --rounds 1 --budget 6 --check 2 --keep --history "$dir/h.jsonl" --out "$dir/knobs.yaml" --format json >"$dir/tune"
    value "$dir/tune"
    [ "$(jq .intervals "$dir/tune")" -eq 6 ]
    [ "$(jq -r .is_kept "$dir/tune")" = true ]
    jq -e '.verdict | IN("better", "unclear", "worse", "same")' "$dir/tune"
    [ "$(jq '.check.seeds' "$dir/tune")" -eq 2 ]
    # Reading the file gives the same knobs; its changes are the differences from the default.
    "$ANOLE" tune --from "$dir/knobs.yaml" --format json >"$dir/from"
    [ "$(jq -cS .knobs "$dir/from")" = "$(jq -cS .knobs "$dir/tune")" ]
    jq -e '. as $all | all(.changes[]; $all.knobs[.name] == .is and .was != .is)' "$dir/tune"
    "$ANOLE" explain "$dir/h.jsonl" --all --format json >"$dir/explain"
    value "$dir/explain"
    [ "$(jq '.steps | length' "$dir/explain")" -eq 6 ]
    [ "$(jq -r .tuner "$dir/explain")" = paraleon ]
    "$ANOLE" explain "$dir/h.jsonl" --knob kmin --format json >"$dir/knob"
    [ "$(jq '.values[0].value' "$dir/knob")" = "$("$ANOLE" list knob --format json | jq '.[] | select(.name == "kmin").initial')" ]
    run "$ANOLE" tune "$dir/s.yaml" --format json --as mlx5
    [ "$status" -eq 2 ]
}

@test "json: advise has the evidence of its table" {
    scenario "$dir/s.yaml"
    "$ANOLE" advise "$dir/s.yaml" --budget 1 --format json >"$dir/advise"
    value "$dir/advise"
    "$ANOLE" advise "$dir/s.yaml" --budget 1 >"$dir/table"
    jq -e '.advised as $name | any(.settings[]; .name == $name)' "$dir/advise"
    [ "$(jq -r '.settings[0].name' "$dir/advise")" = yours ]
    grep -qE "^ +yours(, advised)? +$(jq -r '.settings[0].loads[0].slowdown_mean.all * 100 | round / 100' "$dir/advise")" "$dir/table"
    jq -e '.settings[0].knobs as $was | .advised as $name | (.settings[] | select(.name == $name).knobs) as $is | all(.changes[]; $was[.name] == .was and $is[.name] == .is)' "$dir/advise"
}

@test "json: models are explained, distilled and exported" {
    "$ANOLE" explain rlcc data/models/rlcc_mlp.model data/models/rlcc_trees.model --states 2000 --format json >"$dir/explain"
    value "$dir/explain"
    [ "$(jq -r '[.models[].body] | join(" ")' "$dir/explain")" = "mlp trees" ]
    jq -e 'all(.models[1].certificate[]; .holds)' "$dir/explain"
    jq -e '.models[0].multipliers | .empty > 1 and .flooded < 1' "$dir/explain"
    [ "$(jq '.gaps[0].states' "$dir/explain")" -eq 2000 ]
    "$ANOLE" distil data/models/rlcc_mlp.model --to trees --trees 2 --sweeps 1 --deltas 10 --out "$dir/t" --format json >"$dir/distil"
    value "$dir/distil"
    jq -e 'all(.distilled.certificate[]; .holds)' "$dir/distil"
    "$ANOLE" export rlcc "$dir/t" --as c --out "$dir/t.c" --format json >"$dir/export"
    value "$dir/export"
    [ "$(jq -c .cost "$dir/export")" = "$(jq -c .cost "$dir/distil")" ]
    run "$ANOLE" export rlcc "$dir/t" --as c --format json
    [ "$status" -eq 2 ]
}

@test "json: train, convert and init report what they wrote" {
    "$ANOLE" train rlcc --updates 2 --warm-up 0 --world many_to_one:2_1 --out "$dir/m" --format json >"$dir/train"
    value "$dir/train"
    [ "$(jq .updates "$dir/train")" -eq 2 ]
    [ -s "$(jq -r .out "$dir/train")" ]
    "$ANOLE" train acc --quick --search 0 --rounds 1 --runs 1 --check 0 --updates 10 --out "$dir/acc" --format json >"$dir/train"
    value "$dir/train"
    [ "$(jq -c '[.rounds, .best_score]' "$dir/train")" = "[1,null]" ]
    [ -s "$dir/acc" ]
    scenario "$dir/s.yaml"
    "$ANOLE" convert "$dir/s.yaml" --to hpcc -o "$dir/hpcc" --format json >"$dir/convert" 2>/dev/null
    value "$dir/convert"
    [ "$(jq -r '.files[]' "$dir/convert" | xargs cat | wc -c)" -gt 0 ]
    [ "$(jq '.files | length' "$dir/convert")" -eq "$(find "$dir/hpcc" -type f -not -name '.*' | wc -l)" ]
    [ "$(jq .hosts "$dir/convert")" -eq 6 ]
    [ "$(jq .flows "$dir/convert")" -eq "$(head -n 1 "$dir/hpcc/flow.txt")" ]
    "$ANOLE" init incast -o "$dir/i.yaml" --format json >"$dir/init"
    value "$dir/init"
    cmp scenarios/incast.yaml "$(jq -r .out "$dir/init")"
}
