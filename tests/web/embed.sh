#!/bin/sh
# embed.sh - fails unless a program made with tools/embed-page contains the page byte for byte.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/base/print"
cat >"$work/base/print/form.h" <<'END'
#include <stddef.h>
extern const char page_html[];
extern const size_t page_html_size;
END
cat >"$work/main.c" <<'END'
#include "base/print/form.h"
#include <stdio.h>
int main(void)
{
    return fwrite(page_html, 1, page_html_size, stdout) != page_html_size || page_html[page_html_size];
}
END
"$top/tools/build-page" "$work/built.html"
"$top/tools/embed-page" "$work/built.html" >"$work/page_html.c"

for sign in signed unsigned; do
    name="tools/embed-page keeps every byte, char $sign"
    if "${CC:-cc}" -std=gnu11 -Wall -Wextra -Wpedantic -Wconversion -Werror "-f$sign-char" -I "$work" \
            "$work/page_html.c" "$work/main.c" -o "$work/page" &&
       "$work/page" >"$work/page.html" && cmp "$work/page.html" "$work/built.html"; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        exit 1
    fi
done
