#!/usr/bin/env bats
# tests/cli/replay.bats - repro/hardware: replays a measured series as a closed loop, and scores it.
# shellcheck disable=SC2154  # common.bash sets dir
load common

hardware=$BATS_TEST_DIRNAME/../../repro/hardware

# write_series FILE - one client with window 2 makes 100 reads of 100 KiB, alone in the network. Each takes
# 97.65 us: 88.55 on the wire, 9.1 for the path over three switches. Operation 63 is not logged: the client
# dropped its completion after it had posted the 64th request. COLUMNS are left empty.
write_series() {
    python3 - "$@" <<'END'
import gzip, sys
columns = ["client", "worker", "slot", "t_req_ns", "ud_rtt_ns", "c2s_ns", "server_ns", "t_read_ns", "read_ns"]
end, posted = {-2: 1000, -1: 3300}, {}
with gzip.open(sys.argv[1], "wt") as out:
    out.write(",".join(columns) + "\n")
    for i in range(100):
        # After the loss one operation runs at a time, so a request and its answer do not overlap with others.
        request = end[i - 2 if i < 65 else i - 1] + 2000
        answer = request + 18200     # 10 us of work, and 4.1 us for each of two messages
        read = max(answer + 9800, end[i - 1] + 100)
        end[i] = read + 97650
        if i == 63:
            continue
        logged = end[63] + 20 if i == 64 else request
        row = [0, 3, i % 2, logged, max(answer, logged + 20) - logged, request + 4100 - logged, 10000, read, 97650]
        out.write(",".join("" if name in sys.argv[2:] else str(value) for name, value in zip(columns, row)) + "\n")
END
}

# replayed - prints the score of the series
replayed() {
    "$hardware/replay.py" "$dir/h4_100_2.csv.gz" 102408 "$dir/kv.goal"
    "$ANOLE" run "$hardware/kv4.yaml" --set "traffic.0.file=$dir/kv.goal" -o "$dir/kv" >/dev/null
    "$hardware/score.py" "$dir/h4_100_2.csv.gz" 102408 "$dir/kv/flows.csv"
}

@test "replay: a read that was not logged is restored and excluded from the score" {
    write_series "$dir/h4_100_2.csv.gz"
    replayed >"$dir/score"
    [ "$(grep -c 'read 102408b' "$dir/kv.goal")" = 99 ]
    [ "$(grep -c 'read 102409b' "$dir/kv.goal")" = 1 ]
    # Lone reads take 97.65 us. Messages of the client wait for its reads, which the series does not contain.
    awk -F , '{ for (i = 1; i <= 5; i++) { e = i < 3 ? 0.2 : 3; if ($i < -e || $i > e) exit 1 } }' "$dir/score"
}

@test "replay: works without the server's log" {
    write_series "$dir/h4_100_2.csv.gz" c2s_ns server_ns
    replayed | grep -q '^[+-]0\.[0-2],[+-]0\.[0-2],'
}

@test "replay: errors in a series are one line" {
    write_series "$dir/h4_100_2.csv.gz" read_ns
    run_apart "$hardware/replay.py" "$dir/h4_100_2.csv.gz" 102408 "$dir/kv.goal"
    [ "$status" -ne 0 ]
    [ "$(cat "$dir/err")" = "$dir/h4_100_2.csv.gz:2: there is no read_ns" ]
    echo no series >"$dir/h4_100_2.csv.gz"
    run_apart "$hardware/replay.py" "$dir/h4_100_2.csv.gz" 102408 "$dir/kv.goal"
    [ "$status" -ne 0 ]
    [ "$(wc -l <"$dir/err")" = 1 ]
    [ ! -e "$dir/kv.goal" ]
}

@test "replay: tolerances depend on size and window" {
    cd "$hardware"
    python3 -c '
from score import misses
assert misses(102408, 2, [4.9, -9.9, 9.9, 0, 0]) == "met"
assert misses(256008, 1, [0] * 5) == "-"
assert misses(409608, 1, [1.1, 1.4, 8.1, 0, 0]) == "p50 p99"
assert misses(409608, 4, [3.5, -15, 5.1, 0, -1.6]) == "p99 makespan"
assert misses(409608, 2, [0, 5.1, 16, 0, 0]) == "p90"
'
}
