#!/usr/bin/env bats
# tests/cli/explain.bats - anole explain describes a tuning history in words, and rejects invalid ones.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# head_line OPTIONS - prints the first line of a history with kmin = 400 KB and defaults otherwise.
head_line() {
    printf '{"tuner":"random","options":{%s},"knobs":{"kmin":400}}\n' "$1"
}

# step START PHASE GOODPUT RTT PAUSED UTILITY WHY SET [VERDICT] - prints an interval of 1 ms.
step() {
    printf '{"start_us":%s,"end_us":%s,"phase":"%s","goodput_gbps":%s,"rtt_us":%s,"paused_us":%s,"utility":%s,"elephants":0.25,"why":"%s","set":{%s}%s}\n' \
        "$1" "$(($1 + 1000))" "$2" "$3" "$4" "$5" "$6" "$7" "$8" "${9:+,\"verdict\":\"$9\"}"
}

# write_history FILE - two quiet intervals, three settings, two repeated measurements, two quiet intervals.
write_history() {
    {
        head_line '"trigger":"change","theta":0.02,"budget":280,"confirm":1'
        step 0 watch 100 20 50 0.6 'nothing calls for a search' ''
        step 1000 watch 120 30 150 0.62 'flow sizes changed; search begins' '"kmin":300'
        step 2000 search 90 20 0 0.55 'worse' '"kmin":200' rejected
        step 3000 search 150 10 0 0.8 'better' '"kmin":120,"pmax":0.1' best
        step 4000 search 140 12 0 0.7 'the search is over' '"kmin":200,"pmax":0.2' accepted
        step 5000 confirm 160 11 0 0.78 'measurement 1 of 1' '"kmin":400'
        step 6000 confirm 110 25 20 0.61 'the new one is kept' '"kmin":200' accepted
        step 7000 hold 165 15 0 0.77 'nothing calls for a search' ''
        step 8000 hold 165 15 50 0.77 'nothing calls for a search' ''
    } >"$1"
}

# joined - joins the wrapped lines of each paragraph of standard input.
joined() {
    tr -s ' \n' ' '
}

@test "explain: describes a search, with figures counted by hand" {
    write_history "$dir/tuning.jsonl"
    run_apart "$ANOLE" explain "$dir"
    [ "$status" -eq 0 ]
    [ ! -s "$dir/err" ]
    # prints theta and confirm, which differ from the defaults, but not trigger and budget
    head -n 1 "$dir/out" | grep -qx 'Tuner random with theta=0.02, confirm=1; 9 intervals from 0 us to 9 ms.'
    joined <"$dir/out" >"$dir/text"
    while read -r words; do
        grep -qF -- "$words" "$dir/text" || { cat "$dir/out"; echo "not: $words"; false; }
    done <<'END'
0 us .. 2 ms nothing tried for 2 intervals: goodput 110 Gb/s, mean RTT 25.0 us, paused 100 us per ms (all ports), elephants 25 % of flows
2 ms search 1 begins: flow sizes changed; search begins
2 ms .. 7 ms 3 settings tried in 5 ms, utility 0.550 to 0.800 (the best at 4 ms); 1 accepted, 1 rejected, 1 times a new best
the best and the setting at which it began measured again in 2 intervals
7 ms the new one is kept kept: kmin 400KB -> 200KB (-50 %)
effect: unknown, because the traffic changed: goodput 110 Gb/s before and 165 Gb/s after, elephants 25 % and 25 % of flows
7 ms .. 9 ms nothing tried for 2 intervals: goodput 165 Gb/s, mean RTT 15.0 us
END
    # every line fits the screen
    [ "$(awk 'length > max { max = length } END { print max }' "$dir/out")" -le 100 ]
}

@test "explain: states the effect of a search only for similar traffic" {
    write_history "$dir/h"
    {
        step 9000 search 200 15 0 0.8 'the search is over: the best is kept' '"kmin":100' best
        step 10000 hold 170 30 0 0.9 'nothing calls for a search' ''
    } >>"$dir/h"
    # similar traffic: an effect of the setting
    "$ANOLE" explain "$dir/h" | joined | grep -qF \
        'effect with similar traffic (goodput 165 Gb/s -> 170 Gb/s), 2 intervals before and 1 after: mean RTT 15.0 us -> 30.0 us (+100 %)'
    # an influx begins during the search: no conclusion about the setting
    sed -i '$s/170/330/' "$dir/h"
    "$ANOLE" explain "$dir/h" | joined >"$dir/text"
    grep -qF 'effect: unknown, because the traffic changed: goodput 165 Gb/s before and 330 Gb/s after' "$dir/text"
    run grep -q 'effect with' "$dir/text"
    [ "$status" -eq 1 ]
}

