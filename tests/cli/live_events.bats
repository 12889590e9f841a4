#!/usr/bin/env bats
# tests/cli/live_events.bats - what an operator would search for has a line in a journal, a metric and an alert.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

rules=$BATS_TEST_DIRNAME/../../data/prometheus/anole.rules.yml

has_http() {
    grep -q '^anole: http at ' "$1"
}

# metrics LOG - /metrics of the process with this log.
metrics() {
    curl -sS --max-time 10 "http://$(sed -n 's/^anole: http at //p' "$1" | head -n 1)/metrics"
}

# is_metric LOG PATTERN - whether a line of its /metrics matches.
is_metric() {
    metrics "$1" | grep -qE "$2"
}

start_fabric() {
    needs_live
    command -v curl >/dev/null || skip 'no curl'
    write_controller
    echo 'http: {listen: "127.0.0.1:0"}' >>controller.yaml
    for i in "$@"; do
        write_agent "$i"
        echo 'http: {listen: "127.0.0.1:0"}' >>"agent$i.yaml"
    done
}

# start_all INDEX... - starts the controller and agents with HTTP.
start_all() {
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    for i in "$@"; do start "agent$i.log" "$ANOLE" agent "agent$i.yaml"; done
    agent=$pid
    wait_for has_http controller.log
    for i in "$@"; do wait_for has_http "agent$i.log"; done
}

teardown() {
    kill_started
    ! mountpoint -q "$dir/full" || umount -l "$dir/full"
    [ ! -f "$dir/ports_file" ] || xargs -r rm -f <"$dir/ports_file"
}

@test "events: every alert is about a metric that exists, and promtool accepts the rules" {
    start_fabric 1
    start_all 1
    wait_for is_metric controller.log 'anole_controller_devices.*state="(ready|tuned)"} 1'
    { metrics controller.log; metrics agent1.log; } | sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' | sort -u >known
    grep -o 'anole_[a-z_]*' "$rules" | sort -u >used
    [ "$(wc -l <used)" -ge 15 ]
    run comm -23 used known
    [ -z "$output" ]
    command -v promtool >/dev/null || skip 'no promtool: tools/deps peers'
    promtool check rules "$rules"
}

# A line for each alert: its name, a series, its values for five minutes without, and then with the event.
alerts() {
    cat <<'END'
AnoleControllerAbsent   anole_controller_role{role="active"}             1x20        _x400
AnoleDeviceNotBack      anole_controller_devices{state="broken"}         0x20        1x400
AnoleDeviceLost         anole_controller_devices{state="silent"}         0x20        1x400
AnoleDeviceLeft         anole_controller_devices{state="left"}           0x20        1x400
AnoleDeviceMissing      anole_controller_devices_missing                 0x20        1x400
AnoleDeviceUnexpected   anole_controller_devices_unexpected              0x20        1x400
AnoleDeviceUnreadable   anole_controller_devices{state="unreadable"}     0x20        1x400
AnoleDeviceExpired      anole_controller_devices{state="expired"}        0x20        1x400
AnoleDeviceFrozen       anole_controller_devices{state="frozen"}         0x20        1x400
AnoleFrozen             anole_controller_frozen                          0x20        1x400
AnoleGuardrailBroken    anole_controller_guardrail_breaches              0x20        1x400
AnoleCertificateEnds    anole_agent_certificate_seconds                  9999999x20  1000x400
AnoleCertificateEnded   anole_controller_certificate_seconds             1000x20     -5x400
AnoleDiskFull           anole_controller_disk_unwritable                 0x20        1x400
AnoleAgentTrouble       anole_agent_trouble                              0x20        1x400
AnoleReloadRefused      anole_config_reload_refused                      0x20        1x400
AnoleDeposed            anole_controller_role{role="deposed"}            0x20        1x400
AnoleTrialWaits         anole_controller_trial_phase{phase="waiting"}    0x20        1x400
AnoleTrialDropped       anole_controller_trials_total{outcome="dropped"} 0x20        0+1x400
AnoleOrder              anole_controller_orders_total                    0x20        0+1x400
AnolePeerRefused        anole_controller_refused_peers_total             0x20        0+1x400
END
}

