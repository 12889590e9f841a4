# Every example runs for a short while, and its first comment says what it shows.

load common

@test "every scenario begins with a comment" {
    for file in scenarios/*.yaml; do
        head -1 "$file" | grep -q '^# .' || { echo "$file"; return 1; }
    done
}

# result_of PROGRAM FILE ARGUMENT... - prints the results without the duration. A million connections take
# long to set up, so one scenario has only 128 of its 1,024 hosts.
result_of() {
    case $2 in */uet_alltoall1024.yaml) set -- "$@" --set topology.k=8 ;; esac
    "$1" run "${@:2}" --format json >out 2>err || { echo "$2: $(cat err)" >&2; return 1; }
    jq 'del(.wall)' out
}

data_arrives() {
    jq -e '.packets.data_received > 0' "$1" >/dev/null
}

# On slow links, or if hosts compute first, the first flow ends later. The run with three threads uses an
# optimized program if there is one and must give the same; threads_test.c has sanitizers for threads.
@test "every scenario runs, data arrives, and three threads give the same as one" {
    optimised=$(realpath "${FIDELITY_ANOLE:-$ANOLE}")
    cd "$BATS_TEST_TMPDIR"
    for file in "$OLDPWD"/scenarios/*.yaml; do
        result_of "$ANOLE" "$file" --until 60us --threads 1 >1.json
        result_of "$optimised" "$file" --until 60us --threads 3 >3.json
        cmp 1.json 3.json || { echo "$file"; return 1; }
        data_arrives 1.json || result_of "$optimised" "$file" --until 2ms >1.json
        data_arrives 1.json || { echo "$file: no data"; return 1; }
    done
}
