#!/usr/bin/env bats
# tests/tools/docs.bats - files that the documents name exist, and the documents are short.

# Prints paths in backquotes with the document that names them. Skips paths with a placeholder (<name>, ID,
# x).
paths() {
    grep -oE '`(src|peers|train|standin|web|tests|tools|bench|repro|scenarios|data|examples)/[A-Za-z0-9_./-]+`' README.md CONTRIBUTING.md docs/*.md |
        tr -d '`' | sort -u | grep -vE '/ID/|[_/]x[/.]'
}

@test "docs: every file that is named exists" {
    [ "$(paths | wc -l)" -gt 50 ]
    missing=0
    while IFS=: read -r document path; do
        [ -e "$path" ] || { echo "$document: there is no $path"; missing=1; }
    done < <(paths)
    [ "$missing" -eq 0 ]
}

@test "docs: at most 55,000 words" {
    words=$(cat README.md docs/*.md | wc -w)
    echo "$words words"
    [ "$words" -le 55000 ]
}

@test "docs: no figure is missing" {
    run grep -nE '\b(MINUTES|TODO|TBD)\b' README.md docs/*.md
    echo "$output"
    [ "$status" -eq 1 ]
}