@test "events: each alert fires with its event, and not before" {
    command -v promtool >/dev/null || skip 'no promtool: tools/deps peers'
    [ "$(alerts | awk '{ print $1 }')" = "$(sed -n 's/.*alert: *//p' "$rules")" ]
    {
        printf 'rule_files: [%s]\nevaluation_interval: 15s\ntests:\n' "$(realpath "$rules")"
        alerts | while read -r name series before after; do
            printf -- "- interval: 15s\n  input_series:\n  - {series: '%s', values: '%s %s'}\n  promql_expr_test:\n" "$series" "$before" "$after"
            for when in '4m 0' '80m 1'; do
                printf -- "  - {expr: 'count(ALERTS{alertname=\"%s\", alertstate=\"firing\"}) or vector(0)', eval_time: %s, exp_samples: [{labels: '{}', value: %s}]}\n" \
                    "$name" "${when% *}" "${when#* }"
            done
        done
    } >"$BATS_TEST_TMPDIR/alerts.yml"
    promtool test rules "$BATS_TEST_TMPDIR/alerts.yml"
}

@test "events: devices that are missing, lost, back, unreadable or unexpected" {
    start_fabric 1 2
    echo 'inventory: [host1/mlx5_0, host3/mlx5_0]' >>controller.yaml
    sed -i 's/^write: .*/write: no/' agent1.yaml # nothing is open when its files vanish
    start_all 1 2
    wait_for grep -q 'missing: 1 of 2 expected devices do not report, such as host3/mlx5_0' controller.log
    is_metric controller.log '^anole_controller_devices_missing 1$'
    is_metric controller.log '^anole_controller_devices_unexpected 1$'
    says '1 of 2 expected devices do not report, such as host3/mlx5_0'
    says '1 devices report that are not in the inventory, such as host2/mlx5_0'

    mv nic1/sys/class/net/eth7/ecn nic1/sys/class/net/eth7/gone
    wait_for grep -q 'host1/mlx5_0: trouble: its parameters cannot be read' agent1.log
    wait_for is_metric controller.log '^anole_controller_devices.kind="NIC",state="unreadable". 1$'
    is_metric agent1.log '^anole_agent_trouble.* 1$'
    says 'host1/mlx5_0 .*unreadable'
    mv nic1/sys/class/net/eth7/gone nic1/sys/class/net/eth7/ecn
    wait_for grep -q 'host1/mlx5_0: no more trouble: its parameters cannot be read' agent1.log
    wait_for is_metric controller.log '^anole_controller_devices.kind="NIC",state="unreadable". 0$'

    kill -9 "$agent"
    wait_for grep -q 'lost: host2/mlx5_0' controller.log
    wait_for is_metric controller.log '^anole_controller_devices.kind="NIC",state="silent". 1$'
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for grep -q 'back: host2/mlx5_0' controller.log
}

@test "events: orders of people, and a foreign edit" {
    start_fabric 1
    sed -i 's/^mode: .*/mode: approve/' controller.yaml
    start_all 1
    wait_for says 'waits for approval'
    says 'rpg_ai_rate 5 -> 50Mbps'               # the old value beside the new
    ctl reject "$(ctl status --json | jq .trial.number)" --why 'not today'
    grep -q 'reject by .*: not today' controller.log
    ctl thaw
    wait_for says 'waits for approval'
    ctl drill host1/mlx5_0 --why 'while a trial waits'
    wait_for grep -q 'drill by .*passed: host1/mlx5_0' controller.log
    wait_for says 'waits for approval'
    ctl approve "$(ctl status --json | jq -r '"\(.trial.number):\(.trial.code)"')" --why yes
    grep -q 'approve by .*: yes' controller.log
    wait_for grep -q 'applies rpg_ai_rate 5 -> 50Mbps' agent1.log
    ctl freeze --why lunch
    grep -q 'freeze by .*: lunch' controller.log
    ctl thaw --why back
    ctl freeze host1/mlx5_0 --why look
    wait_for grep -q 'host1/mlx5_0: freeze: frozen: .*look' agent1.log
    ctl thaw host1/mlx5_0
    wait_for grep -q 'host1/mlx5_0: thaw' agent1.log
    set_rate nic1 70
    wait_for grep -q 'host1/mlx5_0: changed: frozen: changed outside Anole: rpg_hai_rate 70' agent1.log
    wait_for is_metric controller.log '^anole_controller_devices.kind="NIC",state="frozen". 1$'
    for order in reject:1 drill:1 approve:1 freeze:2 thaw:3; do
        is_metric controller.log "^anole_controller_orders_total.order=\"${order%:*}\". ${order#*:}$"
    done
}

