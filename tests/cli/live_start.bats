#!/usr/bin/env bats
# tests/cli/live_start.bats - first steps: the files in the package, certificates, help.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

samples=$BATS_TEST_DIRNAME/../../data/live

asks() {
    "$ANOLE" ctl status --address "localhost:$port" --ca certs/ca.pem --cert certs/operator.pem --key certs/operator.key >out 2>&1
}

is_connected() {
    asks && grep -q 'host1/mlx5_0' out
}

@test "live: sample configurations and certificates work unchanged" {
    needs_live
    command -v openssl >/dev/null || skip 'no openssl'
    "$samples/make-certs" certs localhost host1
    [ "$(stat -c %a certs/host1.key certs/ca.key | sort -u)" = 600 ]
    "$samples/make-certs" certs localhost host1 host2            # adds one and keeps the others
    openssl verify -CAfile certs/ca.pem certs/controller.pem certs/host1.pem certs/host2.pem certs/operator.pem
    make_nic nic1
    for name in agent controller; do
        sed "s|/etc/anole/|certs/|g; s|/var/lib/|$dir/|; s|controller.example:7471|localhost:$port|; s|0.0.0.0:7471|127.0.0.1:$port|" "$samples/$name.yaml" >$name.yaml
    done
    echo 'root: nic1' >>agent.yaml
    "$ANOLE" controller controller.yaml --check-config
    "$ANOLE" agent agent.yaml --check-config
    start controller.log "$ANOLE" controller controller.yaml
    start agent.log "$ANOLE" agent agent.yaml
    wait_for is_connected
}

@test "live: make-certs renews with the same keys, says what it leaves alone, and knows addresses" {
    needs_live
    command -v openssl >/dev/null || skip 'no openssl'
    names_of() { openssl x509 -in "$1" -noout -ext subjectAltName | tail -n 1 | tr -d ' '; }
    "$samples/make-certs" certs ::1,10.1.2.3,controller.example host1
    [ "$(names_of certs/controller.pem)" = IPAddress:0:0:0:0:0:0:0:1,IPAddress:10.1.2.3,DNS:controller.example ]
    cp -r certs old
    run "$samples/make-certs" certs ::1 host1
    [ "$status" -eq 0 ]
    [[ "$output" == *'host1.pem stays: valid until '*'; --renew issues it again'* ]]
    diff -r certs old
    "$samples/make-certs" --renew certs ::1 host1
    cmp certs/host1.key old/host1.key
    cmp certs/ca.pem old/ca.pem
    refute cmp -s certs/host1.pem old/host1.pem
    [ "$(names_of certs/controller.pem)" = IPAddress:0:0:0:0:0:0:0:1 ]
    openssl verify -CAfile certs/ca.pem certs/host1.pem certs/controller.pem
    rm certs/ca.key
    run "$samples/make-certs" --renew certs ::1 host1
    [ "$status" -eq 1 ]
    [[ "$output" == *'ca.key is not here'* ]]
    grep -q . /proc/net/if_inet6 || skip 'no IPv6'
    make_nic nic1
    sed "s|/etc/anole/|old/|g; s|/var/lib/|$dir/|; s|0.0.0.0:7471|'[::1]:$port'|" "$samples/controller.yaml" >controller.yaml
    sed "s|/etc/anole/|old/|g; s|/var/lib/|$dir/|; s|controller.example:7471|'[::1]:$port'|" "$samples/agent.yaml" >agent.yaml
    echo 'root: nic1' >>agent.yaml
    start controller.log "$ANOLE" controller controller.yaml
    start agent.log "$ANOLE" agent agent.yaml
    wait_for grep -q 'connected to the controller' agent.log
}

