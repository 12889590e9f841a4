/* tests/fuzz/fuzz_saved.c - for any bytes as an agent's state on disk, the accepted state is valid. */
#include "live/agent/agent.h"
#include "live/core/keep.h"
#include "live/core/knobset.h"
#include "live/daemon/queues/queue_tuner.h"

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

static size_t unseal(const char *sealed)
{
    uint64_t number;
    long     whole = keep_unseal(sealed, length, &number);

    PROMISE(whole >= 0 && number == 1);
    return (size_t)whole;
}

static void check_set(const struct knob_set *set)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        PROMISE(isfinite(set->knobs.value[i]));
}

static char   queues_text[QUEUE_SAVED_TEXT_MAX];

static int save_queues(void *arg, const char *name, const char *bytes, size_t count)
{
    (void)arg, (void)name;
    PROMISE(count <= sizeof queues_text);
    memcpy(queues_text, bytes, count);
    length = count;
    return 0;
}

/* Tries the same bytes as saved state of queues. */
static void try_queues(const uint8_t *data, size_t size)
{
    struct io_disk     disk = { .save = save_queues };
    struct queue_saved s = { 0 }, again;

    if (keep_parse((const char *)data, size, queue_saved_take, &s)) {
        PROMISE(!s.found && !s.setting);
        return;
    }
    for (uint32_t i = 0; i < s.founds; i++)
        PROMISE(*s.found[i].name && queue_saved_find(&s, s.found[i].name) == &s.found[i] &&
                s.found[i].ecn.pmax <= 1);
    for (uint32_t i = 0; i < s.settings; i++)
        PROMISE(s.setting[i].pmax >= 0 && s.setting[i].pmax <= 1);
    PROMISE(queue_saved_write(&s, &disk) == 0);
    PROMISE(keep_parse(queues_text, unseal(queues_text), queue_saved_take, &again) == 0);
    PROMISE(again.founds == s.founds);
    queue_saved_fini(&again);
    queue_saved_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct io_disk disk = { .save = save };
    struct saved   s = { .term = 42 }, again;

    try_queues(data, size);
    if (keep_parse((const char *)data, size, saved_take, &s)) {
        PROMISE(s.term == 42);
        return 0;
    }
    PROMISE(s.doubts <= SAVED_DOUBTS_MAX && strnlen(s.frozen, sizeof s.frozen) < sizeof s.frozen);
    check_set(&s.confirmed);
    check_set(&s.baseline);
    for (uint32_t i = 0; i < s.doubts; i++)
        check_set(&s.doubt[i]);
    PROMISE(saved_write(&s, &disk) == 0);
    PROMISE(keep_parse(text, unseal(text), saved_take, &again) == 0);
    PROMISE(again.term == s.term && again.doubts == s.doubts &&
            knobset_is_same(&again.confirmed, &s.confirmed));
    return 0;
}
