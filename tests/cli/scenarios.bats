# Every example runs, for a short while, and says at its top what it shows.

load common

@test "every scenario has a comment on top" {
    for file in scenarios/*.yaml; do
        head -1 "$file" | grep -q '^# .' || { echo "$file"; return 1; }
    done
}

# result_of FILE ARGUMENT... : what anole run prints, without the time that it took. A million connections take long to make:
# one scenario is made with 128 of its 1,024 hosts.
result_of() {
    case $1 in */uet_alltoall1024.yaml) set -- "$@" --set topology.k=8 ;; esac
    "$ANOLE" run "$@" --format json >out 2>err || { echo "$1: $(cat err)" >&2; return 1; }
    jq 'del(.wall)' out
}

data_arrives() {
    jq -e '.packets.data_received > 0' "$1" >/dev/null
}

# Where links are slow, or hosts compute first, the first flow comes later.
@test "every scenario runs, data arrives, and three threads give the same as one" {
    cd "$BATS_TEST_TMPDIR"
    for file in "$OLDPWD"/scenarios/*.yaml; do
        for threads in 1 3; do result_of "$file" --until 60us --threads $threads >$threads.json; done
        cmp 1.json 3.json || { echo "$file"; return 1; }
        data_arrives 1.json || result_of "$file" --until 2ms >1.json
        data_arrives 1.json || { echo "$file: no data"; return 1; }
    done
}
