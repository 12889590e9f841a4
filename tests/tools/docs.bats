#!/usr/bin/env bats
# tests/tools/docs.bats - files that the documents name are there.

# Paths in backquotes, with the document that names them. Those with a placeholder (<name>, ID, x) are left out, and the
# examples of docs/adding.md, which are files to come.
paths() {
    grep -oE '`(src|web|tests|tools|bench|repro|scenarios|data)/[A-Za-z0-9_./-]+`' README.md CONTRIBUTING.md docs/*.md |
        tr -d '`' | sort -u | grep -vE '/ID/|[_/]x[/.]' |
        grep -vxF "$(grep -oE '^/\* src/[a-z_/]+\.[ch]' docs/adding.md | sed 's|^/\* |docs/adding.md:|')"
}

@test "docs: every file that is named is there" {
    [ "$(paths | wc -l)" -gt 50 ]
    missing=0
    while IFS=: read -r document path; do
        [ -e "$path" ] || { echo "$document: there is no $path"; missing=1; }
    done < <(paths)
    [ "$missing" -eq 0 ]
}
