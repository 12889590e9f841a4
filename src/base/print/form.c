#include "base/print/form.h"

#include "base/err.h"
#include "base/print/html.h"

#include <string.h>

/* Escapes '<', which could end the HTML element; in JSON it occurs only in strings. */
static void print_safely(const char *json, FILE *out)
{
    size_t length;

    for (; *json; json += length) {
        if (*json == '<') {
            fputs("\\u003c", out);
            length = 1;
        } else {
            length = strcspn(json, "<");
            fwrite(json, 1, length, out);
        }
    }
}

static const char *find(const char *from, const char *text)
{
    const char *found = memmem(from, page_html_size - (size_t)(from - page_html), text, strlen(text));

    if (!found)
        die("the page of reports has no place for its data");
    return found;
}

void form_print(const char *json, const char *html, FILE *out)
{
    const char *still = find(page_html, PAGE_STATIC), *marker = find(still, PAGE_MARKER);
    const char *rest = marker + strlen(PAGE_MARKER);

    fwrite(page_html, 1, (size_t)(still - page_html), out);
    if (html)
        fputs(html, out);
    still += strlen(PAGE_STATIC);
    fwrite(still, 1, (size_t)(marker - still), out);
    print_safely(json, out);
    fwrite(rest, 1, page_html_size - (size_t)(rest - page_html), out);
}

void form_print_still(const char *title, const char *html, FILE *out)
{
    static const char begin[] = "<title>", end[] = "</title>";
    const char       *from = find(page_html, begin) + strlen(begin), *to = find(from, end);
    const char       *still = find(to, PAGE_STATIC), *rest = still + strlen(PAGE_STATIC);

    fwrite(page_html, 1, (size_t)(from - page_html), out);
    html_text(out, title);
    fwrite(to, 1, (size_t)(still - to), out);
    fputs(html, out);
    fwrite(rest, 1, page_html_size - (size_t)(rest - page_html), out);
}
