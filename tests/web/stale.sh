#!/bin/sh
# stale.sh - fails if web/report.html was not built from its current sources. Needs no Node.
set -eu
cd "$(dirname "$0")/../../web"
export LC_ALL=C

# The files that vite.config.ts counts, hashed in the same way.
want=$({
        find src -type f
        printf '%s\n' index.html package.json package-lock.json tsconfig.json vite.config.ts
    } | sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1)
have=$(sed -n 's/.*name="anole-sources" content="sha256:\([0-9a-f]*\)".*/\1/p' report.html)

if [ "$want" != "$have" ]; then
    echo 'not ok - web/report.html is older than its sources; run: cd web && npm ci --ignore-scripts && npm run build'
    exit 1
fi
echo 'ok - web/report.html is built from its sources'
