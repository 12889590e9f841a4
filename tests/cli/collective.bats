#!/usr/bin/env bats
# tests/cli/collective.bats - anole collective: the table of nccl-tests, and invalid options.
# shellcheck disable=SC2154  # common.bash sets dir
load common

# column NAME... - prints these columns of the CSV on standard input, without the header.
column() {
    python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin): print(*(row[name] for name in sys.argv[1:]))' "$@"
}

@test "collective: bus bandwidth of a ring in a star approaches that of the hosts' links" {
    "$ANOLE" collective '{kind: star, hosts: 4}' -b 1MB -e 16MB -f 4 -c ring_all_reduce --protocol Simple --format csv >"$dir/table"
    [ "$(wc -l <"$dir/table")" -eq 4 ]
    # 12.5 GB/s, of which 1024 of 1106 + 86 bytes are payload, minus the time of the first and the last chunk.
    column busbw_GBps ideal_share <"$dir/table" | awk 'NR == 3 { exit !($1 > 0.9 * 12.5 * 1024 / 1192 && $1 < 12.5 * 1024 / 1106 && ($1 / 12.5 - $2) ^ 2 < 1e-6) }'
    # algbw is size / time, busbw 2 (n - 1) / n times that
    column size_bytes time_us algbw_GBps busbw_GBps <"$dir/table" | awk '($1 / $2 / 1000 - $3) ^ 2 > 1e-6 || ($3 * 1.5 - $4) ^ 2 > 1e-6 { exit 1 }'
}

@test "collective: NCCL's channels are the default; one waiting ring must be requested" {
    "$ANOLE" collective dgx_h100_16 -b 64MB -e 64MB --format json >"$dir/json"
    "$ANOLE" collective dgx_h100_16 -b 64MB -e 64MB --channels 0 --format json >"$dir/one"
    jq -e '.sizes[0].channels == 8 and .sizes[0].ideal_share > 0.6 and .sizes[0].ideal_share <= 1' "$dir/json"
    # eight rings over eight NICs are several times as fast as one waiting ring
    [ "$(jq -s '.[0].sizes[0].busbw_GBps / .[1].sizes[0].busbw_GBps > 4' "$dir/json" "$dir/one")" = true ]
    jq -r .answer.finding "$dir/json" | grep -qE '^The all-reduce of 64 MB takes [0-9.]+ us: [0-9.]+ GB/s bus bandwidth, [0-9]+ % of what the links allow\.$'
    jq -r .answer.detail "$dir/json" | grep -qE 'Bottleneck: the link h[0-9]+ -> [a-z]+[0-9]+ is busy [0-9]+ % of the time\.$'
}

@test "collective: algorithm and protocol follow the size as in NCCL" {
    "$ANOLE" collective '{kind: star, hosts: 16}' -b 1KB -e 64MB -f 8 --format csv | column algorithm protocol >"$dir/rows"
    head -n 1 "$dir/rows" | grep -qx 'tree_all_reduce LL'
    tail -n 1 "$dir/rows" | grep -qx 'ring_all_reduce Simple'
    # LL sends a 4-byte flag with every 4 bytes of data: twice the bytes, so about twice the time on full
    # links
    for p in LL Simple; do
        "$ANOLE" collective '{kind: star, hosts: 4}' -c ring_all_reduce -b 16MB -e 16MB --protocol $p --format csv | column time_us
    done | paste - - | awk '{ exit !($1 > 1.8 * $2 && $1 < 2.4 * $2) }'
}

@test "collective: next to other traffic it takes longer, and the scenario can be saved" {
    "$ANOLE" collective '{kind: star, hosts: 4}' -b 4MB -e 4MB --beside storage=40% --seeds 2 --save "$dir/beside.yaml" --format json >"$dir/json"
    jq -e '.sizes[0] | .beside_us > 1.2 * .time_us and .beside_us_min <= .beside_us and .beside_us <= .beside_us_max' "$dir/json"
    jq -r .answer.finding "$dir/json" | grep -qE '^Next to 40 % WebSearch traffic, the all-reduce of 4 MB takes [0-9.]+ times as long: '
    "$ANOLE" run "$dir/beside.yaml" --until 200us --quiet
    run "$ANOLE" collective '{kind: star, hosts: 4}' --beside disks
    [ "$status" -eq 2 ]
    [[ $output == *"unknown value 'disks'; there are storage, "* ]]
}

@test "collective: all_to_all sizes are those of a rank's whole buffer" {
    "$ANOLE" collective '{kind: star, hosts: 4}' -c all_to_all -b 4MB -e 4MB --format json >"$dir/table"
    [ "$(jq '.sizes[0].size_bytes' "$dir/table")" -eq 4000000 ]
    # 3 MB leave each host, which takes at least 240 us at 100 Gb/s
    jq -e '.sizes[0].time_us > 240 and .sizes[0].time_us < 320' "$dir/table"
}

