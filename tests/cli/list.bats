#!/usr/bin/env bats
# tests/cli/list.bats - anole list prints the tables, and the manual pages that are made from them.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

@test "list: has every knob of knobs.def, with its range" {
    run "$ANOLE" list knob
    [ "$status" -eq 0 ]
    grep -oE '^KNOB\([a-z0-9_]+' src/core/knobs.def | cut -d '(' -f 2 >"$dir/names"
    [ "$(wc -l <"$dir/names")" -gt 10 ]
    while read -r name; do
        grep -qE "^$name +(NIC|switch|host) " <<<"$output" || { echo "no $name"; false; }
    done <"$dir/names"
    grep -qE '^rpg_time_reset +NIC +300us +1\.\.131071us +low delay ' <<<"$output"
    grep -qE '^pmax +switch +0\.2 +0\.\.1 +low delay ' <<<"$output"
}

@test "list: cc, nic, lb, topology, traffic and sizes" {
    "$ANOLE" list cc | grep -qE '^dcqcn '
    "$ANOLE" list nic | grep -qE '^nvidia .* -$'
    "$ANOLE" list nic | grep -qE '^dcqcn_paper .*rpg_ai_rate=40Mbps'
    "$ANOLE" list nic | grep -qE '^hpcc .*rpg_ai_rate=5Mbps per 25 Gb/s.*rate_to_set_on_first_cnp=100 % of line rate'
    "$ANOLE" list lb | grep -qE '^ecmp '
    "$ANOLE" list topology | grep -qE '^clos '
    "$ANOLE" list traffic | grep -qE '^poisson '
    for file in data/cdf/*.cdf; do
        "$ANOLE" list sizes | grep -qE "^$(basename "$file" .cdf) "
    done
}

@test "list: every tuner, short name, monitor and option" {
    "$ANOLE" list tuner >"$dir/tuners"
    for name in fixed paraleon naive_sa chameleon random cmaes default default_artifact expert hpcc \
        paraleon_published paraleon_artifact; do
        grep -qE "^$name +[^ ]" "$dir/tuners" || { echo "no $name"; false; }
    done
    # options of one tuner are listed under its name, those of all searches once
    grep -qE '^paraleon +preset +corrected +published, corrected, artifact +' "$dir/tuners"
    grep -qE '^chameleon +decay +0\.95 +0\.01\.\.1 +' "$dir/tuners"
    [ "$(grep -cE '^[a-z_ ]+ trigger +change +change, always, once ' "$dir/tuners")" -eq 1 ]
    for name in paraleon elastic netflow host none exact; do
        "$ANOLE" list monitor | grep -qE "^$name "
    done
}

@test "list: sizes shows the largest flow of each table" {
    # The last line of WebSearch.cdf is its largest flow: 30 MB.
    [ "$(awk '!/^#/ && NF { last = $1 } END { print last }' data/cdf/WebSearch.cdf)" = 30000000 ]
    "$ANOLE" list sizes | grep -qE '^WebSearch .* 30 MB$'
}

@test "list: without an argument it prints every list" {
    "$ANOLE" list >"$dir/all"
    for what in cc lb topology traffic sizes knob figure tuner monitor scenario; do
        "$ANOLE" list "$what" | while read -r line; do
            grep -qF -- "$line" "$dir/all"
        done
    done
}

@test "list: columns line up" {
    # In every row of the knobs, the second column starts below its heading.
    "$ANOLE" list knob >"$dir/knobs"
    at=$(head -n 1 "$dir/knobs" | awk '{ print index($0, "where") }')
    [ "$at" -gt 1 ]
    tail -n +3 "$dir/knobs" | awk -v at="$at" '
        substr($0, at - 1, 1) != " " || substr($0, at, 1) == " " { print; bad = 1 } END { exit bad }'
}

@test "list: only the state size of rlcc depends on its model" {
    "$ANOLE" list cc >"$dir/cc"
    [ "$(grep -c ' mlp, ' "$dir/cc")" -eq 1 ]
    grep -qE '^rlcc .* trees, [0-9]+ mlp' "$dir/cc"
    grep -qE '^hpcc .*  [0-9]+  ' "$dir/cc"
}

@test "list: docs/knobs.md equals the output of --markdown" {
    "$ANOLE" list knob --markdown | diff - docs/knobs.md
}

@test "list: docs/figures.md equals the output of --markdown" {
    "$ANOLE" list figure --markdown | diff - docs/figures.md
}

# Pages may link to docs/knobs.md#NAME and docs/figures.md#NAME. Rows of ports, ConWeave and devices have that
# prefix.
@test "list: every knob and every metric has its own heading" {
    sed -n 's/^KNOB(\([a-z0-9_]*\),.*/\1/p' src/core/knobs.def | diff - <(sed -n 's/^### //p' docs/knobs.md)
    sed -nE 's/^(COUNTER|STATE|DERIVED|RESULT|DETAIL)\(([a-z0-9_]+).*/\2/p; s/^PORT\(([a-z0-9_]+).*/port \1/p
        s/^CONWEAVE\(([a-z0-9_]+).*/conweave \1/p; s/^AGENT\(([a-z0-9_]+).*/device \1/p' src/core/figures.def | sort >"$dir/rows"
    [ "$(wc -l <"$dir/rows")" -gt 80 ]
    sed -n 's/^### //p' docs/figures.md | sort | diff "$dir/rows" -
    [ -z "$(sort "$dir/rows" | uniq -d)" ]
}

@test "list: has every row of figures.def, and every column and metric of a run is a row" {
    "$ANOLE" list figure >"$dir/figures"
    grep -oE '^(COUNTER|STATE|DERIVED|RESULT|DETAIL|PORT|CONWEAVE|AGENT)\([a-z0-9_]+' src/core/figures.def | cut -d '(' -f 2 >"$dir/names"
    [ "$(wc -l <"$dir/names")" -gt 80 ]
    while read -r name; do
        grep -qE "^$name(_\*)? +[a-z]+ " "$dir/figures" || { echo "no $name"; false; }
    done <"$dir/names"
    "$ANOLE" run incast --until 100us --set monitor=exact --out "$dir/out" --quiet
    # Columns up to the first entry of the traffic list. The part of a metric before its last dot names its
    # subject.
    { head -n 1 "$dir/out/intervals.csv" | sed 's/,"incast.*//' | tr , '\n' | grep -vxE '(start|end)_us'
      head -n 1 "$dir/out/ports.csv" | tr , '\n' | grep -vxE 'node|port|peer|rate_bps|paused_us'
      jq -r '.metrics[].name' "$dir/out/summary.json" | sed -E 's/.*\.//; s/^(slowdown|fct_us|collective_us)_(mean|p50|p99|p999)$/\1/'; } | sort -u >"$dir/shown"
    [ "$(wc -l <"$dir/shown")" -gt 40 ]
    while read -r name; do
        grep -qE "^$name(_\*)? " "$dir/figures" || { echo "no row $name"; false; }
    done <"$dir/shown"
}

@test "list: docs/scenario.md equals the output of --markdown" {
    "$ANOLE" list key --markdown | diff - docs/scenario.md
}

@test "list: keys as JSON have their bounds and words" {
    "$ANOLE" list key --format json >"$dir/keys"
    of_host() { jq -c --arg name "$1" '.[] | select(.section == "host" and .name == $name) | [.min, .max, .choices]' "$dir/keys"; }
    [ "$(of_host mtu)" = '[64,9000,[]]' ]
    [ "$(of_host retransmit)" = '[null,null,["go_back_n","selective"]]' ]
    [ "$(of_host window)" = '[1,281474976710656,["none","bdp"]]' ]
}

@test "list: a misspelled subject gets a suggestion" {
    run_apart "$ANOLE" list knbo
    [ "$status" -eq 2 ]
    [ "$(cat "$dir/err")" = "anole: list: unknown value 'knbo'; did you mean 'knob'?" ]
}

@test "list: built-in scenarios run by name" {
    "$ANOLE" list scenario >"$dir/out"
    [ "$(tail -n +3 "$dir/out" | awk '{ print $1 }')" = "$(cd scenarios && printf '%s\n' *.yaml | sed 's/\.yaml$//' | LC_ALL=C sort)" ]
    grep -qE '^incast +[A-Z0-9]' "$dir/out"
    cd "$dir"
    program=$(readlink -f "$OLDPWD/$ANOLE" 2>/dev/null || readlink -f "$ANOLE")
    "$program" run incast --until 50us --format json | jq .metrics >by_name
    "$program" run "$OLDPWD/scenarios/incast.yaml" --until 50us --format json | jq .metrics >by_path
    [ -s by_name ]
    cmp by_name by_path
    mkdir mine
    printf '# My own: all of it.\ntopology: {kind: star, hosts: 2}\ntraffic: [{kind: permutation, size: 1KB}]\n' >mine/own.yaml
    ANOLE_SCENARIOS=mine "$program" list scenario | tail -n 1 | grep -qx 'own   My own'
    ANOLE_SCENARIOS=mine "$program" run own --quiet
    # a file of that name takes precedence
    cp mine/own.yaml incast
    "$program" run incast --format json | jq -e '.all.flows == 2'
}

@test "list: json has every entry of the tables, with numbers as numbers" {
    "$ANOLE" list --format json >"$dir/all.json"
    for what in cc nic lb topology traffic sizes knob figure tuner monitor key scenario; do
        "$ANOLE" list $what --format json >"$dir/one.json"
        jq -e --arg what $what --slurpfile all "$dir/all.json" '. == $all[0][$what] and length > 0 and all(.name != "")' "$dir/one.json"
    done
    # compared with the manual page, which is made from the same rows
    [ "$(jq '.knob | length' "$dir/all.json")" -eq "$("$ANOLE" list knob --markdown | grep -c '^### ')" ]
    jq -e '.knob[] | select(.name == "rpg_time_reset") | .initial == 300 and .unit == "us" and .min == 1 and .max == 131071 and .where == "NIC"' "$dir/all.json"
    jq -e '.tuner[] | select(.name == "paraleon").options[] | select(.name == "preset") | .initial == "corrected" and .choices == ["published", "corrected", "artifact"]' "$dir/all.json"
    jq -e '.tuner[] | select(.name == "expert").stands_for == {"kind": "fixed", "setting": "expert"}' "$dir/all.json"
    jq -e '.sizes[] | select(.name == "WebSearch") | .largest_bytes > .mean_bytes and .mean_bytes > .median_bytes' "$dir/all.json"
    run "$ANOLE" list knob --markdown --format json
    [ "$status" -eq 2 ]
    run "$ANOLE" list --format jsno
    [ "$status" -eq 2 ]
    [[ $output == *"did you mean 'json'"* ]]
}
