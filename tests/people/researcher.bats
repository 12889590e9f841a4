#!/usr/bin/env bats
# tests/people/researcher.bats - what a researcher with a folder of the HPCC fork types, and what must be answered.
# shellcheck disable=SC2154  # common.bash sets dir
load ../cli/common

# Three flows from second 2 on, as the fork's generators write them; two of them meet at a port.
hpcc_folder() {
    printf '5 1 4\n4\n0 4 100Gbps 1000ns 0\n1 4 100Gbps 1000ns 0\n2 4 100Gbps 1000ns 0\n3 4 100Gbps 1000ns 0\n' >"$dir/topology.txt"
    printf '3\n0 1 3 1000000 2.0\n2 1 3 1000000 2.0\n3 1 3 3000000 2.0001\n' >"$dir/flow.txt"
    cat >"$dir/config.txt" <<'END'
TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
BUFFER_SIZE 32
CC_MODE 1
ENABLE_PFC 1
HAS_WIN 0
RP_TIMER 300
MIN_RATE 100Mb/s
KMAX_MAP 1 100000000000 400
KMIN_MAP 1 100000000000 100
PMAX_MAP 1 100000000000 0.2
END
    echo 'hpcc: config.txt' >"$dir/s.yaml"
}

@test "researcher: curves and averages cover the traffic of a list that begins at 2 s" {
    hpcc_folder
    "$ANOLE" run "$dir/s.yaml" --quiet --out "$dir/out"
    python3 - "$dir/out" <<'END'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/intervals.csv")))
flows = list(csv.DictReader(open(sys.argv[1] + "/flows.csv")))
first = min(float(row["start_ns"]) for row in flows) / 1e3
last = max(float(row["start_ns"]) + float(row["fct_ns"]) for row in flows) / 1e3
assert abs(float(rows[0]["start_us"]) - first) < 0.05 * (last - first), (rows[0]["start_us"], first)
assert sum(float(row["payload_bytes"]) > 0 for row in rows) > len(rows) / 2, "most of the axis is idle"
ports = list(csv.DictReader(open(sys.argv[1] + "/ports.csv")))
busiest = max(float(row["tx_bytes"]) * 8 / (float(row["rate_bps"]) * (last - first) * 1e-6) for row in ports)
page = open(sys.argv[1] + "/report.html").read()
data = json.loads(page[page.index("{", page.index('type="application/json"')):page.rindex("}", 0, page.index("</script>", page.index('type="application/json"'))) + 1])
shown = max(max(link["ab"], link["ba"]) for run in data["runs"] for link in run["topology"]["links"])
assert abs(shown - busiest) < 0.05 * busiest, (shown, busiest)
END
}

@test "researcher: for a fixed list he is told that nothing was drawn, and seeds are no evidence" {
    hpcc_folder
    printf 'topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\nknobs: {kmin: 5KB, kmax: 5KB, pmax: 1}\ntraffic: [{kind: flows, file: flow.txt}]\n' >"$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --format json >"$dir/json"
    jq -e '.is_random == false' "$dir/json"
    "$ANOLE" compare "$dir/s.yaml" --seeds 3 --variant a --variant b:rpg_ai_rate=500Mbps --format json 2>/dev/null >"$dir/compared"
    jq -e '[.metrics[].variants[] | select(.is_significant)] | length == 0' "$dir/compared"
    jq -e '.answer.finding | test("nothing in them is random")' "$dir/compared"
}

@test "researcher: the next command runs in another folder" {
    hpcc_folder
    cd "$dir"
    "$ANOLE" run s.yaml --set kmin=50KB >out
    mkdir elsewhere bin
    ln -s "$(realpath "$ANOLE")" bin/anole
    cd elsewhere
    PATH=$dir/bin:$PATH sh -c "$(grep -A 1 -E '^  Next ' ../out | tail -n 1) --seeds 1 --quiet"
}
