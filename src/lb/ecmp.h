/* src/lb/ecmp.h - the hash function of ECMP.
 *
 * MurmurHash3 (32 bit) of three words, with a salt per switch. The HPCC ns-3 fork does the same, so in model
 * hpcc every flow takes the same path as there. It is inline because every packet needs it unless another
 * balancer is used.
 */
#ifndef LB_ECMP_H
#define LB_ECMP_H

#include "lb/lb.h"

extern const struct lb_algo lb_ecmp;

static inline uint32_t ecmp_rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static inline uint32_t ecmp_mix(uint32_t hash, uint32_t word)
{
    return ecmp_rotate(hash ^ ecmp_rotate(word * 0xcc9e2d51u, 15) * 0x1b873593u, 13) * 5 + 0xe6546b64u;
}

static inline uint32_t ecmp_hash(uint32_t salt, uint32_t src_ip, uint32_t dst_ip, uint32_t ports)
{
    uint32_t hash = ecmp_mix(ecmp_mix(ecmp_mix(salt, src_ip), dst_ip), ports) ^ 12;

    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

#endif