@test "collective: accepts names of nccl-tests, and the header names what ran" {
    "$ANOLE" collective '{kind: star, hosts: 4}' -c ring_all_reduce -b 1MB -e 1MB --channels 2 --protocol Simple >"$dir/table"
    grep -qE '^  Settings +ring_all_reduce, 2 channels, protocol Simple, chunks of 512 KiB\.$' "$dir/table"
    grep -qE '^  Network +4 ranks on 4 servers\. 4 hosts at 100 Gb/s, 1 switch' "$dir/table"
    "$ANOLE" collective '{kind: star, hosts: 4}' -c alltoall -b 1MB -e 1MB --format json >"$dir/json"
    [ "$(jq -c '.sizes[0] | [.collective, .ranks, .channels]' "$dir/json")" = '["all_to_all",4,0]' ]
    "$ANOLE" collective '{kind: star, hosts: 4}' -b 1MB -e 1MB --channels 0 | tr '\n' ' ' | tr -s ' ' | grep -q 'one ring whose steps wait for acknowledgements'
}

@test "collective: a page with the share of ideal, the bottleneck, and the effect of presets" {
    "$ANOLE" collective dgx_h100_16 -b 4MB -e 16MB -f 4 --beside storage --seeds 2 --format json --report "$dir/page.html" >"$dir/json"
    python3 - "$dir/page.html" "$dir/json" <<'END'
import html, json, re, sys
page, results = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
page = page[page.index('<div class="report still">'):page.index("</footer>")]
words = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
for sign, typed in (("µs", "us"), ("−", "-"), ("→", "->")):        # of the page, and of the terminal
    words = words.replace(sign, typed)
assert results["answer"]["finding"] in words and results["answer"]["detail"] in words
rows = re.findall(r"<tr><th scope=\"row\">(4|16) MB</th>(.*?)</tr>", page, re.S)
assert len(rows) == 2, rows
for (_, row), size in zip(rows, results["sizes"]):
    assert "<b>%.0f&nbsp;%%</b>" % (100 * size["ideal_share"]) in row, (row, size)
    assert "<b>%s&nbsp;&times;</b>" % ("%.2g" % (size["beside_us"] / size["time_us"])) in row, (row, size)
# shares of lost time: each NIC once, rounded sum 100 %
shares = [int(n) for n in re.findall(r'<td class="shade-\d">(\d+)</td>', page)]
assert len(shares) == 16 and abs(sum(shares) - 100) <= 8, shares
# the current setting, as in the table by size, and the presets
helps = re.search(r"id=\"helps\".*?</section>", page, re.S).group(0)
names = re.findall(r'<th scope="row"><b>(.*?)</b>', helps)
assert len(names) == len(set(names)) and {"current", "default", "expert", "hpcc", "bdp", "secn0", "vendor"} <= set(names), names
assert re.search(r"current</b>.*?%s&nbsp;&times;" % re.escape("%.2g" % (results["sizes"][1]["beside_us"] / results["sizes"][1]["time_us"])), helps, re.S)
END
    # a page that cannot be written fails at once and leaves no files
    run "$ANOLE" collective dgx_h100_16 --report "$dir/json/page.html"         # json is a file
    [ "$status" -eq 1 ]
    [[ $output != *"bus bandwidth"* ]]
}

@test "collective: rejects invalid arguments" {
    run "$ANOLE" collective
    [ "$status" -eq 2 ]
    run "$ANOLE" collective dgx_h100_9
    [ "$status" -eq 1 ]
    [[ $output == *"a multiple of 8"* ]]
    run "$ANOLE" collective dgx_h100_8 -c ring_all_reduc
    [ "$status" -eq 2 ]
    [[ $output == *"did you mean 'ring_all_reduce'"* ]]
    run "$ANOLE" collective dgx_h100_8 -b 2MB -e 1MB
    [ "$status" -eq 2 ]
    run "$ANOLE" collective dgx_h100_8 -b much
    [ "$status" -eq 2 ]
}

@test "collective: with PXN an all-to-all stays on its rails, and takes the time of the NICs" {
    # Two servers of four GPUs, with almost no bandwidth between rails.
    printf 'topology: {kind: rail_optimized, servers: 2, gpus: 4, spines: 1, fabric_rate: 1Gbps}\ntraffic: [{kind: training, size: 1MB, pxn: PXN, at_once: yes, iterations: 1}]\n' >"$dir/t"
    time_of() {
        sed "s/PXN/$1/" "$dir/t" >"$dir/s.yaml"
        "$ANOLE" run "$dir/s.yaml" --format json | jq '.traffic[0].iteration.us_max'
    }
    # Each NIC sends what four GPUs have for one: 4 MB. Each packet of 1024 bytes takes 1106 on the wire, plus
    # an ACK of 86 for each packet received, at 400 Gb/s. NVLink is nine times as fast.
    awk -v t="$(time_of yes)" 'BEGIN { least = 4e6 * (1106 + 86) / 1024 * 8 / 400e9 * 1e6; exit !(t > 0.93 * least && t < 1.15 * least + 10) }'
    # Through the spine: 3 MB of each GPU cross rails at 1 Gb/s.
    awk -v t="$(time_of no)" 'BEGIN { exit !(t > 20000) }'
    printf 'topology: {kind: rail_optimized, servers: 2, gpus: 4, spines: 1}\ntraffic: [{kind: training, collective: all_gather, size: 1MB, pxn: yes, iterations: 1}]\n' >"$dir/s.yaml"
    run "$ANOLE" run "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [[ $output == *"only all_to_all has messages that PXN takes to another rail"* ]]
}

