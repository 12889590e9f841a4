#!/usr/bin/env bats
# tests/tools/commands.bats - a new user follows README.md and docs/first.md to the letter, in a fresh folder: every command works.

# What takes seconds in the release build would take minutes with sanitizers.
setup() {
    anole=${FIDELITY_ANOLE:-$ANOLE}
    fresh=$BATS_TEST_TMPDIR/fresh
    mkdir -p "$fresh/build"
    ln -s "$(realpath "$(dirname "$anole")")" "$fresh/build/release"
    cp -r scenarios data examples "$fresh"
}

# Commands of the code blocks of a document, in order. Blocks with output have lines that begin otherwise. Left out: make, which builds, and
# what installs or needs other files.
commands() {
    awk '/^```/ { is_block = !is_block; next } is_block && /^(export|mkdir|build\/release\/anole|anole) /' "$1"
}

@test "commands: every block of README.md and docs/first.md works in a fresh folder" {
    { echo 'set -ex'; commands README.md; commands docs/first.md; } >"$BATS_TEST_TMPDIR/commands"
    [ "$(grep -c anole "$BATS_TEST_TMPDIR/commands")" -ge 14 ]
    cd "$fresh"
    sh "$BATS_TEST_TMPDIR/commands" </dev/null >"$BATS_TEST_TMPDIR/log" 2>&1 || { tail -n 20 "$BATS_TEST_TMPDIR/log"; false; }
}
