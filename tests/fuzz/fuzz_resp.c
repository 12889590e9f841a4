/* tests/fuzz/fuzz_resp.c - whatever Redis answers, no more is told than was asked for, and the same however the bytes come. */
#include "live/driver/resp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int told;

static void take(void *arg, int field, const char *text)
{
    PROMISE(field >= 0 && field < *(int *)arg && strlen(text) <= RESP_TEXT_MAX);
    told++;
}

/* The first byte says how many fields were asked for. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int  fields = size ? data[0] % 8 : 0;
    long used;

    if (!size)
        return 0;
    told = 0;
    used = resp_take((const char *)data + 1, size - 1, fields, take, &fields);
    PROMISE(used <= (long)size - 1 && told <= fields && (used > 0 || !told));
    if (used <= 0)
        return 0;
    told = 0;
    PROMISE(resp_take((const char *)data + 1, (size_t)used, fields, take, &fields) == used);     /* what follows does not matter */
    told = 0;
    PROMISE(resp_take((const char *)data + 1, (size_t)used - 1, fields, take, &fields) <= 0 && !told);
    return 0;
}
