#!/usr/bin/env bats
# tests/cli/gym.bats - anole gym: a short client, pipes, sockets, and misbehaving clients.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# write_client - a client in plain Python, for the protocol of docs/gym.md.
write_client() {
    cat >"$dir/client.py" <<'END'
import socket, struct, subprocess, sys

def message(type_, payload=b""):
    return struct.pack("<II", type_, len(payload)) + payload

class Client:
    def __init__(self, out, in_):
        self.out, self.in_ = out, in_
    def take(self, n):
        data = b""
        while len(data) < n:
            more = self.in_.read(n - len(data))
            if not more:
                raise EOFError
            data += more
        return data
    def ask(self, type_, payload=b""):
        self.out.write(message(type_, payload))
        self.out.flush()
        type_, size = struct.unpack("<II", self.take(8))
        return type_, self.take(size)

def hello(c, version=1):
    return c.ask(1, b"AGYM" + struct.pack("<I", version))

def batch(payload):
    """now_ps, end_ps, steps, payload_bytes, dropped, n, agents, over, 0 and the four features of each agent"""
    head = struct.unpack_from("<5Q4I", payload)
    n = head[5]
    agents = struct.unpack_from(f"<{n}I", payload, 56)
    x = [struct.unpack_from("<4f", payload, 56 + 4 * n + 16 * i) for i in range(n)]
    assert len(payload) == 56 + 32 * n
    return head, agents, x

def episode(c, seed):
    """Up by 5 % below the target, down by 10 % or 40 % above it. What all batches were."""
    seen = []
    type_, payload = c.ask(2, struct.pack("<Q", seed))
    while True:
        assert type_ == 130, payload
        head, agents, x = batch(payload)
        seen.append((head, agents, x))
        if head[7]:
            return seen
        assert head[5] > 0
        act = struct.pack(f"<II{len(x)}f", len(x), 0, *(0.6 if f[3] > 2 else 0.9 if f[3] > 0 else 1.05 for f in x))
        type_, payload = c.ask(3, act)

def spawn(*args):
    p = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    return p, Client(p.stdin, p.stdout)

def connect(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    f = s.makefile("rwb")
    return s, Client(f, f)
END
}

# client CODE... - runs Python code with these names.
client() {
    (cd "$dir" && ANOLE=$ANOLE python3 -c "import os
from client import *
anole = os.environ['ANOLE']
$1" "${@:2}")
}

@test "gym: a whole episode on a pipe, and the same with the same seed" {
    write_client
    client '
p, c = spawn(anole, "gym", "many_to_one:4_2", "--set", "run=10ms")
type_, payload = hello(c)
assert type_ == 129 and struct.unpack_from("<II", payload) == (1, 4), payload
assert payload[24:] == b"many_to_one:4_2" and payload[16:20] == b"\1\0\0\0", payload
first, again, other = episode(c, 3), episode(c, 3), episode(c, 4)
assert first == again and first != other
heads = [head for head, _, _ in first]
assert heads[-1][7] == 1 and heads[-1][0] <= 10**10 == heads[0][1]
assert heads[-1][6] == 8 and sorted({a for _, agents, _ in first for a in agents}) == list(range(8))
assert [h[0] for h in heads] == sorted(h[0] for h in heads)
assert sum(h[5] for h in heads) <= heads[-1][2], heads[-1]
assert heads[-1][2] > 100 and heads[-1][3] > 10**6, heads[-1]
c.out.write(message(4)); c.out.flush()
assert p.wait(20) == 0
'
}

@test "gym: a scenario from a file, with a required knob" {
    write_client
    sed 's/^rlcc:.*//' scenarios/cc_rlcc.yaml >"$dir/s.yaml"
    run_apart "$ANOLE" gym "$dir/s.yaml" --set rlcc_decision=0 </dev/null
    [ "$status" -eq 1 ]
    grep -q 'decisions from outside need time: set the knob rlcc_decision' "$dir/err"
    client '
p, c = spawn(anole, "gym", "s.yaml", "--set", "rlcc_decision=2us", "--set", "run=2ms")
hello(c)
assert len(episode(c, 1)) > 2
c.out.close()
assert p.wait(20) == 0
'
}

@test "gym: a socket serves clients one after another, however the previous one ended" {
    write_client
    "$ANOLE" gym many_to_one:2_1 --set run=2ms --socket "$dir/socket" --clients 3 2>"$dir/err" &
    pid=$!
    wait_for test -S "$dir/socket"
    [ "$(stat -c %a "$dir/socket")" = 600 ]
    client '
s, c = connect("socket")
type_, payload = c.ask(9)
assert (type_, payload) == (131, b"there is no message of type 9; is this a client of anole gym?"), payload
s, c = connect("socket")
hello(c)
c.out.write(message(2, b"12345678")[:11]); c.out.flush(); c.out.close(); s.close()
s, c = connect("socket")
hello(c)
a = episode(c, 1)
assert len(a) > 5
c.out.write(message(4)); c.out.flush()
'
    wait "$pid"
    [ ! -e "$dir/socket" ]
    [ "$(cat "$dir/err")" = 'anole: a client: there is no message of type 9; is this a client of anole gym?' ]
}

@test "gym: a signal ends it and removes the socket" {
    "$ANOLE" gym many_to_one:2_1 --socket "$dir/socket" 3>&- &
    pid=$!
    wait_for test -S "$dir/socket"
    run_apart "$ANOLE" gym many_to_one:2_1 --socket "$dir/socket"
    [ "$status" -eq 1 ]
    grep -q 'already exists; delete it first' "$dir/err"
    kill -TERM "$pid"
    code=0
    wait "$pid" || code=$?
    [ "$code" -eq 143 ]
    [ ! -e "$dir/socket" ]
}

@test "gym: rejects another version and invalid messages, on a pipe" {
    write_client
    client '
p, c = spawn(anole, "gym", "many_to_one:2_1")
type_, payload = hello(c, 2)
assert (type_, payload) == (131, b"the client speaks version 2 of the protocol, this program version 1"), payload
assert p.wait(20) == 1
p, c = spawn(anole, "gym", "many_to_one:2_1")
hello(c)
c.ask(2, struct.pack("<Q", 1))
type_, payload = c.ask(3, struct.pack("<II", 0, 0))
assert type_ == 131 and payload.startswith(b"ACT for 0 agents in 8 bytes; "), payload
assert p.wait(20) == 1
' 2>"$dir/err"
    grep -q '^anole: the client speaks version 2 of the protocol, this program version 1$' "$dir/err"
}

@test "gym: rejects an invalid command line" {
    while IFS='|' read -r code args words; do
        # shellcheck disable=SC2086  # words
        run_apart "$ANOLE" gym $args </dev/null
        [ "$status" -eq "$code" ] || { echo "anole gym $args: $status"; false; }
        [ "$(wc -l <"$dir/err")" -eq 1 ]
        grep -qF -- "$words" "$dir/err" || { cat "$dir/err"; echo "not: $words"; false; }
    done <<END
2||which scenario? anole gym SCENARIO.yaml
1|$dir/nowhere.yaml|$dir/nowhere.yaml
1|many_to_none:8_1|is not a world to learn in
1|many_to_one:8|after the colon comes HOSTS_QPS
1|scenarios/incast.yaml|an environment needs 'cc: rlcc'
2|many_to_one:2_1 --worlds 0|--worlds must be 1 .. 1024, not 0
2|many_to_one:2_1 --clients 2|--clients needs --socket
1|many_to_one:2_1 --socket $dir/no/socket|$dir/no/socket
END
}

@test "gym: accepts the name of a built-in scenario" {
    run "$ANOLE" gym incast </dev/null
    [ "$output" = "anole: incast: an environment needs 'cc: rlcc', whose flows are its agents" ]
    run "$ANOLE" gym incats </dev/null
    [ "$output" = "anole: incats: no such file, and no scenario of that name comes with Anole; did you mean 'incast'?" ]
}
