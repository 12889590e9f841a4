#!/usr/bin/env bats
# tests/cli/live_relay.bats - the HTTP interface of a relay, and reloading of its configuration.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

# http_of LOG - prints the address at which a process listens now.
http_of() {
    sed -n 's/^anole: http at //p' "$1" | tail -n 1
}

has_http() {
    [ -n "$(http_of "$1")" ]
}

fetch() {
    curl -sS --max-time 20 "$@"
}

# metric NAME - prints a metric of the relay.
metric() {
    fetch "http://$(http_of relay.log)/metrics" | sed -n "s/^$1 //p"
}

is_metric() {
    [ "$(metric "$1" 2>/dev/null)" = "$2" ]
}

has_code() {
    [ "$(fetch -o reply -w '%{http_code}' "http://$(http_of relay.log)/healthz")" = "$1" ]
}

with_relay() {
    command -v curl >/dev/null || skip 'no curl'
    write_controller
    sed -i '/^mode:/d' controller.yaml
    printf 'name: rack1\nlisten: 127.0.0.1:%s\ncontroller: 127.0.0.1:%s\ninterval: 50ms\nhttp: {listen: "127.0.0.1:0"}\n' $((port + 1)) "$port" >relay.yaml
    for i in 1 2; do
        write_agent $i
        echo "relays: [127.0.0.1:$((port + 1))]" >>agent$i.yaml
    done
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start relay.log "$ANOLE" agent --relay relay.yaml
    relay=$pid
    wait_for grep -q 'connected to the controller' relay.log
    wait_for has_http relay.log
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for is_metric anole_relay_devices 2
}

@test "relay: its metrics describe agents and the controller" {
    needs_live
    with_relay
    wait_for grep -q 'connected to the controller' agent1.log
    wait_for is_metric anole_relay_connected 1
    wait_for has_code 200
    fetch "http://$(http_of relay.log)/metrics" >relay.prom
    grep -q '^process_resident_memory_bytes ' relay.prom
    before=$(metric anole_relay_reports_total)
    more_reports() { [ "$(metric anole_relay_reports_total)" -gt "$before" ]; }
    wait_for more_reports
    [ "$(metric anole_relay_unreadable_total)" = 0 ]
    ! command -v promtool >/dev/null || promtool check metrics <relay.prom
    [ "$(fetch -o reply -w '%{http_code}' "http://$(http_of relay.log)/elsewhere")" = 404 ]
    kill -9 "$controller"
    wait_for has_code 503
    grep -q 'no controller' reply
    wait_for is_metric anole_relay_connected 0
    [ "$(metric anole_relay_lost_controller_total)" -ge 1 ]
}

@test "relay: a reload applies the whole configuration or none of it" {
    needs_live
    with_relay
    web=$(http_of relay.log)
    sed -i 's/^http:.*/http: {listen: "localhost:0"}/; s/^interval:.*/interval: 80ms/' relay.yaml
    kill -HUP "$relay"
    wait_for grep -q 'its configuration was read again' relay.log
    has_moved() { [ "$(http_of relay.log)" != "$web" ] && is_metric anole_relay_connected 1; }
    wait_for has_moved
    sed -i "s/^listen:.*/listen: 127.0.0.1:$((port + 2))/" relay.yaml
    kill -HUP "$relay"
    wait_for grep -q "relay.yaml: 'listen' cannot change while it runs" relay.log
    echo 'intervall: 1s' >>relay.yaml
    kill -HUP "$relay"
    wait_for grep -q "relay.yaml:6:1: .*did you mean 'interval'" relay.log
    wait_for is_metric anole_relay_devices 2
    [ "$(grep -c 'was read again' relay.log)" -eq 1 ]
}
