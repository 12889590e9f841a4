#!/bin/sh
# browser.sh [REPORT.html...] - opens reports in Chromium and checks them; see browser.mjs. Without reports:
# pages made from data that the test knows. Needs Node and Chromium; what Node needs besides is fetched into
# web/ once.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$here/fetch.sh"
exec node "$here/browser.mjs" "$@"