@test "collective: the time line has the steps, the last message of each, and its link" {
    # h2 has a tenth of the speed of the others, so its messages end last in each of the 2 (4 - 1) steps
    slow='{kind: graph, hosts: 4, switches: 1, links: [{a: h0, b: s0}, {a: h1, b: s0}, {a: h2, b: s0, rate: 10Gbps}, {a: h3, b: s0}]}'
    "$ANOLE" collective "$slow" -c ring_all_reduce --channels 0 --protocol Simple -b 1MB -e 4MB -f 4 --format json --trace "$dir/trace.json" >"$dir/json"
    jq -e '.time_line | .steps == 6 and .messages == 24 and .rows[0].start_us == 0 and .rows[0].first == 1 and .rows[-1].last == 6' "$dir/json"
    # rows are consecutive and end with the collective
    jq -e '.time_line.rows | [.[1:][].first] == [.[:-1][].last + 1]' "$dir/json"
    jq -e '.time_line.rows[-1].end_us - .sizes[-1].time_us | fabs < 0.01' "$dir/json"
    jq -e '.time_line.rows | all((.src == "h2" or .dst == "h2") and (.link == "h2 -> s0" or .link == "s0 -> h2") and .busy_share > 0.8)' "$dir/json"
    # a span of the trace for each step, with its last message, and one for each message
    jq -e '[.traceEvents[] | select(.cat == "step")] | map(select(.ph == "b").args.last | test("h2")) == [range(6) | true] and
        (map(select(.ph == "e").ts) | max - ($time | tonumber) | fabs < 0.01)' --arg time "$(jq '.sizes[-1].time_us' "$dir/json")" "$dir/trace.json"
    [ "$(jq '[.traceEvents[] | select(.cat == "flow" and .ph == "b")] | length' "$dir/trace.json")" -eq 24 ]
    # a trace does not change results
    "$ANOLE" collective "$slow" -c ring_all_reduce --channels 0 --protocol Simple -b 1MB -e 4MB -f 4 --format json | jq .sizes >"$dir/sizes"
    jq .sizes "$dir/json" | diff - "$dir/sizes"
    # six lines at most on a terminal
    "$ANOLE" collective "$slow" -b 4MB -e 4MB | sed -n '/^Time line/,$p' >"$dir/lines"
    [ "$(wc -l <"$dir/lines")" -le 6 ]
    run "$ANOLE" collective "$slow" --trace "$dir/trace.json/x"
    [ "$status" -eq 1 ]
}

@test "collective: slowdown of other traffic is unknown if none of its messages has ended" {
    "$ANOLE" collective '{kind: star, hosts: 2}' -b 1KB -e 1KB --beside storage=1% --seeds 1 --report "$dir/page.html" >"$dir/out"
    grep -q 'data-label="other traffic">-</td>' "$dir/page.html"
    grep -q '1 seed: [0-9.]* us\. ' "$dir/out"
}

# h1 has a tenth of the speed of the others, and holds back the ring. Other traffic, spread over all, must leave h1 room.
@test "collective: hosts of unlike speeds are compared with the slowest; the next command runs" {
    net='{kind: star, hosts: 4, link_rates: [{a: h1, b: s0, rate: 10Gbps}]}'
    "$ANOLE" collective "$net" -b 4MB -e 4MB --channels 1 --protocol Simple --format json >"$dir/json"
    jq -e '.sizes[0].busbw_GBps < 1.25 and (.sizes[0].busbw_GBps / 1.25 / .sizes[0].ideal_share - 1 | fabs) < 1e-9' "$dir/json"
    jq -e '.bottleneck.busy_share as $busy | $busy > 0.8 and (.answer.detail | contains("busy \($busy * 100 | round) %"))' "$dir/json"
    jq -e '.answer.command | endswith("--beside storage=6.5%")' "$dir/json"
    "$ANOLE" collective "$net" -b 64KB -e 64KB --channels 1 --beside storage=6.5% --seeds 1 >"$dir/out"
    refute "$ANOLE" collective "$net" -b 64KB -e 64KB --channels 1 --beside storage --seeds 1 2>"$dir/err"
    grep -q 'too much load: h1' "$dir/err"
}
