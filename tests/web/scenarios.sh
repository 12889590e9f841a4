#!/bin/sh
# Reports of short runs of examples in a browser, one of each kind: see scenarios.mjs. SCENARIOS=all tests all
# examples, which takes some minutes. Skipped without Node 20 or Chromium.
set -u
# shellcheck source=tests/web/common
. "$(dirname "$0")/common"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$here/fetch" >"$log" 2>&1 || { sed 's/^/# /' "$log"; exit 1; }
kinds='acc conweave dgx_h100 link_failure lossy storage tcp_beside_rdma training_groups'
[ "${SCENARIOS:-}" != all ] || kinds=
# shellcheck disable=SC2046,SC2086  # names are words
node "$here/scenarios.mjs" "$anole" $(printf 'scenarios/%s.yaml ' $kinds | grep -v '/\.yaml') >"$log" 2>&1
status=$?
number "$log"
exit "$status"
