#!/usr/bin/env bats
# tests/people/gpu_engineer.bats - what a GPU engineer with SimAI's files types, and what must be answered.
# shellcheck disable=SC2154  # common.bash sets dir
load ../cli/common

top=$(realpath "$(dirname "${BATS_TEST_FILENAME:-$0}")/../..")

@test "gpu engineer: an iteration is one pass, and each is listed" {
    for passes in 1 2 4; do
        "$ANOLE" run "$top/examples/simai/scenario.yaml" --set "traffic.0.passes=$passes" --format json >"$dir/$passes"
        jq -e --argjson n "$passes" '.traffic[0] | .passes.iterations_us | length == $n' "$dir/$passes"
    done
    # more passes do not make an iteration longer
    jq -se '.[0].traffic[0].iteration_us_mean as $one | .[1:] | all((.traffic[0].iteration_us_mean - $one | fabs) < 0.1 * $one)' "$dir/1" "$dir/2" "$dir/4"
}

@test "gpu engineer: where an iteration's time goes, by rank and by collective" {
    "$ANOLE" run "$top/examples/simai/scenario.yaml" --format json >"$dir/json"
    jq -e '.traffic[0] | .iteration_us_mean as $all | .passes | (.ranks | length > 1 and all(
        (.computing_us + .hidden_us + .exposed_us + .waiting_us - $all | fabs) < 1e-6 * $all and .computing_us > 0)) and
        (.collectives | length > 0 and all(.us_mean > 0 and .us_most >= .us_mean))' "$dir/json"
    "$ANOLE" run "$top/examples/simai/scenario.yaml" >"$dir/out"
    refute grep -q '^Messages of training' "$dir/out"                # a table without rows
    "$ANOLE" run "$top/examples/chakra/scenario.yaml" --format json | jq -e '.traffic[0] | .exposed_us_mean != null and (.passes.ranks | length > 1)'
}

@test "gpu engineer: compare begins with the job's iteration" {
    "$ANOLE" compare "$top/examples/simai/scenario.yaml" --seeds 2 --variant ring --variant tree:traffic.0.all_reduce=tree --format json 2>/dev/null >"$dir/json"
    jq -e '(.deciding[0] | tostring | test("iteration_us_mean")) and (.answer.detail | test("iteration"))' "$dir/json"
}
