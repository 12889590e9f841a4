#!/usr/bin/env bats
# tests/cli/names.bats - names with terminal control sequences never reach the screen unescaped.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

# The names contain ESC (colors, window title), BEL, the one-character CSI (U+009B), RLO and a newline.
evil=$(printf 'a\033[31m\033]0;b\a\302\233c\342\200\256d\ne')
shown='a\\x1b\[31m\\x1b]0;b\\x07\\u009bc\\u202ed\\ne'

# expect_safe - the last output has the name, escaped, and no sequence that a terminal would obey.
expect_safe() {
    grep -q "$shown" "$dir/out" "$dir/err"
    refute env LC_ALL=C grep -qaP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae' "$dir/out" "$dir/err"
}

# write_evil_scenario FILE : names of a switch and of traffic.
write_evil_scenario() {
    cat >"$1" <<'END'
topology:
  kind: graph
  hosts: 3
  switches: ["s\e[31m\x9b,\ne"]
  links:
    - {a: h0, b: "s\e[31m\x9b,\ne"}
    - {a: h1, b: "s\e[31m\x9b,\ne"}
    - {a: h2, b: "s\e[31m\x9b,\ne"}
traffic:
  - {kind: incast, name: "a\e[31m\e]0;b\a\x9bc\u202ed\ne", senders: 2, size: 64KB, flows: 3}
  - {kind: incast, name: calm, senders: 1, size: 1MB}
run: 1ms
END
}

@test "names: of nodes and traffic, in tables, CSV and files" {
    write_evil_scenario "$dir/evil.yaml"
    run_apart "$ANOLE" run "$dir/evil.yaml"
    [ "$status" -eq 0 ]
    expect_safe
    grep -q 'longest queue  s\\x1b\[31m\\u009b,\\ne:' "$dir/out"
    run_apart "$ANOLE" run "$dir/evil.yaml" --format csv
    expect_safe
    "$ANOLE" run "$dir/evil.yaml" --out "$dir/result" >/dev/null
    run_apart cat "$dir/result/flows.csv"
    expect_safe
    # A comma in a name does not start a column.
    python3 -c 'import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
assert len(rows) == 7 and {len(r) for r in rows} == {len(rows[0])}, rows
assert sum(r[0] == r"s\x1b[31m\u009b,\ne" for r in rows) == 3, rows' "$dir/result/ports.csv"
}

@test "names: of files" {
    write_scenario "$dir/$evil.yaml"
    run_apart "$ANOLE" run "$dir/$evil.yaml" --out "$dir/$evil"
    [ "$status" -eq 0 ]
    expect_safe
    [ -f "$dir/$evil/summary.json" ]
    mkdir "$dir/full"
    mv "$dir/$evil" "$dir/full/$evil"
    rm "$dir/full/$evil/.anole"
    run_apart "$ANOLE" run "$dir/$evil.yaml" --out "$dir/full/$evil"
    [ "$status" -eq 1 ]
    expect_safe
    run_apart "$ANOLE" run "$dir/none/$evil"
    [ "$status" -eq 1 ]
    expect_safe
    [ "$(wc -l <"$dir/err")" = 1 ]
}

@test "names: of keys and values in messages" {
    write_scenario "$dir/one.yaml"
    run_apart "$ANOLE" run "$dir/one.yaml" --set "$evil=1"
    [ "$status" -ne 0 ]
    expect_safe
    run_apart "$ANOLE" run "$dir/one.yaml" --set "kmin=$evil"
    [ "$status" -ne 0 ]
    expect_safe
    run_apart "$ANOLE" run "$dir/one.yaml" --format "$evil"
    [ "$status" -ne 0 ]
    expect_safe
    run_apart "$ANOLE" run "$dir/one.yaml" "--$evil"
    [ "$status" -ne 0 ]
    expect_safe
    run_apart "$ANOLE" run "$dir/one.yaml" "-$(printf '\033')$evil"
    [ "$status" -ne 0 ]
    expect_safe
    run_apart "$ANOLE" "$evil"
    [ "$status" -ne 0 ]
    expect_safe
    printf '"a\\e[31m\\e]0;b\\a\\x9bc\\u202ed\\ne": 1\n' >>"$dir/one.yaml"
    run_apart "$ANOLE" run "$dir/one.yaml"
    [ "$status" -eq 1 ]
    expect_safe
    [ "$(wc -l <"$dir/err")" = 1 ]
}

@test "names: of variants" {
    write_scenario "$dir/one.yaml"
    for format in table csv; do
        run_apart "$ANOLE" compare "$dir/one.yaml" --seeds 2 --variant "$evil:kmin=50KB,kmax=100KB" --variant other \
            --format "$format"
        [ "$status" -eq 0 ]
        expect_safe
    done
    run_apart "$ANOLE" compare "$dir/one.yaml" --seeds 2 --variant x --variant other --out "$dir/$evil"
    [ "$status" -eq 0 ]
    expect_safe
    run_apart cat "$dir/$evil/comparison.csv"
    refute env LC_ALL=C grep -qaP '[\x00-\x09\x0b-\x1f\x7f]' "$dir/out"
}

@test "names: in a history from another machine" {
    write_scenario "$dir/one.yaml"
    "$ANOLE" run "$dir/one.yaml" --set tuner=paraleon --out "$dir/result" >/dev/null
    jq -c --arg evil "$evil" 'walk(if type == "object" and has("why") then .why = $evil else . end)' \
        "$dir/result/tuning.jsonl" >"$dir/history"
    run_apart "$ANOLE" explain "$dir/history"
    [ "$status" -eq 0 ]
    expect_safe
    run_apart "$ANOLE" explain "$dir/history" --all
    [ "$status" -eq 0 ]
    expect_safe
}
