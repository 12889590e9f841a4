#!/usr/bin/env bats
# tests/cli/plot.bats - anole plot: charts of results, as files.

# shellcheck disable=SC2030,SC2031,SC2154  # common.bash sets dir, and status as run does
load common

setup() {
    dir=$BATS_TEST_TMPDIR
    [ -x "$(dirname "$ANOLE")/anole-plot" ] || skip 'built without cairo'
    write_scenario "$dir/s.yaml"
}

# texts FILE - prints the texts of an SVG, one per line, with a parser that rejects invalid XML.
texts() {
    python3 -c '
import sys, xml.etree.ElementTree as tree
for element in tree.parse(sys.argv[1]).iter():
    if element.tag.endswith(("}text", "}title", "}desc")):
        print(element.text)' "$1"
}

@test "plot: the charts of a run, each with title, axes, units and source" {
    "$ANOLE" run "$dir/s.yaml" --quiet --out "$dir/r"
    run "$ANOLE" plot "$dir/r"
    [ "$status" -eq 0 ]
    [ "$output" = "$(printf '%s\n' "$dir/r/plots/slowdown.svg" "$dir/r/plots/fct.svg" "$dir/r/plots/time.svg")" ]
    texts "$dir/r/plots/slowdown.svg" >"$dir/t"
    grep -qx 'FCT slowdown by flow size' "$dir/t"
    grep -qx 'flow size' "$dir/t"
    grep -qE '^s.yaml, seed 1, anole [0-9.]+$' "$dir/t"
    texts "$dir/r/plots/time.svg" | grep -qx 'goodput (Gb/s)'
    # repeating it gives the same bytes
    cp -r "$dir/r/plots" "$dir/before"
    "$ANOLE" plot "$dir/r" --quiet
    diff -r "$dir/before" "$dir/r/plots"
}

@test "plot: PNG and PDF, elsewhere, and one chart alone" {
    "$ANOLE" run "$dir/s.yaml" --quiet --out "$dir/r"
    run "$ANOLE" plot "$dir/r" --as png --chart fct --out "$dir/pictures"
    [ "$status" -eq 0 ]
    [ "$(ls "$dir/pictures")" = fct.png ]
    head -c 8 "$dir/pictures/fct.png" | od -An -tx1 | grep -q '89 50 4e 47'
    "$ANOLE" plot "$dir/r/charts.json" --as pdf --out "$dir/pictures" --quiet
    head -c 5 "$dir/pictures/time.pdf" | grep -q '%PDF-'
    [ ! -e "$dir/r/plots" ]
}

@test "plot: a comparison has a curve per variant, a sweep its Pareto front" {
    "$ANOLE" sweep "$dir/s.yaml" --until 200us --range kmin=50KB..350KB --samples 4 --seeds 2 --quiet --out "$dir/r"
    "$ANOLE" plot "$dir/r" --quiet
    texts "$dir/r/plots/slowdown.svg" >"$dir/t"
    grep -qx 'as in the scenario' "$dir/t"
    grep -qx "p99 FCT slowdown by flow size, mean of 2 seeds' percentiles" "$dir/t"
    texts "$dir/r/plots/pareto.svg" >"$dir/t"
    grep -q 'Pareto front' "$dir/t"
    grep -qE '^4 settings of s.yaml by p99 slowdown, 2 seeds, 1 to 2, anole ' "$dir/t"
}

@test "plot: results that cannot be drawn are reported in one line, and no files are left" {
    run "$ANOLE" plot
    [ "$status" -eq 2 ]
    [ "$output" = "anole: which results? anole plot DIR; see anole plot --help" ]
    run "$ANOLE" plot --bogus
    [ "$status" -eq 2 ]
    run "$ANOLE" plot "$dir/nosuch"
    [ "$status" -eq 1 ]
    [ "$output" = "anole: $dir/nosuch: No such file or directory" ]
    run "$ANOLE" plot "$dir/s.yaml"
    [ "$status" -eq 1 ]
    [ "$output" = "anole: $dir/s.yaml: not a charts.json, which anole run, compare or sweep --out writes" ]
    run "$ANOLE" plot "$dir" --as gif
    [ "$status" -eq 2 ]
    [ "$output" = "anole: --as: unknown value 'gif'; there are svg, png and pdf" ]
    "$ANOLE" run "$dir/s.yaml" --quiet --out "$dir/r"
    run "$ANOLE" plot "$dir/r" --chart pareto
    [ "$status" -eq 1 ]
    [ "$output" = "anole: $dir/r: these results have no data for the chart pareto" ]
    [ ! -e "$dir/r/plots" ]
}
