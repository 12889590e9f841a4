/* src/tune/rehearse/search/tried.c - see tried.h. */
#include "tune/rehearse/search/tried.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const struct tuner_tried *a = left, *b = right;

    if (a->is_out != b->is_out)
        return a->is_out - b->is_out;
    return (a->gain > b->gain) - (a->gain < b->gain);
}

uint32_t tried_of_race(const struct race *r, const struct knobs *now, struct tuner_tried tried[RACE_RUNNERS])
{
    const struct runner *than = race_find(r, now);

    for (uint32_t i = 0; i < r->runners; i++) {
        const struct runner *a = &r->runner[i];
        struct race_gain     gain = race_gain(a, than);

        tried[i] = (struct tuner_tried){ a->name, gain.mean, gain.low, gain.high, a->blocks, a->is_out,
                                         knobs_equal(&a->knobs, now), a->knobs };
    }
    qsort(tried, r->runners, sizeof(*tried), compare);
    return r->runners;
}
