#!/usr/bin/env bats
# tests/cli/live_reload.bats - configurations, tokens and certificates that change while agents and
# controllers run, and queries of operators on call.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

# reload PID LOG WORDS - sends SIGHUP and waits for these words in the log.
reload() {
    kill -HUP "$1"
    wait_for grep -q "$3" "$2"
}

@test "reload: an agent writes once its file allows it, and reverts open changes when it no longer does" {
    needs_live
    write_controller
    write_agent 1
    sed -i 's/^write: yes/write: no/' agent1.yaml
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    agent=$pid
    wait_for says 'host1/mlx5_0 .*observed'
    sed -i 's/^write: no/write: yes/' agent1.yaml
    reload "$agent" agent1.log 'read again; may write'
    wait_for says 'host1/mlx5_0 .*\(tuned\|ready\)'
    wait_for has_rate nic1 50
    sed -i 's/^write: yes/write: no/' agent1.yaml
    reload "$agent" agent1.log 'read again; observes only'
    wait_for has_rate nic1 5
    wait_for says 'host1/mlx5_0 .*observed'
    "$ANOLE" ctl verify state1/mlx5_0/audit.jsonl
}

@test "reload: narrower limits apply from then on" {
    needs_live
    write_controller
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    agent=$pid
    wait_for has_rate nic1 50
    echo 'limits: {rpg_ai_rate: {max: 10}}' >>agent1.yaml
    reload "$agent" agent1.log 'read again; may write'
    wait_for has_rate nic1 5
    for _ in $(seq 30); do
        has_rate nic1 5
        sleep 0.1
    done
}

@test "reload: an invalid file, or one that changes fixed keys, has no effect" {
    needs_live
    write_controller
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    agent=$pid
    wait_for says 'host1/mlx5_0 .*\(tuned\|ready\)'
    sed -i 's/^gap:/gpa:/' agent1.yaml
    reload "$agent" agent1.log "agent1.yaml:7:1: .*did you mean 'gap'?; everything stays as it was"
    write_agent 1
    sed -i 's/^state: .*/state: elsewhere/' agent1.yaml
    reload "$agent" agent1.log "'state' cannot change while it runs"
    [ ! -e elsewhere ]
    write_agent 1
    echo 'relays: [127.0.0.1:1]' >>agent1.yaml
    reload "$agent" agent1.log "'relays' cannot change while it runs"
    sed -i 's/^mode: .*/mode: observe/; s/^listen: .*/listen: 127.0.0.1:1/' controller.yaml
    reload "$controller" controller.log "'listen' cannot change while it runs"
    wait_for says 'mode auto'
    sed -i "s/^listen: .*/listen: 127.0.0.1:$port/; s/^tuner: .*/tuner: exprt/" controller.yaml
    reload "$controller" controller.log "did you mean 'expert'?; everything stays"
    wait_for says 'mode auto'
    wait_for says 'host1/mlx5_0 .*\(tuned\|ready\)'
}

@test "reload: a controller that is switched to observe ends its trial" {
    needs_live
    write_controller
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for has_rate nic1 50
    sed -i 's/^mode: .*/mode: observe/' controller.yaml
    reload "$controller" controller.log 'its configuration was read again'
    wait_for has_rate nic1 5
    wait_for says 'mode observe'
    wait_for grep -q '"what":"reconfigure"' statec/audit.jsonl
    "$ANOLE" ctl verify statec/audit.jsonl
}

@test "reload: criteria that judge a trial stay until it has ended" {
    needs_live
    write_controller
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for has_rate nic1 50
    sed -i 's/^accept: .*/accept: 2/' controller.yaml
    reload "$controller" controller.log 'holds when trial [0-9]* has ended'
    refute grep -q '"what":"reconfigure"' statec/audit.jsonl
    ctl freeze
    wait_for grep -q '"what":"reconfigure"' statec/audit.jsonl
}

