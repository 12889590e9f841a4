#!/usr/bin/env bats
# tests/tools/configure.bats - tools/configure calls Meson only after a change. Meson, pkg-config and the list
# of sources are doubles.

# shellcheck disable=SC2030,SC2031  # bats runs each test in a subshell of its own

setup() {
    tree=$BATS_TEST_TMPDIR/tree
    bin=$BATS_TEST_TMPDIR/bin
    calls=$BATS_TEST_TMPDIR/calls
    mkdir -p "$tree/tools" "$bin"
    cp tools/configure "$tree/tools"
    cat >"$tree/meson.build" <<'END'
project('t', 'c', default_options: ['c_std=gnu11'])
first = dependency('first')
other = dependency('other', version: '>=1', required: false)
compiler = find_program('first-compiler', required: false)
END
    double "$tree/tools/list-sources" 'echo src/a.c'
    double "$bin/meson" "echo \"\$*\" >>'$calls'; [ \"\$1 \$2\" != 'setup build/x' ] || mkdir -p build/x"
    double "$bin/pkg-config" '[ "$2" = first ] && echo 1.0'
    export PATH="$bin:$PATH"
}

double() {
    printf '%s\n' '#!/bin/sh' "$2" >"$1"
    chmod +x "$1"
}

# configure [ARGUMENT...] - records calls of Meson in $calls.
configure() {
    : >"$calls"
    "$tree/tools/configure" x "$@"
}

is_looked_at_again() {
    [ "$(cat "$calls")" = "configure --clearcache build/x
setup --reconfigure build/x" ]
}

@test "configure: the first call creates a folder, the second does nothing" {
    configure --buildtype=debug
    [ "$(cat "$calls")" = 'setup build/x --buildtype=debug' ]
    configure --buildtype=debug
    [ ! -s "$calls" ]
}

@test "configure: reconfigures when a library is added, updated or removed" {
    configure
    double "$bin/pkg-config" 'case $2 in first) echo 1.0 ;; other) echo 2.0 ;; *) exit 1 ;; esac'
    configure
    is_looked_at_again
    configure
    [ ! -s "$calls" ]
    double "$bin/pkg-config" 'case $2 in first) echo 1.0 ;; other) echo 2.1 ;; *) exit 1 ;; esac'
    configure
    is_looked_at_again
    double "$bin/pkg-config" '[ "$2" = first ] && echo 1.0'
    configure
    is_looked_at_again
}

@test "configure: reconfigures when a program is added" {
    configure
    double "$bin/first-compiler" ''
    configure
    is_looked_at_again
}

@test "configure: finds a new source, and ignores unrelated libraries" {
    configure
    double "$tree/tools/list-sources" 'echo src/a.c; echo src/b.c'
    configure
    is_looked_at_again
    double "$bin/pkg-config" 'case $2 in first) echo 1.0 ;; another) echo 2.0 ;; *) exit 1 ;; esac'
    configure
    [ ! -s "$calls" ]
}

@test "configure: other options start from scratch" {
    configure
    touch "$tree/build/x/old"
    configure -Dtests=true
    [ "$(cat "$calls")" = 'setup build/x -Dtests=true' ]
    [ ! -e "$tree/build/x/old" ]
}

@test "configure: installs libraries of the live part before it configures a build that needs them" {
    for target in demo-live chaos; do
        make -n "$target" >"$BATS_TEST_TMPDIR/out"
        deps=$(grep -nE 'tools/deps .*live' "$BATS_TEST_TMPDIR/out" | head -n 1 | cut -d : -f 1)
        configured=$(grep -n 'tools/configure' "$BATS_TEST_TMPDIR/out" | head -n 1 | cut -d : -f 1)
        [ "$deps" -lt "$configured" ]
    done
    make -n demo-live | grep -q -- '--page 127.0.0.1:'
}
