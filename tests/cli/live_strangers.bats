#!/usr/bin/env bats
# tests/cli/live_strangers.bats - unauthorized clients are refused, kind by kind; an authorized client in
# another language is served.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common
load fabric

# expire NAME - makes a certificate that has expired.
expire() {
    openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -extfile "$1.ext" -out "$1.pem" -days -1 2>/dev/null
}

with_tls() {
    command -v openssl >/dev/null || skip 'no openssl'
    make_ca ca
    for name in c1 host1 operator python; do make_cert $name ca -days 2; done
    write_controller
    tls_of c1 >>controller.yaml
}

client() {
    /usr/bin/python3 "$BATS_TEST_DIRNAME/../live/client.py" "localhost:$port" "$@"
}

needs_python() {
    /usr/bin/python3 -c 'import grpc, google.protobuf' 2>/dev/null || skip 'no python3-grpcio'
    command -v protoc >/dev/null || skip 'no protoc'
    protoc --proto_path="$BATS_TEST_DIRNAME/../../src/live/wire" --python_out=. anole.proto
}

@test "strangers: a client in another language with a certificate is served" {
    needs_live
    needs_python
    with_tls
    echo 'operators: [operator, python]' >>controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for asks_as operator
    run client ca.pem python.pem python.key
    echo "$output"
    [ "$status" -eq 0 ]
}

# hears_agent [CA CERT KEY] - a gRPC server in another language hears an agent, ends its stream, and hears it
# again.
hears_agent() {
    start server.log /usr/bin/python3 "$BATS_TEST_DIRNAME/../live/server.py" "$port" "$@" >server.out
    server=$pid
    wait_for grep -q listening server.out
    start agent1.log "$ANOLE" agent agent1.yaml
    agent=$pid
    wait_for grep -q ' reports on 2 streams' server.out
    grep -q 'no controller: come back later, 100 % sure' agent1.log
    [ "$(grep -c 'connected to the controller' agent1.log)" -eq 2 ]
    kill "$agent"
    wait "$server"
    [ ! -s server.log ] || { cat server.log; false; }
}

@test "strangers: a server in another language hears an agent, in plain text" {
    needs_live
    needs_python
    write_agent 1
    hears_agent
}

@test "strangers: a server in another language hears an agent, with certificates" {
    needs_live
    needs_python
    with_tls
    write_agent 1
    tls_of host1 >>agent1.yaml
    hears_agent ca.pem c1.pem c1.key
}

@test "strangers: a server in another language answers a query" {
    needs_live
    needs_python
    with_tls
    start server.log /usr/bin/python3 "$BATS_TEST_DIRNAME/../live/server.py" "$port" ca.pem c1.pem c1.key >server.out
    wait_for grep -q listening server.out
    run "$ANOLE" ctl status --json --address "localhost:$port" --ca ca.pem --cert operator.pem --key operator.key
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *'{"asked": "status"}'* ]]
    run "$ANOLE" ctl status --json --address "localhost:$port" --ca host1.pem --cert operator.pem --key operator.key
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *'no answer from a controller: '*' certificate'* ]]
}

