#!/usr/bin/env bats
# tests/cli/live_switch.bats - agents on a switch that is none, with a real Redis, and a simulated network behind such devices.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

wred=ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:0x1300000000000
profile='WRED_PROFILE|AZURE_LOSSLESS'

teardown() {
    for folder in "$dir"/*/devices/*; do
        if mountpoint -q "$folder"; then umount -l "$folder" || fusermount3 -uz "$folder" || true; fi
    done
    [ ! -f "$dir/pids" ] || xargs -r kill -9 <"$dir/pids" 2>/dev/null || true
    [ ! -f "$dir/ports_file" ] || xargs -r rm -f <"$dir/ports_file"
}

# redis ROOT DB WORD...
redis() {
    redis-cli -s "$1/var/run/redis/redis.sock" -n "$2" "${@:3}" 2>/dev/null
}

# is_in_asic ROOT ATTRIBUTE VALUE : whether the first profile has it.
is_in_asic() {
    [ "$(redis "$1" 1 HGET $wred "SAI_WRED_ATTR_GREEN_$2")" = "$3" ]
}

needs_redis() {
    needs_live
    command -v redis-server >/dev/null || skip 'no redis-server'
    program=$(dirname "$ANOLE")/anole-switch
}

start_switch() {
    start "$1.log" "$program" "$@" >"$1.out"
    wait_for grep -q ready "$1.out"
}

is_ended() {
    ! kill -0 "$1" 2>/dev/null
}

@test "switch: what is configured reaches the ASIC, and what orchagent dies of ends it" {
    needs_redis
    start_switch sw 4 25000
    switch=$pid
    is_in_asic sw MIN_THRESHOLD 1048576
    [ "$(redis sw 1 KEYS 'ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:*' | wc -l)" -eq 4 ]
    redis sw 4 HSET "$profile" green_min_threshold 5000
    wait_for is_in_asic sw MIN_THRESHOLD 5000
    redis sw 4 HSET "$profile" nonsense 1 green_min_threshold 6000       # a field it does not know: the whole entry is refused
    wait_for grep -q 'unknown field nonsense' sw.log
    is_in_asic sw MIN_THRESHOLD 5000
    redis sw 4 HDEL "$profile" nonsense
    wait_for is_in_asic sw MIN_THRESHOLD 6000
    redis sw 4 HSET 'QUEUE|Ethernet4|3' wred_profile OTHER               # a profile that comes after who names it
    redis sw 4 HSET 'WRED_PROFILE|OTHER' green_min_threshold 7 green_max_threshold 8 green_drop_probability 9 ecn ecn_all
    wait_for sh -c '[ "$(redis-cli -s sw/var/run/redis/redis.sock -n 1 HGET ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:oid:0x15000000000001 SAI_QUEUE_ATTR_WRED_PROFILE_ID)" = oid:0x1300000000001 ]'
    redis sw 4 HSET "$profile" green_min_threshold 5k
    wait_for is_ended "$switch"
    grep -q "orchagent aborts: green_min_threshold is '5k'" sw.log
}

@test "switch: an agent sets thresholds through Redis, one write of digits each, and takes them back" {
    needs_redis
    start_switch sw
    # shellcheck disable=SC2094  # 'monitor' is a word to Redis and a file to us
    redis-cli -s sw/var/run/redis/redis.sock monitor >monitor 3>&- &
    echo $! >>pids
    write_controller
    sed -i 's/^mode: .*/mode: direct/' controller.yaml
    printf 'name: leaf1\ncontroller: 127.0.0.1:%s\nstate: state1\nroot: sw\ndriver: sonic\nwrite: yes\ngap: 100ms\n' "$port" >agent.yaml
    start agent.log "$ANOLE" agent agent.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for is_in_asic sw MAX_THRESHOLD 6400000
    wait_for ctl rollback
    wait_for is_in_asic sw MAX_THRESHOLD 2097152
    grep '"HSET" "WRED_PROFILE' monitor | grep -v '"ecn"' >writes
    [ "$(wc -l <writes)" -ge 2 ]
    refute grep -vE '"HSET" "WRED_PROFILE\|AZURE_LOSSLESS"( "green_(min_threshold|max_threshold|drop_probability)" "[0-9]+")+$' writes
    refute grep -iE '"(SAVE|BGSAVE)"' monitor
    "$ANOLE" ctl verify state1/AZURE_LOSSLESS/audit.jsonl
}

# profile_of ROOT N : which object the queue of port N has in the ASIC.
profile_of() {
    redis "$1" 1 HGET "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:oid:0x1500000000000$2" SAI_QUEUE_ATTR_WRED_PROFILE_ID
}

