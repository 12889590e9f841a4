#!/usr/bin/env bats
# tests/tools/deb.bats - debian/ agrees with the rest of the repository. `make check-deb` builds, installs and
# removes the packages, which takes many minutes.

setup() {
    dir=$BATS_TEST_TMPDIR
}

# field PACKAGE FIELD - prints a field of debian/control without versions; PACKAGE is a pattern for its first
# line.
field() {
    awk -v first="$1" -v field="$2:" '
        $0 == "" { is_there = 0; is_field = 0 }
        $0 == first { is_there = 1 }
        /^[A-Z]/ { is_field = is_there && $1 == field; if (is_field) $1 = "" }
        is_field' debian/control | sed 's/([^)]*)//g' | tr -s ', ' '\n' | grep -v '^$'
}

@test "deb: its version is the program's" {
    version=$("$ANOLE" --version)
    [ "$(sed -nE '1s/^anole \(([^)]*)\) .*/\1/p' debian/changelog)" = "${version#anole }" ]
}

@test "deb: tools/deps installs all build dependencies of the packages" {
    mkdir "$dir/bin"
    for command in sh env uname; do ln -s "$(command -v $command)" "$dir/bin"; done
    # nothing is installed; the list of packages is printed
    printf '%s\n' '#!/bin/sh' >"$dir/bin/dpkg-query"
    printf '%s\n' '#!/bin/sh' 'echo 0' >"$dir/bin/id"
    # shellcheck disable=SC2016  # for the double
    printf '%s\n' '#!/bin/sh' 'echo "$*" >>"$CALLS"' >"$dir/bin/apt-get"
    chmod +x "$dir"/bin/dpkg-query "$dir"/bin/id "$dir"/bin/apt-get
    CALLS=$dir/calls PATH=$dir/bin tools/deps deb
    tr ' ' '\n' <"$dir/calls" | sort -u >"$dir/installed"
    field 'Source: anole' Build-Depends | sed 's/^debhelper-compat$/debhelper/' | sort >"$dir/wanted"
    [ "$(wc -l <"$dir/wanted")" -gt 15 ]
    comm -13 "$dir/installed" "$dir/wanted" >"$dir/missing"
    cat "$dir/missing"
    [ ! -s "$dir/missing" ]
}

@test "deb: every program, manual page and unit is in one package" {
    cat debian/*.install >"$dir/install"
    sed -nE "s/.*(executable|shared_module)\('(anole-[a-z]+)'.*/\2/p" meson.build | sort -u >"$dir/programs"
    [ "$(wc -l <"$dir/programs")" -eq 7 ]
    while read -r program; do
        [ "$(grep -cE "^usr/lib/anole/(lib)?$program(\.so)?$" "$dir/install")" -eq 1 ] || { echo "$program is in no package"; return 1; }
    done <"$dir/programs"
    grep -qx 'usr/bin/anole' "$dir/install"
    for page in docs/man/*.scd; do
        page=$(basename "$page" .scd)
        grep -qE "^usr/share/man/man${page##*.}(/$page)?$" "$dir/install" || { echo "$page is in no package"; return 1; }
    done
}

@test "deb: the check covers all packages" {
    grep '^Package: ' debian/control | cut -d ' ' -f 2 | sort >"$dir/packages"
    sed -n "s/^packages='\(.*\)'$/\1/p" tests/deb/check | tr ' ' '\n' | sort >"$dir/checked"
    diff "$dir/packages" "$dir/checked"
}

@test "deb: units name the program of the prefix" {
    grep -q '^ExecStart=/usr/local/bin/anole ' data/systemd/anole-agent.service
    [ -e "$BUILD/anole-agent.service" ] || skip 'built without the live part'
    grep -q "^ExecStart=$(meson introspect --buildoptions "$BUILD" | jq -r '.[] | select(.name == "prefix").value')/bin/anole agent" "$BUILD/anole-agent.service"
    [ "$(grep -c '/bin/anole agent /etc/anole/agent-%i.yaml' "$BUILD/anole-agent@.service")" -eq 2 ]      # start and rescue
}
