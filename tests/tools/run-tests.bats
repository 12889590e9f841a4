#!/usr/bin/env bats
# tests/tools/run-tests.bats - the test runner counts correctly, in particular failures.

setup() {
    tree=$BATS_TEST_TMPDIR
    unset ANOLE TEST_WRAPPER BASH_ENV
    mkdir -p "$tree/tools" "$tree/tests" "$tree/src/base" "$tree/build/x"
    cp tools/run-tests tools/deps tools/list-sources tools/check-includes "$tree/tools"
    cp tests/missing.bash "$tree/tests"
}

# unit_test NAME LINE... - writes a script that prints the output of a cmocka program.
unit_test() {
    touch "$tree/src/base/$1.c"
    program=$tree/build/x/base-$1
    shift
    printf '%s\n' '#!/bin/sh' "$@" >"$program"
    chmod +x "$program"
}

run_all() {
    run "$tree/tools/run-tests" build/x
    last=${lines[${#lines[@]} - 1]}
}

@test "run-tests: counts cases one by one, a script and the include check as one each" {
    unit_test a_test 'echo 1..2' 'echo ok 1 - a' 'echo ok 2 - b'
    echo 'test -n "$ANOLE" && test "$BUILD" = build/x' >"$tree/tests/script.sh"
    run_all
    [ "$status" -eq 0 ]
    [ "$last" = '4 passed, 0 failed, 0 skipped' ]
}

@test "run-tests: shows the output of failing tests only" {
    unit_test a_test 'echo 1..2' 'echo ok 1 - a' 'echo not ok 2 - b' 'echo "# 3 != 4"' 'exit 1'
    unit_test b_test 'echo 1..1' 'echo ok 1 - quiet'
    run_all
    [ "$status" -eq 1 ]
    [ "$last" = '3 passed, 1 failed, 0 skipped' ]
    [[ $output == *'# 3 != 4'* ]]
    [[ $output != *quiet* ]]
}

@test "run-tests: cases that a crash prevented count as failed" {
    unit_test a_test 'echo 1..5' 'echo ok 1 - a' 'kill -SEGV $$'
    run_all
    [ "$status" -eq 1 ]
    [ "$last" = '2 passed, 4 failed, 0 skipped' ]
}

@test "run-tests: a failing exit after good cases (a leak) is a failure" {
    unit_test a_test 'echo 1..1' 'echo ok 1 - a' 'exit 23'
    run_all
    [ "$status" -eq 1 ]
    [ "$last" = '2 passed, 1 failed, 0 skipped' ]
}

@test "run-tests: a missing program is a failure" {
    touch "$tree/src/base/a_test.c"
    run_all
    [ "$status" -eq 1 ]
    [ "$last" = '1 passed, 1 failed, 0 skipped' ]
}

@test "run-tests: skipped cases are counted apart, with their reasons" {
    unit_test a_test 'echo 1..4' 'echo "not ok 1 # SKIP a"' 'echo ok 2 - b' 'echo "ok 3 c # skip no etcd"' 'echo "ok 4 d # skip no etcd"'
    run_all
    [ "$status" -eq 0 ]
    [ "$last" = '2 passed, 0 failed, 3 skipped' ]
    [[ $output == *'skipped:
  1 of base-a_test: a
  2 of base-a_test: no etcd
'* ]]
}

@test "run-tests: a test that hangs is stopped" {
    unit_test a_test 'sleep 100'
    TEST_SECONDS=1 run_all
    [ "$last" = '1 passed, 1 failed, 0 skipped' ]
    [[ $output == *'stopped after 1 seconds'* ]]
}

# is_gone FILE - whether no process of the ids in FILE runs.
is_gone() {
    while read -r id; do [ ! -e "/proc/$id" ] || return 1; done <"$1"
}

@test "run-tests: a test that leaves a process running fails, and the process is killed" {
    # one in another session, with a parent that has ended
    unit_test a_test 'echo 1..1' 'echo ok 1 - a' "setsid sh -c 'echo \$\$ >$tree/left; exec sleep 1000' &"
    run_all
    [ "$status" -eq 1 ]
    [ "$last" = '2 passed, 1 failed, 0 skipped' ]
    [[ $output == *'# left running: sleep 1000'* ]]
    is_gone "$tree/left"
}

@test "run-tests: interrupted or killed, it leaves no process running" {
    unit_test a_test "setsid sleep 1000 & echo \$! >$tree/left" "echo \$\$ >>$tree/left" "mv $tree/left $tree/running" 'sleep 1000'
    for signal in INT TERM KILL; do
        rm -f "$tree/running"
        env --default-signal=INT "$tree/tools/run-tests" build/x base-a_test >"$tree/out" 2>&1 3>&- &
        runner=$!
        for _ in $(seq 100); do [ ! -e "$tree/running" ] || break; sleep 0.1; done
        kill -$signal $runner
        wait $runner && return 1
        for _ in $(seq 100); do is_gone "$tree/running" && break; sleep 0.1; done
        is_gone "$tree/running"
    done
}

@test "run-tests: a test that calls a program of no package in tools/deps fails, also if it expects a failure" {
    command -v dpkg-query >/dev/null || skip 'no Debian packages here'
    # a program that only some machines have
    mkdir "$tree/bin"
    printf '%s\n' '#!/bin/sh' 'exit 1' >"$tree/bin/pgrep"
    chmod +x "$tree/bin/pgrep"
    printf '%s\n' '#!/usr/bin/env bash' 'if pgrep anole; then exit 1; fi' >"$tree/tests/a.sh"
    printf '%s\n' '#!/usr/bin/env bash' 'set -e' 'awk 1 /dev/null' 'python3 -c ""' 'cc --version' 'git --version' >"$tree/tests/b.sh"
    chmod +x "$tree"/tests/?.sh
    PATH=$PATH:$tree/bin run_all
    echo "$output"
    [ "$status" -eq 1 ]
    [ "$last" = '2 passed, 1 failed, 0 skipped' ]
    [[ $output == *'# no package of tools/deps has these programs: pgrep'* ]]
}

@test "run-tests: scripts wait for the end of the command that runs meanwhile, unit tests do not" {
    unit_test a_test 'echo 1..1' 'echo ok 1 - a' "touch '$tree/unit'"
    echo "test -e '$tree/made'" >"$tree/tests/script.sh"
    run env JOBS=3 "$tree/tools/run-tests" --meanwhile "sh -c 'while [ ! -e $tree/unit ]; do sleep 0.1; done; touch $tree/made' preparation" build/x
    [ "$status" -eq 0 ]
    [ "${lines[${#lines[@]} - 1]}" = '4 passed, 0 failed, 0 skipped' ]
    run "$tree/tools/run-tests" --meanwhile 'sh -c "exit 3" preparation' build/x
    [ "$status" -eq 1 ]
    [ "${lines[${#lines[@]} - 1]}" = '3 passed, 1 failed, 0 skipped' ]
    [[ $output == *'FAIL  preparation '* ]]
}

@test "run-tests: a fuzz target without a corpus is a failure" {
    mkdir -p "$tree/tests/fuzz"
    touch "$tree/tests/fuzz/fuzz_a.c"
    printf '%s\n' '#!/bin/sh' 'cat "$@"' >"$tree/build/x/fuzz_a"
    chmod +x "$tree/build/x/fuzz_a"
    run_all
    [ "$last" = '1 passed, 1 failed, 0 skipped' ]
    mkdir -p "$tree/tests/fuzz/corpus/a"
    echo seed >"$tree/tests/fuzz/corpus/a/seed"
    run_all
    [ "$last" = '2 passed, 0 failed, 0 skipped' ]
}

@test "run-tests: runs only named tests, and refuses an unknown name" {
    unit_test a_test 'echo 1..1' 'echo ok 1 - a'
    unit_test b_test 'echo 1..1' 'echo not ok 1 - b'
    run "$tree/tools/run-tests" build/x base-a_test check-includes
    [ "$status" -eq 0 ]
    [ "${lines[${#lines[@]} - 1]}" = '2 passed, 0 failed, 0 skipped' ]
    run "$tree/tools/run-tests" build/x base-a_test base-c_test
    [ "$status" -eq 2 ]
    [ "$output" = "tools/run-tests: there is no test 'base-c_test'" ]
}

@test "run-tests: a pattern selects tests, and each test runs once" {
    unit_test a_test 'echo 1..1' 'echo ok 1 - a'
    unit_test b_test 'echo 1..1' 'echo ok 1 - b'
    echo exit 1 >"$tree/tests/script.sh"
    run "$tree/tools/run-tests" build/x '*_test' 'base-b*'
    [ "$status" -eq 0 ]
    [ "${lines[${#lines[@]} - 1]}" = '2 passed, 0 failed, 0 skipped' ]
    run "$tree/tools/run-tests" build/x '*_test' '*.bats'
    [ "$status" -eq 2 ]
    [ "$output" = "tools/run-tests: there is no test '*.bats'" ]
}

@test "run-tests: a real-time test that passes when run alone counts as passed, and is listed as unsteady" {
    mkdir "$tree/tests/cli"
    printf '%s\n' "test -e '$tree/before' && exit 0" "touch '$tree/before'" 'echo too late' 'exit 1' >"$tree/tests/cli/live_a.sh"
    run_all
    [ "$status" -eq 0 ]
    [ "$last" = '2 passed, 0 failed, 0 skipped' ]
    [[ $output == *'cli-live_a.sh, unsteady'*'too late'* ]]
}

@test "run-tests: a test that fails three times has failed, and others have no second try" {
    mkdir "$tree/tests/cli"
    printf '%s\n' "echo x >>'$tree/tries'" 'exit 1' >"$tree/tests/cli/live_a.sh"
    printf '%s\n' "test -e '$tree/before' && exit 0" "touch '$tree/before'" 'exit 1' >"$tree/tests/plain.sh"
    run_all
    [ "$status" -eq 1 ]
    [ "$last" = '1 passed, 2 failed, 0 skipped' ]
    [ "$(wc -l <"$tree/tries")" -eq 3 ]
}
