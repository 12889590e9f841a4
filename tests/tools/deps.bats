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
    run env PATH="$bin" MISSING="${missing:-}" "${tree:-.}/tools/deps" "$@" </dev/null
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

@test "deps: daemons are unpacked with their libraries, and not installed" {
    tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree/tools"
    cp tools/deps "$tree/tools"
    for program in mkdir rm touch sed grep; do ln -s "$(command -v $program)" "$bin"; done
    double dpkg-query 'case $4 in etcd-server | libnew) ;; *) printf installed ;; esac'
    double apt-cache 'printf "%s\n" etcd-server "  Depends: libc6" "  Depends: libnew" "  Depends: adduser" " |Depends: libother" "  Depends: <libvirtual>"'
    double apt-get "echo \"apt-get \$*\" >>'$calls'; case \"\$*\" in *download*) touch etcd-server_1.deb ;; esac"
    double dpkg-deb "echo \"dpkg-deb \$*\" >>'$calls'"
    deps peers
    [ "$status" -eq 0 ]
    [[ $output == *'unpacking into build/aside, without starting any service: etcd-server'* ]]
    [ "$(grep -c install "$calls")" -eq 1 ]
    grep -q 'install -y --no-install-recommends libnew$' "$calls"
    grep -q '^dpkg-deb -x etcd-server_1.deb .$' "$calls"
    [ ! -e "$tree/build/aside/etcd-server_1.deb" ]
    : >"$calls"
    deps peers
    [ ! -s "$calls" ]
}

@test "deps: lists the programs that tests may call, and no others" {
    command -v dpkg-query >/dev/null || skip 'no Debian packages here'
    tools/deps --programs build test | sed 's,.*/,,' | sort >"$BATS_TEST_TMPDIR/programs"
    for program in sh awk grep python3 gcc cc bats jq readelf git; do grep -qx $program "$BATS_TEST_TMPDIR/programs"; done
    # of procps, which most systems have, and of a group that was not asked for
    for program in pgrep ps mpirun; do
        run grep -x $program "$BATS_TEST_TMPDIR/programs"
        [ "$status" -eq 1 ]
    done
}

@test "deps: an unknown group is refused" {
    deps biuld
    [ "$status" -eq 2 ]
}
