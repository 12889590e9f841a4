#!/usr/bin/env bats
# tests/live/everyday.bats - everyday life of a fabric: an upgrade with a running trial, a backup that is restored,
# certificates that are replaced. `make chaos` runs it.
#
# OLD_ANOLE names an older program for the upgrade; without it, messages of an older version are read by
# src/live/wire/codec_test.c alone.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load ../cli/common
load ../cli/fabric

teardown() {
    kill_started
    [ ! -f "$dir/ports_file" ] || xargs -r rm -f <"$dir/ports_file"
}

is_tried() {
    has_rate nic1 50 || has_rate nic2 50
}

is_back() {
    has_rate nic1 5 && has_rate nic2 5
}

# write_fabric - a controller and two agents; $dir is the current folder.
write_fabric() {
    write_controller
    write_agent 1
    write_agent 2
}

# start_controller PROGRAM, start_agent PROGRAM INDEX
start_controller() {
    start controller.log "$1" controller controller.yaml
    controller=$pid
}

start_agent() {
    start "agent$2.log" "$1" agent "agent$2.yaml"
    agent[$2]=$pid
}

# upgrade FROM TO - replaces first the agents, then the controller, each during a trial.
upgrade() {
    write_fabric
    start_controller "$1"
    start_agent "$1" 1
    start_agent "$1" 2
    wait_for is_tried
    for i in 1 2; do
        kill "${agent[$i]}"
        wait_for have_ended "${agent[$i]}"
        has_rate "nic$i" 5                       # it reverts before it ends
        start_agent "$2" "$i"
        wait_for is_tried                        # trials go on between the versions
    done
    wait_for has_rate nic1 50
    kill -9 "$controller"
    wait_for is_back
    start_controller "$2"
    wait_for is_tried
    ctl rollback
    wait_for is_back
    for i in 1 2; do "$ANOLE" ctl verify "state$i/mlx5_0/audit.jsonl"; done
    "$ANOLE" ctl verify statec/audit.jsonl
    [ "$(ctl status --json | jq '[.devices[] | select(.changed != {})] | length')" -eq 0 ]
}

@test "everyday: an upgrade during a trial, and back again" {
    needs_live
    [ -x "${OLD_ANOLE:-}" ] || skip 'OLD_ANOLE names no older program'
    upgrade "$OLD_ANOLE" "$ANOLE"
    kill_started
    rm -rf state? statec
    upgrade "$ANOLE" "$OLD_ANOLE"
}

@test "everyday: an older backup of the controller's folder is restored" {
    needs_live
    write_fabric
    start_controller "$ANOLE"
    start_agent "$ANOLE" 1
    start_agent "$ANOLE" 2
    wait_for is_tried
    ctl freeze --why 'before the backup'
    wait_for is_back
    cp -a statec backup                          # while it runs
    before=$(ctl status --json | jq .trial.number)
    ctl thaw
    wait_for is_tried
    term=$(ctl status --json | jq .term)
    kill -9 "$controller"
    wait_for is_back
    rm -r statec
    cp -a backup statec
    start_controller "$ANOLE"
    wait_for says 'nothing is tried: frozen by .*before the backup'      # as it was then
    "$ANOLE" ctl verify statec/audit.jsonl
    ctl thaw --why 'after the restore'
    wait_for is_tried                            # agents obey: its term is above all that they have seen
    [ "$(ctl status --json | jq .term)" -gt "$term" ]
    [ "$(ctl status --json | jq .trial.number)" -ge "$before" ]
    refute grep -q 'another controller has taken over' controller.log
    ctl rollback
    wait_for is_back
}

@test "everyday: certificates are replaced during a trial, in any order" {
    needs_live
    command -v openssl >/dev/null || skip 'no openssl'
    make_ca ca
    for name in c1 host1 host2 operator; do make_cert $name ca -days 2; done
    write_fabric
    tls_of c1 'refresh: 1s' >>controller.yaml
    for i in 1 2; do
        tls_of host$i 'refresh: 1s' >>agent$i.yaml
        sed -i 's/127.0.0.1:'"$port"'/localhost:'"$port"'/' agent$i.yaml
    done
    start_controller "$ANOLE"
    start_agent "$ANOLE" 1
    start_agent "$ANOLE" 2
    wait_for is_tried
    for name in host1 c1 host2; do
        cp $name.key kept
        make_cert $name ca -days 300
        cp kept $name.key                        # the new pair is half there
        sleep 1.5
        make_cert $name ca -days 300
        wait_for is_tried
    done
    kill -9 "$controller"
    wait_for is_back
    start_controller "$ANOLE"                    # all connect with what is new
    wait_for is_tried
    all_report() { asks_as operator && grep -q '^2 devices, 100 % report' out; }
    wait_for all_report
    refute grep -q 'certificate of host' out     # those that end soon are the operator's
}