@test "explain: accepts the file as well as its folder" {
    write_history "$dir/tuning.jsonl"
    "$ANOLE" explain "$dir" >"$dir/a"
    "$ANOLE" explain "$dir/tuning.jsonl" | cmp - "$dir/a"
    "$ANOLE" explain - <"$dir/tuning.jsonl" | cmp - "$dir/a"
}

@test "explain: --all has a line for every step" {
    write_history "$dir/h"
    "$ANOLE" explain "$dir/h" --all >"$dir/out"
    [ "$(wc -l <"$dir/out")" -eq 11 ]
    grep -qE '^ *4 ms +search +0\.8000 +150 Gb/s +10\.0 us +0 us +25 % +- +- +best +2 knobs +better$' "$dir/out"
    grep -qE '^ *2 ms .* kmin 400KB -> 300KB \(-25 %\) +flow sizes changed; search begins$' "$dir/out"
}

@test "explain: --knob follows one knob" {
    write_history "$dir/h"
    "$ANOLE" explain "$dir/h" --knob kmin | awk 'NR > 2 { print $5, $6, $7 == "%" ? $7 : "" }' | sed 's/ $//' >"$dir/out"
    # current setting from 0, 2, 3, 4, 5, 6 and 7 ms
    printf '%s\n' '400KB watch' '300KB -25 %' '200KB -33 %' '120KB -40 %' '200KB +67 %' '400KB +100 %' '200KB -50 %' |
        diff - "$dir/out"
    # the mean of two intervals
    "$ANOLE" explain "$dir/h" --knob kmin | sed -n 3p | grep -qE '0\.6100$'
}

@test "explain: reports a history that ends during a search" {
    write_history "$dir/whole"
    head -n 5 "$dir/whole" >"$dir/h"
    "$ANOLE" explain "$dir/h" | joined | grep -qF \
        'current when the history ends: kmin 400KB -> 120KB (-70 %), pmax 0.2 -> 0.1 (-50 %)'
}

@test "explain: reads the output of anole run and anole tune" {
    write_scenario "$dir/s.yaml"
    "$ANOLE" run "$dir/s.yaml" --set interval=10us --quiet --out "$dir/run" \
        --set 'tuner={kind: random, trigger: once, budget: 5, restart: no}'
    "$ANOLE" explain "$dir/run" >"$dir/out"
    head -n 1 "$dir/out" |
        grep -qx 'Tuner random with trigger=once, budget=5, restart=no; 100 intervals from 0 us to 1 ms\.'
    grep -q 'search 1 begins: this is the start' "$dir/out"
    joined <"$dir/out" | grep -qE '5 settings tried in '
    # as many lines as the file has steps
    [ "$("$ANOLE" explain "$dir/run" --all | tail -n +3 | wc -l)" -eq "$(($(wc -l <"$dir/run/tuning.jsonl") - 1))" ]
    # the last setting is that of the run
    last=$("$ANOLE" explain "$dir/run" --knob kmin | tail -n 1 | awk '{ print $5 }')
    kmin=$(jq -s '(.[0].knobs.kmin), (.[1:-1][].set.kmin // empty)' "$dir/run/tuning.jsonl" | tail -n 1)
    [ "$last" = "$(jq -n "$kmin")KB" ] || awk -v a="${last%KB}" -v b="$kmin" 'BEGIN { exit a != b }'
    "$ANOLE" run "$dir/s.yaml" --set interval=100us --set tuner=expert --quiet --out "$dir/fixed"
    "$ANOLE" explain "$dir/fixed" | grep -q "^There was no search\. Last reason: the setting 'expert' stays\.$"
}

@test "explain: reports that a run ended with stuck flows" {
    mkdir "$dir/run"
    write_history "$dir/run/tuning.jsonl"
    printf '{"all":{"flows_stuck":2,"stuck_since_us":1500,"stuck_why":"h0 -> h1 waits\\u001b"}}\n' >"$dir/run/summary.json"
    "$ANOLE" explain "$dir/run" >"$dir/out"
    head -n 1 "$dir/out" | grep -qF 'PARTIAL: nothing moved after 1.5 ms; the figures are of the time before. h0 -> h1 waits'
    refute grep -q "$(printf '\033')" "$dir/out"
    "$ANOLE" explain "$dir/run/tuning.jsonl" --all | head -n 1 | grep -q '^PARTIAL: '
    # No such report for a complete run or an invalid summary.
    for text in '{"all":{"flows_stuck":0}}' 'no summary' '[1]'; do
        printf '%s\n' "$text" >"$dir/run/summary.json"
        "$ANOLE" explain "$dir/run" >"$dir/out"
        refute grep -q PARTIAL "$dir/out"
    done
}

