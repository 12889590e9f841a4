#!/bin/sh
# Pages that a server keeps up to date, in a browser: results of anole serve, a controller with few devices
# and one with many. They mostly wait for clocks, so they run apart from page.sh. Skipped without Node 20 or
# Chromium.
set -u
# shellcheck source=tests/web/common
. "$(dirname "$0")/common"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$here/fetch" >"$dir/log" 2>&1 || { sed 's/^/# /' "$dir/log"; exit 1; }
"$anole" run scenarios/training_influx.yaml --until 8ms --quiet --out "$dir/run" || exit 1
status=0
has() {
    [ -x "$(dirname "$anole")/$1" ]
}
! has anole-serve || node "$here/serve.mjs" "$anole" "$dir/run" >"$dir/log" 2>&1 || status=1
! has anole-live || node "$here/live.mjs" "$anole" >>"$dir/log" 2>&1 || status=1
! has live_load || node "$here/fleet.mjs" "$anole" >>"$dir/log" 2>&1 || status=1
number "$dir/log"
exit "$status"
