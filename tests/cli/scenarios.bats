# Every example runs, for a short while, and says at its top what it shows.

load common

@test "every scenario has a comment on top" {
    for file in scenarios/*.yaml; do
        head -1 "$file" | grep -q '^# .' || { echo "$file"; return 1; }
    done
}

# result_of PROGRAM FILE ARGUMENT... : what its run prints, without the time that it took. A million connections take long to make:
# one scenario is made with 128 of its 1,024 hosts.
result_of() {
    case $2 in */uet_alltoall1024.yaml) set -- "$@" --set topology.k=8 ;; esac
    "$1" run "${@:2}" --format json >out 2>err || { echo "$2: $(cat err)" >&2; return 1; }
    jq 'del(.wall)' out
}

data_arrives() {
    jq -e '.packets.data_received > 0' "$1" >/dev/null
}

# Where links are slow, or hosts compute first, the first flow comes later. Three threads are those of an optimised program where there
# is one: it must give the same, and threads_test.c has sanitizers look at threads.
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
