#!/usr/bin/env bats
# tests/tools/dist.bats - the archive of `make dist` is reproducible, complete and free of build results.
# `make check-deb` builds packages from it.

setup_file() {
    tools/dist "$BATS_FILE_TMPDIR/one"
    tar -C "$BATS_FILE_TMPDIR" -xzf "$BATS_FILE_TMPDIR"/one/anole-*.tar.gz
}

setup() {
    dir=$BATS_TEST_TMPDIR
    archive=$(echo "$BATS_FILE_TMPDIR"/one/anole-*.tar.gz)
    tree=$(echo "$BATS_FILE_TMPDIR"/anole-*)
}

@test "dist: its name contains the version of the program" {
    version=$("$ANOLE" --version)
    [ "$(basename "$archive")" = "anole-${version#anole }.tar.gz" ]
    [ "$(tar -tzf "$archive" | cut -d / -f 1 | sort -u)" = "anole-${version#anole }" ]
}

@test "dist: an unpacked archive gives the same bytes, in another place at another time" {
    touch "$tree/README.md"
    mkdir -p "$tree/build/left" && touch "$tree/build/left/over"
    [ ! -e "$tree/.git" ]
    (umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$tree/tools/dist" "$dir")
    cmp "$archive" "$dir/$(basename "$archive")"
}

@test "dist: contains the sources, and no build results" {
    tar -tzf "$archive" | sed 's,^[^/]*/,,' >"$dir/names"
    tools/list-sources all | cut -d ' ' -f 1 | sort >"$dir/sources"
    [ "$(wc -l <"$dir/sources")" -gt 400 ]
    sort "$dir/names" | comm -13 - "$dir/sources" >"$dir/missing"
    # a new file that git does not track is not packed
    if [ -e .git ]; then
        git ls-files --others src web peers train standin tests bench data docs | sort | comm -13 - "$dir/missing" >"$dir/still" && mv "$dir/still" "$dir/missing"
    fi
    cat "$dir/missing"
    [ ! -s "$dir/missing" ]
    run grep -E '^build/|node_modules|\.o$' "$dir/names"
    [ "$status" -eq 1 ]
    tar --numeric-owner -tvzf "$archive" | awk '{ print $1, $2, $4 }' | sort -u >"$dir/modes"
    [ "$(cut -d ' ' -f 1,2 "$dir/modes" | sort -u | paste -sd ,)" = '-rw-r--r-- 0/0,-rwxr-xr-x 0/0' ]
    [ "$(cut -d ' ' -f 3 "$dir/modes" | sort -u | wc -l)" -eq 1 ]
}
