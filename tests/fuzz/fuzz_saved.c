/* tests/fuzz/fuzz_saved.c - whatever stands in an agent's state on the disk, what is taken of it keeps its promises. */
#include "live/agent/saved.h"
#include "live/core/knobset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char   text[SAVED_TEXT_MAX];
static size_t length;

static int save(void *arg, const char *name, const char *bytes, size_t count)
{
    (void)arg, (void)name;
    memcpy(text, bytes, count);
    length = count;
    return 0;
}

static void check_set(const struct knob_set *set)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        PROMISE(isfinite(set->knobs.value[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct io_disk disk = { .save = save };
    struct saved   s = { .term = 42 }, again;

    if (saved_parse(&s, (const char *)data, size)) {
        PROMISE(s.term == 42);
        return 0;
    }
    PROMISE(s.doubts <= SAVED_DOUBTS_MAX && strnlen(s.frozen, sizeof s.frozen) < sizeof s.frozen);
    check_set(&s.confirmed);
    check_set(&s.baseline);
    for (uint32_t i = 0; i < s.doubts; i++)
        check_set(&s.doubt[i]);
    PROMISE(saved_write(&s, &disk) == 0);
    PROMISE(saved_parse(&again, text, length) == 0);
    PROMISE(again.term == s.term && again.doubts == s.doubts && knobset_is_same(&again.confirmed, &s.confirmed));
    return 0;
}
