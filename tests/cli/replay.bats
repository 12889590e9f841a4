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

# write_candidate FILE SEED - errors of 200 claimed series, drawn from known distributions, and one short series
write_candidate() {
    python3 - "$1" "$2" <<'END'
import random, sys
draw = random.Random(int(sys.argv[2]))
with open(sys.argv[1], "w") as out:
    print("series,clients,window,bytes,p50,p90,p99,mean,makespan", file=out)
    print("short,3,1,102408,+99.0,+99.0,+99.0,+0.0,+0.0", file=out)
    for i in range(200):
        print(f"s{i},3,1,409608," + ",".join(f"{draw.gauss(0, 1) * by:+.4f}" for by in (1, 2, 30, 1, 1)), file=out)
END
}

# Of unseen series 90 % are within bars from others, whatever the distribution, and the median bars of normal
# errors are 1.645 standard deviations.
@test "replay: bars from one half of the series hold for nine of ten others" {
    write_candidate "$dir/94-0.csv" 1
    "$hardware/split.py" --seed 3 "$dir/94-0.csv" >"$dir/table"
    awk -F '|' '/splits:$/ { is_all = 1 } is_all && $2 ~ /^ p[0-9]/ { print $3 + 0, $5 + 0 }' "$dir/table" >"$dir/found"
    [ "$(wc -l <"$dir/found")" -eq 3 ]
    paste -d ' ' "$dir/found" - <<'END' | awk '$1 < 0.8 * $3 || $1 > 1.25 * $3 || $2 < 88 || $2 > 93 { exit 1 }'
1.645
3.29
49.35
END
    # three independent figures: all are met by 0.9^3
    awk -F '|' '/splits:$/ { is_all = 1 } is_all && $2 ~ /all three/ { exit !($5 >= 68 && $5 <= 79) }' "$dir/table"
    # another seed is another split, the same seed the same
    "$hardware/split.py" --seed 3 "$dir/94-0.csv" | cmp - "$dir/table"
    "$hardware/split.py" --seed 4 "$dir/94-0.csv" >"$dir/other"
    refute cmp -s "$dir/other" "$dir/table"
}

@test "replay: intervals of a share" {
    cd "$hardware"
    python3 -c '
from split import interval
assert interval(45, 53) == "72 to 93" and interval(0, 10) == "0 to 31" and interval(10, 10) == "69 to 100"
'
}