@test "events: a reload is taken or refused, and looks whether devices are writable" {
    start_fabric 1
    sed -i 's/^write: .*/write: no/' agent1.yaml
    start_all 1
    kill -HUP "$controller"
    wait_for grep -q 'its configuration was read again' controller.log
    is_metric controller.log '^anole_config_reloads_total.outcome="taken". 1$'
    echo 'nonsense: 1' >>controller.yaml
    kill -HUP "$controller"
    wait_for grep -q 'nonsense.*everything stays as it was' controller.log
    is_metric controller.log '^anole_config_reload_refused 1$'

    file=nic1/sys/class/net/eth7/ecn/roce_rp/rpg_ai_rate
    sed -i 's/^write: .*/write: yes/' agent1.yaml
    mv $file away                                # as unwritable for root as for others
    kill -HUP "$agent"
    wait_for grep -q 'rpg_ai_rate: No such file.*everything stays as it was' agent1.log
    is_metric agent1.log '^anole_config_reload_refused 1$'
    is_metric agent1.log '^anole_agent_writes.* 0$'
    mv away $file
    kill -HUP "$agent"
    wait_for grep -q 'its configuration was read again; may write' agent1.log
    is_metric agent1.log '^anole_config_reload_refused 0$'
}

@test "events: certificates that end" {
    start_fabric 1
    command -v openssl >/dev/null || skip 'no openssl'
    make_ca ca
    for name in c1 host1 operator; do make_cert $name ca -days 2; done
    tls_of c1 >>controller.yaml
    tls_of host1 >>agent1.yaml
    sed -i 's/127.0.0.1:'"$port"'/localhost:'"$port"'/' agent1.yaml
    start_all 1
    wait_for grep -q 'the certificate of this controller ends in 1 days' controller.log
    wait_for grep -q 'the certificate of host1 ends in 1 days' controller.log
    is_metric controller.log '^anole_controller_certificate_seconds 1[67][0-9]{4}'
    is_metric controller.log '^anole_controller_peer_certificate_seconds 1[67][0-9]{4}'
    is_metric agent1.log '^anole_agent_certificate_seconds.* 1[67][0-9]{4}'
    asks_as operator
    grep -q 'the certificate of this controller ends in 1 days' out
    grep -q 'certificates of peers end within 30 days, that of host1 in 1' out
}

@test "events: a full disk is in journal, status and metrics" {
    start_fabric 1
    [ "$(id -u)" -eq 0 ] || skip 'mounting a tmpfs needs root'
    mkdir full
    mount -t tmpfs -o size=1m none full || skip 'no tmpfs'
    sed -i 's/^state: .*/state: full/' controller.yaml
    start_all 1
    wait_for says 'trial [0-9]* is under way'
    dd if=/dev/zero of=full/ballast bs=4k status=none || true
    ctl freeze --why 'something to write' || true
    wait_for grep -q 'the disk cannot be written: nothing new is tried' controller.log
    says "the controller's disk cannot be written"
    is_metric controller.log '^anole_controller_disk_unwritable 1$'
    rm full/ballast
    ctl thaw
    wait_for grep -q 'the disk can be written again' controller.log
}
