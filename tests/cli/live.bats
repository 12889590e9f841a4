#!/usr/bin/env bats
# tests/cli/live.bats - agents, a controller and operators, as processes over a real network, with NICs as
# file trees.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

# start_fabric [SED] - starts a controller and two agents, and waits for a trial in which one NIC has the change.
# SED edits the controller's configuration.
start_fabric() {
    write_controller
    sed -i "${1:-}" controller.yaml
    write_agent 1
    write_agent 2
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    agent1=$pid
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for is_tried
}

is_tried() {
    has_rate nic1 50 || has_rate nic2 50
}

is_back() {
    has_rate nic1 5 && has_rate nic2 5
}

# stays_back - the setting stays reverted for longer than a block.
stays_back() {
    for _ in $(seq 15); do
        is_back || return 1
        sleep 0.1
    done
}

@test "live: docs/live_keys.md equals the output of --keys" {
    needs_live
    "$ANOLE" controller --keys | diff - "$BATS_TEST_DIRNAME/../../docs/live_keys.md"
    "$ANOLE" agent --keys | diff - "$BATS_TEST_DIRNAME/../../docs/live_keys.md"
}

@test "live: an invalid configuration is reported with its place, and nothing is written" {
    needs_live
    write_agent 1
    sed -i 's/^gap:/gpa:/' agent1.yaml
    run "$ANOLE" agent agent1.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == "anole: agent1.yaml:7:1: "*"did you mean 'gap'?" ]]
    write_agent 1
    printf 'limits: {rpg_ai_rat: {max: 10}}\n' >>agent1.yaml
    run "$ANOLE" agent agent1.yaml --check-config
    [[ "$output" == *"agent1.yaml:9:10: 'rpg_ai_rat' is not a knob; did you mean 'rpg_ai_rate'?" ]]
    write_agent 1
    run "$ANOLE" agent agent1.yaml --check-config --driver mlx6
    [ "$status" -eq 1 ]
    [[ "$output" == *"'mlx6' is not a driver; did you mean 'mlx5'?" ]]
    rm -r nic1/sys/class/net/eth7/ecn
    run "$ANOLE" agent agent1.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"mlx5_0: neither "* ]]
    [ ! -e state1 ]
    write_controller
    sed -i 's/tuner: .*/tuner: exprt/' controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [[ "$output" == *"controller.yaml:5:8: 'exprt' is not a tuner; did you mean 'expert'?" ]]
    sed -i 's/tuner: .*/tuner: acc/' controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"controller.yaml:5:8: acc sets queues one by one: it is for agents"* ]]
    [ ! -e statec ]
}

@test "live: without certificates only this machine can connect" {
    needs_live
    write_controller
    sed -i "s/127.0.0.1:$port/0.0.0.0:$port/" controller.yaml
    run "$ANOLE" controller controller.yaml
    [ "$status" -eq 1 ]
    [[ "$output" == *"without TLS only this machine"* ]]
    run ctl status
    [ "$status" -eq 1 ]
    [[ "$output" == *"no answer from a controller"* ]]
}

@test "live: an agent without permission to write only observes" {
    needs_live
    write_controller
    write_agent 1
    sed -i 's/^write: yes/write: no/' agent1.yaml
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for says 'host1/mlx5_0 .*observed'
    wait_for says 'nothing is tried: no device may be set'
    refute grep -q '"what":"apply"' state1/mlx5_0/audit.jsonl
}

@test "live: an observing controller reports what it would try, and changes nothing" {
    needs_live
    write_controller
    sed -i '/^mode:/d' controller.yaml           # the default
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for grep -q '"what":"would try".*"rpg_ai_rate":50' statec/audit.jsonl
    has_rate nic1 5
    refute grep -q '"what":"apply"' state1/mlx5_0/audit.jsonl
}

@test "live: if the controller is killed, its agents revert everything" {
    needs_live
    start_fabric 's/^block: .*/block: 20/'     # the kill comes within a block
    for _ in 1 2 3 4 5; do       # or, on a busy machine, while the controller reverts
        kill -9 "$controller"
        wait_for is_back
        stays_back
        ! cat state?/mlx5_0/audit.jsonl | grep -q 'the lease ended' || break
        start controller.log "$ANOLE" controller controller.yaml
        controller=$pid
        wait_for is_tried
    done
    for log in state1/mlx5_0/audit.jsonl state2/mlx5_0/audit.jsonl statec/audit.jsonl; do
        "$ANOLE" ctl verify "$log"
    done
    cat state?/mlx5_0/audit.jsonl | grep -q 'the lease ended'
}