@test "strangers: a client that sends many messages at once is read to the end" {
    needs_live
    with_tls
    start controller.log "$ANOLE" controller controller.yaml
    wait_for asks_as operator
    run /usr/bin/python3 "$BATS_TEST_DIRNAME/../live/burst.py" "localhost:$port" ca.pem python.pem python.key
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "strangers: without a certificate, or in plain text, clients are refused" {
    needs_live
    needs_python
    with_tls
    start controller.log "$ANOLE" controller controller.yaml
    wait_for asks_as operator
    run client ca.pem - -
    [ "$status" -ne 0 ]
    [[ "$output" == *UNAVAILABLE* ]]
    run client
    [ "$status" -ne 0 ]
    [[ "$output" == *UNAVAILABLE* ]]
    wait_for asks_as operator
    grep -q '^0 devices' out
}

@test "strangers: an agent does not talk to a controller of another name" {
    needs_live
    with_tls
    printf 'subjectAltName=DNS:elsewhere.example\n' >c1.ext
    openssl x509 -req -in c1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile c1.ext -out c1.pem -days 2 2>/dev/null
    write_agent 1
    sed -i 's/127.0.0.1/localhost/' agent1.yaml
    tls_of host1 >>agent1.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for grep -q listening controller.log
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for grep -q 'no controller: ' agent1.log
    sleep 2
    refute grep -q 'connected to the controller' agent1.log
    refute asks_as operator
}

@test "strangers: both sides refuse expired certificates" {
    needs_live
    with_tls
    write_agent 1
    sed -i 's/127.0.0.1/localhost/' agent1.yaml
    tls_of host1 >>agent1.yaml
    expire host1
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    wait_for asks_as operator
    start agent1.log "$ANOLE" agent agent1.yaml
    wait_for grep -q 'no controller: ' agent1.log
    sleep 2
    wait_for asks_as operator
    grep -q '^0 devices' out
    kill -9 "$controller"
    expire c1
    start controller.log "$ANOLE" controller controller.yaml
    wait_for grep -q listening controller.log
    sleep 1
    refute asks_as operator
}

@test "strangers: a key that does not match its certificate is reported at start" {
    needs_live
    with_tls
    cp host1.key c1.key
    run "$ANOLE" controller controller.yaml
    [ "$status" -eq 1 ]
    [[ "$output" == *'c1.pem and c1.key do not belong together' ]]
}

@test "strangers: an agent of another version is refused with the reason" {
    needs_live
    needs_python
    write_controller
    start controller.log "$ANOLE" controller controller.yaml
    wait_for says 'there are no devices'
    /usr/bin/python3 - "127.0.0.1:$port" <<'END'
import sys, time
sys.path.insert(0, ".")
import anole_pb2 as pb, grpc
connect = grpc.insecure_channel(sys.argv[1]).stream_stream("/anole.v1.Fabric/Connect", request_serializer=pb.Message.SerializeToString,
                                                           response_deserializer=pb.Message.FromString)
def talk():
    yield pb.Message(kind=pb.HELLO, incarnation=7, stamp_us=1, hello=pb.Hello(version=99, name="new/nic", where=pb.NIC, interval_us=100000))
    time.sleep(1)
for message in connect(talk(), timeout=10):
    assert message.kind == pb.WHO, message
END
    grep -q 'an agent with new/nic speaks version 99 of the protocol, not' controller.log
    says 'there are no devices'
}

# flood KIND COUNT SECONDS [NAME] - floods the controller in the background, with the certificate of NAME.
flood() {
    start flood.log /usr/bin/python3 "$BATS_TEST_DIRNAME/../live/flood.py" "localhost:$port" "$1" "$2" "$3" ${4:+ca.pem "$4.pem" "$4.key"} >flood.out
    flood=$pid
    wait_for grep -q ready flood.out
}

@test "strangers: half-open connections do not block the emergency stop" {
    needs_live
    with_tls
    printf 'http: {listen: "127.0.0.1:%d"}\nsocket: ctl.sock\n' $((port + 1)) >>controller.yaml
    start controller.log bash -c 'ulimit -n 128; exec "$0" controller controller.yaml' "$ANOLE"
    wait_for asks_as operator
    flood half 400 40
    for round in 1 2 3; do
        run "$ANOLE" ctl freeze --why "round $round" --address "localhost:$port" --ca ca.pem --cert operator.pem --key operator.key
        echo "$output"
        [ "$status" -eq 0 ]
        run curl -sf -m 5 "http://127.0.0.1:$((port + 1))/healthz"
        [ "$output" = ok ]
        run "$ANOLE" ctl thaw --address unix:ctl.sock
        echo "$output"
        [ "$status" -eq 0 ]
    done
    curl -sf -m 5 "http://127.0.0.1:$((port + 1))/metrics" >metrics
    grep 'anole_controller_refused_peers_total{reason="too many handshakes"} [1-9]' metrics
    [ "$(stat -c %A ctl.sock)" = srw------- ]
}

@test "strangers: a client over its budget is logged once, costs little memory, and does not affect others" {
    needs_live
    with_tls
    # AddressSanitizer keeps freed memory.
    start controller.log env ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1" "$ANOLE" controller controller.yaml
    controller=$pid
    wait_for asks_as operator
    write_agent 1
    tls_of host1 >>agent1.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    # shellcheck disable=SC2317  # wait_for calls it
    has_device() { asks_as operator && grep -q '^1 devices, 100 % report' out; }
    wait_for has_device
    before=$(awk '/VmRSS/ { print $2 }' "/proc/$controller/status")
    flood tiny 40 8 python
    for _ in 1 2 3; do
        sleep 2
        wait_for has_device
    done
    wait "$flood"
    after=$(awk '/VmRSS/ { print $2 }' "/proc/$controller/status")
    echo "from $before to $after KB; $(wc -l <controller.log) lines"
    [ $((after - before)) -lt 100000 ]
    [ "$(wc -l <controller.log)" -lt 30 ]
    [ "$(grep -c 'python takes more than its budget' controller.log)" -eq 1 ]
}

@test "strangers: invented devices and an implausible gap do not stop trials of other devices" {
    needs_live
    needs_python
    with_tls
    start controller.log "$ANOLE" controller controller.yaml
    wait_for asks_as operator
    for i in 1 2; do
        [ "$i" = 1 ] || make_cert host2 ca -days 2
        write_agent $i
        tls_of host$i >>agent$i.yaml
        start agent$i.log "$ANOLE" agent agent$i.yaml
    done
    flood names 100 60 python
    wait_for grep -q 'python takes more than its budget of devices' controller.log
    start gap.log /usr/bin/python3 "$BATS_TEST_DIRNAME/../live/flood.py" "localhost:$port" gap 1 60 ca.pem python.pem python.key
    tries() { asks_as operator && grep -q '^trial [1-9]' out; }
    wait_for tries
}

@test "strangers: a certificate with names only in subjectAltName is accepted" {
    needs_live
    with_tls
    for name in host1 operator; do
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /O=Fleet -keyout $name.key -out $name.csr 2>/dev/null
        case $name in
        host1) printf 'subjectAltName=DNS:host1\n' ;;
        *) printf 'subjectAltName=URI:spiffe://fleet/alice\n' ;;
        esac >$name.ext
        openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile $name.ext -out $name.pem -days 2 2>/dev/null
    done
    echo 'operators: ["spiffe://fleet/alice"]' >>controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for asks_as operator
    write_agent 1
    tls_of host1 >>agent1.yaml
    start agent1.log "$ANOLE" agent agent1.yaml
    # shellcheck disable=SC2317  # wait_for calls it
    has_device() { asks_as operator && grep -q '^1 devices, 100 % report' out; }
    wait_for has_device
}

