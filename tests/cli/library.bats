#!/usr/bin/env bats
# tests/cli/library.bats - libanole: the example compiles against the installed library, with the times of
# packets.
# shellcheck disable=SC2154  # common.bash sets dir
load common

# Copies the result of `make library` to $dir, because it may be moved. `make test` builds the library in its
# fast build.
install_library() {
    build=$(dirname "${FIDELITY_ANOLE:-build/library/anole}")
    [ -e "$build/libanole.so" ] || skip "the library is not built: make library"
    tools/make-library "$build" "$dir/built"
    cp -r "$dir/built/." "$dir"
    rm -r "$dir/built"
}

@test "library: the example, compiled with pkg-config against an installed copy" {
    install_library
    # shellcheck disable=SC2046
    cc examples/ping.c $(PKG_CONFIG_PATH="$dir/lib/pkgconfig" pkg-config --cflags --libs anole) -o "$dir/ping"
    LD_LIBRARY_PATH="$dir/lib" "$dir/ping" >"$dir/out"
    # There and back: four hops of 1 us and (1000 + 62 + 20) x 80 ps. Before it answers, a host sends an ACK
    # of 86 x 80 ps; from the second round on both hosts do.
    [ "$(head -1 "$dir/out")" = "round 1: 4.353 us" ]
    [ "$(grep -c ': 4.360 us$' "$dir/out")" -eq 9 ]
    [ "$(PKG_CONFIG_PATH="$dir/lib/pkgconfig" pkg-config --modversion anole)" = "$("$ANOLE" --version | cut -d ' ' -f 2)" ]
    # It exports only its interface.
    [ "$(nm -D --defined-only "$dir/lib/libanole.so" | awk '$2 == "T" && $3 !~ /^anole_/' | wc -l)" -eq 0 ]
}

@test "library: a program is woken between messages, never in the past" {
    install_library
    cat >"$dir/wake.c" <<'END'
#include <anole.h>
#include <stdio.h>

static void on_event(void *arg, enum anole_event event, uint64_t now_ps, const struct anole_message *m)
{
    struct anole_world *w = arg;

    if (event != ANOLE_WOKEN)
        return;
    printf("%llu at %llu\n", (unsigned long long)m->tag, (unsigned long long)now_ps);
    if (m->tag < 3)
        anole_wake(w, now_ps + 250, m->tag + 1);
    if (anole_wake(w, now_ps - 1, 9) == 0)
        printf("the past\n");
}

int main(void)
{
    char                error[256];
    struct anole_world *w = anole_open("topology: {kind: star, hosts: 2}", error, sizeof error);

    anole_on_message(w, on_event, w);
    anole_wake(w, 5000, 7);
    anole_wake(w, 1000, 1);
    while (anole_run(w, anole_now_ps(w) + 1000000) > 0)
        ;
    anole_close(w);
    return 0;
}
END
    # shellcheck disable=SC2046
    cc "$dir/wake.c" $(PKG_CONFIG_PATH="$dir/lib/pkgconfig" pkg-config --cflags --libs anole) -o "$dir/wake"
    LD_LIBRARY_PATH="$dir/lib" "$dir/wake" >"$dir/out"
    diff "$dir/out" - <<'END'
1 at 1000
2 at 1250
3 at 1500
7 at 5000
END
}

@test "library: an all-reduce through ASTRA-sim's interface takes the time of a ring" {
    install_library
    command -v c++ >/dev/null || skip "there is no C++ compiler"
    # shellcheck disable=SC2046
    c++ -std=c++17 -Wall -Wextra -Werror examples/astra-sim/all_reduce.cc $(PKG_CONFIG_PATH="$dir/lib/pkgconfig" pkg-config --cflags --libs anole) -o "$dir/all_reduce"
    LD_LIBRARY_PATH="$dir/lib" "$dir/all_reduce" >"$dir/out"
    [ "$(wc -l <"$dir/out")" -eq 8 ]
    # 10 us, then 14 steps of 1 MiB at 100 Gb/s. Each of its 1024 packets takes 1106 bytes, and up to 86 more
    # for acknowledgments. Each step crosses two links there and two back.
    awk '{ step = 1024 * 80e-6; t = $3; if (t < 10 + 14 * (step * 1106 + 4) || t > 10 + 14 * (step * 1192 + 5)) { print; bad = 1 } } END { exit bad }' "$dir/out"
    # One byte more per rank's part adds a packet to each step.
    LD_LIBRARY_PATH="$dir/lib" "$dir/all_reduce" 8388616 >"$dir/more"
    run cmp -s "$dir/out" "$dir/more"
    [ "$status" -eq 1 ]
}
