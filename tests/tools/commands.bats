#!/usr/bin/env bats
# tests/tools/commands.bats - a new user follows README.md and docs/first.md to the letter, in a fresh folder: every command works.

# What takes seconds in the release build would take minutes with sanitizers.
setup() {
    anole=${FIDELITY_ANOLE:-$ANOLE}
    fresh=$BATS_TEST_TMPDIR/fresh
    mkdir -p "$fresh/build"
    ln -s "$(realpath "$(dirname "$anole")")" "$fresh/build/release"
    cp -r scenarios data "$fresh"
}

# Commands of the blocks of a document, in order. Results that are shown are blocks, too; their lines begin otherwise. Left out: make, which builds,
# and what installs.
commands() {
    awk '/^```/ { is_block = !is_block; next } is_block && /^(build\/release\/anole|anole|tools\/)/' "$1"
}

@test "commands: every block of README.md and docs/first.md works in a fresh folder" {
    { commands README.md; commands docs/first.md; } >"$BATS_TEST_TMPDIR/commands"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/commands")" -ge 14 ]
    cd "$fresh"
    while read -r command; do
        echo "$command"
        sh -c "$command" </dev/null >"$BATS_TEST_TMPDIR/log" 2>&1 || { cat "$BATS_TEST_TMPDIR/log"; false; }
    done <"$BATS_TEST_TMPDIR/commands"
}
