#!/usr/bin/env bats
# tests/cli/help.bats - help texts, and messages about wrong command lines.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

@test "help: --version is one line with a number" {
    run "$ANOLE" --version
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^anole\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "help: --help names every command and shows examples" {
    run "$ANOLE" --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"  run "* ]]
    [[ "$output" == *"  list "* ]]
    [[ "$output" == *Examples:* ]]
}

@test "help: no command is a usage error that shows the help" {
    run_apart "$ANOLE"
    [ "$status" -eq 2 ]
    [ ! -s "$dir/out" ]
    grep -q '^Usage: anole' "$dir/err"
}

@test "help: run --help and help run are equal and give examples" {
    run "$ANOLE" run --help
    [ "$status" -eq 0 ]
    [[ "$output" == *Examples:* ]]
    for option in --set --seed --out --format --hpcc-fct --hpcc-pfc --quiet; do
        [[ "$output" == *"$option"* ]]
    done
    first=$output
    run "$ANOLE" help run
    [ "$status" -eq 0 ]
    [ "$output" = "$first" ]
}

@test "help: every example fits one line" {
    for command in run collective init list draw-workload convert advise compare sweep tune record explain train distil export gym agent ctl; do
        "$ANOLE" $command --help >/dev/null 2>&1 || continue            # built without the live part
        # examples are indented; a continuation line would not be
        "$ANOLE" $command --help | awk '/^Examples:/ { on = 1; seen = 1; next } /^$/ { on = 0 } on && !/^  / { print; bad = 1 }
            END { exit bad || !seen }' || { echo "$command"; false; }
    done
}

@test "help: the manual has every option of the help, below its command" {
    tools/make-man "$ANOLE" docs/man/anole.1.scd | scdoc >"$dir/page"
    for command in run compare sweep tune advise train 'train rlcc' gym distil export explain 'explain rlcc' list controller agent ctl twin; do
        # shellcheck disable=SC2086  # words
        "$ANOLE" $command --help >"$dir/help" 2>/dev/null || continue            # built without the live part
        grep -oE -- '^  (-., |    )--[a-z-]+' "$dir/help" | grep -oE -- '--[a-z-]+$' | sort -u >"$dir/options"
        [ -s "$dir/options" ]
        awk -v title=".SH ANOLE ${command^^}" '/^\.SH/ { on = $0 == title } on' "$dir/page" >"$dir/section"
        while read -r option; do
            case $option in --help | --usage | --version) continue ;; esac
            grep -qF -- "\fB$option\fR" "$dir/section" || { echo "$command $option is not in the manual"; false; }
        done <"$dir/options"
    done
}

@test "help: a misspelled command gets a suggestion" {
    run_apart "$ANOLE" rnu
    [ "$status" -eq 2 ]
    [ "$(cat "$dir/err")" = "anole: 'rnu' is not a command; did you mean 'run'?" ]
}

@test "help: an unknown word without a similar command points to the help" {
    run_apart "$ANOLE" xylophone
    [ "$status" -eq 2 ]
    grep -qE "^anole: 'xylophone' is not a command; there are run, collective, .* and help$" "$dir/err"
}

@test "help: wrong options are usage errors" {
    for args in '--bogus' 'run' 'run --bogus x.yaml' 'run --seed x x.yaml' 'run --seed -1 x.yaml' \
        'run --set kmin x.yaml' 'run a.yaml b.yaml' 'list knbo' 'list cc lb' 'list cc --markdown'; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" $args
        [ "$status" -eq 2 ] || { echo "anole $args: $status"; false; }
        [ ! -s "$dir/out" ]
        grep -q '^anole' "$dir/err"
    done
}

@test "help: a misspelled format gets a suggestion" {
    run_apart "$ANOLE" run --format jsn x.yaml
    [ "$status" -eq 2 ]
    [ "$(cat "$dir/err")" = "anole: --format: unknown value 'jsn'; did you mean 'json'?" ]
}

@test "help: output that cannot be written is an error" {
    [ -w /dev/full ] || skip 'no /dev/full'
    status=0
    "$ANOLE" --help >/dev/full 2>"$dir/err" || status=$?
    [ "$status" -eq 1 ]
    grep -q '^anole: standard output: ' "$dir/err"
}

@test "help: a program that is missing or cannot be started is named" {
    cp "$ANOLE" "$dir/anole"
    run_apart "$dir/anole" serve x
    [ "$status" -eq 2 ]
    grep -q '^anole: serve: this build lacks anole-serve, which needs libmicrohttpd; run: tools/deps build && make$' "$dir/err"
    touch "$dir/anole-serve"
    run_apart "$dir/anole" serve x
    [ "$status" -eq 1 ]
    [ "$(cat "$dir/err")" = "anole: $dir/anole-serve: Permission denied" ]
}

@test "help: examples fit 80 columns" {
    failed=0
    commands=$("$ANOLE" --help | sed '/^Examples:/q' | awk '/^  / && $1 != "help" { print $1 }')
    while read -r command; do
        # Without line breaks of the C library.
        # shellcheck disable=SC2086  # words
        ARGP_HELP_FMT=rmargin=300 "$ANOLE" $command --help >"$dir/help" 2>/dev/null || continue
        if awk 'after && /^  / && length > 79; /^Examples?:/ { after = 1 }' "$dir/help" | grep .; then
            echo "  in anole $command --help"
            failed=1
        fi
    done <<<"$commands"$'\ntrain rlcc\nexplain rlcc'
    [ "$failed" = 0 ]
}

@test "help: the examples of sweep stay within the limits of the knobs" {
    cd "$dir"
    "$ANOLE" init incast -o s.yaml
    "$ANOLE" sweep --help | grep -oE '^  (mpirun )?anole sweep s.yaml .*' | sed 's/^  \(mpirun \)\?anole //; s/-N [0-9]*//' >examples
    [ "$(wc -l <examples)" -ge 3 ]
    while read -r args; do
        # shellcheck disable=SC2086  # words
        "$ANOLE" $args --samples 4 --seeds 1 --until 100us --quiet
    done <examples
}
