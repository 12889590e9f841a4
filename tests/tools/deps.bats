#!/usr/bin/env bats
# tests/tools/deps.bats - tools/deps installs only missing packages. All commands it calls are doubles.

setup() {
    bin=$BATS_TEST_TMPDIR/bin
    calls=$BATS_TEST_TMPDIR/calls
    mkdir "$bin"
    touch "$calls"
    ln -s "$(command -v env)" "$(command -v sh)" "$bin"
    double dpkg-query '[ "$4" = "$MISSING" ] || printf installed'
    double apt-get "echo \"apt-get \$*\" >>'$calls'"
    double id 'echo 0'
    double uname 'echo x86_64'
}

double() {
    printf '%s\n' '#!/bin/sh' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

deps() {
    run env PATH="$bin" MISSING="${missing:-}" tools/deps "$@" </dev/null
}

@test "deps: nothing missing, nothing done" {
    deps build test check bench cross
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ ! -s "$calls" ]
}

@test "deps: one package missing, one update, that package installed" {
    missing=meson
    deps build test
    [ "$status" -eq 0 ]
    [ "$(grep -c update "$calls")" -eq 1 ]
    [ "$(grep -c install "$calls")" -eq 1 ]
    grep -q 'install -y --no-install-recommends meson$' "$calls"
}

@test "deps: the compiler of the other architecture" {
    missing=gcc-aarch64-linux-gnu
    deps cross
    grep -q "install .* $missing$" "$calls"
    double uname 'echo aarch64'
    missing=gcc-x86-64-linux-gnu
    deps cross
    grep -q "install .* $missing$" "$calls"
}

@test "deps: a user without sudo gets a one-line message" {
    missing=bats
    double id 'echo 1000'
    deps test
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == *'cannot install bats (not root, and there is no sudo)'* ]]
    [ ! -s "$calls" ]
}

@test "deps: a user with sudo installs with it, without a password prompt if there is no terminal" {
    missing=bats
    double id 'echo 1000'
    double sudo "echo \"sudo \$1\" >>'$calls'; shift; \"\$@\""
    deps test
    [ "$status" -eq 0 ]
    [ "$(grep -c '^sudo -n$' "$calls")" -eq 2 ]
    grep -q 'install .* bats$' "$calls"
}

@test "deps: a failing apt-get is an error" {
    missing=bats
    double apt-get 'exit 100'
    deps test
    [ "$status" -eq 1 ]
    [[ $output == *'cannot install bats (apt-get failed)'* ]]
}

@test "deps: an unknown group is refused" {
    deps biuld
    [ "$status" -eq 2 ]
}
