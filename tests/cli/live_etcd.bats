#!/usr/bin/env bats
# tests/cli/live_etcd.bats - two controllers of one cell share a lease in a real etcd: one is active, the
# other stands by.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

# with_etcd - starts etcd on its own ports; $etcd is its process id.
with_etcd() {
    command -v etcd >/dev/null || skip 'no etcd: tools/deps peers'
    etcd_port=$((port + 10))
    start_etcd
    wait_for curl -sf -o /dev/null "http://127.0.0.1:$etcd_port/health"
}

start_etcd() {
    start etcd.log env ETCD_UNSUPPORTED_ARCH="$(dpkg --print-architecture)" etcd --data-dir etcd-data --log-outputs stdout \
        --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
        --listen-peer-urls "http://127.0.0.1:$((etcd_port + 1))" --initial-advertise-peer-urls "http://127.0.0.1:$((etcd_port + 1))" \
        --initial-cluster "default=http://127.0.0.1:$((etcd_port + 1))" >/dev/null
    etcd=$pid
}

# write_pair - writes configurations of two controllers, c1 and c2, and of agents that know both.
write_pair() {
    for i in 1 2; do
        write_controller
        sed -i "s/^name: .*/name: c$i/; s/^listen: .*/listen: 127.0.0.1:$((port + i))/; s/^state: .*/state: statec$i/" controller.yaml
        printf 'id: %s\ngather: 500ms\netcd: {endpoints: ["http://127.0.0.1:%s"], ttl: 3s}\n' $i $etcd_port >>controller.yaml
        mv controller.yaml controller$i.yaml
        write_agent $i
        sed -i "s/^controller: .*/controller: [127.0.0.1:$((port + 1)), 127.0.0.1:$((port + 2))]/" agent$i.yaml
    done
}

# acts N - controller N is active and hears both agents.
acts() {
    "$ANOLE" ctl --address "127.0.0.1:$((port + $1))" status 2>/dev/null >out || return 1
    grep -q "^c$1: active" out && grep -q '^2 devices, 100 % report' out
}

answers() {
    "$ANOLE" ctl --address "127.0.0.1:$((port + $1))" status >/dev/null 2>&1
}

term_of() {
    "$ANOLE" ctl --address "127.0.0.1:$((port + $1))" status --json | jq .term
}

start_pair() {
    write_pair
    start c1.log "$ANOLE" controller controller1.yaml
    first=$pid
    wait_for grep -q 'it has the lease in etcd' c1.log
    start c2.log "$ANOLE" controller controller2.yaml
    wait_for grep -q 'standby: c1 has the lease' c2.log
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for acts 1
}

@test "etcd: one is active, the other stands by; if the first is killed the second takes over with a higher term" {
    needs_live
    with_etcd
    start_pair
    refute answers 2
    before=$(term_of 1)
    wait_for is_tried
    kill -9 "$first"
    wait_for acts 2
    [ "$(term_of 2)" -gt "$before" ]
    wait_for is_tried
    start c1.log "$ANOLE" controller controller1.yaml
    wait_for grep -q 'standby: c2 has the lease' c1.log
    acts 2
}

is_tried() {
    has_rate nic1 50 || has_rate nic2 50
}

@test "etcd: a relay finds the active controller, and its successor" {
    needs_live
    with_etcd
    write_pair
    printf 'name: rack1\nlisten: 127.0.0.1:%s\ncontroller: [127.0.0.1:%s, 127.0.0.1:%s]\n' $((port + 3)) $((port + 2)) $((port + 1)) >relay.yaml
    for i in 1 2; do echo "relays: [127.0.0.1:$((port + 3))]" >>agent$i.yaml; done
    start c1.log "$ANOLE" controller controller1.yaml
    first=$pid
    wait_for grep -q 'it has the lease in etcd' c1.log
    start c2.log "$ANOLE" controller controller2.yaml
    wait_for grep -q 'standby: c1 has the lease' c2.log
    start relay.log "$ANOLE" agent --relay relay.yaml
    wait_for grep -q 'connected to the controller' relay.log
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for acts 1
    wait_for is_tried
    refute grep -q 'no controller' agent1.log agent2.log         # agents are behind the relay
    kill -9 "$first"
    wait_for acts 2
    connected_twice() { [ "$(grep -c 'connected to the controller' relay.log)" -eq 2 ]; }
    wait_for connected_twice
    wait_for is_tried
}

@test "etcd: a controller that ends releases the lease, and the other takes it at once" {
    needs_live
    with_etcd
    start_pair
    kill -TERM "$first"
    wait "$first"
    begin=$(date +%s%N)
    wait_for grep -q 'it has the lease in etcd' c2.log
    [ $(($(date +%s%N) - begin)) -lt 2500000000 ]                # less than the lease's time to live
    wait_for acts 2
}

@test "etcd: a controller that was suspended does not act when it resumes" {
    needs_live
    with_etcd
    start_pair
    kill -STOP "$first"
    wait_for acts 2
    seen=$(wc -l <statec1/audit.jsonl)
    kill -CONT "$first"
    status=0
    wait "$first" || status=$?
    [ "$status" -eq 1 ]
    grep -q 'the lease in etcd has ended, so another controller may act' c1.log
    [ "$(wc -l <statec1/audit.jsonl)" -eq "$seen" ]              # no further decisions
    acts 2
}

@test "etcd: without etcd the active controller ends, and none acts until etcd is back" {
    needs_live
    with_etcd
    start_pair
    kill -9 "$etcd"
    status=0
    wait "$first" || status=$?
    [ "$status" -eq 1 ]
    grep -q 'the lease in etcd has ended' c1.log
    wait_for grep -q 'standby: etcd does not answer' c2.log
    wait_for has_rate nic1 5
    wait_for has_rate nic2 5
    refute answers 2
    start_etcd
    wait_for acts 2
}

@test "etcd: an invalid configuration is reported with its place" {
    needs_live
    write_controller
    printf 'etcd: {endpoints: [127.0.0.1:2379]}\n' >>controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"controller.yaml:13:20: endpoints is a list of http://host:port or https://host:port" ]]
    write_controller
    printf 'etcd: {cell: rack7}\n' >>controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"etcd: endpoints are wanted" ]]
}
