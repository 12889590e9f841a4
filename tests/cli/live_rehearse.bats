#!/usr/bin/env bats
# tests/cli/live_rehearse.bats - a controller with the tuner rehearse: simulates first, then applies under
# live guardrails.

# shellcheck disable=SC2154  # common.bash sets dir, and status as run does
load common
load fabric

optimised=$(realpath "${FIDELITY_ANOLE:-$ANOLE}")

# slow FILE - a network with long queues, because thresholds are high and CNPs rare. Almost any change is
# better, so a small search succeeds.
slow() {
    cat >"$1" <<'END_OF_FILE'
topology: {kind: star, hosts: 6, rate: 100Gbps, delay: 1us}
host: {mtu: 4096}
interval: 1ms
traffic:
  - {kind: poisson, load: 0.5, sizes: FB_Hadoop}
knobs: {kmin: 1600KB, kmax: 6400KB, min_time_between_cnps: 96us}
tuner: {kind: rehearse, budget: 1, pairs: 0}
goal: balanced, class_bound=10000%
run: 14ms
END_OF_FILE
}

# The decisions of a tuner and their inputs, without data that hosts cannot know.
decisions() {
    jq -c 'del(.goodput_gbps, .rtt_us)' "$1"
}

# live.bats shows that decisions are also equal without delays.
@test "live rehearse: in lock step it decides as in anole run, delays included" {
    needs_live
    slow late.yaml
    sed -i 's/pairs: 0/pairs: 0, monitor_delay: 1ms, dispatch_delay: 2ms/' late.yaml
    # Both repeat the search, with an optimized program if there is one. Sanitizers check the search in
    # live_tuner_twin_test.c and rehearse.bats, and lock step in live.bats.
    "$optimised" run late.yaml --out run >/dev/null
    "$optimised" twin late.yaml --lock-step --out twin >/dev/null 2>twin.err
    decisions run/tuning.jsonl >run.decisions
    decisions twin/controller/tuning.jsonl >twin.decisions
    diff run.decisions twin.decisions
    grep -q 'trials on the twin' run.decisions
    grep -q '"set":{[^}]*"kmin"' run.decisions
    for log in twin/agent/*/audit.jsonl twin/controller/audit.jsonl; do "$ANOLE" ctl verify "$log"; done
}

# has_set - a device received thresholds that were found on the twin.
has_set() {
    jq -e -s 'any(.[]; .what == "keep" and (.why | test("tuner rehearse")) and .new.kmin != null)' out/controller/audit.jsonl >/dev/null
}

@test "live rehearse: in real time it applies what it found on the twin, while all agents are answered in time" {
    needs_live
    slow slow.yaml
    sed -i 's/run: 14ms/run: 1000s/' slow.yaml
    start twin.log "$optimised" twin slow.yaml --interval 200 --direct --out out >text
    wait_for has_set
    jq -e -s 'any(.[]; .what == "keep" and (.why | endswith("it is set")))' out/controller/audit.jsonl >/dev/null
    jq -e -s 'any(.[]; .what == "apply")' out/agent/s0/audit.jsonl >/dev/null
    kill "$pid"
    wait "$pid" || true
    grep -q 'trials on the twin' out/controller/tuning.jsonl
}

@test "live rehearse: missing requirements are reported in one line" {
    needs_live
    slow slow.yaml
    printf 'listen: 127.0.0.1:%s\nstate: state\ntuner: rehearse\n' "$port" >controller.yaml
    run_apart "$ANOLE" controller controller.yaml --check-config
    [ "$status" -ne 0 ]
    [ "$(wc -l <err)" -eq 1 ]
    grep -q "controller.yaml:3:.*needs a description of the network: add 'fabric: FILE'" err
    echo 'fabric: slow.yaml' >>controller.yaml
    "$ANOLE" controller controller.yaml --check-config
    sed -i 's/fabric: .*/fabric: none.yaml/' controller.yaml
    run_apart "$ANOLE" controller controller.yaml --check-config
    [ "$status" -ne 0 ]
    [ "$(wc -l <err)" -eq 1 ]
    grep -q 'none.yaml' err
    run "$ANOLE" twin slow.yaml --hardware
    [ "$status" -ne 0 ]
    [[ "$output" == *'no NIC counts messages'* ]]
}

@test "live rehearse: without reports of messages it says so and changes nothing" {
    needs_live
    slow slow.yaml
    write_agent 1
    echo 'interval: 50ms' >>agent1.yaml
    printf 'listen: 127.0.0.1:%s\nstate: state\ntuner: rehearse\nfabric: slow.yaml\nmode: direct\ninterval: 50ms\ngather: 100ms\n' "$port" >controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for grep -q 'no device reports messages; the tuner is idle and the current setting stays' controller.log
    has_rate nic1 5
}