@test "reload: a new token over HTTP" {
    needs_live
    command -v curl >/dev/null || skip 'no curl'
    (umask 077 && echo the-first-token-there-was >token)
    write_controller
    printf 'http: {listen: "127.0.0.1:%s", token: token}\n' $((port + 1)) >>controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for grep -q 'http at' controller.log
    thaw() {
        [ "$(curl -sS -o reply -w '%{http_code}' -H "Authorization: Bearer $1" -H 'Content-Type: application/json' -d '{}' \
             "http://127.0.0.1:$((port + 1))/api/thaw")" = "$2" ]
    }
    thaw the-first-token-there-was 200
    echo another-token-than-that >token
    reload "$pid" controller.log 'its configuration was read again'
    wait_for thaw another-token-than-that 200
    thaw the-first-token-there-was 401
}

@test "reload: a page that could not be opened changes nothing" {
    needs_live
    command -v curl >/dev/null || skip 'no curl'
    (umask 077 && echo the-first-token-there-was >token)
    write_controller
    printf 'http: {listen: "127.0.0.1:%s", token: token}\n' $((port + 1)) >>controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    has_page() { curl -sSf "http://127.0.0.1:$((port + 1))/healthz" >/dev/null; }
    wait_for has_page
    chmod 644 token
    sed -i 's/^mode: .*/mode: observe/' controller.yaml
    reload "$pid" controller.log 'token: readable by others; chmod 640; everything stays as it was'
    has_page
    says 'mode auto'
    chmod 600 token
    sed -i "s/$((port + 1))/$port/" controller.yaml              # taken, by the controller itself
    reload "$pid" controller.log "127.0.0.1:$port: cannot listen there: .*; everything stays as it was"
    has_page
    says 'mode auto'
}

@test "reload: certificates of another authority, while processes run" {
    needs_live
    command -v openssl >/dev/null || skip 'no openssl'
    make_all() {
        make_ca ca
        for name in c1 host1 host2 operator; do make_cert $name ca -days 2; done
    }
    make_all
    write_controller
    tls_of c1 'refresh: 1s' >>controller.yaml
    for i in 1 2; do
        write_agent $i
        sed -i 's/127.0.0.1/localhost/' agent$i.yaml
        tls_of host$i 'refresh: 1s' >>agent$i.yaml
    done
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    agent=$pid
    is_tuned() { asks_as operator && grep -q "host$1/mlx5_0 .*\(tuned\|ready\|held back\)" out; }   # held back: an agent that joins during a trial
    wait_for is_tuned 1
    mkdir old
    cp ca.pem operator.pem operator.key old
    make_all
    wait_for is_tuned 1                          # the agent's stream was not interrupted
    refute asks_as old/operator                  # knows only the old authority
    refute asks_as old/operator old/ca
    start agent2.log "$ANOLE" agent agent2.yaml  # a new agent with new certificates, at the old controller
    wait_for is_tuned 2
    kill -9 "$controller"                        # an old agent at a new controller
    start controller.log "$ANOLE" controller controller.yaml
    wait_for is_tuned 1
    kill -0 "$agent"
}

@test "ctl: answers the questions of operators on call in words" {
    needs_live
    write_controller
    write_agent 1
    write_agent 2
    run "$ANOLE" ctl
    [ "$status" -eq 2 ]
    [ "$output" = 'anole: what? There are status, devices, history, explain, diff, freeze, thaw, approve, reject, rollback, forget, drill, verify, replay; see anole ctl --help' ]
    start controller.log "$ANOLE" controller controller.yaml
    wait_for says 'nothing is tried'
    [ "$(ctl devices)" = 'there are no devices' ]
    [[ "$(ctl explain)" == 'nothing was tried yet'* ]]
    start agent1.log "$ANOLE" agent agent1.yaml
    start agent2.log "$ANOLE" agent agent2.yaml
    # An agent that got no processor time for a while ends a trial. The next trial has the next number.
    tells_of_trial() {
        says 'trial [0-9]*: .*rpg_ai_rate 5 -> 50Mbps' || return 1
        trial=$(ctl status | sed -n 's/.*trial \([0-9]*\): .*/\1/p' | head -1)
        ctl devices >table
        grep -q 'host1/mlx5_0 *NIC *\(tuned\|ready\) *[0-9]* ms ago' table && grep -q 'sends 0.0 %  paused 0.0 %  metric 0.500' table &&
            ctl explain | grep -q "^trial $trial of term [0-9]*: open$" && ctl explain "$trial" | grep -q 'because: tuner '
    }
    wait_for tells_of_trial
    run ctl explain 9999
    [ "$status" -eq 1 ]
    [[ "$output" == *'no trial 9999 among the last'* ]]
    run ctl explain x
    [ "$status" -eq 2 ]
    [ "$(ctl freeze --why 'rack 7')" = 'frozen; an open change is reverted' ]
    is_dropped() { ctl explain "$trial" | grep -q 'drop *frozen by .*: rack 7'; }
    wait_for is_dropped
    ctl history | grep -q ': freeze: rack 7'
    [ "$(ctl thaw)" = thawed ]
    ctl status --json | jq -e '.devices | length == 2'
}

@test "systemd: accepts the unit files" {
    command -v systemd-analyze >/dev/null || skip 'no systemd-analyze'
    for unit in data/systemd/*.service; do
        sed 's,/usr/local/bin/anole,/bin/true,' "$unit" >"$dir/$(basename "$unit")"
        run systemd-analyze verify --man=no "$dir/$(basename "$unit")"
        echo "$output"
        [ "$status" -eq 0 ]
        refute grep -qi 'unknown\|invalid\|failed to parse' <<<"$output"
        grep -q '^ExecReload=/bin/kill -HUP' "$unit"
    done
}

@test "man: the pages have every key of a configuration" {
    for page in controller agent relay; do
        sed -n "/^static const struct key_row \(common\|$page\|tls\)_keys/,/{ 0 },/p" src/live/daemon/config/live_config.c |
            grep -o '^    { "[a-z_]*"' | grep -o '[a-z_]*' >"$dir/keys"
        [ "$(wc -l <"$dir/keys")" -gt "$([ "$page" = relay ] && echo 9 || echo 15)" ]
        tools/make-man "$ANOLE" "docs/man/anole-${page/relay/agent}.8.scd" | scdoc >"$dir/page"
        while read -r key; do
            grep -qF "\\fB$key\\fR" "$dir/page" || { echo "$key of $page is not in its page"; return 1; }
        done <"$dir/keys"
    done
}

# as_nobody COMMAND... - runs the command without privileges.
as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"
}

@test "live: an agent without write permission says what it lacks; with the capability it needs no root" {
    needs_live
    [ "$(id -u)" -eq 0 ] || skip 'needs root to become nobody'
    command -v setpriv >/dev/null || skip 'no setpriv'
    write_agent 1
    chmod -R a+rX .
    mkdir state1
    chown 65534 state1
    cp "$(dirname "$ANOLE")/anole-live" .     # user nobody may lack access to the build folder
    as_nobody test -x ./anole-live || skip 'user nobody has no access to this folder'
    run as_nobody ./anole-live agent agent1.yaml --check-config
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"mlx5_0: "*"rpg_ai_rate: Permission denied; it needs CAP_DAC_OVERRIDE"* ]]
    run as_nobody ./anole-live agent agent1.yaml
    [ "$status" -eq 1 ]
    [ ! -e state1/mlx5_0 ]
    sed -i 's/^write: yes/write: no/' agent1.yaml
    as_nobody ./anole-live agent agent1.yaml --check-config
    sed -i 's/^write: no/write: yes/' agent1.yaml
    setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_override,+net_admin --ambient-caps=+dac_override,+net_admin \
        --bounding-set=-all,+dac_override,+net_admin ./anole-live agent agent1.yaml --check-config
}
