#!/usr/bin/env bats
# tests/tools/static.bats - the static program (make static) and its container image. Skipped if it is not
# built.

setup() {
    dir=$BATS_TEST_TMPDIR
    static=build/static/anole-static
    [ -e "$static" ] || skip 'the static program is not built: make static'
}

@test "static: needs no library, and gives the same results as the dynamic program" {
    run ldd "$static"
    [[ $output == *'not a dynamic executable'* || $output == *'statically linked'* ]]
    set -- scenarios/incast.yaml --vary kmin=100KB,400KB --seeds 2 --format json
    "$ANOLE" compare "$@" >"$dir/want" 2>/dev/null
    "$static" compare "$@" >"$dir/got" 2>/dev/null
    cmp "$dir/want" "$dir/got"
}

@test "static: names the parts that it lacks" {
    run "$static" agent x
    [ "$status" -ne 0 ]
    [[ $output == *'this build lacks anole-live'* ]]
}

@test "static: runs an example with no other files" {
    [ "$(id -u)" -eq 0 ] || skip 'only root may change the root'
    mkdir -p "$dir/root/usr/bin" "$dir/root/usr/share/anole"
    cp "$static" "$dir/root/usr/bin/anole"
    cp -r scenarios "$dir/root/usr/share/anole"
    # without /proc it does not know its own path
    ANOLE_SCENARIOS=/usr/share/anole/scenarios chroot "$dir/root" /usr/bin/anole run incast --quiet --out /results
    [ -s "$dir/root/results/summary.json" ]
}

storage() {
    buildah --storage-driver vfs --root "$dir/storage" --runroot "$dir/run" "$@"
}

@test "image: buildah makes it, and it runs" {
    command -v buildah >/dev/null || skip 'buildah is not installed: tools/deps image'
    [ "$(id -u)" -eq 0 ] || skip 'not root'
    unshare --mount true 2>/dev/null || skip 'no mounts can be made here'
    storage build --isolation chroot --timestamp 0 --tag anole --file Containerfile . >"$dir/log" 2>&1 || { cat "$dir/log"; return 1; }
    container=$(storage from anole)
    storage run --isolation chroot "$container" -- /usr/bin/anole run incast --quiet --out /work/results
    storage run --isolation chroot "$container" -- /usr/bin/anole --version >"$dir/version"
    [ "$(cat "$dir/version")" = "$("$ANOLE" --version)" ]
    [ "$(storage inspect --format '{{.OCIv1.Config.Entrypoint}}' "$container")" = '[/usr/bin/anole]' ]
    storage rm --all >/dev/null
}
