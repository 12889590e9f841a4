#!/usr/bin/env bats
# tests/cli/live_switch.bats - agents on a stand-in switch with a real Redis, and a simulated network behind
# such devices.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

wred=ASIC_STATE:SAI_OBJECT_TYPE_WRED:oid:0x1300000000000
profile='WRED_PROFILE|AZURE_LOSSLESS'

teardown() {
    for folder in "$dir"/*/devices/*; do
        if mountpoint -q "$folder"; then umount -l "$folder" || fusermount3 -uz "$folder" || true; fi
    done
    kill_started
    [ ! -f "$dir/ports_file" ] || xargs -r rm -f <"$dir/ports_file"
}

# redis ROOT DB WORD...
redis() {
    redis-cli -s "$1/var/run/redis/redis.sock" -n "$2" "${@:3}" 2>/dev/null
}

# is_in_asic ROOT ATTRIBUTE VALUE - whether the first profile in the ASIC has this value.
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

# Records all commands to Redis in the file 'monitor'.
watch_redis() {
    # shellcheck disable=SC2094  # 'monitor' is a word to Redis and a file to us
    redis-cli -s sw/var/run/redis/redis.sock monitor >monitor 3>&- &
    echo $! >>pids
}

# start_leaf - starts an agent of the switch, and a controller that applies settings at once.
start_leaf() {
    write_controller
    sed -i 's/^mode: .*/mode: direct/' controller.yaml
    printf 'name: leaf1\ncontroller: 127.0.0.1:%s\nstate: state1\nroot: sw\ndriver: sonic\nwrite: yes\ngap: 100ms\n' "$port" >agent.yaml
    start agent.log "$ANOLE" agent agent.yaml
    start controller.log "$ANOLE" controller controller.yaml
}

@test "switch: configured values reach the ASIC, and input that crashes orchagent stops it" {
    needs_redis
    start_switch sw 4 25000
    switch=$pid
    is_in_asic sw MIN_THRESHOLD 1048576
    [ "$(redis sw 1 KEYS 'ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:*' | wc -l)" -eq 4 ]
    redis sw 4 HSET "$profile" green_min_threshold 5000
    wait_for is_in_asic sw MIN_THRESHOLD 5000
    redis sw 4 HSET "$profile" nonsense 1 green_min_threshold 6000       # an unknown field: the whole entry is refused
    wait_for grep -q 'nonsense .* is not known, the profile is not taken' sw.log
    is_in_asic sw MIN_THRESHOLD 5000
    redis sw 4 HDEL "$profile" nonsense
    wait_for is_in_asic sw MIN_THRESHOLD 6000
    redis sw 4 HSET 'QUEUE|Ethernet4|3' wred_profile OTHER               # the profile follows later
    redis sw 4 HSET 'WRED_PROFILE|OTHER' green_min_threshold 7 green_max_threshold 8 green_drop_probability 9 ecn ecn_all
    wait_for sh -c '[ "$(redis-cli -s sw/var/run/redis/redis.sock -n 1 HGET ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:oid:0x15000000000001 SAI_QUEUE_ATTR_WRED_PROFILE_ID)" = oid:0x1300000000001 ]'
    redis sw 4 HSET "$profile" green_min_threshold 2097153               # above the maximum: refused, though a number
    wait_for grep -q 'min threshold is greater than max threshold' sw.log
    is_in_asic sw MIN_THRESHOLD 6000
    redis sw 4 HSET "$profile" green_min_threshold ' +70k'               # as stoi() reads it
    wait_for is_in_asic sw MIN_THRESHOLD 70
    redis sw 4 HSET "$profile" wred_green_enable yes green_min_threshold 71
    wait_for grep -q "wred_green_enable 'yes' is not known" sw.log
    is_in_asic sw MIN_THRESHOLD 70
    redis sw 4 HSET "$profile" wred_green_enable true green_min_threshold 2147483648
    wait_for have_ended "$switch"
    grep -q "orchagent aborts: green_min_threshold is '2147483648'" sw.log
}

