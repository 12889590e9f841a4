#!/usr/bin/env bats
# tests/cli/trace.bats - traces of applications, from the script that makes one to the results.
# shellcheck disable=SC2154  # common.bash sets dir
load common

@test "trace: a small Llama, made by our script, runs on GPU servers, the same with two threads" {
    tools/make-llama-trace "$dir/m" --gpus 16 --tensor 8 --layers 1 --hidden 512
    printf 'topology: dgx_h100_16\ntraffic: [{kind: chakra, file: m, groups: m.groups.json, channels: 2}]\n' >"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json >"$dir/one"
    "$ANOLE" run "$dir/s.yaml" --threads 2 --format json >"$dir/two"
    [ "$(jq -c '[.all, .traffic]' "$dir/one")" = "$(jq -c '[.all, .traffic]' "$dir/two")" ]
    # Two all-reduces of each pass in two groups of 8 GPUs by two rings: 2 x 2 x 2 x (8 x 14 x 2) messages; gradients by 8 pairs: 8 x (2 x 2 x 2).
    [ "$(jq .all.flows "$dir/one")" -eq $((2 * 2 * 2 * 8 * 14 * 2 + 8 * 2 * 2 * 2)) ]
}

@test "trace: without the file of groups a trace is refused, with the node" {
    tools/make-llama-trace "$dir/m" --gpus 4 --tensor 2 --layers 1 --hidden 256
    printf 'topology: {kind: star, hosts: 4}\ntraffic: [{kind: chakra, file: m}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"m.0.et: node 1: there is no group 1: name the file of groups"* ]]
}

@test "trace: more ranks than hosts are refused" {
    tools/make-llama-trace "$dir/m" --gpus 4 --tensor 2 --layers 1 --hidden 256
    printf 'topology: {kind: star, hosts: 3}\ntraffic: [{kind: chakra, file: m, groups: m.groups.json}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"4 ranks do not fit on 3 hosts"* ]]
}

# ring RANKS ROUNDS: every rank computes, then sends to the next and receives from the one before, over and over.
ring() {
    awk -v n="$1" -v rounds="$2" 'BEGIN {
        printf "num_ranks %d\n", n
        for (r = 0; r < n; r++) {
            printf "rank %d {\n", r
            for (i = 0; i < rounds; i++) {
                printf "c%d: calc 1000\ns%d: send 64b to %d tag %d\nr%d: recv 64b from %d tag %d\n", i, i, (r + 1) % n, i, i, (r + n - 1) % n, i
                printf "s%d requires c%d\nr%d requires c%d\n", i, i, i, i
                if (i) printf "c%d requires s%d\nc%d requires r%d\n", i, i - 1, i, i - 1
            }
            print "}"
        }
    }'
}

@test "trace: operations in a file give the same results, with two threads as well" {
    ring 4 300 >"$dir/a.goal"
    for memory in whole file; do
        printf 'topology: {kind: star, hosts: 4}\ntraffic: [{kind: goal, file: a.goal, memory: %s}]\n' "$memory" >"$dir/$memory.yaml"
        "$ANOLE" run "$dir/$memory.yaml" --format json | jq -c '[.all, .traffic, .packets]' >"$dir/$memory"
    done
    "$ANOLE" run "$dir/file.yaml" --threads 2 --format json | jq -c '[.all, .traffic, .packets]' >"$dir/threads"
    cmp "$dir/whole" "$dir/file"
    cmp "$dir/whole" "$dir/threads"
    [ "$(jq '.[0].flows' "$dir/file")" -eq 1200 ]
    printf 'topology: {kind: star, hosts: 4}\ntraffic: [{kind: goal, file: a.goal, memory: file}]\n' >"$dir/s.yaml"
    TMPDIR=/there/is/none run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"none can be made in /there/is/none"* ]]
}

@test "trace: memory is that of a rank and of what is under way, not that of the file" {
    # 32 ranks of 24,000 operations; a rank is some 2 MB, all of them some 70 MB.
    awk 'BEGIN { print "num_ranks 32"; for (r = 0; r < 32; r++) { printf "rank %d {\nc0: calc 1\n", r
        for (i = 1; i < 24000; i++) printf "c%d: calc 1\nc%d requires c%d\n", i, i, i - 1; print "}" } }' >"$dir/a.goal"
    peak() {
        printf 'topology: {kind: star, hosts: 32}\ntraffic: [{kind: goal, file: a.goal, memory: %s}]\n' "$1" >"$dir/s.yaml"
        ASAN_OPTIONS=quarantine_size_mb=1:detect_leaks=0 python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$ANOLE" run "$dir/s.yaml" --threads 1 -q
    }
    whole=$(peak whole)
    file=$(peak file)
    [ "$((whole - file))" -gt 40000 ]
}
