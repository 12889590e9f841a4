#!/usr/bin/env bats
# tests/tools/docs.bats - files that the documents name are there, and the documents are short.

# Paths in backquotes, with the document that names them. Paths with a placeholder (<name>, ID, x) are left out.
paths() {
    grep -oE '`(src|web|tests|tools|bench|repro|scenarios|data|examples)/[A-Za-z0-9_./-]+`' README.md CONTRIBUTING.md docs/*.md |
        tr -d '`' | sort -u | grep -vE '/ID/|[_/]x[/.]'
}

@test "docs: every file that is named is there" {
    [ "$(paths | wc -l)" -gt 50 ]
    missing=0
    while IFS=: read -r document path; do
        [ -e "$path" ] || { echo "$document: there is no $path"; missing=1; }
    done < <(paths)
    [ "$missing" -eq 0 ]
}

@test "docs: at most 55,000 words, so that people find what they look for" {
    words=$(cat README.md docs/*.md | wc -w)
    echo "$words words"
    [ "$words" -le 55000 ]
}
