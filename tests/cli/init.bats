#!/usr/bin/env bats
# tests/cli/init.bats - anole init writes a first scenario; completion of the shell.
# shellcheck disable=SC2154  # common.bash sets dir
load common

@test "init: writes a scenario that runs, and overwrites no file" {
    cd "$dir"
    run "$ANOLE" init
    [ "$status" -eq 0 ]
    [ "$output" = "incast.yaml: run it with anole run incast.yaml" ]
    "$ANOLE" run incast.yaml -q
    run "$ANOLE" init incast
    [ "$status" -eq 1 ]
    [ "$output" = "anole: incast.yaml already exists; choose another name with --out" ]
    "$ANOLE" init dgx_h100 -o cluster.yaml
    grep -q '^topology: dgx_h100_32' cluster.yaml
    run "$ANOLE" init incst
    [ "$status" -eq 1 ]
    [ "$output" = "anole: there is no scenario 'incst' to begin with; did you mean 'incast'?" ]
    run "$ANOLE" init ../incast
    [ "$status" -eq 1 ]
}

@test "completion: knows every command and every option of the help" {
    tools/make-completion "$ANOLE" "$dir/made"
    bash -n "$dir/made/anole"
    for command in run compare sweep collective; do
        "$ANOLE" "$command" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | while read -r option; do
            grep -E "^    $command\)" "$dir/made/anole" | grep -q -- " *$option\b"
            grep -q -- "from $command'.* -l ${option#--} " "$dir/made/anole.fish"
            grep -E "^    $command\)" "$dir/made/_anole" | grep -q -- "'$option"
        done
    done
    # The shell completes in this way.
    # shellcheck disable=SC1091
    . "$dir/made/anole"
    COMP_WORDS=(anole run --hpcc-f)
    COMP_CWORD=2
    _anole
    [ "${COMPREPLY[0]}" = --hpcc-fct ]
    COMP_WORDS=(anole colle)
    COMP_CWORD=1
    _anole
    [ "${COMPREPLY[*]}" = collective ]
}

# complete_words WORD... - prints what the shell offers for the last word
complete_words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _anole
    echo "${COMPREPLY[*]}"
}

@test "completion: knows scenarios, knobs, tuners and values" {
    tools/make-completion "$ANOLE" "$dir/made"
    # shellcheck disable=SC1091
    . "$dir/made/anole"
    compopt() { :; }                # needs a running completion
    cd "$dir"
    [ "$(complete_words anole run inca)" = incast ]
    [ "$(complete_words anole run incast --set km)" = 'kmin= kmax=' ]
    [ "$(complete_words anole run incast --set = km)" = 'kmin= kmax=' ]
    [ "$(complete_words anole sweep incast -r pma)" = pmax= ]
    [ "$(complete_words anole tune incast --tuner cma)" = cmaes ]
    [ "$(complete_words anole advise --sizes Web)" = WebSearch ]
    [ "$(complete_words anole tune incast --as so)" = sonic ]
    [ "$(complete_words anole compare incast --format j)" = json ]
    [ "$(complete_words anole list tu)" = tuner ]
    grep -q "from tune'.* -l tuner .*paraleon" "$dir/made/anole.fish"
    grep -q "'--set=.*compadd .* kmin " "$dir/made/_anole"
}
