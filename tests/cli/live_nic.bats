#!/usr/bin/env bats
# tests/cli/live_nic.bats - an agent on a stand-in NIC, mounted through FUSE: its files behave like those of a
# real one.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

nic=sys/class/net/ens1f0np0/ecn

teardown() {
    for folder in "$dir"/nic?; do
        if mountpoint -q "$folder"; then umount -l "$folder" || fusermount3 -uz "$folder" || true; fi
    done
    kill_started
}

# mount_nic N [FLAVOR] - mounts a NIC at nicN.
mount_nic() {
    program=$(dirname "$ANOLE")/anole-nic
    [ -x "$program" ] || skip 'built without libfuse3'
    [ -w /dev/fuse ] || skip 'no /dev/fuse'
    mkdir "nic$1"
    start "nic$1.log" "$program" "nic$1" "${2:-ofed}"
    wait_for test -e "nic$1/.nic/control" || skip "FUSE cannot mount here: $(cat "nic$1.log")"
}

# with_nics - starts a controller and agents on two NICs, and waits for a trial.
with_nics() {
    write_controller
    for i in 1 2; do
        mount_nic $i
        write_agent_file $i
        start agent$i.log "$ANOLE" agent agent$i.yaml
    done
    start controller.log "$ANOLE" controller controller.yaml
    wait_for is_tried
}

write_agent_file() {
    cat >"agent$1.yaml" <<END
name: host$1
controller: 127.0.0.1:$port
state: state$1
root: nic$1
driver: mlx5
write: yes
gap: 100ms
freeze_file: freeze
END
}

holds() {
    [ "$(cat "nic$1/$nic/roce_rp/$2" 2>/dev/null)" = "$3" ]
}

is_tried() {
    holds 1 rpg_ai_rate 50 || holds 2 rpg_ai_rate 50
}

is_back() {
    holds 1 rpg_ai_rate 5 && holds 2 rpg_ai_rate 5
}

@test "nic: an agent writes only digits, only to allowed parameters, and reverts them" {
    needs_live
    with_nics
    ctl freeze
    wait_for is_back
    cat nic?/.nic/log >log
    [ "$(wc -l <log)" -ge 4 ]
    refute grep -vE '^/sys/class/net/ens1f0np0/ecn/roce_(rp|np)/[a-z0-9_]+ [0-9]+$' log
    refute grep -E 'enable|dscp|802p' log
}

# Causes drops again: on a busy machine the trial may have ended before the first drops were reported.
breaks_guardrail() {
    echo 'discard 3' >nic1/.nic/control
    grep -q 'guardrail: .*lossless' statec/audit.jsonl
}

@test "nic: counters and guardrails through the files of a NIC" {
    needs_live
    with_nics
    echo 'traffic 25000000000' >nic1/.nic/control                # 200 of 400 Gb/s
    wait_for sh -c "'$ANOLE' ctl --address 127.0.0.1:$port devices | grep -qE 'sends (4[5-9]|5[0-5])\.'"
    wait_for breaks_guardrail
    wait_for is_back
}

@test "nic: after a reload the driver has its defaults, and the device is frozen" {
    needs_live
    with_nics
    ctl freeze
    wait_for is_back
    echo 'set rpg_hai_rate 60' >nic1/.nic/control
    wait_for says 'host1/mlx5_0 .*frozen'
    grep -q 'changed outside Anole: rpg_hai_rate 60' state1/mlx5_0/audit.jsonl
    echo reload >nic1/.nic/control
    wait_for grep -q 'changed outside Anole: rpg_hai_rate 50' state1/mlx5_0/audit.jsonl
}

@test "nic: a device that cannot be written is reverted as soon as possible" {
    needs_live
    with_nics
    wait_for holds 1 rpg_ai_rate 50
    echo 'fail write 5' >nic1/.nic/control
    touch freeze
    wait_for holds 2 rpg_ai_rate 5
    holds 1 rpg_ai_rate 50 || skip 'the block was over'
    echo 'fail write 0' >nic1/.nic/control
    wait_for holds 1 rpg_ai_rate 5
}

@test "nic: a device that cannot be read is not written" {
    needs_live
    mount_nic 1
    write_controller
    write_agent_file 1
    echo 'fail read 5' >nic1/.nic/control
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    sleep 6
    [ ! -s nic1/.nic/log ] || [ -z "$(cat nic1/.nic/log)" ]
    run "$ANOLE" agent agent1.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *'its parameters cannot be read' ]]
}

@test "nic: the kernel's own driver, a virtual function, and locked-down debugfs" {
    needs_live
    mount_nic 1 inbox
    write_agent_file 1
    "$ANOLE" agent agent1.yaml --check-config
    mount_nic 2 vf
    write_agent_file 2
    run "$ANOLE" agent agent2.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *'mlx5_0: it is a virtual function'* ]]
    mount_nic 3 locked
    write_agent_file 3
    run "$ANOLE" agent agent3.yaml --check-config
    [ "$status" -eq 1 ]
    [ ! -e state3 ]
}
