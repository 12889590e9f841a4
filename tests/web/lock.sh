#!/bin/sh
# lock.sh - fails if a list of packages could admit unreviewed code: every package has a hash, no list names a
# host, and no fetched package runs a script of its own. Needs no Node.
set -eu
cd "$(dirname "$0")/../.."
command -v jq >/dev/null || { echo '1..0 # SKIP needs jq'; exit 0; }

# Prints the faults of the list FILE, one per line. A package that is part of the repository has no hash and
# no host.
faults_of() {
    jq -r '.packages | to_entries[] | select(.key != "" and (.value.link | not)) |
        (select((.value.integrity // "") | test("^sha512-[A-Za-z0-9+/]{86}==$") | not) | "\(.key): has no sha512 hash"),
        (select(.value | has("resolved")) | "\(.key): names the host that it comes from")' "$1"
}

# check NAME FAULTS
check() {
    if [ -z "$2" ]; then
        echo "ok - $1"
    else
        echo "$2" | sed 's/^/# /'
        echo "not ok - $1"
        failed=1
    fi
}

# sees LIST FAULT CHANGE - the list would be refused after this change of one package
sees() {
    jq ".packages[\"node_modules/vite\"] |= ($3)" "$1" >"$broken"
    [ "$(faults_of "$broken")" = "node_modules/vite: $2" ] || check "$1: a package that $2 is seen" 'it is not'
}

failed=0
broken=$(mktemp)
trap 'rm -f "$broken"' EXIT
for list in $(git ls-files -- '*package-lock.json' 2>/dev/null || echo web/package-lock.json); do
    check "$list: every package has a hash, none a host" "$(faults_of "$list")"

    sees "$list" 'has no sha512 hash' 'del(.integrity)'
    sees "$list" 'names the host that it comes from' '.resolved = "https://example.org/vite.tgz"'
done
check 'packages run no scripts of their own' "$(grep -rn 'npm \(ci\|install\|i\)\b' Makefile tools tests web/README.md \
    --exclude-dir=node_modules --exclude=lock.sh | grep -v -e '--ignore-scripts')"
exit "$failed"
