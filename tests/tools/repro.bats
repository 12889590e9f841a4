#!/usr/bin/env bats
# tests/tools/repro.bats - repro/run-all and repro/lib.sh with stand-in experiments: CPU time is recorded, and
# README.md names the program of its results. repro/check runs with the real program, which resolves
# scenarios.

setup() {
    at=$BATS_TEST_TMPDIR/repro program=$(realpath "$ANOLE")
    mkdir -p "$at/one" "$at/two"
    cp repro/run-all repro/check repro/lib.sh repro/student.awk "$at"
    echo program >"$BATS_TEST_TMPDIR/anole"
    chmod +x "$BATS_TEST_TMPDIR/anole"
    export ANOLE=$BATS_TEST_TMPDIR/anole COMMIT=abc1234
    for name in one two; do
        # shellcheck disable=SC2016  # for the script
        printf '%s\n' '#!/bin/sh' '. "$(dirname "$0")/../lib.sh"' 'echo 1,2 >"$out/results.csv"' 'publish results.csv' >"$at/$name/run"
        chmod +x "$at/$name/run"
        printf '%s\n' '# Title' '' '> **Of an older build** (1234567): all figures here,' '> and more.' '' \
            '**There are no figures yet**: never.' '' 'Text.' >"$at/$name/README.md"
    done
}

@test "run-all: one experiment alone, and the CPU time of all" {
    run "$at/run-all" one
    [ "$status" -eq 0 ]
    [[ $output == *"one: "*" s of CPU time"*"all: "*" s of CPU time"* ]]
    [ -e "$at/one/results.csv" ]
    [ ! -e "$at/two/results.csv" ]
}

@test "run-all: CPU time is kept over interruptions, per program" {
    "$at/run-all" one
    sed -i 's/^[0-9]* /100 /' "$at/one/out/cpu"
    run "$at/run-all" one
    [[ $output == *" s of CPU time, 10"[0-9]" s including earlier calls"* ]]
    echo another >"$ANOLE"
    run "$at/run-all" one
    [[ $output != *" s of CPU time, 10"[0-9]" s including earlier calls"* ]]
}

