# shellcheck shell=bash disable=SC2034
# tests/cli/common.bash - functions shared by the tests of the command line.

# write_scenario FILE - two racks, random traffic and an incast. Runs for a fraction of a second.
write_scenario() {
    cat >"$1" <<'END'
topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}
cc: dcqcn
lb: ecmp
traffic:
  - {kind: poisson, load: 0.3, sizes: WebSearch}
  - {kind: incast, name: burst, senders: 6, size: 64KB, start: 100us}
knobs: {kmin: 100KB, kmax: 400KB, pmax: 0.2}
run: 1ms
seed: 1
END
}

# write_long_scenario FILE - the same, but longer than any test waits.
write_long_scenario() {
    write_scenario "$1"
    sed -i 's/^run: .*/run: 1000s/' "$1"
}

# run_apart COMMAND... - like run, but separates standard output ($dir/out) and standard error ($dir/err).
run_apart() {
    status=0
    "$@" >"$dir/out" 2>"$dir/err" || status=$?
}

# refute COMMAND... - fails if the command succeeds. (bats ignores the status of "! command" except on the
# last line.)
refute() {
    if "$@"; then return 1; fi
}

# wait_for COMMAND... - repeats the command until it succeeds or a time limit ends.
wait_for() {
    for _ in $(seq 900); do
        if "$@"; then return 0; fi
        sleep 0.1
    done
    return 1
}

# runs_in STORE COUNT - whether a store has at least COUNT runs.
runs_in() {
    [ "$(python3 -c 'import sqlite3, sys
try: print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM run").fetchone()[0])
except sqlite3.Error: print(0)' "$1")" -ge "$2" ]
}

setup() {
    : "${ANOLE:?is the program to test}"
    dir=$BATS_TEST_TMPDIR
    unset NO_COLOR
}

teardown() {
    kill_started
}

# kill_started - ends what the test has started in the background and not ended itself.
kill_started() {
    for id in $(jobs -rp; jobs -sp) $(cat "$dir/pids" 2>/dev/null); do
        kill -9 "$id" 2>/dev/null || true
    done
}

# children PID - prints the processes that PID has started and that still run.
children() {
    cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v parent="$1" '{ pid = $1; sub(/.*\) /, ""); if ($2 == parent && $1 != "Z") print pid }'
}

# has_children PID COUNT - whether there are at least so many.
has_children() {
    [ "$(children "$1" | wc -l)" -ge "$2" ]
}

# have_ended PID... - whether none of these processes runs. A zombie has ended.
have_ended() {
    [ $# -gt 0 ] || return 1
    for id in "$@"; do
        case $(cat "/proc/$id/stat" 2>/dev/null) in *') Z '* | '') ;; *) return 1 ;; esac
    done
}

# write_ring FILE - five switches in a ring, with two hosts each that send to hosts two switches away. With a
# 'buffer' of 800KB, pauses soon form a circle: a PFC deadlock.
write_ring() {
    cat >"$1" <<'END'
topology:
  kind: graph
  hosts: 10
  switches: 5
  links:
    - {a: s0, b: s1}
    - {a: s1, b: s2}
    - {a: s2, b: s3}
    - {a: s3, b: s4}
    - {a: s4, b: s0}
    - {a: h0, b: s0}
    - {a: h1, b: s0}
    - {a: h2, b: s1}
    - {a: h3, b: s1}
    - {a: h4, b: s2}
    - {a: h5, b: s2}
    - {a: h6, b: s3}
    - {a: h7, b: s3}
    - {a: h8, b: s4}
    - {a: h9, b: s4}
switch: {buffer: 800KB, ecn: no}
cc: none
traffic:
  - {kind: permutation, size: 2MB, shift: 4}
END
}
