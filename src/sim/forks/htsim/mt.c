/* src/sim/forks/htsim/mt.c - Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998. */
#include "sim/forks/htsim/mt.h"

#define MIDDLE 397u

void mt_init(struct mt *m, uint32_t seed)
{
    m->word[0] = seed;
    for (uint32_t i = 1; i < MT_WORDS; i++)
        m->word[i] = 1812433253u * (m->word[i - 1] ^ m->word[i - 1] >> 30) + i;
    m->at = MT_WORDS;
    m->draws = 0;
}

static uint32_t twist(uint32_t high, uint32_t low)
{
    uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);

    return y >> 1 ^ (low & 1 ? 0x9908b0dfu : 0);
}

void mt_refill(struct mt *m)
{
    uint32_t *w = m->word;

    for (uint32_t i = 0; i < MT_WORDS - MIDDLE; i++)
        w[i] = w[i + MIDDLE] ^ twist(w[i], w[i + 1]);
    for (uint32_t i = MT_WORDS - MIDDLE; i < MT_WORDS - 1; i++)
        w[i] = w[i + MIDDLE - MT_WORDS] ^ twist(w[i], w[i + 1]);
    w[MT_WORDS - 1] = w[MIDDLE - 1] ^ twist(w[MT_WORDS - 1], w[0]);
    m->at = 0;
}
