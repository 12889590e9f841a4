#!/bin/sh
# Reports of short runs of examples in a browser, one of each kind: see scenarios.mjs. With SCENARIOS=all it takes all of them, which is some
# minutes. Skipped where Node 20 or Chromium is missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
anole=${FIDELITY_ANOLE:-$ANOLE}
case $anole in /*) ;; *) anole=$PWD/$anole ;; esac

skip() {
    echo '1..1'
    echo "ok 1 # skip $1"
    exit 0
}

major=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
[ "${major:-0}" -ge 20 ] || skip 'needs Node 20 or later'
command -v npm >/dev/null || skip 'needs npm'
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip 'needs Chromium: make web'
[ -z "${TEST_WRAPPER:-}" ] || skip 'the page is the same on every processor'

log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$here/fetch" >"$log" 2>&1 || { sed 's/^/# /' "$log"; exit 1; }
kinds='acc conweave dgx_h100 link_failure lossy storage tcp_beside_rdma training_groups'
[ "${SCENARIOS:-}" != all ] || kinds=
# shellcheck disable=SC2046,SC2086  # names are words
node "$here/scenarios.mjs" "$anole" $(printf 'scenarios/%s.yaml ' $kinds | grep -v '/\.yaml') >"$log" 2>&1
status=$?
awk '/^(not )?ok - / { n++; sub(/ok - /, "ok " n " - ") } { print } END { print "1.." n + 0 }' "$log"
exit "$status"
