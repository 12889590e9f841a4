#!/usr/bin/env bats
# tests/tools/site.bats - the documentation as a site: all links work, the search covers all pages, nothing is
# fetched.

@test "site: every document becomes a page, and every link has a target" {
    run tools/site "$BATS_TEST_TMPDIR/site"
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(find docs -maxdepth 1 -name '*.md' | wc -l)" -eq "$(($(find "$BATS_TEST_TMPDIR/site" -name '*.html' | wc -l) - 4))" ]
    python3 - "$BATS_TEST_TMPDIR/site" <<'END'
import html.parser, os, sys
site = sys.argv[1]
ids, links = {}, []

class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            ids[self.name].add(attrs["id"])
        for key in ("href", "src"):
            if key in attrs:
                links.append((self.name, attrs[key]))

for name in os.listdir(site):
    if name.endswith(".html"):
        page = Page()
        page.name = name
        ids[name] = set()
        page.feed(open(os.path.join(site, name), encoding="utf-8").read())
for name, link in links:
    if ":" in link.split("#")[0]:
        assert not link.startswith(("javascript:", "data:")), link
        continue
    file, _, part = link.partition("#")
    assert os.path.exists(os.path.join(site, file or name)), f"{name}: {link}"
    assert not part or part in ids[file or name], f"{name}: {link}"
assert len(links) > 500
END
}

@test "site: the search covers headings and texts, and contacts no server" {
    tools/site "$BATS_TEST_TMPDIR/site" >/dev/null
    grep -q '"h": "Slowdown\|slowdown' "$BATS_TEST_TMPDIR/site/search.js"
    grep -q 'glossary.html' "$BATS_TEST_TMPDIR/site/search.js"
    run grep -rqE 'fetch\(|XMLHttpRequest|<(script|link)[^>]*https?:' "$BATS_TEST_TMPDIR/site"
    [ "$status" -eq 1 ]
}

@test "site: the front page is short" {
    [ "$(wc -w <README.md)" -lt 1200 ]          # words, because lines depend on wrapping
}

@test "site: emphasis goes around code, and the menu has groups that open on a phone" {
    tools/site "$BATS_TEST_TMPDIR/site" >/dev/null
    grep -q '<strong><code>anole compare</code> ' "$BATS_TEST_TMPDIR/site/changelog.html"
    # no asterisks remain outside code
    run python3 - "$BATS_TEST_TMPDIR/site" <<'END'
import pathlib, re, sys
for page in sorted(pathlib.Path(sys.argv[1]).glob("*.html")):
    text = re.sub(r"<(pre|code)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.S)
    for found in re.findall(r".{0,30}(?<!\w)\*\*\S.{0,30}", text):
        print(f"{page.name}: {found}")
END
    echo "$output"
    [ -z "$output" ]
    [ "$(grep -o '<h2>[^<]*</h2><ul>' "$BATS_TEST_TMPDIR/site/index.html" | wc -l)" -ge 5 ]
    grep -q '#menu:checked ~ .menu { display: block; }' "$BATS_TEST_TMPDIR/site/site.css"
}