@test "explain: rejects an invalid history and names its line" {
    write_history "$dir/h"
    sed '4s/"utility":0.55/"utility":"x"/' "$dir/h" >"$dir/bad"
    run_apart "$ANOLE" explain "$dir/bad"
    [ "$status" -eq 1 ]
    [ ! -s "$dir/out" ]
    [ "$(cat "$dir/err")" = "anole: $dir/bad:4:1: 'utility' must be a number" ]
    head -c 300 "$dir/h" >"$dir/cut"
    run_apart "$ANOLE" explain "$dir/cut"
    [ "$status" -eq 1 ]
    grep -qE "^anole: $dir/cut:[0-9]+:[0-9]+: this is not JSON: " "$dir/err"
    mkdir "$dir/empty"
    run_apart "$ANOLE" explain "$dir/empty"
    [ "$(cat "$dir/err")" = "anole: $dir/empty/tuning.jsonl: there is no such file; a run without a tuner has no history" ]
    run_apart "$ANOLE" explain "$dir/h" --knob kmim
    [ "$status" -eq 2 ]
    [ "$(cat "$dir/err")" = "anole: --knob: 'kmim' is not a knob; did you mean 'kmin'?" ]
    run_apart "$ANOLE" explain
    [ "$status" -eq 2 ]
}

@test "explain: a history cannot control the terminal" {
    printf '{"tuner":"a\\u001b[31mb","options":{},"knobs":{}}\n' >"$dir/h"
    "$ANOLE" explain "$dir/h" >"$dir/out"
    refute grep -q "$(printf '\033')" "$dir/out"
}

@test "explain: describes a tuner of single queues by its thresholds" {
    "$ANOLE" run scenarios/acc.yaml --until 3ms --set tuner.record=yes --quiet --out "$dir/acc"
    "$ANOLE" explain "$dir/acc" >"$dir/out"
    # queues.csv has a line for each change
    changes=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "changed") at = i; next } { sum += $at } END { print sum }' \
        "$dir/acc/queues.csv")
    [ "$changes" -gt 10 ]
    grep -qE "^Thresholds: $changes changes at [0-9]+ of [0-9]+ queues\.\$" "$dir/out"
    grep -qE '^0 us \.\. 3 ms +queues set one by one for 3 intervals: goodput ' "$dir/out"
    grep -qE '^used longest +[0-9.]+ % of the time of all queues: kmin [0-9.]+ KB, kmax [0-9.]+ [KM]B, pmax [0-9.]+$' "$dir/out"
    grep -qE '^changed most often +[a-z0-9]+:[0-9]+ > [a-z0-9]+: [0-9]+ times; at the end kmin ' "$dir/out"
    refute grep -q 'nothing tried' "$dir/out"
    # the page has the same numbers, and a curve for each of the most frequently changed queues
    sed -n 's/.*id="anole-data">\(.*\)<\/script>.*/\1/p' "$dir/acc/report.html" | jq .runs[0].tuning.queues >"$dir/queues"
    [ "$(jq .changes "$dir/queues")" = "$changes" ]
    jq -e '.lines | length == 8 and all(.at_us[0] == 0 and (.at_us | length) == .changes + 1 and
        (.at_us | length) == (.kmin_bytes | length))' "$dir/queues"
    jq -e '[.settings[].share] | . == (sort | reverse) and add <= 1.000001 and add > 0.9' "$dir/queues"
    # queues.csv has each change of the first queue
    jq -r '.lines[0] | .name' "$dir/queues" >"$dir/name"
    node=$(cut -d: -f1 "$dir/name")
    port=$(sed 's/.*:\([0-9]*\) .*/\1/' "$dir/name")
    [ "$(awk -F, -v n="$node" -v p="$port" 'NR > 1 && $2 == n && $3 == p && $NF == 1' "$dir/acc/queues.csv" | wc -l)" = \
        "$(jq '.lines[0].changes' "$dir/queues")" ]
}