has_own() {
    [ "$(redis sw 1 HGET ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:0x1300000000001 SAI_WRED_ATTR_GREEN_MAX_THRESHOLD)" = "$1" ]
}

@test "switch: a queue that is a device gets a profile of its own, in one transaction, and others keep theirs" {
    needs_redis
    start_switch sw
    # shellcheck disable=SC2094  # 'monitor' is a word to Redis and a file to us
    redis-cli -s sw/var/run/redis/redis.sock monitor >monitor 3>&- &
    echo $! >>pids
    write_controller
    sed -i 's/^mode: .*/mode: direct/' controller.yaml
    printf 'name: leaf1\ncontroller: 127.0.0.1:%s\nstate: state1\nroot: sw\ndriver: sonic\ndevices: [Ethernet4-3]\nwrite: yes\ngap: 100ms\n' "$port" >agent.yaml
    start agent.log "$ANOLE" agent agent.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for has_own 6400000
    [ "$(profile_of sw 1)" = oid:0x1300000000001 ]
    [ "$(profile_of sw 0)" = oid:0x1300000000000 ]
    is_in_asic sw MAX_THRESHOLD 2097152                                  # that of the others
    [ "$(redis sw 4 HGET 'QUEUE|Ethernet4|3' wred_profile)" = ANOLE_Ethernet4_3 ]
    [ "$(redis sw 4 HGET 'QUEUE|Ethernet4|3' scheduler)" = scheduler.1 ]
    grep -A3 '"MULTI"' monitor | grep -q 'HSET" "WRED_PROFILE|ANOLE_Ethernet4_3" .*"green_max_threshold" "6400000"'
    wait_for ctl rollback
    wait_for has_own 2097152
    is_in_asic sw MAX_THRESHOLD 2097152
    kill -9 "$(sed -n 3p pids)"                                          # the agent; the next one finds the queue as it is
    start again.log "$ANOLE" agent agent.yaml
    wait_for grep -q connected again.log
    "$ANOLE" ctl verify state1/Ethernet4-3/audit.jsonl
}

write_network() {
    cat >"$1" <<'END'
topology: {kind: clos, tors: 2, hosts_per_tor: 1, spines: 1, rate: 25Gbps, delay: 1us}
traffic:
  - {kind: all_to_all, name: shuffle, size: 100GB}
interval: 1ms
run: 1000s
seed: 1
END
}

holds() {
    [ "$(cat "$1/sys/class/net/ens1f0np0/ecn/roce_rp/rpg_ai_rate" 2>/dev/null)" = "$2" ]
}

# How much the NIC of a root has sent, in words.
words() {
    cat "$1/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data"
}

has_sent_more() {
    [ "$(words "$1")" -gt "$2" ]
}

@test "twin: with --hardware agents reach NICs through files and switches through Redis" {
    needs_redis
    [ -x "$(dirname "$ANOLE")/anole-nic" ] || skip 'built without libfuse3'
    [ -w /dev/fuse ] || skip 'no /dev/fuse'
    write_network net.yaml
    "$ANOLE" twin net.yaml --hardware --direct --tuner expert --interval 100 --out out >log 2>err 3>&- &
    pid=$!
    echo "$pid" >>pids
    wait_for test -e out/devices/h0/.nic/log || skip "FUSE cannot mount here: $(cat out/devices/h0.log)"
    wait_for holds out/devices/h0 50
    wait_for holds out/devices/h1 50
    for switch in tor0 tor1 spine0; do wait_for is_in_asic out/devices/$switch MAX_THRESHOLD 6400000; done
    before=$(words out/devices/h0)
    wait_for has_sent_more out/devices/h0 "$before"
    wait_for sh -c '[ "$(redis-cli -s out/devices/tor0/var/run/redis/redis.sock -n 2 HGET COUNTERS:oid:0x15000000000000 SAI_QUEUE_STAT_BYTES)" -gt 0 ]'
    cat out/devices/h?/.nic/log >writes
    refute grep -vE '^/sys/class/net/ens1f0np0/ecn/roce_(rp|np)/[a-z0-9_]+ [0-9]+$' writes
    kill -INT "$pid"
    wait_for is_ended "$pid"
    refute mountpoint -q out/devices/h0
    for audit in out/agent-*/*/audit.jsonl; do "$ANOLE" ctl verify "$audit"; done
    refute pgrep -f "anole-switch $dir/"
}

@test "twin: --hardware with --lock-step is refused, and nothing is made" {
    needs_live
    write_network net.yaml
    run "$ANOLE" twin net.yaml --hardware --lock-step --out out
    [ "$status" -eq 1 ]
    [[ "$output" == *'--hardware and --lock-step exclude each other'* ]]
    [ ! -e out ]
}
