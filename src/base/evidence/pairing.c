#include "base/evidence/pairing.h"

#include <assert.h>
#include <math.h>

static enum arm toss(struct pairing *p)
{
    return rng_next(&p->coin) >> 63 ? ARM_B : ARM_A;
}

static void begin_pair(struct pairing *p)
{
    p->arm = p->next_pair;
    p->next_pair = toss(p);
    p->is_second = false;
    for (int i = 0; i < 2; i++) {
        p->sum[i] = 0;
        p->count[i] = 0;
    }
}

void pairing_init(struct pairing *p, uint32_t length, uint32_t burn_in, uint64_t seed)
{
    assert(burn_in < length);
    *p = (struct pairing){ .length = length, .burn_in = burn_in };
    rng_init(&p->coin, seed, 0);
    p->next_pair = toss(p);
    begin_pair(p);
}

enum arm pairing_arm(const struct pairing *p)
{
    return p->arm;
}

static enum arm other(enum arm arm)
{
    return arm == ARM_A ? ARM_B : ARM_A;
}

enum arm pairing_next_arm(const struct pairing *p)
{
    return p->is_second ? p->next_pair : other(p->arm);
}

/* Ends the pair. A pair with an unmeasured block gives no difference. */
static bool end_pair(struct pairing *p, double *d)
{
    bool is_whole = p->count[ARM_A] && p->count[ARM_B];

    if (is_whole)
        *d = p->sum[ARM_B] / p->count[ARM_B] - p->sum[ARM_A] / p->count[ARM_A];
    begin_pair(p);
    return is_whole;
}

bool pairing_add(struct pairing *p, double value, double *d)
{
    if (p->interval >= p->burn_in && !isnan(value)) {
        p->sum[p->arm] += value;
        p->count[p->arm]++;
    }
    if (++p->interval < p->length)
        return false;
    p->interval = 0;
    if (p->is_second)
        return end_pair(p, d);
    p->is_second = true;
    p->arm = other(p->arm);
    return false;
}
