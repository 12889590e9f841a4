/* tests/fuzz/fuzz_recorded.c - for any input, recorded_messages() and recorded_counters() return plausible
 * loads, or an error of one line.
 */
#include "study/twin/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The rows form a distribution: sizes and shares increase, and the last share is 1. */
static void check_sizes(const struct recorded *r)
{
    double bytes = 0, p = 0;

    for (uint32_t i = 0; i < r->sizes; i++) {
        PROMISE(r->size[i].bytes >= bytes && r->size[i].p >= p && r->size[i].p <= 1);
        bytes = r->size[i].bytes;
        p = r->size[i].p;
    }
    PROMISE(!r->sizes || p == 1);
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
    check_sizes(r);
    recorded_fini(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* No spare byte: a sanitizer detects reads beyond the end. */
    char           *text = malloc(size ? size : 1);
    struct recorded r;
    struct err      err = { "" };

    if (size)
        memcpy(text, data, size);
    check(&r, recorded_messages(&r, "fuzz", text, size, 100000000000, &err), &err);
    check(&r, recorded_counters(&r, "fuzz", text, size, 100000000000, &err), &err);
    free(text);
    return 0;
}