@test "switch: an agent sets thresholds through Redis, one write of digits each, and reverts them" {
    needs_redis
    start_switch sw
    watch_redis
    start_leaf
    wait_for is_in_asic sw MAX_THRESHOLD 6400000
    wait_for ctl rollback
    wait_for is_in_asic sw MAX_THRESHOLD 2097152
    grep '"HSET" "WRED_PROFILE' monitor | grep -v '"ecn"' >writes
    [ "$(wc -l <writes)" -ge 2 ]
    refute grep -vE '"HSET" "WRED_PROFILE\|AZURE_LOSSLESS"( "green_(min_threshold|max_threshold|drop_probability)" "[0-9]+")+$' writes
    refute grep -iE '"(SAVE|BGSAVE)"' monitor
    "$ANOLE" ctl verify state1/AZURE_LOSSLESS/audit.jsonl
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

# Prints how many words the NIC of a root has sent.
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
    "$ANOLE" twin net.yaml --hardware --direct --tuner expert --interval 100 --out out --page 127.0.0.1:0 >log 2>err 3>&- &
    pid=$!
    echo "$pid" >>pids
    wait_for test -e out/devices/h0/.nic/log || skip "FUSE cannot mount here: $(cat out/devices/h0.log)"
    wait_for holds out/devices/h0 50
    wait_for holds out/devices/h1 50
    for switch in tor0 tor1 spine0; do wait_for is_in_asic out/devices/$switch MAX_THRESHOLD 6400000; done
    before=$(words out/devices/h0)
    wait_for has_sent_more out/devices/h0 "$before"
    wait_for sh -c '[ "$(redis-cli -s out/devices/tor0/var/run/redis/redis.sock -n 2 HGET COUNTERS:oid:0x15000000000000 SAI_QUEUE_STAT_BYTES)" -gt 0 ]'
    # Counters of NICs and of single ports give both directions of every link; switches give queues.
    links_are_known() {
        timeout 3 curl -sSN "http://$(sed -n 's/^anole: http at //p' err | head -n 1)/api/events" 2>/dev/null | grep -A1 '^event: links' | sed -n 's/^data: //p' | head -n 1 |
            jq -e '.links | length == 4 and all(.[1] != null and .[2] != null and .[6] != null)' >/dev/null
    }
    wait_for links_are_known
    cat out/devices/h?/.nic/log >writes
    refute grep -vE '^/sys/class/net/ens1f0np0/ecn/roce_(rp|np)/[a-z0-9_]+ [0-9]+$' writes
    mapfile -t started < <(children "$pid")
    [ "${#started[@]}" -ge 5 ]                   # two NICs, three switches
    kill -INT "$pid"
    wait_for have_ended "$pid" "${started[@]}"
    refute mountpoint -q out/devices/h0
    for audit in out/agent-*/*/audit.jsonl; do "$ANOLE" ctl verify "$audit"; done
}

@test "twin: --hardware with --lock-step is refused, and leaves no files" {
    needs_live
    write_network net.yaml
    run "$ANOLE" twin net.yaml --hardware --lock-step --out out
    [ "$status" -eq 1 ]
    [[ "$output" == *'--hardware and --lock-step exclude each other'* ]]
    [ ! -e out ]
}

# feed SECONDS - changes the counters of four queues every 50 ms, as syncd would, a little differently each
# time.
feed() {
    exec python3 - "$1" <<'END'
import random, socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.connect("sw/var/run/redis/redis.sock")
def command(*words):
    words = [str(w).encode() for w in words]
    s.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
    s.recv(4096)
command("SELECT", 2)
sent, marked, end = [0] * 4, [0] * 4, time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    for i in range(4):
        share = random.random()
        sent[i] += int(25e9 / 8 * 0.05 * share)
        marked[i] += int(25e9 / 8 * 0.05 * share * random.random() / 2)
        command("HSET", "COUNTERS:oid:0x150000000%05x" % i, "SAI_QUEUE_STAT_BYTES", sent[i], "SAI_QUEUE_STAT_DROPPED_PACKETS", 0,
                "SAI_QUEUE_STAT_WRED_ECN_MARKED_BYTES", marked[i], "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", int(random.random() ** 2 * 1e6))
    time.sleep(0.05)
END
}

# queue_holds PORT VALUE - the ASIC has this kmax for queue 3 of the port.
queue_holds() {
    oid=$(redis sw 1 HGET "ASIC_STATE:SAI_OBJECT_TYPE_QUEUE:oid:0x150000000$(printf %05x $(($1 / 4)))" SAI_QUEUE_ATTR_WRED_PROFILE_ID)
    [ "$(redis sw 1 HGET "ASIC_STATE:SAI_OBJECT_TYPE_WRED:$oid" SAI_WRED_ATTR_GREEN_MAX_THRESHOLD)" = "$2" ]
}

all_are_back() {
    for p in 0 4 8 12; do queue_holds $p 2097152 || return 1; done
}

is_moved() {
    ! all_are_back
}

has_told_changes() {
    ctl devices --json | grep -q '"changes": *[1-9]'
}

write_acc() {
    printf 'listen: 127.0.0.1:%s\nstate: cstate\nmode: auto\ngather: 300ms\nqueue_tuners: yes\n' "$port" >controller.yaml
    printf 'name: leaf1\ncontroller: 127.0.0.1:%s\nstate: state1\nroot: sw\ndriver: sonic\ndevices: [all-3]\nwrite: yes\ninterval: 100ms\nlease: 2s\ntuner: {name: acc, model: dcqcn, slot_us: 20000}\nlimits: {kmax: {max: 1MB}}\nfreeze_file: freeze\n' "$port" >agent.yaml
}

# config_of FOLDER - prints all of CONFIG_DB, which is all that ecnconfig reads.
config_of() {
    redis "$1" 4 KEYS '*' | sort | while read -r key; do
        echo "$key"
        redis "$1" 4 HGETALL "$key" | paste - - | sort
    done
}

is_as_found() {
    config_of sw >config && diff found config
}

@test "switch: profiles that cannot be tuned are left alone, and an agent lives with them" {
    needs_redis
    start_switch sw
    redis sw 4 HSET 'WRED_PROFILE|AZURE_LOSSY' green_min_threshold 7 green_max_threshold 8 green_drop_probability 9 ecn ecn_all
    redis sw 4 HSET 'WRED_PROFILE|NO_ECN' green_min_threshold 7 green_max_threshold 8 green_drop_probability 9 ecn ecn_none
    config_of sw >found
    start_leaf
    wait_for is_in_asic sw MAX_THRESHOLD 6400000
    [ "$(ls state1)" = AZURE_LOSSLESS ]
    wait_for ctl rollback
    wait_for is_as_found
}

@test "switch: ACC at an agent sets each queue within bounds; all are reverted without a controller, when frozen, and after a kill" {
    needs_redis
    start_switch sw 4 25000
    config_of sw >found
    watch_redis
    write_acc
    feed 300 3>&- &
    echo $! >>pids
    start agent.log "$ANOLE" agent agent.yaml
    agent=$pid
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    wait_for is_moved
    wait_for has_told_changes
    kill -9 "$controller"                                                # cut off
    wait_for all_are_back
    start controller2.log "$ANOLE" controller controller.yaml
    wait_for is_moved
    touch freeze                                                         # an operator at the switch
    wait_for all_are_back
    rm freeze
    wait_for is_moved
    config_of sw | grep -q '^WRED_PROFILE|ANOLE_Ethernet'
    wait_for ctl rollback                                                # an operator elsewhere
    wait_for all_are_back
    wait_for is_as_found                                                 # also who has which profile, and nothing of ours
    [ -z "$(redis sw 6 KEYS '*')" ]
    wait_for ctl thaw
    wait_for is_moved
    kill -9 "$agent"                                                     # its changes stay
    "$ANOLE" agent agent.yaml --rescue
    all_are_back
    is_as_found
    grep '"HSET" "WRED_PROFILE|ANOLE' monitor | grep -v '"ecn"' >writes
    [ "$(wc -l <writes)" -ge 8 ]
    refute grep -vE '"HSET" "WRED_PROFILE\|ANOLE_Ethernet[0-9]+_3"( "green_(min_threshold|max_threshold|drop_probability)" "[0-9]+")+$' writes
    refute grep -E '"green_max_threshold" "(1[0-9]{6}|[2-9][0-9]{6})"' <(grep -Ev '"(2097152|1000000)"' writes)          # above 1 MB: only the original values
    grep -A3 '"MULTI"' monitor | grep -q 'HSET" "WRED_PROFILE|ANOLE_Ethernet4_3" .*"green_max_threshold"'        # its own, in one transaction
    [ "$(redis sw 4 HGET 'QUEUE|Ethernet4|3' scheduler)" = scheduler.1 ]
    "$ANOLE" ctl verify state1/all-3/audit.jsonl
    grep -q '"what":"setting"' state1/all-3/audit.jsonl
}

has_net() {
    grep -q "\"what\":\"net\".*version $2, checksum" "$1"
}

@test "switch: ACC learns through its controller, and its own net returns when the learner is removed from the configuration" {
    needs_redis
    start_switch sw 4 25000
    write_acc
    sed -i 's/slot_us: 20000/slot_us: 20000, train: yes, learner: central, idle: never/' agent.yaml
    echo 'learner: {name: acc, model: dcqcn, train: yes, learner: central, batch: 8, send_every: 4}' >>controller.yaml
    feed 300 3>&- &
    echo $! >>pids
    start agent.log "$ANOLE" agent agent.yaml
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    wait_for has_net cstate/audit.jsonl 3
    wait_for has_net state1/all-3/audit.jsonl 3
    wait_for is_moved
    ctl devices --json | grep -q '"learned": *true'
    ctl history | grep -q 'version 3, checksum'
    sed -i '/^learner/d' controller.yaml
    kill -HUP "$controller"
    wait_for grep -q 'the initial net is back' state1/all-3/audit.jsonl
    is_moved                                                             # it continues with that net
    "$ANOLE" ctl verify state1/all-3/audit.jsonl
    "$ANOLE" ctl verify cstate/audit.jsonl
}

@test "switch: an operator's change to a queue of ACC stays, and freezes the queue" {
    needs_redis
    start_switch sw 4 25000
    write_acc
    feed 300 3>&- &
    echo $! >>pids
    start agent.log "$ANOLE" agent agent.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for sh -c '[ "$(redis-cli -s sw/var/run/redis/redis.sock -n 4 HGET "QUEUE|Ethernet4|3" wred_profile)" = ANOLE_Ethernet4_3 ]'
    redis sw 4 HSET 'QUEUE|Ethernet4|3' wred_profile OPERATOR
    redis sw 4 HSET 'WRED_PROFILE|OPERATOR' green_min_threshold 111000 green_max_threshold 222000 green_drop_probability 33 ecn ecn_all
    wait_for grep -q 'changed outside Anole: queue Ethernet4' state1/all-3/audit.jsonl
    for p in 0 8 12; do wait_for queue_holds $p 2097152; done
    queue_holds 4 222000
    [ "$(redis sw 4 HGET 'QUEUE|Ethernet4|3' wred_profile)" = OPERATOR ]
    "$ANOLE" ctl verify state1/all-3/audit.jsonl
}

@test "switch: a tuner in the wrong place is refused in one line" {
    needs_redis
    start_switch sw 4 25000
    write_acc
    sed 's/name: acc, model: dcqcn, slot_us: 20000/name: paraleon/' agent.yaml >other.yaml
    run "$ANOLE" agent other.yaml --check-config
    [ "$status" -ne 0 ]
    [[ "$output" == *'other.yaml:'*'paraleon does not set queues one by one'* ]]
    sed 's/slot_us: 20000/train: yes/' agent.yaml >other.yaml
    run "$ANOLE" agent other.yaml --check-config
    [[ "$output" == *'add learner: central'* ]]
    sed 's/all-3/all-4/' agent.yaml >other.yaml
    run "$ANOLE" agent other.yaml --check-config
    [[ "$output" == *'no port with an entry QUEUE|PORT|4'* ]]
    sed 's/driver: sonic/driver: mlx5/' agent.yaml >other.yaml
    run "$ANOLE" agent other.yaml --check-config
    [[ "$output" == *'driver mlx5 has no queues'* ]]
    echo 'tuner: acc' >>controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -ne 0 ]
    [[ "$output" == *'it is for agents of switches'* ]]
    sed -i 's/^mode: .*/mode: approve/; /^tuner/d' controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [[ "$output" == *'no one can approve'* ]]
}

