#!/usr/bin/env bats
# tests/cli/serve.bats - anole serve: results over HTTP, only to this machine.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

setup_file() {
    cat >"$BATS_FILE_TMPDIR/s.yaml" <<'END'
topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}
traffic: [{kind: incast, senders: 3, size: 100KB}]
END
}

setup() {
    dir=$BATS_TEST_TMPDIR
    [ -x "$(dirname "$ANOLE")/anole-serve" ] || skip 'built without libmicrohttpd'
}

# begin PATH - starts a server at a free port and sets address
begin() {
    "$ANOLE" serve "$1" --listen 127.0.0.1:0 >"$dir/address" 2>"$dir/err" 3>&- &
    server=$!
    for _ in $(seq 100); do
        [ ! -s "$dir/address" ] || break
        sleep 0.05
    done
    address=$(cat "$dir/address")
}

# get PATH [HEADER VALUE] - prints the status and writes the body to $dir/body
get() {
    python3 - "$address" "$@" "$dir/body" <<'END'
import http.client, sys, urllib.parse
at = urllib.parse.urlparse(sys.argv[1])
c = http.client.HTTPConnection(at.hostname, at.port, timeout=10)
c.putrequest("GET", sys.argv[2], skip_host=len(sys.argv) > 4)
if len(sys.argv) > 4:
    c.putheader(sys.argv[3], sys.argv[4])
c.endheaders()
r = c.getresponse()
open(sys.argv[-1], "wb").write(r.read())
print(r.status)
END
}

@test "serve: the files of results unchanged, and a page about them" {
    "$ANOLE" run "$BATS_FILE_TMPDIR/s.yaml" --quiet --out "$dir/all-is-well"
    begin "$dir/all-is-well"
    [ "$(get /r/all-is-well/report.html)" = 200 ]
    cmp "$dir/body" "$dir/all-is-well/report.html"
    [ "$(get /r/all-is-well/summary.json)" = 200 ]
    cmp "$dir/body" "$dir/all-is-well/summary.json"
    [ "$(get /)" = 200 ]
    grep -q '"kind":"serve"' "$dir/body"
    [ "$(get /state)" = 200 ]
    jq -e '.results | length == 1 and .[0].kind == "run" and .[0].has_report' "$dir/body"
}

@test "serve: refuses paths outside the folder, other host names and other methods" {
    mkdir "$dir/all"
    echo secret >"$dir/secret"
    "$ANOLE" run "$BATS_FILE_TMPDIR/s.yaml" --quiet --out "$dir/all/a"
    ln -s "$dir/secret" "$dir/all/a/link"
    begin "$dir/all"
    for path in /r/../secret /r/a/../../secret /r/a/%2e%2e%2f%2e%2e%2fsecret /r/a/link /r/a/.anole /r/a /r/a/ /r// /nosuch //etc/passwd; do
        [ "$(get "$path")" = 404 ]
        refute grep -q secret "$dir/body"
    done
    [ "$(get / Host evil.example)" = 421 ]
    [ "$(get / Host localhost)" = 200 ]
    run python3 -c "
import http.client, sys, urllib.parse
at = urllib.parse.urlparse('$address')
c = http.client.HTTPConnection(at.hostname, at.port, timeout=10)
c.request('POST', '/', 'x' * 100000)
print(c.getresponse().status)"
    [ "$output" = 405 ]
}

@test "serve: announces runs of a campaign and new results as they arrive" {
    mkdir "$dir/all"
    begin "$dir/all"
    python3 - "$address" >"$dir/events" <<'END' &
import json, sys, urllib.request
with urllib.request.urlopen(sys.argv[1] + "api/events", timeout=30) as r:
    for line in r:
        if line.startswith(b"data: "):
            state = json.loads(line[6:])
            print(len(state["results"]), sum(s["runs"] for s in state["stores"]), flush=True)
            if state["results"]:
                break
END
    listener=$!
    for _ in $(seq 200); do
        [ ! -s "$dir/events" ] || break
        sleep 0.1
    done
    "$ANOLE" compare "$BATS_FILE_TMPDIR/s.yaml" --vary kmin=100KB,400KB --seeds 3 --quiet --out "$dir/all/c"
    wait "$listener"
    head -n 1 "$dir/events" | grep -qx '0 0'
    tail -n 1 "$dir/events" | grep -qx '1 6'
}

@test "serve: a path that cannot be served is reported in one line" {
    run "$ANOLE" serve
    [ "$status" -eq 2 ]
    [ "$output" = "anole: which folder? anole serve DIR; see anole serve --help" ]
    run "$ANOLE" serve "$dir" --lisen 127.0.0.1:0
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "anole serve: unrecognized option '--lisen'" ]
    run "$ANOLE" serve /nosuch/place/results
    [ "$status" -eq 1 ]
    [ "$output" = "anole: /nosuch/place/results: there is no such folder" ]
    run "$ANOLE" serve "$dir" --listen 127.0.0.1
    [ "$status" -eq 1 ]
    [ "$output" = "anole: 127.0.0.1: an address is host:port, such as 127.0.0.1:8123 or [::1]:8123" ]
    begin "$dir"
    run "$ANOLE" serve "$dir" --listen "$(echo "$address" | sed 's,http://,,; s,/$,,')"
    [ "$status" -eq 1 ]
    [[ "$output" == *"Address already in use"* ]]
}

@test "serve: announces a folder that does not exist yet" {
    begin "$dir/later"
    [ -n "$address" ]
    [ "$(cat "$dir/err")" = "anole: $dir/later: no results yet; they are shown when they exist" ]
}

@test "serve: a misspelled folder gets a suggestion" {
    mkdir "$dir/results"
    begin "$dir/resutls"
    [ "$(cat "$dir/err")" = "anole: $dir/resutls: no results yet; did you mean 'results'? If not, they are shown when they exist" ]
}
