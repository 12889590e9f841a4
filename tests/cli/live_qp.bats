#!/usr/bin/env bats
# tests/cli/live_qp.bats - a tuner reacts to flow sizes that real agents collect from the kernel's counters of
# queue pairs.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

# start_traffic - starts queue pairs of two hosts, which send the traffic named in the file 'kind'.
start_traffic() {
    echo mice >kind
    for i in 1 2; do
        mkdir -p "nic$i/rdma"
        start "traffic$i.log" /usr/bin/python3 "$BATS_TEST_DIRNAME/../live/qp_traffic.py" "nic$i" kind
    done
    wait_for test -s nic1/rdma/mlx5_0
    wait_for test -s nic2/rdma/mlx5_0
}

# has_searched REGEX - whether the tuner, which has ended, started a search because of these flow sizes. A
# search starts with the current setting, so the audit log need not show it.
has_searched() {
    grep -q "flow sizes changed (divergence [^)]*; elephants $1 % of flows)" statec/tuning.jsonl
}

start_controller() {
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
}

stop_controller() {
    kill "$controller"
    wait "$controller"
}

has_tried() {
    grep -q '"why":"tuner paraleon' statec/audit.jsonl 2>/dev/null
}

# acts_on_change [LINE OF CONFIGURATION] - mice become elephants, and the tuner reacts.
acts_on_change() {
    write_controller
    sed -i 's/^mode:.*/mode: direct/; /^tuner:/d' controller.yaml
    cat >>controller.yaml <<END
tuner: {name: paraleon, known: no, remember: no, confirm: 0, settle: 0, measure: 1, iterations: 1, temperature_start: 9, temperature_end: 8}
$1
END
    for i in 1 2; do
        write_agent $i
        printf 'lasting_per_day: 100000\nswitches_per_day: 100000\n' >>agent$i.yaml
    done
    start_traffic
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    for seconds in 5 10 20 40; do                # a slow machine needs longer
        echo mice >kind
        rm -rf statec
        start_controller
        wait_for has_tried
        echo elephants >kind
        sleep $seconds
        stop_controller
        has_searched '[1-9][0-9]*' && break
    done
    has_searched 0
    has_searched '[1-9][0-9]*'
    grep -q '"what":"apply"' state1/mlx5_0/audit.jsonl
    "$ANOLE" ctl verify statec/audit.jsonl
}

@test "flow sizes: a tuner reacts when the collected sizes change" {
    needs_live
    acts_on_change
}

# has_silence - all devices report, but none reports its link rate.
has_silence() {
    [ "$(curl -sS --max-time 20 "http://$(sed -n 's/^anole: http at //p' controller.log)/api/state" 2>/dev/null |
         jq -c '[.coverage, (.devices[] | .rate_bps // 0)]' 2>/dev/null)" = '[1,0,0]' ]
}

# Reports with only flow sizes start the search. It continues with full reports, because it could not measure
# otherwise.
@test "flow sizes: always collected; everything else only during a search" {
    needs_live
    acts_on_change 'collect: tuning'
    command -v curl >/dev/null || skip 'no curl'
    printf 'http: {listen: "127.0.0.1:0"}\n' >>controller.yaml
    start_controller
    wait_for has_silence          # the search is over
    sed -i 's/^collect:.*/collect: tunning/' controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"'tunning' is not a value of collect; did you mean 'tuning'?" ]]
}
