#include "base/hist.h"

#include <assert.h>
#include <string.h>

#define MANTISSA_BITS 52
#define SHIFT         (MANTISSA_BITS - HIST_BITS)
#define FIRST         ((uint64_t)(1023 + HIST_LOW) << HIST_BITS)  /* exponent and mantissa bits of bucket 0 */

static uint32_t bucket_of(double value)
{
    uint64_t bits;

    if (!(value > 0))
        return 0;
    memcpy(&bits, &value, sizeof(bits));
    bits >>= SHIFT;
    if (bits < FIRST)
        return 0;
    if (bits - FIRST >= HIST_SIZE)
        return HIST_SIZE - 1;
    return (uint32_t)(bits - FIRST);
}

static double middle_of(uint32_t bucket)
{
    uint64_t bits = (FIRST + bucket) << SHIFT | 1ull << (SHIFT - 1);
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

void hist_add(struct hist *h, double value)
{
    assert(value == value);
    if (h->count == 0 || value < h->min)
        h->min = value;
    if (h->count == 0 || value > h->max)
        h->max = value;
    h->count++;
    h->bucket[bucket_of(value)]++;
}

/* The bucket that holds the sample with this index in sorted order. */
static uint32_t bucket_at(const struct hist *h, uint64_t index)
{
    uint64_t before = 0;
    uint32_t i = 0;

    while (i < HIST_SIZE - 1 && before + h->bucket[i] <= index)
        before += h->bucket[i++];
    return i;
}

double hist_quantile(const struct hist *h, double p)
{
    assert(p >= 0 && p <= 1);
    if (h->count == 0)
        return 0;
    uint64_t index = (uint64_t)((double)h->count * p);
    if (index >= h->count - 1)
        return h->max;
    if (index == 0)
        return h->min;
    double value = middle_of(bucket_at(h, index));
    return value < h->min ? h->min : value > h->max ? h->max : value;
}
