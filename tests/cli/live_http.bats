#!/usr/bin/env bats
# tests/cli/live_http.bats - the HTTP interface of agents and controllers, and who may use it.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

# http_of LOG - waits until a process logs its HTTP address, and prints it.
http_of() {
    sed -n 's/^anole: http at //p' "$1" | head -n 1
}

has_http() {
    [ -n "$(http_of "$1")" ]
}

# fetch PATH [CURL-OPTION...] - fetches from the controller.
fetch() {
    path=$1
    shift
    curl -sS --max-time 10 "$@" "http://$web$path"
}

# code_of PATH [CURL-OPTION...] - prints only the status.
code_of() {
    fetch "$@" -o reply -w '%{http_code}'
}

# with_http [KEY...] - starts a controller, with these keys, and an agent with HTTP; $web is the controller's address,
# $web_agent the agent's.
with_http() {
    command -v curl >/dev/null || skip 'no curl'
    token=a-token-for-this-test
    (umask 077 && echo "$token" >token)
    write_controller
    printf '%s\n' 'http: {listen: "127.0.0.1:0", token: token}' "$@" >>controller.yaml
    write_agent 1
    printf 'http: {listen: "127.0.0.1:0"}\n' >>agent1.yaml
    start controller.log "$ANOLE" controller controller.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for has_http controller.log
    wait_for has_http agent1.log
    web=$(http_of controller.log)
    web_agent=$(http_of agent1.log)
}

# tells_metric PATTERN - whether a line of /metrics matches.
tells_metric() {
    fetch /metrics | grep -q "$1"
}

# state FILTER - applies the jq filter to /api/state.
state() {
    fetch /api/state | jq -re "$1"
}

is_so() {
    [ "$(state "$1" 2>/dev/null)" = "$2" ]
}

post() {
    code_of "/api/$1" -X POST -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d "$2"
}

@test "http: promtool accepts the metrics of both" {
    needs_live
    with_http
    wait_for tells_metric '^anole_controller_devices{kind="NIC",state="ready"} 1$'
    fetch /metrics >controller.prom
    web=$web_agent fetch /metrics >agent.prom
    grep -q '^anole_controller_role{role="active"} ' controller.prom
    grep -q '^anole_agent_knob{device="host1/mlx5_0",knob="rpg_ai_rate"} 5$' agent.prom
    grep -q '^anole_agent_connected{device="host1/mlx5_0"} 1$' agent.prom
    [ "$(code_of /healthz)" = 200 ]
    [ "$(web=$web_agent code_of /healthz)" = 200 ]
    command -v promtool >/dev/null || skip 'no promtool: tools/deps peers'
    run promtool check metrics <controller.prom
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    run promtool check metrics <agent.prom
    [ "$status" -eq 0 ] && [ -z "$output" ]
}

