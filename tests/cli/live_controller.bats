#!/usr/bin/env bats
# tests/cli/live_controller.bats - a controller as a process: records of its inputs, its log, its orders.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

teardown() {
    kill_started
    [ ! -f "$dir/ports_file" ] || xargs -r rm -f <"$dir/ports_file"
    umount "$dir/statec" 2>/dev/null || true
}

is_tried() {
    has_rate nic1 50 || has_rate nic2 50
}

is_back() {
    has_rate nic1 5 && has_rate nic2 5
}

@test "controller: its decisions follow again from a record of its inputs" {
    needs_live
    write_controller
    write_agent 1
    write_agent 2
    start controller.log "$ANOLE" controller controller.yaml --record inputs.jsonl
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for is_tried
    ctl freeze --why 'an incident'
    wait_for is_back
    kill -9 "$controller"
    "$ANOLE" ctl replay inputs.jsonl >replayed.txt
    grep -q 'freeze: an incident$' replayed.txt
    grep -q 'try rpg_ai_rate 50' replayed.txt
    [[ "$(tail -n 1 replayed.txt)" == *" inputs: the same actions follow" ]]
    sed -i 's/an incident/an accident/' inputs.jsonl
    run "$ANOLE" ctl replay inputs.jsonl
    [ "$status" -eq 1 ]
    [[ "$output" == *"inputs.jsonl:"*": after this input other actions follow than were recorded"* ]]
    run "$ANOLE" controller controller.yaml --record inputs.jsonl
    [ "$status" -eq 1 ]
    [[ "$output" == *"inputs.jsonl: File exists" ]]
}

@test "controller: a freeze survives a full disk and kill -9" {
    needs_live
    mkdir statec
    mount -t tmpfs -o size=256k none statec 2>/dev/null || skip 'only root may mount a small disk'
    write_controller
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for says 'host1/mlx5_0'
    dd if=/dev/zero of=statec/fill bs=1k 2>/dev/null || true
    ctl freeze --why 'the disk is full'
    kill -9 "$controller"
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    wait_for says 'nothing is tried: frozen by .*the disk is full'
    kill -9 "$controller"
}

# post TOKEN VERB BODY - gives an order over HTTP and prints the status.
post() {
    curl -sS --max-time 10 -o reply -w '%{http_code}' -X POST -H "Authorization: Bearer $1" \
        -H 'Content-Type: application/json' -d "$3" "http://$web/api/$2"
}

has_web() {
    web=$(sed -n 's/^anole: http at //p' controller.log | head -n 1)
    [ -n "$web" ]
}

@test "controller: a scraper's token neither freezes nor approves; an approver's approves and rejects" {
    needs_live
    command -v curl >/dev/null || skip 'no curl'
    (umask 077 && echo token-of-an-operator >operator && echo token-of-an-approver >approver && echo token-of-a-scraper-1 >viewer)
    write_controller
    sed -i 's/^mode: .*/mode: approve/' controller.yaml
    printf 'http: {listen: "127.0.0.1:0", token: operator, approver_token: approver, viewer_token: viewer}\n' >>controller.yaml
    write_agent 1
    write_agent 2
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for has_web
    wait_for says 'trial 1: waiting'
    for order in freeze thaw rollback drill; do
        [ "$(post token-of-a-scraper-1 "$order" '{}')" = 403 ]
        [ "$(post token-of-an-approver "$order" '{}')" = 403 ]
    done
    [ "$(post token-of-a-scraper-1 reject '{"number": 1}')" = 403 ]
    for right in a-scraper-1:view an-approver:approve an-operator:operate; do
        curl -sS -H "Authorization: Bearer token-of-${right%:*}" "http://$web/api/right" >right
        grep -q "\"right\":\"${right#*:}\"" right
    done
    [ "$(post token-of-an-approver reject '{"number": 1, "why": "not in this rack"}')" = 200 ]
    wait_for grep -q '"what":"reject".*"why":"not in this rack"' statec/audit.jsonl
    grep -q "\"who\":\"the holder of the approvers' HTTP token\",\"what\":\"reject\"" statec/audit.jsonl
    wait_for says 'nothing is tried: the tuner.s setting was dropped before'
    [ "$(post token-of-an-operator freeze '{}')" = 200 ]
    cp operator viewer                           # one token cannot have two roles
    sed -i "s/^listen: .*/listen: 127.0.0.1:$((port + 1))/; s/^state: .*/state: other/" controller.yaml
    run "$ANOLE" controller controller.yaml
    [ "$status" -eq 1 ]
    [[ "$output" == *"viewer: the token of another role is the same" ]]
}

