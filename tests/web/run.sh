#!/bin/sh
# run.sh [REPORT.html...] - all that is checked of the report page: that it is up to date, its types, its unit
# tests, and how it behaves in a browser. Prints "ok - name" or "not ok - name" per check; fails if any does.
# Reports of real runs that are named are looked at too.
set -u
here=$(cd "$(dirname "$0")" && pwd)
web=$here/../../web
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# step NAME COMMAND... : its output is shown if it fails
step() {
    name=$1
    shift
    if "$@" >"$log" 2>&1; then
        echo "ok - $name"
    else
        sed 's/^/# /' "$log"
        echo "not ok - $name"
        failed=1
    fi
}

"$here/stale.sh" || failed=1
"$here/embed.sh" || failed=1
step 'what Node needs' "$here/fetch.sh"
step 'types' sh -c "cd '$web' && npm run --silent check"
step 'unit tests' sh -c "cd '$web' && npm run --silent test"
"$here/browser.sh" || failed=1
[ $# -eq 0 ] || "$here/browser.sh" "$@" || failed=1
exit "$failed"