@test "strangers: TLS 1.2 is refused unless the configuration allows it; refusals are counted by reason" {
    needs_live
    with_tls
    printf 'http: {listen: "127.0.0.1:%d"}\n' $((port + 1)) >>controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    controller=$pid
    wait_for asks_as operator
    tls12() {
        openssl s_client -connect "localhost:$port" -tls1_2 -CAfile ca.pem -cert operator.pem -key operator.key -alpn h2 </dev/null 2>&1 |
            grep -q 'New, TLSv1.2'
    }
    run tls12
    [ "$status" -ne 0 ]
    make_ca other
    make_cert stranger other -days 2
    openssl s_client -connect "localhost:$port" -CAfile ca.pem -cert stranger.pem -key stranger.key -alpn h2 </dev/null >/dev/null 2>&1 || true
    openssl s_client -connect "localhost:$port" -CAfile ca.pem -alpn h2 </dev/null >/dev/null 2>&1 || true
    printf 'GET / HTTP/1.0\r\n\r\n' | openssl s_client -connect "localhost:$port" -CAfile ca.pem >/dev/null 2>&1 || true
    printf 'GET / HTTP/1.0\r\n\r\n' | timeout 5 bash -c "exec 3<>/dev/tcp/127.0.0.1/$port; cat >&3; cat <&3" >/dev/null || true
    curl -sf "http://127.0.0.1:$((port + 1))/metrics" | grep refused_peers
    for reason in 'older version of TLS' 'certificate of another authority' 'no certificate' 'not TLS'; do
        curl -sf "http://127.0.0.1:$((port + 1))/metrics" | grep -q "refused_peers_total{reason=\"$reason\"} [1-9]"
    done
    # operators see their number and the last reason, in the terminal and on the page
    asks_as operator
    grep -qE '^[4-9] connections refused, the last 20[0-9-]+ [0-9:]+: not TLS$' out
    curl -sf "http://127.0.0.1:$((port + 1))/api/overview" | jq -e '.refused | .total >= 4 and .last == "not TLS" and .reasons["no certificate"] >= 1 and
        ([.reasons[]] | add) == .total'
    kill "$controller"
    wait "$controller" || true
    sed -i 's/^tls: {/tls: {min_version: 1.2, /' controller.yaml
    start controller.log "$ANOLE" controller controller.yaml
    wait_for asks_as operator
    tls12
}
