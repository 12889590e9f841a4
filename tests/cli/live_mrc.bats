#!/usr/bin/env bats
# tests/cli/live_mrc.bats - agents on NICs with MRC. A stand-in for the vendor's library is loaded in the same
# way; its NIC is a folder (standin/mrc).

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

library=$(realpath "${BUILD:-$(dirname "$ANOLE")}")/libanole-mrc.so      # tests change the folder

# make_mrc N - makes a NIC in nicN with a target delay of 9 us, and configures its agent.
make_mrc() {
    [ -e "$library" ] || skip 'built without its live part'
    ports=nic$1/sys/class/infiniband/mrc_0/ports/1
    mkdir -p "$ports/gid_attrs/types" "$ports/gids"
    echo 'RoCE v2' >"$ports/gid_attrs/types/0"
    echo "0000:0000:0000:0000:0000:ffff:0a00:000$1" >"$ports/gids/0"
    ln -s "$library" "nic$1/libmrc.so"
    cat >"agent$1.yaml" <<END
name: host$1
controller: 127.0.0.1:$port
state: state$1
root: nic$1
driver: mrc
mrc: {library: nic$1/libmrc.so, to: [10.0.0.8, 10.0.0.9]}
write: yes
gap: 100ms
freeze_file: freeze
END
    "$ANOLE" agent "agent$1.yaml" --check-config
}

# put N KEY VALUE - sets a key in the NIC's file 'device'.
put() {
    sed -i "s/^$2 .*/$2 $3/" "nic$1/device"
}

holds() {
    grep -qx "target_delay_ns $2" "nic$1/profile" 2>/dev/null
}

is_tried() {
    holds 1 5000 || holds 2 5000
}

is_back() {
    holds 1 9000 && holds 2 9000
}

# with_mrc [SED-SCRIPT [SETTING]] - starts agents of two NICs, and a controller whose tuner wants SETTING or a
# target delay of 5 us.
with_mrc() {
    write_controller
    echo "${2:-nscc_target_delay: 5us}" >short.yaml
    sed -i 's/^tuner: .*/tuner: {name: fixed, setting: short.yaml}/' controller.yaml
    sed -i "${1:-}" controller.yaml
    for i in 1 2; do
        start agent$i.log "$ANOLE" agent agent$i.yaml
    done
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
}

@test "mrc: a trial that shortens round trips is kept" {
    needs_live
    make_mrc 1
    make_mrc 2
    with_mrc 's/^accept: .*/accept: 100/'
    wait_for grep -q '"what":"keep".*"nscc_target_delay":5' statec/audit.jsonl
    holds 1 5000
    holds 2 5000
    for i in 1 2; do
        wait_for grep -q '"what":"confirm".*"nscc_target_delay":5' state$i/mrc_0/audit.jsonl
        refute grep -vE '^state 2 disable_qa 0 .* target_delay_ns (9000|5000) $' nic$i/log   # no other values were written
        "$ANOLE" ctl verify state$i/mrc_0/audit.jsonl
    done
    kill "$controller"
    sleep 4                                                                      # longer than the lease: a confirmed setting stays
    holds 1 5000
}

@test "mrc: killing the controller reverts a trial" {
    needs_live
    make_mrc 1
    make_mrc 2
    with_mrc
    wait_for is_tried
    kill -9 "$controller"
    wait_for is_back
    grep -qh 'reverted nscc_target_delay 5 -> 9us, the lease ended' agent?.log
}

@test "mrc: after an agent is killed, --rescue restores the device" {
    needs_live
    make_mrc 1
    make_mrc 2
    with_mrc 's/^block: .*/block: 15/'
    wait_for is_tried
    kill_started
    holds 1 5000 && tried=1 || tried=2
    holds "$tried" 5000 || skip 'the block was over'
    put "$tried" busy 1
    run "$ANOLE" agent "agent$tried.yaml" --rescue
    [ "$status" -eq 1 ]
    [[ "$output" == *'it could not be brought back: it holds '*'nscc_target_delay 5us'*'should hold'*'nscc_target_delay 9us'* ]]
    put "$tried" busy 0
    "$ANOLE" agent "agent$tried.yaml" --rescue
    holds "$tried" 9000
}