@test "live: a check as the user of a service finds files that it may not read" {
    needs_live
    [ "$(id -u)" -eq 0 ] || skip 'not root'
    command -v openssl >/dev/null || skip 'no openssl'
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$(dirname "$dir")" "$dir"  # for another user
    "$samples/make-certs" certs localhost host1
    chmod 755 certs
    make_nic nic1
    for name in agent controller; do
        sed "s|/etc/anole/|certs/|g; s|/var/lib/|$dir/|" "$samples/$name.yaml" >$name.yaml
    done
    printf 'root: nic1\nwrite: yes\n' | sed -i -e '/^write:/d' -e '$r /dev/stdin' agent.yaml
    "$ANOLE" controller controller.yaml --check-config           # root may read everything
    run "$ANOLE" controller controller.yaml --check-config --user nobody
    [ "$status" -eq 1 ]
    [[ "$output" == *'certs/ca.pem: Permission denied' ]]
    chmod 644 certs/*.pem && chgrp nogroup certs/controller.key && chmod 640 certs/controller.key
    "$ANOLE" controller controller.yaml --check-config --user nobody
    "$ANOLE" agent agent.yaml --check-config --user nobody       # with the capability of its unit, which writes files of root
    rm certs/host1.key
    run "$ANOLE" agent agent.yaml --check-config
    [[ "$output" == *'host1.key: No such file or directory' ]]
    run "$ANOLE" agent agent.yaml --check-config --user nosuchuser
    [[ "$output" == *"there is no user 'nosuchuser'" ]]
}

@test "live: --baseline takes back what was confirmed, and nothing that a person has set" {
    needs_live
    write_controller
    sed -i 's/^mode: .*/mode: direct/' controller.yaml
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    agent=$pid
    is_kept() { grep -q '"what":"confirm"' state1/mlx5_0/audit.jsonl; }
    run "$ANOLE" agent agent1.yaml --baseline
    [ "$status" -eq 1 ]                          # the agent runs
    wait_for is_kept
    kill "$agent"
    wait "$agent" || true
    kill "$controller"
    [ "$(ai_rate nic1)" = 50 ]                   # an improvement stays
    "$ANOLE" agent agent1.yaml --rescue
    [ "$(ai_rate nic1)" = 50 ]
    "$ANOLE" agent agent1.yaml --baseline
    [ "$(ai_rate nic1)" = 5 ]
    "$ANOLE" agent agent1.yaml --baseline        # again: nothing to do
    "$ANOLE" agent agent1.yaml --rescue
    [ "$(ai_rate nic1)" = 5 ]
    set_rate nic1 77
    "$ANOLE" agent agent1.yaml --baseline
    grep -qx 77 nic1/sys/class/net/eth7/ecn/roce_rp/rpg_hai_rate
    "$ANOLE" ctl verify state1/mlx5_0/audit.jsonl
    rm -r state1
    run "$ANOLE" agent agent1.yaml --baseline
    [ "$status" -eq 1 ]                          # unknown is not taken for right
    [[ "$output" == *'what it should hold is not known'* ]]
}

@test "live: anole-switch --help describes its arguments" {
    needs_live
    program=$(dirname "$ANOLE")/anole-switch
    run "$program" --help
    [ "$status" -eq 0 ]
    [[ "$output" == "Usage: anole-switch FOLDER "* ]]
    [ ! -e --help ]
    run "$program" --hlep
    [ "$status" -eq 2 ]
    [[ "$output" == *"see anole-switch --help" ]]
    [ ! -e --hlep ]
}

@test "live: an agent logs what it applies and reverts, and why" {
    needs_live
    write_controller
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    agent=$pid
    wait_for grep -q 'host1/mlx5_0: applies rpg_ai_rate 5 -> 50Mbps, rpg_hai_rate 50 -> 150Mbps, change [0-9]* of the controller with term [0-9]*' agent1.log
    kill -TERM "$agent"
    wait "$agent"
    grep -q 'host1/mlx5_0: reverted rpg_ai_rate 50 -> 5Mbps, rpg_hai_rate 150 -> 50Mbps, ' agent1.log
}

@test "live: a controller continues with a damaged log and state" {
    needs_live
    write_controller
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    wait_for grep -q '"what":"begin"' statec/audit.jsonl
    kill "$controller"
    wait "$controller"
    truncate -s -100 statec/audit.jsonl && echo '?' >>statec/audit.jsonl         # its last line
    truncate -s 10 statec/controller                                            # one copy of its state
    start controller.log "$ANOLE" controller controller.yaml
    wait_for grep -q '"what":"begin","term":131073' statec/audit.jsonl           # the second term: the other copy of the state has the counter
    grep -q 'audit.jsonl.damaged' controller.log
    "$ANOLE" ctl verify statec/audit.jsonl
}