# decides_alike OPTIONS - ACC at simulated switches decides as in anole run; the folders are run and twin.
decides_alike() {
    cat >net.yaml <<END
topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 25Gbps, fabric_rate: 100Gbps, delay: 1us}
host: {mtu: 4096, rto: 100ms}
nic: dcqcn_paper
tuner: {kind: acc, model: dcqcn, guard: no$1}
traffic:
  - {kind: poisson, name: websearch, sizes: WebSearch, load: 70%, stop: 4ms}
interval: 1ms
run: 5ms
seed: 3
END
    "$ANOLE" run net.yaml --set tuner.record=yes --out run >/dev/null
    "$ANOLE" twin net.yaml --lock-step --out twin >/dev/null
    for switch in tor0 tor1 spine0 spine1; do
        # The log has the number of changes, not each of them. But a different decision would change all later
        # ones.
        changes=$(grep -c ",$switch,.*,1$" run/queues.csv || true)
        [ "$(grep -ho '[0-9]* changes; ' twin/agent/$switch/audit.jsonl | awk '{ n += $1 } END { print n + 0 }')" -eq "$changes" ]
        grep ",$switch,.*,1$" run/queues.csv | awk -F, '{ print $8 / 1000 "/" $9 / 1000 "/" $10 }' | sort -u >wanted
        grep '"what":"setting"' twin/agent/$switch/audit.jsonl | python3 -c '
