/* tests/export/states.h - the states in which exported trees are compared with their walker, and a digest of
 * the decisions. Included by both sides, one of which has no library.
 */
#ifndef TESTS_EXPORT_STATES_H
#define TESTS_EXPORT_STATES_H

#include <stdint.h>

#define STATES_BEGIN  0x9e3779b97f4a7c15ull
#define DIGEST_BEGIN  0xcbf29ce484222325ull

/* Marsaglia's xorshift. */
static inline uint64_t states_next(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* One in four is uniform, the others are near 0, where thresholds are. */
static inline int16_t states_feature(uint64_t bits)
{
    int16_t value = (int16_t)bits;

    return (int16_t)(bits >> 16 & 3 ? value >> (4 + (bits >> 18 & 3)) : value);
}

static inline void states_draw(uint64_t *x, int16_t feature[4])
{
    uint64_t a = states_next(x), b = states_next(x);

    feature[0] = states_feature(a);
    feature[1] = states_feature(a >> 32);
    feature[2] = states_feature(b);
    feature[3] = states_feature(b >> 32);
}

/* Returns an RTT from 0 to seconds, mostly a few microseconds. */
static inline uint32_t states_rtt_ns(uint64_t *x)
{
    uint64_t bits = states_next(x);

    return bits >> 32 & 15 ? (uint32_t)bits & 0xffff : (uint32_t)bits >> (bits >> 36 & 31);
}

static inline uint64_t digest_add_value(uint64_t digest, uint32_t value)
{
    return (digest ^ value) * 0x100000001b3ull;
}

#endif
