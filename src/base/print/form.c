#include "base/print/form.h"

#include "base/err.h"

#include <string.h>

/* A '<' could end the element of the page that holds the data; in JSON it stands in texts alone. */
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

void form_print(const char *json, FILE *out)
{
    const char *marker = memmem(page_html, page_html_size, PAGE_MARKER, strlen(PAGE_MARKER));
    const char *rest;

    if (!marker)
        die("the page of reports has no place for its data");
    rest = marker + strlen(PAGE_MARKER);
    fwrite(page_html, 1, (size_t)(marker - page_html), out);
    print_safely(json, out);
    fwrite(rest, 1, page_html_size - (size_t)(rest - page_html), out);
}
