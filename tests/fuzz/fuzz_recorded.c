/* tests/fuzz/fuzz_recorded.c - whatever is thrown at recorded_messages() and recorded_counters(), they find loads that can be or say one line. */
#include "traffic/cdf.h"
#include "twin/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was made can be read by those who read sizes. */
static void check_sizes(char *rows)
{
    struct cdf cdf = { 0 };
    struct err err;

    for (char *c = rows; *c; c++)
        if (*c == '[' || *c == ',')
            *c = ' ';
        else if (*c == ']')
            *c = '\n';
    PROMISE(cdf_parse(&cdf, "made", rows, &err) == 0);
    cdf_fini(&cdf);
}

static void check(struct recorded *r, int rc, const struct err *err)
{
    if (rc) {
        PROMISE(strncmp(err->text, "fuzz", 4) == 0 && !strchr(err->text, '\n'));
        return;
    }
    PROMISE(r->hosts > 0 && r->seconds > 0);
    PROMISE(r->load >= 0 && r->load <= 1);
    PROMISE(r->load_low >= 0 && r->load_low <= r->load_high);
    if (r->sizes)
        check_sizes(r->sizes);
    recorded_fini(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char           *text = malloc(size ? size : 1);      /* no byte behind it: a sanitizer sees what is read there */
    struct recorded r;
    struct err      err = { "" };

    if (size)
        memcpy(text, data, size);
    check(&r, recorded_messages(&r, "fuzz", text, size, 100000000000, &err), &err);
    check(&r, recorded_counters(&r, "fuzz", text, size, 100000000000, &err), &err);
    free(text);
    return 0;
}