@test "mrc: settings of the driver need a restart, others do not" {
    needs_live
    make_mrc 1
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for test -s state1/mrc_0/audit.jsonl
    sed -i 's/10.0.0.9/10.0.0.7/' agent1.yaml
    kill -HUP "$pid"
    wait_for grep -q "agent1.yaml: 'mrc' cannot change while it runs: restart it" agent1.log
    sed -i 's/10.0.0.7/10.0.0.9/; s/^write: yes/write: no/' agent1.yaml
    kill -HUP "$pid"
    wait_for grep -q 'its configuration was read again; observes only' agent1.log
    kill -HUP "$pid"
    kill "$pid"
    wait "$pid"
}

@test "mrc: a busy device refuses a change, and is reverted later" {
    needs_live
    make_mrc 1
    make_mrc 2
    put 1 busy 1
    put 2 busy 1
    with_mrc
    wait_for grep -qE 'the device refused it: Device or resource busy' statec/audit.jsonl
    refute ls nic1/log nic2/log
    put 1 busy 0
    put 2 busy 0
    ctl thaw
    wait_for is_tried
    put 1 busy 1
    put 2 busy 1
    kill -9 "$controller"
    if wait_for grep -qh 'could NOT be reverted nscc_target_delay 5 -> 9us, the device refused it: Device or resource busy' agent1.log agent2.log; then
        is_tried
    fi
    put 1 busy 0
    put 2 busy 0
    wait_for is_back
    for i in 1 2; do
        run "$ANOLE" agent agent$i.yaml --check-config
        [ "$status" -eq 0 ]
    done
}

@test "mrc: a device that changes parameters only offline says why it is not written; others are tuned" {
    needs_live
    make_mrc 1
    make_mrc 2
    put 1 can 32
    put 1 queue_pairs 3
    with_mrc
    wait_for holds 2 5000
    grep -q "host1/mrc_0: it only observes: the device changes NSCC's parameters only offline: a change could not be taken back while queue pairs use the profile" agent1.log
    says 'host1/mrc_0.*observed'
    refute ls nic1/log
    refute grep -q '"what":"apply"' state1/mrc_0/audit.jsonl
}

@test "mrc: counters that the device lacks are unknown" {
    needs_live
    make_mrc 1
    echo 'http: {listen: 127.0.0.1:'$((port + 1))'}' >>agent1.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for sh -c "curl -s http://127.0.0.1:$((port + 1))/metrics | grep -q '^anole_agent_metric{.* 0\.9'"
    curl -s "http://127.0.0.1:$((port + 1))/metrics" >metrics
    for counter in sent_bytes cnps retransmissions lossless_drops; do
        grep -q "^# HELP anole_agent_${counter}_total" metrics
        refute grep -qE "^anole_agent_${counter}_total.* [0-9.e+]+$" metrics
    done
}

@test "mrc: a missing library, another driver's settings and invalid addresses are refused in one line" {
    needs_live
    make_mrc 1
    sed 's,library: [^,]*,library: libno-such-mrc.so,' agent1.yaml >wrong.yaml
    run "$ANOLE" agent wrong.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == "anole: driver mrc: the NIC vendor's library for MRC cannot be loaded: libno-such-mrc.so: "*"; install it, or name it with 'mrc: {library: FILE}'" ]]
    [ "${#lines[@]}" -eq 1 ]
    sed 's/driver: mrc/driver: mlx5/' agent1.yaml >wrong.yaml
    run "$ANOLE" agent wrong.yaml --check-config
    [[ "$output" == 'anole: wrong.yaml:6:1: mrc: these are settings of another driver than the one of this file' ]]
    sed 's/10.0.0.9/host9/' agent1.yaml >wrong.yaml
    run "$ANOLE" agent wrong.yaml --check-config
    [[ "$output" == 'anole: wrong.yaml:6:'*': to: an IP address is wanted: 10.0.0.2' ]]
}

