/* src/sim/forks/htsim/mt.h - the Mersenne Twister mt19937. uet-htsim uses its low 31 bits. */
#ifndef SIM_FORKS_HTSIM_MT_H
#define SIM_FORKS_HTSIM_MT_H

#include <stdint.h>

#define MT_WORDS 624u
#define MT_MAX   0x7fffffffu

struct mt {
    uint32_t word[MT_WORDS];
    uint32_t at;
    uint64_t draws;
};

void     mt_init(struct mt *, uint32_t seed);
void     mt_refill(struct mt *);

/* Returns a number in 0 .. MT_MAX. */
static inline uint32_t mt_next(struct mt *m)
{
    uint32_t y;

    if (m->at == MT_WORDS)
        mt_refill(m);
    y = m->word[m->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    m->draws++;
    return (y ^ y >> 18) & MT_MAX;
}

#endif