@test "controller: reject by command; a proposal that waits blocks neither forget nor a reload" {
    needs_live
    write_controller
    sed -i 's/^mode: .*/mode: approve/' controller.yaml
    write_agent 1
    write_agent 2
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    agent2=$pid
    wait_for says 'trial 1: waiting'
    kill "$agent2"
    wait_for says 'host2/mlx5_0 .*left'
    ctl forget 'host2*'
    ctl status | grep -q 'trial 1: waiting'
    refute says 'host2/mlx5_0 .*left'
    sed -i 's/^block: .*/block: 5/' controller.yaml
    kill -HUP "$controller"
    wait_for grep -q 'its configuration was read again' controller.log
    wait_for says 'trial 2: waiting'
    ctl reject 2 --why 'too bold'
    wait_for grep -q '"what":"reject".*"why":"too bold"' statec/audit.jsonl
    run ctl reject 2
    [ "$status" -eq 1 ]
    [[ "$output" == *'no trial of that number waits for approval'* ]]
}

@test "controller: certificates of viewers and approvers do no more than they may" {
    needs_live
    command -v openssl >/dev/null || skip 'no openssl'
    make_ca ca
    for name in c1 host1 host2 operator scraper boss; do make_cert $name ca -days 2; done
    write_controller
    sed -i 's/^mode: .*/mode: approve/' controller.yaml
    printf 'socket: ctl.sock\nviewers: [scraper]\napprovers: [boss]\n' >>controller.yaml
    tls_of c1 >>controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    for i in 1 2; do
        write_agent $i
        tls_of host$i >>agent$i.yaml
        sed -i 's/127.0.0.1/localhost/' agent$i.yaml
        start agent$i.log "$ANOLE" agent agent$i.yaml
    done
    as() {
        name=$1
        shift
        "$ANOLE" ctl --address "localhost:$port" --ca ca.pem --cert "$name.pem" --key "$name.key" "$@"
    }
    waits() { as scraper status 2>/dev/null | grep -q 'trial 1: waiting'; }
    wait_for waits
    for order in freeze rollback 'reject 1'; do
        # shellcheck disable=SC2086  # words
        run as scraper $order
        [ "$status" -eq 1 ]
        [[ "$output" == *"'scraper' is a viewer of this controller, who may only look" ]]
    done
    run as boss freeze
    [ "$status" -eq 1 ]
    [[ "$output" == *"'boss' is an approver of this controller, who may look, approve and reject" ]]
    as boss reject 1 --why 'not today'
    grep -q '"who":"boss","what":"reject".*"why":"not today"' statec/audit.jsonl
    as operator freeze
}

@test "controller: its journal has a line for each event that an operator would look for" {
    needs_live
    write_controller
    sed -i 's/^mode: .*/mode: approve/' controller.yaml
    write_agent 1
    write_agent 2
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    agent2=$pid
    wait_for says 'trial 1: waiting'
    ctl reject 1 --why 'too bold'
    wait_for grep -q 'reject by .*: too bold' controller.log
    kill -STOP "$agent2"
    wait_for grep -q 'lost: host2/mlx5_0' controller.log
    kill -CONT "$agent2"
    wait_for grep -q 'back: host2/mlx5_0' controller.log
    ctl freeze --why 'rack 7'
    wait_for grep -q 'freeze by .*: rack 7' controller.log
    ctl thaw
    wait_for grep -q 'thaw by ' controller.log
    wait_for says 'trial 2: waiting'
    ctl approve "$(ctl status --json | jq -r '"\(.trial.number):\(.trial.code)"')" --why fine
    wait_for grep -q 'approve by .*: fine' controller.log
    kill -HUP "$controller"
    wait_for grep -q 'the new configuration holds when trial 2 has ended' controller.log
}