@test "mrc: an operator lists, denies and allows paths" {
    needs_live
    make_mrc 1
    "$ANOLE" agent agent1.yaml --paths >paths
    [ "$(grep -cE '^mrc_0 [12]:0[ab] good, round trip 17\.[0-9]{3} us$' paths)" -eq 4 ]
    run "$ANOLE" agent agent1.yaml --deny mrc_0/2
    [ "$output" = 'host1/mrc_0: 2 paths denied' ]
    "$ANOLE" agent agent1.yaml --paths | grep -q '^mrc_0 2:0a denied'
    run "$ANOLE" agent agent1.yaml --deny 1:0a
    [ "$status" -eq 1 ]
    [ "$output" = 'anole: mrc_0: 1 good paths would be left; its profile needs 2' ]
    run "$ANOLE" agent agent1.yaml --allow mrc_1/2
    [ "$output" = "anole: 'mrc_1/2' names no device of this agent" ]
    touch freeze
    run "$ANOLE" agent agent1.yaml --allow 2
    [[ "$output" == 'anole: paths are not changed: the file '*' is there' ]]
    rm freeze
    "$ANOLE" agent agent1.yaml --allow 2
    refute grep -q ' 4$' nic1/paths
    sed -i 's/^write: yes/write: no/' agent1.yaml
    run "$ANOLE" agent agent1.yaml --deny 2
    [ "$output" = "anole: paths are not changed: its configuration says 'write: no'" ]
}

# with_denial - starts a controller that denies the paths of port 2, and agents that allow this for half of
# the paths.
with_denial() {
    for i in 1 2; do
        sed -i 's/^mrc: {/mrc: {deny: 50%, /' agent$i.yaml
    done
    with_mrc 's/^block: .*/block: 15/' 'denied_ports: 2'
}

is_denied() {
    [ "$(grep -c '^2 .* 4$' nic1/paths)" -eq 2 ] || [ "$(grep -c '^2 .* 4$' nic2/paths)" -eq 2 ]
}

is_allowed() {
    refute grep -q ' 4$' nic1/paths nic2/paths
}

@test "mrc: a denial of paths lapses when the controller is killed" {
    needs_live
    make_mrc 1
    make_mrc 2
    with_denial
    wait_for is_denied
    kill -9 "$controller"
    wait_for is_allowed
    grep -qh 'reverted denied_ports 2 -> 0, the lease ended' agent?.log
}

@test "mrc: a denial of paths lapses when the agent starts again" {
    needs_live
    make_mrc 1
    make_mrc 2
    with_denial
    wait_for is_denied
    kill_started
    is_denied
    for i in 1 2; do
        start agent$i.log "$ANOLE" agent agent$i.yaml
    done
    wait_for is_allowed
}

@test "mrc: never denies more paths than the configured share" {
    needs_live
    make_mrc 1
    make_mrc 2
    with_denial
    wait_for is_denied
    sed -i 's/deny: 50%/deny: 40%/' agent?.yaml
    kill_started
    for i in 1 2; do
        "$ANOLE" agent agent$i.yaml --rescue
    done
    is_allowed
    for i in 1 2; do
        start agent$i.log "$ANOLE" agent agent$i.yaml
    done
    start controller.log "$ANOLE" controller controller.yaml
    wait_for grep -q 'denied_ports.*Operation not permitted\|Operation not permitted' controller.log
    is_allowed
}

@test "mrc: the sample configuration works unchanged" {
    needs_live
    make_mrc 1
    mkdir certs
    sed "s|/etc/anole/|certs/|g; s|/var/lib/|$dir/|; s|library: libmrc.so|library: nic1/libmrc.so|; /^tls:/d; s|controller.example:7471|127.0.0.1:$port|" \
        "$BATS_TEST_DIRNAME/../../data/live/agent-mrc.yaml" >sample.yaml
    echo 'root: nic1' >>sample.yaml
    "$ANOLE" agent sample.yaml --check-config
    sed -i 's/^#limits/limits/' sample.yaml
    "$ANOLE" agent sample.yaml --check-config
}