@test "run-all, check: report the CPU time of a stale experiment's last full run" {
    QUICK=1 "$at/run-all" one
    [ ! -e "$at/one/cpu" ]
    "$at/run-all" one
    [ -s "$at/one/cpu" ]
    echo 150 >"$at/one/cpu"
    rm -f "$at/one/digest"
    echo 'repro/run-all two        # 30 runs, about 3 minutes of CPU time' >>"$at/two/README.md"
    run "$at/check"
    [ "$status" -eq 1 ]
    [ "$output" = 'one has no digest: it last ran before digests were recorded; its last run took 150 s of CPU time
two has no digest: it last ran before digests were recorded; its last run took 180 s of CPU time
to run these: 5 minutes of CPU time, plus 0 experiments of unknown time' ]
}

@test "run-all: an unknown experiment is named, and none runs" {
    run "$at/run-all" one tow
    [ "$status" -eq 2 ]
    [ "$output" = "repro/run-all: unknown experiment tow; repro/README.md lists all" ]
    [ ! -e "$at/one/results.csv" ]
}

@test "run-all: reports a missing program" {
    rm "$ANOLE"
    run "$at/run-all" one
    [ "$status" -eq 1 ]
    [[ $output == *"there is no program $ANOLE; make builds it"* ]]
}

@test "run-all: continues after a failed experiment" {
    echo false >>"$at/one/run"
    run "$at/run-all"
    [ "$status" -eq 1 ]
    [[ $output == *"failed: one" ]]
    [ -e "$at/two/results.csv" ]
}

@test "stamp: README names the commit once, below its title; an older line is replaced" {
    "$at/run-all" one
    COMMIT=def5678 "$at/run-all" one
    run cat "$at/one/README.md"
    [ "$output" = '# Title

<!-- build -->
Made with the program of commit def5678, seeds 1 to 5.
<!-- /build -->

Text.' ]
}

@test "stamp: a quick run changes no committed file" {
    before=$(cat "$at/one/README.md")
    QUICK=1 "$at/run-all" one
    [ "$(cat "$at/one/README.md")" = "$before" ]
    [ ! -e "$at/one/results.csv" ]
}

@test "publish, readme: some rows replace existing ones, and the build's commit stays" {
    "$at/run-all" one
    printf '%s\n' name,mean a,1 b,2 >"$at/one/results.csv"
    printf '%s\n' '' '<!-- t -->' '| name | mean |' '|---|---|' '| a | 1 |' '| b | 2 |' '<!-- /t -->' 'End.' >>"$at/one/README.md"
    # shellcheck disable=SC2016  # for the script
    printf '%s\n' '#!/bin/sh' '. "$(dirname "$0")/../lib.sh"' 'some=b' 'printf "%s\n" name,mean b,7 c,8 >"$out/results.csv"' \
        'printf "%s\n" "| name | mean |" "|---|---|" "| b | 7 |" "| c | 8 |" | readme t' 'publish results.csv' >"$at/one/run"
    COMMIT=def5678 "$at/run-all" one
    [ "$(cat "$at/one/results.csv")" = 'name,mean
a,1
b,7
c,8' ]
    run sed -n '/<!-- t -->/,$p' "$at/one/README.md"
    [ "$output" = '<!-- t -->
| name | mean |
|---|---|
| a | 1 |
| b | 7 |
| c | 8 |
<!-- /t -->
End.' ]
    grep -q abc1234 "$at/one/README.md"
}

# The first column is a number of flows; results follow it.
@test "publish, readme: rows whose first column is a number keep their places" {
    printf '%s\n' flows,net,share 16,lstm,0.4 16,trees,0.9 64,lstm,0.3 >"$at/one/results.csv"
    printf '%s\n' '<!-- t -->' '| flows | share |' '|---|---|' '| 16 | 0.4 |' '| 64 | 0.3 |' '<!-- /t -->' >>"$at/one/README.md"
    # shellcheck disable=SC2016  # for the script
    printf '%s\n' '#!/bin/sh' '. "$(dirname "$0")/../lib.sh"' 'some=b' \
        'printf "%s\n" flows,net,share 16,trees,0.8 64,lstm,0.5 128,lstm,0.1 >"$out/results.csv"' \
        'printf "%s\n" "| flows | share |" "|---|---|" "| 64 | 0.5 |" "| 128 | 0.1 |" | readme t' 'publish results.csv' >"$at/one/run"
    "$at/run-all" one
    [ "$(cat "$at/one/results.csv")" = 'flows,net,share
16,lstm,0.4
16,trees,0.8
64,lstm,0.5
128,lstm,0.1' ]
    [ "$(sed -n '/<!-- t -->/,/<!-- .t -->/p' "$at/one/README.md")" = '<!-- t -->
| flows | share |
|---|---|
| 16 | 0.4 |
| 64 | 0.5 |
| 128 | 0.1 |
<!-- /t -->' ]
}

# The script may make a model of another shape than the built-in one.
@test "check: skips a model that the script makes, but not its options" {
    use_program
    # shellcheck disable=SC2016  # for the script
    printf '%s\n' '#!/bin/sh' '. "$(dirname "$0")/../lib.sh"' \
        'uses star.yaml --set tuner.kind=acc --set "tuner.model=$out/own.acc" --set tuner.actions=pairs' \
        'echo 1,2 >"$out/results.csv"' 'publish results.csv' >"$at/one/run"
    SEEDS=5 "$at/one/run"
    grep -q 'tuner.model=none --set tuner.actions=pairs$' "$at/one/digest"
    "$at/check" one
}

# An experiment that compares a setting of ACC with NVIDIA's defaults for messages between two hosts, with the
# program of this build.
use_program() {
    export ANOLE=$program
    printf '%s\n' 'topology: {kind: star, hosts: 3}' 'tuner: secn1' 'traffic:' \
        '  - {kind: rpc, sizes: sizes.cdf, load: 30%, stop: 100us}' >"$at/one/star.yaml"
    printf '%s\n' '1000 0' '2000 1' >"$at/one/sizes.cdf"
    # shellcheck disable=SC2016  # for the script
    printf '%s\n' '#!/bin/sh' '. "$(dirname "$0")/../lib.sh"' 'uses star.yaml' 'uses 20 star.yaml @1:2 --set "host={mtu: 2048}"' \
        'uses star.yaml --set tuner=acc:dcqcn --set "tuner.record=yes"' 'uses star.yaml --set tuner=fixed:$out/found.yaml' \
        'echo 1,2 >"$out/results.csv"' 'publish results.csv' >"$at/one/run"
    SEEDS=5 "$at/one/run"
}

@test "check: names an experiment without a digest, and none after it has run" {
    use_program
    run "$at/check"
    [ "$status" -eq 1 ]
    [ "$output" = 'two has no digest: it last ran before digests were recorded' ]
    run "$at/check" one
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "check: detects a changed file, setting or default, and ignores comments" {
    use_program
    sed -i '1i # A comment.' "$at/one/star.yaml"
    run "$at/check" one
    [ "$status" -eq 0 ]
    echo '3000 1' >>"$at/one/sizes.cdf"
    sed -i 's/2000 1/2000 0.5/' "$at/one/sizes.cdf"
    run "$at/check" one
    [ "$status" -eq 1 ]
    [[ $output == 'one 3 of 3 runs resolve to something else, such as: star.yaml'* ]]
    printf '%s\n' '1000 0' '2000 1' >"$at/one/sizes.cdf"
    sed -i 's/^[^ ]* \(.*mtu\)/0123456789abcdef \1/' "$at/one/digest"
    run "$at/check" one
    [ "$output" = "one 1 of 3 runs resolve to something else, such as: star.yaml --set 'host={mtu: 2048}'" ]
}

@test "check: the digest includes defaults of an entry" {
    use_program
    default=$("$ANOLE" compare --digest "$at/one/star.yaml")
    [ "$("$ANOLE" compare --digest "$at/one/star.yaml" --set traffic.0.qps=fresh)" != "$default" ]
    [ "$("$ANOLE" compare --digest "$at/one/star.yaml" --set tuner=secn2)" != "$default" ]
    [ "$("$ANOLE" compare --digest "$at/one/star.yaml" --set model=hpcc --set traffic.0.qps=fresh)" != "$default" ]
    acc=$("$ANOLE" compare --digest "$at/one/star.yaml" --set tuner=acc)
    [ "$("$ANOLE" compare --digest "$at/one/star.yaml" --set tuner=acc:dcqcn)" != "$acc" ]
    [ "$("$ANOLE" compare --digest "$at/one/star.yaml" --set tuner=acc --set tuner.train=yes)" != "$acc" ]
}

@test "check: reports a missing scenario, and a quick run keeps no digest" {
    use_program
    rm "$at/one/star.yaml"
    run "$at/check" one
    [ "$status" -eq 1 ]
    [[ $output == 'one cannot be resolved: '*'star.yaml'* ]]
    printf 'publish() { is_published=1; }\n' >>"$at/lib.sh"
    rm "$at/one/digest"
    printf '%s\n' '#!/bin/sh' '. "$(dirname "$0")/../lib.sh"' 'uses file sizes.cdf' 'publish' >"$at/one/run"
    QUICK=1 "$at/one/run"
    [ ! -e "$at/one/digest" ]
    [ "$(cut -d ' ' -f 2- "$at/one/out/quick/digest")" = 'file sizes.cdf' ]
}

# Tables of Student's distribution, 97.5 %: 1, 4, 9, 19, 40, 60 and 120 degrees of freedom.
@test "student.awk: t as in the tables, for any number of values" {
    run awk "$(cat repro/student.awk)"'BEGIN { printf "%.3f %.3f %.3f %.3f %.3f %.3f %.3f", student(2), student(5), student(10), student(20), student(41),
        student(61), student(121) }'
    [ "$output" = '12.706 2.776 2.262 2.093 2.021 2.000 1.980' ]
}

# 20 seeds with differences of 1 .. 20: mean 10.5, deviation sqrt(35). Half of the interval is 2.0930 sqrt(35
# / 20) = 2.769, of a baseline of 100.
@test "paired: the interval of 20 seeds uses 19 degrees of freedom" {
    { echo variant,seed,x
        for seed in $(seq 20); do echo "base,$seed,100"; done
        for seed in $(seq 20); do echo "other,$seed,$((100 + seed))"; done
    } >"$BATS_TEST_TMPDIR/runs.csv"
    run repro/paired "$BATS_TEST_TMPDIR/runs.csv" base x
    [ "$output" = 'other,,10.5,7.7,13.3' ]
}

@test "repro: Student's t has one implementation" {
    run grep -rlE '2\.776|2\.262' repro --include=run --include='*.sh' --include='*.awk' --include=one --include=paired --include=directions --include=table
    [ "$output" = repro/student.awk ]
}

@test "repro: every experiment names the program of its results, and is in the list" {
    for run in repro/*/run; do
        name=$(basename "$(dirname "$run")")
        grep -qE '^<!-- build -->$|^> \*\*Of an older build\*\*|^\*\*There are no figures yet\*\*' "repro/$name/README.md" ||
            { echo "repro/$name/README.md names no program"; return 1; }
        grep -qF "| [$name]($name/README.md) |" repro/README.md || { echo "repro/README.md has no $name"; return 1; }
    done
}