import json, sys
for line in sys.stdin:
    new = json.loads(line)["new"]
    print("%g/%g/%g" % (new["kmin"], new["kmax"], new["pmax"]))' | sort -u >got
        diff wanted got
        "$ANOLE" ctl verify twin/agent/$switch/audit.jsonl
    done
    decisions=$(grep -o '"why":"[0-9]* decisions' run/tuning.jsonl | awk -F'[": ]+' '{ n += $3 } END { print n }')
    [ "$(grep -ho '"why":"[0-9]* decisions' twin/agent/*/audit.jsonl | awk -F'[": ]+' '{ n += $3 } END { print n }')" -eq "$decisions" ]
}

@test "twin: ACC at its switches decides as in anole run" {
    needs_live
    decides_alike ''
}

# nets FILE - prints the nets that a log names, in order.
nets() {
    grep -ho '\(net\|version\) [0-9]*, checksum [0-9a-f]*' "$1" | sed 's/version/net/' | uniq
}

@test "twin: ACC that learns through the controller has the nets and thresholds of anole run, bit for bit" {
    needs_live
    decides_alike ', train: yes, learner: central, send_every: 3, batch: 16, epsilon: 0.2'
    nets run/tuning.jsonl >wanted
    [ "$(wc -l <wanted)" -ge 5 ]
    nets twin/controller/audit.jsonl | diff wanted -
    for switch in tor0 tor1 spine0 spine1; do
        nets twin/agent/$switch/audit.jsonl | grep -v '^net 1,' | diff wanted -          # the first is the file's model
    done
    "$ANOLE" ctl verify twin/controller/audit.jsonl
}