@test "live: if an agent is killed during a change, its guard reverts it" {
    needs_live
    start_fabric
    wait_for has_rate nic1 50
    guard=$(children "$agent1")
    kill -9 "$agent1"
    wait_for has_rate nic1 5
    wait_for have_ended "$guard"                 # it ends once the device is back
    "$ANOLE" agent agent1.yaml --rescue
}

@test "live: a guard that answers late when it starts is greeted again" {
    needs_live
    mkdir slow
    cp "$(dirname "$ANOLE")"/anole "$(dirname "$ANOLE")"/anole-live slow/
    printf '#!/bin/sh\nsleep 1.5\nexec "%s/anole-guard"\n' "$(cd "$(dirname "$ANOLE")" && pwd)" >slow/anole-guard
    chmod +x slow/anole-guard
    write_controller
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log slow/anole agent agent1.yaml
    wait_for grep -q 'its guard does not answer' agent1.log
    wait_for grep -q 'its guard runs' agent1.log
    wait_for has_rate nic1 50
}

@test "live: an agent killed during a change with its guard is rescued, and the trial ends" {
    needs_live
    start_fabric
    wait_for has_rate nic1 50
    kill -STOP "$agent1"
    # shellcheck disable=SC2046  # several
    kill -9 $(children "$agent1")
    kill -9 "$agent1"
    has_rate nic1 50 || skip 'the block was over'
    wait "$agent1" || true
    truncate -s 40 state1/mlx5_0/state state1/mlx5_0/state.copy         # the audit log has the rest
    "$ANOLE" agent agent1.yaml --rescue 2>rescue.log
    has_rate nic1 5
    grep -q 'host1/mlx5_0: reverted .*rpg_hai_rate\|host1/mlx5_0: reverted rpg_ai_rate 50 -> 5Mbps' rescue.log
    grep -q 'host1/mlx5_0: read back' rescue.log
    wait_for has_rate nic2 5
    wait_for grep -q 'too many of its devices fell silent' statec/audit.jsonl
    "$ANOLE" ctl verify state1/mlx5_0/audit.jsonl
}

@test "live: an agent that is asked to end reverts open changes" {
    needs_live
    start_fabric
    kill -TERM "$agent1"
    wait "$agent1"
    has_rate nic1 5
}

@test "live: an operator's setting stays, and the device is frozen" {
    needs_live
    start_fabric
    set_rate nic1 70
    wait_for says 'host1/mlx5_0 .*frozen'
    [ "$(cat nic1/sys/class/net/eth7/ecn/roce_rp/rpg_hai_rate)" = 70 ]
    has_rate nic1 5
    grep -q 'changed outside Anole: rpg_hai_rate 70' state1/mlx5_0/audit.jsonl
}

@test "live: freeze by command and by file" {
    needs_live
    start_fabric
    ctl freeze --why maintenance
    wait_for is_back
    stays_back
    says 'nothing is tried: frozen by .*maintenance'
    kill -9 "$controller"
    start controller.log "$ANOLE" controller controller.yaml
    wait_for says 'nothing is tried: frozen by .*maintenance'      # it survives a restart
    ctl thaw
    wait_for is_tried
    touch freeze
    wait_for is_back
    stays_back
    wait_for says 'host1/mlx5_0 .*frozen'
    run ctl freeze no/such
    [ "$status" -eq 1 ]
    [[ "$output" == *"there is no device 'no/such'"* ]]
    run ctl sttus
    [ "$status" -eq 2 ]
    [[ "$output" == *"did you mean 'status'?" ]]
}

@test "live: a drop in a lossless class reverts the change everywhere" {
    needs_live
    start_fabric
    for drops in $(seq 1 30); do
        printf 'rx_prio3_pause_duration: 0\nrx_prio3_discards: %s\n' "$drops" >nic1/ethtool/eth7
        sleep 0.1
    done
    wait_for is_back
    grep -q 'guardrail: .*lossless' statec/audit.jsonl
}

# feed ROOT - as long as it runs, a NIC sends more the larger its rpg_ai_rate is.
feed() {
    words=1000
    while sleep 0.02; do
        rate=$(cat "$1/sys/class/net/eth7/ecn/roce_rp/rpg_ai_rate")
        words=$((words + 100000 * ${rate:-5}))
        echo "$words" >"$1/words"
        mv "$1/words" "$1/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data"
    done
}

