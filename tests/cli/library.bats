#!/usr/bin/env bats
# tests/cli/library.bats - libanole: the example compiles against what is installed, and its times are those of packets.
# shellcheck disable=SC2154  # common.bash sets dir
load common

@test "library: the example, compiled with pkg-config against an installed copy" {
    build=build/library
    [ -e "$build/libanole.so" ] || skip "the library is not built: make library"
    mkdir -p "$dir/lib/pkgconfig" "$dir/include"
    cp "$build/libanole.so" "$dir/lib/"
    cp "$build/libanole.so" "$dir/lib/libanole.so.1"
    cp src/lib/anole.h "$dir/include/"
    sed "s|^prefix=.*|prefix=$dir|; s|^libdir=.*|libdir=$dir/lib|; s|^includedir=.*|includedir=$dir/include|" "$build/meson-private/anole.pc" >"$dir/lib/pkgconfig/anole.pc"
    # shellcheck disable=SC2046
    cc examples/ping.c $(PKG_CONFIG_PATH="$dir/lib/pkgconfig" pkg-config --cflags --libs anole) -o "$dir/ping"
    LD_LIBRARY_PATH="$dir/lib" "$dir/ping" >"$dir/out"
    # There and back: four hops of 1 us and (1000 + 62 + 20) x 80 ps; before it answers a host sends an ACK, 86 x 80 ps, from the second round on both do.
    [ "$(head -1 "$dir/out")" = "round 1: 4.353 us" ]
    [ "$(grep -c ': 4.360 us$' "$dir/out")" -eq 9 ]
    # Nothing but its interface is to be seen.
    [ "$(nm -D --defined-only "$build/libanole.so" | awk '$2 == "T" && $3 !~ /^anole_/' | wc -l)" -eq 0 ]
}
