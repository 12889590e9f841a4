#!/usr/bin/env bats
# tests/tools/commands.bats - a new user follows README.md and docs/first.md literally in a fresh folder:
# every command works.

# An optimized program takes seconds; one with sanitizers would take minutes.
setup() {
    anole=${FIDELITY_ANOLE:-$ANOLE}
    fresh=$BATS_TEST_TMPDIR/fresh
    mkdir -p "$fresh/build"
    ln -s "$(realpath "$(dirname "$anole")")" "$fresh/build/fast"
    cp -r scenarios data examples "$fresh"
}

# Prints the commands in the code blocks of a document, in order. Lines of output begin differently. Skips
# make, which builds, and commands that install or need other files.
commands() {
    awk '/^```/ { is_block = !is_block; next } is_block && /^(export|mkdir|build\/release\/anole|anole) /' "$1"
}

# Prints the rows of results in a document: at least two numbers, no sentence. Skips rows of commands that
# match 'but'.
results() {
    awk -v but="${2:-nothing}" '
        /^```/ { is_block = !is_block; is_first = 1; next }
        is_block && is_first { is_output = !/^(export|mkdir|make|anole|topology:)/; is_first = 0 }
        is_block && /^anole / { command = $0 }
        is_block && is_output && command !~ but && /[0-9].*[^0-9.][0-9]/ && !/[.,;]$/ && !/search|measured|flows\)/' "$1"
}

# Searches are shortened, and that of README.md uses light traffic. With COMMANDS=all, as in `make check-gcc`,
# first.md runs unchanged and its results are compared too.
@test "commands: every block of README.md and docs/first.md works in a fresh folder" {
    shorten() { sed '/^anole advise /{ s/--sizes [A-Za-z_]* --load [0-9]*%/--sizes SolarRPC --load 10%/; s/$/ --budget 1/ }'; }
    commands docs/first.md >"$BATS_TEST_TMPDIR/first"
    but=
    [ "${COMMANDS:-}" = all ] || { but='^anole advise'; sed -i '/^anole advise /s/$/ --budget 1/' "$BATS_TEST_TMPDIR/first"; }
    { echo 'set -ex'; commands README.md | shorten; cat "$BATS_TEST_TMPDIR/first"; } >"$BATS_TEST_TMPDIR/commands"
    [ "$(grep -c anole "$BATS_TEST_TMPDIR/commands")" -ge 14 ]
    (cd "$fresh" && sh "$BATS_TEST_TMPDIR/commands" </dev/null >"$BATS_TEST_TMPDIR/log" 2>&1) ||
        { tail -n 20 "$BATS_TEST_TMPDIR/log"; false; }
    # The rows of results in first.md; the output may have more space between columns.
    results docs/first.md "$but" | tr -s ' ' >"$BATS_TEST_TMPDIR/results"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/results")" -ge 10 ]
    tr -s ' ' <"$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/found"
    while read -r row; do
        grep -qF -- "$row" "$BATS_TEST_TMPDIR/found" || { echo "docs/first.md: not printed: $row"; false; }
    done <"$BATS_TEST_TMPDIR/results"
}

# The folder of the guide is a recorded simulation of the fork, so its first command is compared with the
# fork's output.
@test "commands: every block of docs/from_hpcc.md works, and gives the fork's completion times" {
    cp -r tests/fidelity/hpcc/s2 "$fresh/mix"
    gunzip "$fresh"/mix/*.gz
    { echo 'set -ex'; awk '/^```/ { is_block = !is_block; next } is_block' docs/from_hpcc.md; } >"$BATS_TEST_TMPDIR/commands"
    [ "$(grep -c '^anole' "$BATS_TEST_TMPDIR/commands")" -ge 8 ]
    cd "$fresh"
    PATH=$fresh/build/fast:$PATH sh "$BATS_TEST_TMPDIR/commands" </dev/null >"$BATS_TEST_TMPDIR/log" 2>&1 ||
        { tail -n 20 "$BATS_TEST_TMPDIR/log"; false; }
    cmp fct.txt mix/fct-seed1.txt
    cmp pfc.txt mix/pfc-seed1.txt
    awk '{ print $1, $2, $3, $5 }' theirs/flow.txt | diff - <(awk '{ print $1, $2, $3, $5 }' mix/flow.txt)
}