@test "live: an improvement is kept, confirmed, and can be rolled back" {
    needs_live
    write_controller
    sed -i 's/^accept: .*/accept: 20\ninterval: 50ms/' controller.yaml
    for i in 1 2; do
        write_agent $i
        echo 'interval: 50ms' >>agent$i.yaml
        start agent$i.log "$ANOLE" agent agent$i.yaml
        start feed$i.log feed nic$i
    done
    start controller.log "$ANOLE" controller controller.yaml
    is_kept() { grep -q '"what":"keep"' statec/audit.jsonl; }
    wait_for is_kept || wait_for is_kept
    [ "$(ai_rate nic1)$(ai_rate nic2)" = 5050 ]
    grep -q 'e-value' statec/audit.jsonl
    ctl diff | grep -q 'host1/mlx5_0: rpg_ai_rate 50Mbps, rpg_hai_rate 150Mbps; baseline rpg_ai_rate 5Mbps, rpg_hai_rate 50Mbps'
    ctl history | grep -q 'keep rpg_ai_rate 50Mbps'
    ctl rollback --why 'a test'
    wait_for is_back
    wait_for grep -q 'back to the baseline' statec/audit.jsonl
}

@test "live: in mode approve a trial waits for an operator" {
    needs_live
    write_controller
    sed -i 's/^mode: .*/mode: approve/' controller.yaml
    write_agent 1
    write_agent 2
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for says 'trial 1: waiting'
    is_back
    run ctl approve 7 </dev/null
    [ "$status" -eq 1 ]
    run ctl approve 1 </dev/null                 # a script must say which setting it means
    [ "$status" -eq 1 ]
    [[ "$output" == *'trial 1 would set rpg_ai_rate 5 -> 50Mbps'*'anole ctl approve 1:'* ]]
    code=${output##*approve }
    run ctl approve 1:0123456789abcdef
    [ "$status" -eq 1 ]
    [[ "$output" == *'is not the one that was meant'* ]]
    is_back
    if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then   # without certificates, other users of this machine are refused
        others=$(mktemp -d)                      # they may lack access to the build folder
        chmod a+rx "$others"
        cp "$ANOLE" "$(dirname "$ANOLE")/anole-live" "$others"
        for order in "approve $code" rollback; do
            # shellcheck disable=SC2086  # words
            run setpriv --reuid=65534 --regid=65534 --clear-groups "$others/anole" ctl --address "127.0.0.1:$port" $order
            [ "$status" -ne 0 ]
            echo "$output"
            [[ "$output" == *socket* ]]
        done
        rm -r "$others"
        is_back
    fi
    ctl approve "$code" --why 'looks right'
    wait_for is_tried
    grep -q '"what":"approve".*"why":"looks right"' statec/audit.jsonl
}

@test "live: a drill proves the dead-man switch, and an agent that ends signs off" {
    needs_live
    write_controller
    sed -i '/^tuner:/d' controller.yaml
    write_agent 1
    write_agent 2
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    agent2=$pid
    wait_for says 'host2/mlx5_0 .*ready'
    says 'dead-man switch: never proven'
    wait_for says ': active, mode'
    says 'next: nothing is tried: '
    ctl drill host1/mlx5_0 --why weekly
    wait_for says 'dead-man switch: proven .* at host1/mlx5_0, back after [0-9.]* s'
    has_rate nic1 5
    grep -q '"what":"drill".*the lease ended' state1/mlx5_0/audit.jsonl
    kill "$agent2"
    wait_for says 'host2/mlx5_0 .*left'
    says '^2 devices, 100 % report'
    ctl forget host2/mlx5_0
    says '^1 devices, 100 % report'
    run ctl forget host1/mlx5_0
    [ "$status" -eq 1 ]
    [[ "$output" == *'stop its agent first'* ]]
}

@test "live: status lists the metrics that a tuner or guardrail lacks" {
    needs_live
    write_controller
    sed -i 's/^tuner: .*/tuner: paraleon/' controller.yaml
    write_agent 1
    write_agent 2
    rm nic2/ethtool/eth7                         # pauses and drops are not counted there
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for says 'next: nothing is tried: tuner paraleon waits for flow sizes, and no device reports them. Let switches send sFlow'
    grep -q 'waits for flow sizes' controller.log
    says 'guardrails cannot see pauses, drops in lossless classes, pause storms.* at 2 devices'  # NICs made of files do not count storms
    ctl devices | grep -A1 host2/mlx5_0 | grep -q 'paused unknown'
    wait_for grep -q 'guardrails do not see everything at 2 of 2 devices' controller.log
}

@test "live: a second agent for the same device is refused" {
    needs_live
    write_agent 1
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for test -e state1/mlx5_0/audit.jsonl
    run "$ANOLE" agent agent1.yaml
    [ "$status" -eq 1 ]
    [[ "$output" == *"another process uses this folder"* ]]
}

@test "live: detects a modified log" {
    needs_live
    write_agent 1
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for test -s state1/mlx5_0/audit.jsonl
    kill "$pid"
    wait "$pid"
    sed 's/"rpg_ai_rate":5/"rpg_ai_rate":6/' state1/mlx5_0/audit.jsonl >changed
    run "$ANOLE" ctl verify changed
    [ "$status" -eq 1 ]
    [[ "$output" == "anole: changed:1:1: it is not what was written"* ]]
    cp changed state1/mlx5_0/audit.jsonl         # an agent reports it, sets it aside and continues
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for grep -q 'devices, may write' agent1.log
    grep -q 'audit.jsonl:1:1: it is not what was written.*; it is now audit.jsonl.damaged' agent1.log
    cmp changed state1/mlx5_0/audit.jsonl.damaged
}

# write_twin FILE - four hosts with endless traffic.
write_twin() {
    cat >"$1" <<'END'
topology: {kind: clos, tors: 2, hosts_per_tor: 2, spines: 1, rate: 10Gbps, delay: 1us}
traffic:
  - {kind: all_to_all, size: 100GB}
interval: 500us
run: 1000s
END
}

@test "live: hosts and switches of the twin are devices, and Ctrl-C ends all processes" {
    needs_live
    write_twin twin.yaml
    mkdir tmp
    TMPDIR=tmp "$ANOLE" twin twin.yaml --interval 200 >out 2>err 3>&- &
    pid=$!
    echo "$pid" >>pids
    wait_for grep -q '^7 devices, 100 % report' out
    grep -q 'runs 400 times slower' out
    [ -n "$(ls tmp)" ]
    mapfile -t started < <(children "$pid")
    kill -INT "$pid"
    wait "$pid"
    grep -q '^What was done:' out
    [ -z "$(ls tmp)" ]
    have_ended "${started[@]}"
    run "$ANOLE" twin nosuch.yaml
    [ "$status" -eq 1 ]
    [[ "$output" == *"nosuch.yaml: no such file, and no scenario of that name comes with Anole"* ]]
    sed -i 's/^interval/intreval/' twin.yaml
    run "$ANOLE" twin twin.yaml
    [ "$status" -eq 1 ]
    [[ "$output" == *"twin.yaml:4:1: "*"did you mean 'interval'?"* ]]
}

# decisions FILE - the observations and decisions of a tuner, without data that hosts cannot know.
decisions() {
    python3 -c '
import json, sys
for line in open(sys.argv[1]):
    o = json.loads(line)
    print({k: v for k, v in o.items() if k not in ("goodput_gbps", "rtt_us")})
' "$1"
}

# has_same_decisions FILE AT_LEAST - compares decisions through agents and a controller with those of the
# simulator.
has_same_decisions() {
    "$(realpath "${FIDELITY_ANOLE:-$ANOLE}")" run "$1" --out "$1.run" >/dev/null
    "$ANOLE" twin "$1" --lock-step --out "$1.twin" >/dev/null 2>"$1.err"
    decisions "$1.run/tuning.jsonl" >"$1.a"
    decisions "$1.twin/controller/tuning.jsonl" >"$1.b"
    diff "$1.a" "$1.b"
    [ "$(grep -c "'set': {'" "$1.a")" -ge "$2" ]
    grep -q "'kmin'" "$1.a"
    for log in "$1.twin"/agent/*/audit.jsonl "$1.twin/controller/audit.jsonl"; do "$ANOLE" ctl verify "$log"; done
}

# live_rehearse.bats tests delays. With option 'floor', a simulation raises rates to line rate before the
# initial setting returns, but a live network does not. So these tests set 'floor: no'.
@test "live: in lock step a tuner decides as in anole run" {
    needs_live
    write_twin at_once.yaml
    sed -i 's/interval: .*/interval: 1ms/; s/run: .*/run: 45ms\ntuner: {kind: paraleon, floor: no}/' at_once.yaml
    sed 's/tuner: .*/tuner: {kind: random, budget: 12, floor: no}/; s/^interval/monitor: host\ninterval/' at_once.yaml >random.yaml
    has_same_decisions at_once.yaml 4
    has_same_decisions random.yaml 4
    sed 's/floor: no/floor: no, monitor_delay: 1500us/' at_once.yaml >odd.yaml
    run "$ANOLE" twin odd.yaml --lock-step
    [ "$status" -eq 1 ]
    [[ "$output" == *'in lock step delays are whole intervals' ]]
    run "$ANOLE" twin at_once.yaml --lock-step --page 127.0.0.1:0
    [ "$status" -eq 2 ]
    [ "$output" = 'anole: --page 127.0.0.1:0: not supported with --lock-step' ]
    run "$ANOLE" twin at_once.yaml --page 0.0.0.0:7480
    [ "$status" -eq 2 ]
    [ "$output" = 'anole: --page 0.0.0.0:7480: a twin shows its page on this machine only, such as 127.0.0.1:7480' ]
}

# listen_for SOCKET FILE - records what systemd would receive.
listen_for() {
    exec python3 - "$1" >"$2" 2>/dev/null <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    print(s.recv(100).decode(), flush=True)
END
}

@test "live: notifies systemd when an agent is ready, alive, and about to end" {
    needs_live
    write_agent 1
    start /dev/null listen_for "$dir/notify" heard
    wait_for test -S notify
    start agent1.log env NOTIFY_SOCKET="$dir/notify" WATCHDOG_USEC=200000 "$ANOLE" agent agent1.yaml
    wait_for grep -q '^READY=1$' heard
    wait_for grep -q '^WATCHDOG=1$' heard
    kill "$pid"
    wait "$pid"
    wait_for grep -q '^STOPPING=1$' heard
}

@test "live: a client in another language speaks the same protocol" {
    needs_live
    /usr/bin/python3 -c 'import grpc, google.protobuf' 2>/dev/null || skip 'no python3-grpcio'
    command -v protoc >/dev/null || skip 'no protoc'
    protoc --proto_path="$BATS_TEST_DIRNAME/../../src/live/wire" --python_out=. anole.proto
    write_controller
    start controller.log "$ANOLE" controller controller.yaml
    wait_for says 'there are no devices'
    run /usr/bin/python3 "$BATS_TEST_DIRNAME/../live/client.py" "127.0.0.1:$port"
    echo "$output"
    [ "$status" -eq 0 ]
}

# ---- certificates ----

# write_relay - configures a relay between the agents and the controller, at the next port.
write_relay() {
    cat >relay.yaml <<END
name: rack1
listen: 127.0.0.1:$((port + 1))
controller: 127.0.0.1:$port
END
    for i in 1 2; do echo "relays: [127.0.0.1:$((port + 1))]" >>"agent$i.yaml"; done
}

has_two() {
    ctl status --json | python3 -c '
import json, sys
devices = json.load(sys.stdin)["devices"]
sys.exit(len(devices) != 2 or not all(d["fresh"] for d in devices))'
}

@test "live: agents behind a relay are tuned, and bypass a relay that dies" {
    needs_live
    write_controller
    write_agent 1
    write_agent 2
    write_relay
    start controller.log "$ANOLE" controller controller.yaml
    start relay.log "$ANOLE" agent --relay relay.yaml
    relay=$pid
    wait_for grep -q 'connected to the controller' relay.log
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for has_two
    wait_for is_tried
    if command -v ss >/dev/null; then            # only the relay is connected
        [ "$(ss -tnH state established "( sport = :$port )" | wc -l)" -eq 1 ]
    fi
    kill -9 "$relay"
    wait_for grep -q 'no controller' agent1.log
    wait_for has_two
    wait_for is_tried
    for log in state1/*/audit.jsonl state2/*/audit.jsonl statec/audit.jsonl; do "$ANOLE" ctl verify "$log"; done
    run "$ANOLE" agent --relay controller.yaml
    [ "$status" -eq 1 ]
    [[ "$output" == *controller.yaml:* ]]
}

@test "live: with certificates, known clients are served and others refused" {
    needs_live
    command -v openssl >/dev/null || skip 'no openssl'
    make_ca ca
    make_ca other
    for name in c1 host1 host2 operator; do make_cert $name ca -days 2; done
    make_cert stranger other -days 2
    write_controller
    tls_of c1 >>controller.yaml
    echo 'socket: ctl.sock' >>controller.yaml    # not ctl's default
    write_agent 1
    tls_of host1 >>agent1.yaml
    sed -i 's/127.0.0.1/localhost/' agent1.yaml
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for asks_as operator
    wait_for sh -c "'$ANOLE' ctl status --address localhost:$port --ca ca.pem --cert operator.pem --key operator.key | grep -q 'host1/mlx5_0 .*\(tuned\|ready\)'"

    refute ctl status                            # plain text
    refute asks_as stranger                      # from another authority
    refute asks_as operator other                # does not trust the controller
    refute asks_as host1                         # not an operator
    grep -q "'host1' is not an operator" out

    write_agent 2                                # an agent with another host's certificate
    tls_of host1 >>agent2.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for grep -q 'which its certificate does not allow' controller.log
    asks_as operator
    refute grep -q host2 out
}
