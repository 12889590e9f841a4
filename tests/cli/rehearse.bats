#!/usr/bin/env bats
# tests/cli/rehearse.bats - the tuner rehearse: its reports, reproducibility, and where it is refused.

# shellcheck disable=SC2154  # common.bash sets dir, and status as run does
load common

# Thresholds are so high and CNPs so rare that queues are long. Almost any change is better, so a small search
# succeeds. A search takes seconds. Only the first run, which serves several tests, has sanitizers; the others
# use an optimized program if there is one.
optimised=$(realpath "${FIDELITY_ANOLE:-$ANOLE}")

slow() {
    echo "$BATS_FILE_TMPDIR/slow.yaml"
}

setup_file() {
    : "${ANOLE:?is the program to test}"
    cat >"$(slow)" <<'END'
topology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}
host: {mtu: 4096}
interval: 500us
traffic:
  - {kind: poisson, load: 0.5, sizes: FB_Hadoop}
knobs: {kmin: 1600KB, kmax: 6400KB, min_time_between_cnps: 96us}
tuner: {kind: rehearse, budget: 4}
goal: balanced, class_bound=10000%
run: 14ms
END
    "$ANOLE" run "$(slow)" --out "$BATS_FILE_TMPDIR/a" >/dev/null
    "$ANOLE" explain "$BATS_FILE_TMPDIR/a" | tr -s ' \n' ' ' >"$BATS_FILE_TMPDIR/story"
}

@test "rehearse: lists trials, predictions and results, reproducibly" {
    cd "$BATS_FILE_TMPDIR" || return 1
    grep -qE 'Gb/s per host, [0-9]+ % at random' story
    grep -qE '[0-9]+ trials on the twin \([+-][0-9]+ % off\): .* predicted to be [0-9]+ % better' story
    grep -qE '[0-9]+ % (faster|slower) than before, [0-9]+ % (were|faster was) predicted' story
    grep -qE 'set: .*kmin 1600KB -> ' story
    "$optimised" run slow.yaml --out b >/dev/null
    cmp a/tuning.jsonl b/tuning.jsonl
    cmp a/flows.csv b/flows.csv
}

@test "rehearse: an opening applies from the start and is reported, unless a setting is chosen or openings are off" {
    file=$(slow)
    grep -v ^knobs "$file" >"$dir/new.yaml"
    for opening in bdp gentle; do
        "$optimised" run "$dir/new.yaml" --set "tuner.opening=$opening" --set run=2ms --out "$dir/$opening" >/dev/null
        "$ANOLE" explain "$dir/$opening" | tr -s ' \n' ' ' | grep -q 'since the beginning, before any message was seen, '
        jq -s -e '.[0].knobs.kmin < 100' "$dir/$opening/tuning.jsonl" >/dev/null
    done
    "$optimised" run "$dir/new.yaml" --set tuner=bdp --set run=2ms --out "$dir/fixed" >/dev/null
    cmp "$dir/fixed/flows.csv" "$dir/bdp/flows.csv"
    "$optimised" run "$dir/new.yaml" --set tuner.opening=none --set run=2ms --out "$dir/none" >/dev/null
    "$optimised" run "$file" --set run=2ms --out "$dir/chosen" >/dev/null
    for out in none chosen; do
        refute grep -q 'since the beginning' "$dir/$out/tuning.jsonl"
        jq -s -e '.[0].knobs.kmin >= 400' "$dir/$out/tuning.jsonl" >/dev/null
    done
}

@test "rehearse: a twin that is not trusted changes nothing" {
    file=$(slow)
    "$optimised" run "$file" --set tuner.trust=0 --set run=8ms --out "$dir/a" >/dev/null
    "$ANOLE" explain "$dir/a" | tr -s ' \n' ' ' | grep -qE 'the twin is wrong: .* nothing is changed'
    jq -s -e 'all(.[1:][]; (.set // {}) == {})' "$dir/a/tuning.jsonl"
}

@test "rehearse: on a quiet network it runs no twin" {
    file=$(slow)
    "$optimised" run "$file" --set 'traffic=[{kind: poisson, load: 0.01, sizes: FB_Hadoop}]' --set run=14ms --out "$dir/a" >/dev/null
    "$ANOLE" explain "$dir/a" | tr -s ' \n' ' ' | grep -q 'there is nothing to gain'
    refute grep -q 'trials on the twin' "$dir/a/tuning.jsonl"
}

@test "rehearse: reports events of the network that its twin lacks" {
    grep -q 'trials on the twin' "$BATS_FILE_TMPDIR/story"
    refute grep -q 'knows nothing of' "$BATS_FILE_TMPDIR/story"
    "$optimised" run "$(slow)" --set run=6ms --set 'topology.links_down=[{a: h7, b: s0, down: 5ms}]' \
        --set 'traffic=[{kind: poisson, load: 0.5, sizes: FB_Hadoop}, {kind: tcp, load: 0.02, sizes: FB_Hadoop}]' \
        --set 'changes=[{at: 5.5ms, knobs: {pmax: 0.3}}]' --out "$dir/b" >/dev/null
    "$ANOLE" explain "$dir/b" | tr -s ' \n' ' ' | tee "$dir/text"
    grep -q 'the twin knows nothing of links that fail, nor of changes, nor of TCP, and is not asked' "$dir/text"
}

@test "rehearse: anole tune searches with it, and verifies the result" {
    "$optimised" tune "$(slow)" --check 5 --history "$dir/history" --out "$dir/found.yaml" >"$dir/text"
    grep -q 'tuner rehearse' "$dir/text"
    refute grep -q 'the search was not over' "$dir/text"
    grep -qE 'better(:| in) mean slowdown' "$dir/text"
    grep -q 'kmin' "$dir/found.yaml"
    "$ANOLE" explain "$dir/history" | grep -q 'trials on the twin'
}
