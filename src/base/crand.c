#include "base/crand.h"

#define NUMBERS 31
#define BACK    3                /* the other summand */
#define WARM_UP (10 * NUMBERS)

uint32_t crand_next(struct crand *r)
{
    uint32_t *oldest = &r->last[r->at];

    *oldest += r->last[(r->at + NUMBERS - BACK) % NUMBERS];
    r->at = (r->at + 1) % NUMBERS;
    return *oldest >> 1;
}

void crand_init(struct crand *r, uint32_t seed)
{
    int64_t x = (int32_t)(seed ? seed : 1);

    for (int i = 0; i < NUMBERS; i++) {
        r->last[i] = (uint32_t)x;
        x = 16807 * x % 2147483647;
        x = x < 0 ? x + 2147483647 : x;
    }
    r->at = BACK;
    for (int i = 0; i < WARM_UP; i++)
        crand_next(r);
}