@test "http: controller or agent export every metric and label of the Grafana dashboards" {
    needs_live
    with_http
    wait_for is_so .devices_total 1
    fetch /metrics >all.prom
    web=$web_agent fetch /metrics >>all.prom
    sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' all.prom | sort -u >known
    grep -o '[a-z_]*="' all.prom | tr -d '="' | sort -u >labels
    printf 'instance\nvalue\n' >>labels           # made by Prometheus and by count_values
    for dashboard in "$BATS_TEST_DIRNAME"/../../data/grafana/*.json; do
        jq -re '.panels[].targets[].expr' "$dashboard" >exprs
        jq -r '.templating.list[] | select(.type == "query") | .definition' "$dashboard" >queries
        [ "$(wc -l <exprs)" -ge 15 ]
        grep -oh '\(anole\|process\)_[a-z_]*' exprs queries | sort -u >used
        [ -s used ]
        run comm -23 used known
        [ -z "$output" ]
        { grep -o '[a-z_]*=~\?"' exprs | tr -d '=~"'; grep -o 'by ([a-z_]*)' exprs | sed 's/by (//; s/)//'
          jq -r '.panels[].targets[].legendFormat' "$dashboard" | grep -o '{{[a-z_]*}}' | tr -d '{}'; } | sort -u >used_labels
        run comm -23 used_labels <(sort -u labels)
        [ -z "$output" ]
        # Grafana fills in its own variables; the rest is PromQL.
        command -v promtool >/dev/null || continue
        { echo 'groups: [{name: dashboards, rules: ['
          sed 's/\$__rate_interval/5m/g' exprs | jq -Rr '"{record: \"x:y\(input_line_number)\", expr: \(@json)},"'
          echo ']}]'; } >rules.yaml
        promtool check rules rules.yaml
    done
}

# prometheus_says QUERY VALUE - whether Prometheus answers this.
prometheus_says() {
    [ "$(curl -sS --max-time 5 -G --data-urlencode "query=$1" "http://127.0.0.1:$prom/api/v1/query" |
         jq -r '.data.result[0].value[1]' 2>/dev/null)" = "$2" ]
}

@test "http: a real Prometheus scrapes both" {
    needs_live
    command -v prometheus >/dev/null || skip 'no prometheus: tools/deps peers'
    prom=$((port + 1))
    with_http "prometheus: http://127.0.0.1:$prom" 'prometheus_match: job="controller"'
    cat >prometheus.yml <<END
global: {scrape_interval: 1s}
scrape_configs:
  - {job_name: controller, static_configs: [{targets: ['$web']}]}
  - {job_name: agent, static_configs: [{targets: ['$web_agent']}]}
END
    promtool check config prometheus.yml
    start prometheus.log prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address="127.0.0.1:$prom"
    wait_for prometheus_says 'up{job="controller"}' 1
    wait_for prometheus_says 'up{job="agent"}' 1
    wait_for prometheus_says 'anole_controller_devices{state="ready",kind="NIC"}' 1
    wait_for prometheus_says 'sum(anole_agent_trouble)' 0
    wait_for prometheus_says 'rate(anole_agent_samples_total[10s]) > bool 5' 1
    wait_for prometheus_says 'anole_controller_fabric{series="coverage"}' 1
    # The controller answers from it: a day in steps of four minutes, the last one known.
    wait_for history_says 24h '.source == "Prometheus" and .step_ms == 240000 and .series.coverage.mean[-1] > 0 and .series.metric.most[-1] > 0'
    history_says 24h '.knobs[-1].confirmed.rpg_ai_rate == 5 or .knobs == []'
    history_says 1h '.source == "memory" and ([.series.coverage.mean[] | values] | length) > 0'
}

# history_says SPAN FILTER - whether the jq filter holds for /api/history/SPAN.
history_says() {
    fetch "/api/history/$1" | jq -e "$2" >/dev/null
}

@test "http: history: the last hour without Prometheus, and what is wrong with one" {
    needs_live
    with_http
    wait_for history_says 1h '.source == "memory" and ([.series.coverage.mean[] | values] | length) > 0 and .decisions'
    history_says 15m '.step_ms == 10000 and (.t_ms | length) == 90'
    [ "$(code_of /api/history/24h)" = 404 ]
    fetch /api/history/24h | grep -q "key 'prometheus'"
    [ "$(code_of /api/history/2h)" = 404 ]
    printf 'prometheus: nowhere:9090\n' >>controller.yaml
    refute "$ANOLE" controller controller.yaml --check-config 2>err
    grep -q 'prometheus: http://host:port or https://host:port is wanted' err
}

@test "http: history: a Prometheus that does not answer is named" {
    needs_live
    with_http "prometheus: http://127.0.0.1:1"
    wait_for history_says 24h '.error | startswith("Prometheus: ")'
}

@test "http: the state lists devices, trial, settings and reasons" {
    needs_live
    with_http
    write_agent 2
    start agent2.log "$ANOLE" agent agent2.yaml
    wait_for is_so '.trial.phase' run
    wait_for state '.version == 1 and .mode == "auto" and .coverage == 1'
    wait_for state '.devices[] | select(.name == "host1/mlx5_0") | (.state == "tuned" or .state == "ready") and .age_ms < 2000 and .rate_bps == 100000000000'
    wait_for state '.trial.set.rpg_ai_rate == 50 and (.trial.stage == "one" or .trial.stage == "halves")'
    wait_for state '.knobs[0].confirmed == {} or .knobs[0].confirmed.rpg_ai_rate == 5'
    wait_for state '[.knobs[] | select(.trial)] | length > 0'
    wait_for state '.decisions[-1] | .set.rpg_hai_rate == 150 and (.why | startswith("tuner "))'
    wait_for state '[.audit[] | select(.what == "try")] | length > 0'
    wait_for state '[.decisions[-1].steps[].what][0] == "try"'
    wait_for state '.timeline | (.t_ms | length) > 0 and (.t_ms | length) == (.metric | length)'
    [ "$(code_of /nothing)" = 404 ]
}

@test "http: the event stream resumes where a client left off" {
    needs_live
    with_http
    wait_for is_so .devices_total 1
    curl -sSN --max-time 30 "http://$web/api/events" >events 3>&- &
    echo "$!" >>pids
    wait_for grep -q '^event: state$' events
    ctl freeze --why 'to be heard'
    wait_for grep -q '"what":"freeze"' events
    grep -A 2 '^event: audit$' events | grep -q '^id: [0-9]*$'
    last=$(sed -n 's/^id: //p' events | tail -n 1)
    ctl thaw
    wait_for grep -q '"what":"thaw"' events
    curl -sSN --max-time 30 -H "Last-Event-ID: $last" "http://$web/api/events" >again 3>&- &
    echo "$!" >>pids
    wait_for grep -q '"what":"thaw"' again
    refute grep -q '"what":"freeze"' again
    grep '^data: .*}$' again | sed 's/^data: //' | jq -e . >/dev/null
}

@test "http: clients without a token may read but not act" {
    needs_live
    with_http
    wait_for is_so .devices_total 1
    json='Content-Type: application/json'
    [ "$(code_of /api/freeze -X POST -H "$json" -d '{}')" = 401 ]
    [ "$(code_of /api/freeze -X POST -H "$json" -H 'Authorization: Bearer wrong' -d '{}')" = 401 ]
    [ "$(code_of /api/freeze -X POST -H "Authorization: Bearer $token" -d 'x=1')" = 415 ]
    [ "$(code_of /api/freeze -X POST -H "$json" -H "Authorization: Bearer $token" -H 'Origin: http://evil.example' -d '{}')" = 403 ]
    [ "$(code_of /api/state -H 'Host: evil.example')" = 421 ]
    [ "$(code_of /api/state -X DELETE)" = 405 ]
    wait_for is_so .frozen ''
    [ "$(post freeze '{"why": "a page"}')" = 200 ]
    wait_for is_so .frozen 'frozen by the holder of the HTTP token: a page'
    [ "$(post thaw '')" = 200 ]
    wait_for is_so .frozen ''
    [ "$(post freeze '{"device": "no/such"}')" = 404 ]
    [ "$(post freeze '{"devise": "x"}')" = 400 ]
    [ "$(post approve '{"number": 77}')" = 400 ]                 # the setting is required too
    [ "$(post approve '{"number": 77, "code": "0123456789abcdef"}')" = 404 ]
    [ "$(post dance '{}')" = 404 ]
    [ "$(web=$web_agent code_of /metrics -X POST -H "$json" -d '{}')" = 403 ]
}

@test "http: floods, long headers and partial requests do not stop a controller" {
    needs_live
    with_http
    wait_for is_so .devices_total 1
    python3 - "$web" <<'END'
import socket, sys
host, port = sys.argv[1].rsplit(":", 1)
held = []
for i in range(200):                     # more than allowed, each with half a request
    s = socket.create_connection((host, int(port)), 5)
    s.send(b"GET /api/state HTTP/1.1\r\nHost: x")
    held.append(s)
for s in held:
    s.close()
for bytes in (b"\0" * 3000, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100000, b"POST /api/freeze HTTP/1.1\r\nHost: localhost\r\n"
              b"Content-Type: application/json\r\nContent-Length: 999999999999\r\n\r\n" + b"{" * 100000, b"\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
    s = socket.create_connection((host, int(port)), 5)
    try:
        s.sendall(bytes)
        s.settimeout(1)
        s.recv(1000)
    except OSError:
        pass
    s.close()
END
    wait_for is_so .role active
    [ "$(code_of /api/freeze -X POST -H 'Content-Type: application/json' -H "Authorization: Bearer $token" -d "{\"why\": \"$(head -c 9000 /dev/zero | tr '\0' a)\"}")" = 413 ]
    wait_for is_so .role active
    [ "$(code_of /healthz)" = 200 ]
    says 'host1/mlx5_0 .*\(tuned\|ready\)'
}

@test "http: an unsafe configuration is refused before it listens" {
    needs_live
    write_controller
    printf 'http: {listen: "0.0.0.0:7480"}\n' >>controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"controller.yaml:13:16: listen: an address that others can reach needs cert, key, and token or client_ca" ]]
    write_controller
    printf 'http: {token: token}\n' >>controller.yaml
    echo secret-secret-secret >token
    chmod 644 token
    run "$ANOLE" controller controller.yaml
    [ "$status" -eq 1 ]
    [[ "$output" == *"token: readable by others; chmod 640" ]]
    run "$ANOLE" controller controller.yaml --check-config
    [[ "$output" == *"token: readable by others; chmod 640" ]]
    echo short >token
    chmod 640 token                              # of the group of a service
    run "$ANOLE" controller controller.yaml
    [ "$status" -eq 1 ]
    [[ "$output" == *"token: a token has at least 16 characters" ]]
}

@test "http: other machines need HTTPS, and a token to read" {
    needs_live
    command -v openssl >/dev/null || skip 'no openssl'
    command -v curl >/dev/null || skip 'no curl'
    make_ca ca
    make_cert c1 ca -days 2
    (umask 077 && echo a-token-for-this-test >token)
    write_controller
    printf 'http: {listen: "0.0.0.0:0", token: token, cert: c1.pem, key: c1.key, hosts: [localhost]}\n' >>controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for has_http controller.log
    web=$(http_of controller.log)
    web=localhost:${web##*:}
    [ "$(curl -sS --cacert ca.pem -o reply -w '%{http_code}' "https://$web/api/state")" = 401 ]
    # The page contains no data. It asks for the token and fetches the data with it.
    [ "$(curl -sS --cacert ca.pem -o reply -w '%{http_code}' "https://$web/")" = 200 ]
    grep -q '"kind":"live"' reply
    curl -sS --cacert ca.pem -H 'Authorization: Bearer a-token-for-this-test' "https://$web/api/state" | jq -e '.version == 1'
    refute curl -sS --max-time 5 "http://$web/api/state"
}

# client_cert NAME CA SUBJECT [OPTION...] - makes NAME.pem and NAME.key of a client.
client_cert() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$3" -keyout "$1.key" -out "$1.csr" 2>/dev/null
    printf 'extendedKeyUsage=%s\n' "${usage:-clientAuth}" >"$1.ext"
    openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -extfile "$1.ext" -out "$1.pem" "${@:4}" 2>/dev/null
}

# freeze_as NAME [CURL-OPTION...] - orders a freeze with a certificate, or none if NAME is "", and prints the
# status.
freeze_as() {
    set -- "$1" -sS --max-time 10 --cacert ca.pem -o reply -w '%{http_code}' -H "Content-Type: ${type:-application/json}" \
        -d '{"why": "because"}' "${@:2}"
    if [ -n "$1" ]; then
        set -- "$@" --cert "$1.pem" --key "$1.key"
    fi
    curl "${@:2}" "https://$web/api/freeze"
}

# error_is TEXT - the last answer has this error.
error_is() {
    jq -r .error reply | grep -qxF "$1" || { cat reply; false; }
}

@test "http: a client certificate replaces the token, and the audit log has its subject" {
    needs_live
    command -v openssl >/dev/null || skip 'no openssl'
    command -v curl >/dev/null || skip 'no curl'
    make_ca ca
    make_cert c1 ca -days 2
    make_ca people
    make_ca strangers
    client_cert right people '/O=Example/CN=operator' -days 2
    client_cert guest people '/CN=guest' -days 2
    client_cert other strangers '/CN=operator' -days 2
    client_cert forged strangers '/O=Example/CN=operator' -days 2
    # Expired yesterday. Some versions of openssl count days from now and accept negative numbers; others take
    # dates.
    client_cert ended people '/CN=operator' -days -1 || client_cert ended people '/CN=operator' -not_before 20200101000000Z -not_after 20200102000000Z
    usage=serverAuth client_cert server people '/CN=operator' -days 2
    write_controller
    printf 'http: {listen: "0.0.0.0:0", cert: c1.pem, key: c1.key, client_ca: people.pem, hosts: [localhost]}\n' >>controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for has_http controller.log
    web=$(http_of controller.log)
    web=localhost:${web##*:}
    [ "$(freeze_as '')" = 401 ]
    error_is 'a client certificate is required'
    [ "$(freeze_as other)" = 401 ]
    error_is "the certificate is not from an authority of 'client_ca'"
    [ "$(freeze_as forged)" = 401 ]
    [ "$(freeze_as ended)" = 401 ]
    error_is 'the certificate has expired'
    [ "$(freeze_as guest)" = 401 ]
    error_is "the name in the certificate is not one of 'operators', 'approvers' or 'viewers' of 'http'"
    [ "$(freeze_as server)" = 401 ]
    error_is 'the certificate is not one for clients'
    # No order was accepted so far. Pages of other sites may not give orders, although a browser would send
    # the certificate.
    [ "$(grep -c '"what":"freeze"' statec/audit.jsonl)" = 0 ]
    [ "$(freeze_as right -H 'Origin: https://evil.example')" = 403 ]
    [ "$(freeze_as right -H 'Sec-Fetch-Site: cross-site')" = 403 ]
    [ "$(type=text/plain freeze_as right)" = 415 ]
    [ "$(grep -c '"what":"freeze"' statec/audit.jsonl)" = 0 ]
    [ "$(freeze_as right)" = 200 ]
    [ "$(jq -r 'select(.what == "freeze") | "\(.who): \(.why)"' statec/audit.jsonl)" = 'O=Example,CN=operator: because' ]
    # Reading from another machine needs the certificate too.
    [ "$(curl -sS --cacert ca.pem -o reply -w '%{http_code}' "https://$web/api/state")" = 401 ]
    curl -sS --cacert ca.pem --cert right.pem --key right.key "https://$web/api/state" | jq -e '.frozen | endswith("O=Example,CN=operator: because")'
}

@test "http: client certificates need HTTPS, and their names an authority" {
    needs_live
    make_ca ca
    make_cert c1 ca -days 2
    write_controller
    cp controller.yaml plain.yaml
    printf 'http: {client_ca: ca.pem}\n' >>controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"client_ca: certificates need HTTPS: cert and key" ]]
    cp plain.yaml controller.yaml
    printf 'http: {cert: c1.pem, key: c1.key, operators: [anna]}\n' >>controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"operators: names in certificates say nothing without client_ca" ]]
}

@test "http: a controller with files of links and jobs reports their load" {
    needs_live
    command -v jq >/dev/null || skip 'no jq'
    write_controller
    sed -i 's/^mode: .*/mode: observe/' controller.yaml     # a trial would delay the reload
    printf 'http: {listen: "127.0.0.1:0"}\ntopology: links.yaml\njobs: {training: ["host*"], other: [nobody]}\n' >>controller.yaml
    printf 'links:\n  - host1 - tor1:Ethernet0\n' >links.yaml
    write_agent 1
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for has_http controller.log
    web=$(http_of controller.log)
    overview_is() {
        fetch /api/overview | jq -e "$1" >/dev/null
    }
    wait_for overview_is '.links == {version: .links.version, total: 1, nodes: [["host1", "NIC"], ["tor1", ""]], links: [[0, 1]]}'
    wait_for overview_is '.jobs | map([.name, .nics]) == [["training", 1], ["other", 0], ["", 0]]'
    wait_for overview_is '.jobs[0].looks > 0'
    wait_for overview_is '.tuner.name != null'
    # The load of its own direction is known, that of the switch is not.
    link_is_told() {
        timeout 5 curl -sSN "http://$web/api/events" 2>/dev/null | grep -A1 '^event: links' | sed -n 's/^data: //p' | head -n 1 >links
        jq -e '.links[0] | .[0] == 0 and .[1] != null and .[2] == null and .[6] == null' links
    }
    wait_for link_is_told
    # A changed file of links is loaded while it runs; an invalid one is not.
    printf 'links:\n  - host1 - tor1:Ethernet0\n  - tor1 - spine1\n' >links.yaml
    kill -HUP "$controller"
    wait_for overview_is '.links.total == 2'
    printf 'links: [oops]\n' >links.yaml
    kill -HUP "$controller"
    wait_for grep -q 'links.yaml:1:9: a link is .*everything stays as it was' controller.log
    overview_is '.links.total == 2'
}

@test "http: invalid files of links or jobs are rejected with their place" {
    needs_live
    write_controller
    cp controller.yaml plain.yaml
    printf 'topology: links.yaml\n' >>controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"links.yaml: "* ]]
    printf 'links:\n  - host1 - tor1:1\n  - host2 - tor1:1\n' >links.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *"links.yaml:3:5: tor1:1 has another link already" ]]
    cp plain.yaml controller.yaml
    printf 'jobs: {training: host1}\n' >>controller.yaml
    run "$ANOLE" controller controller.yaml --check-config
    [ "$status" -eq 1 ]
    [[ "$output" == *": training: a list of 1 to 64 names or patterns of devices is wanted" ]]
}
