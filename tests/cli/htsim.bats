#!/usr/bin/env bats
# tests/cli/htsim.bats - model htsim: from a command line of htsim_uec to results, and rejected input.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

setup() {
    dir=$BATS_TEST_TMPDIR
    mkdir "$dir/theirs"
    printf 'Nodes 16\nConnections 2\nTriggers 1\n%s\n%s\n%s\n' '0->15 id 1 start 0 size 4086 send_done_trigger 1' \
        '15->0 id 2 trigger 1 size 4086' 'trigger id 1 oneshot' >"$dir/theirs/conn.cm"
    echo 'htsim_uec -tm conn.cm -seed 1 -end 1000' >"$dir/theirs/cmd.txt"
}

convert() {
    "$ANOLE" convert "$dir/theirs/cmd.txt" --to scenario -o "$dir/mine"
}

@test "htsim: a command line becomes a scenario that runs" {
    convert
    "$ANOLE" run "$dir/mine/scenario.yaml" --out "$dir/out" --htsim-flows "$dir/flows.txt" >"$dir/table"
    grep -q 'model *htsim, nscc, mixed' "$dir/table"
    # a flow of one packet takes the network's round trip; the second starts when the first has ended
    [ "$(awk '!/^#/ { print $6, $7 }' "$dir/flows.txt")" = "0 14022720
14022720 28045440" ]
    [ "$(wc -l <"$dir/out/flows.csv")" -eq 3 ]
    jq -e '.model == "htsim" and .cc == "nscc" and .lb == "mixed"' "$dir/out/summary.json"
    [ "$(head -n 1 "$dir/flows.txt" | wc -w)" -eq 27 ]
}

@test "htsim: a flow that the end of the run cuts off is unfinished" {
    convert
    "$ANOLE" run "$dir/mine/scenario.yaml" --quiet --set htsim.end=20us --htsim-flows "$dir/flows.txt"
    [ "$(awk '!/^#/ { print $7 }' "$dir/flows.txt" | tail -n 1)" = -1 ]
    # the run lasts until the last event before the end
    "$ANOLE" run "$dir/mine/scenario.yaml" --set htsim.end=20us --format json \
        | jq -e '.simulated_us > 14 and .simulated_us < 20 and .flows_unfinished != 0'
}

@test "htsim: rejects unsupported features with a reason" {
    convert
    run "$ANOLE" run "$dir/mine/scenario.yaml" --threads 2
    [ "$status" -ne 0 ]
    [[ $output == *"model htsim runs on one thread"* ]]
    run "$ANOLE" run "$dir/mine/scenario.yaml" --pcap "$dir/x.pcap"
    [ "$status" -ne 0 ]
    [[ $output == *"model htsim has no such file"* ]]
    [ ! -e "$dir/x.pcap" ]
    run "$ANOLE" run "$dir/mine/scenario.yaml" --set cc=dcqcn
    [ "$status" -ne 0 ]
    [[ $output == *"model htsim has no 'cc'"* ]]
    run "$ANOLE" convert "$dir/theirs/cmd.txt" --to hpcc -o "$dir/hpcc"
    [ "$status" -ne 0 ]
    [[ $output == *"say --to scenario"* ]]
    [ ! -e "$dir/hpcc" ]
    run "$ANOLE" convert "$dir/mine/scenario.yaml" --to hpcc -o "$dir/again"
    [ "$status" -ne 0 ]
    [[ $output == *"names its .cm and .topo files already"* ]]
    echo 'htsim_uec -tm conn.cm -nodes 8' >"$dir/theirs/cmd.txt"
    run "$ANOLE" convert "$dir/theirs/cmd.txt" --to scenario -o "$dir/other"
    [ "$status" -ne 0 ]
    [[ $output == *"-nodes 8, but the connection matrix has 16"* ]]
}

@test "htsim: an error in a named file is one line that points to the command line, and leaves no files" {
    printf 'Nodes 12\nConnections 1\n0->1 start 0 size 1\n' >"$dir/theirs/conn.cm"
    run "$ANOLE" convert "$dir/theirs/cmd.txt" --to scenario -o "$dir/other"
    [ "$status" -ne 0 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == "anole: $dir/theirs/cmd.txt:1: 12 hosts do not fill a fat-tree of 3 tiers"* ]]
    : >"$dir/theirs/conn.cm"
    run "$ANOLE" convert "$dir/theirs/cmd.txt" --to scenario -o "$dir/other"
    [ "$output" = "anole: $dir/theirs/conn.cm: 'Nodes', the number of hosts, is missing" ]
    [ ! -e "$dir/other" ]
}

@test "htsim: a run that would abort uet-htsim ends with its reason" {
    printf 'Nodes 16\nConnections 4\n%s\n%s\n%s\n%s\n' '1->0 start 0 size 400000' '2->0 start 0 size 400000' \
        '3->0 start 0 size 400000' '4->0 start 0 size 400000' >"$dir/theirs/conn.cm"
    echo 'htsim_uec -tm conn.cm -load_balancing_algo reps -disable_trim -q 2 -end 100000' >"$dir/theirs/cmd.txt"
    convert
    run "$ANOLE" run "$dir/mine/scenario.yaml"
    [ "$status" -ne 0 ]
    [[ $output == *"a time-out with reps and without trimming; uet-htsim ends here"* ]]
}
