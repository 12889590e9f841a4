/* src/lb/ecmp.c - a flow keeps to one path, chosen by a hash of its addresses and ports.
 *
 * The hash is MurmurHash3 (32 bit) of three words, salted by the switch: the HPCC ns-3 fork does the same, so in model
 * hpcc every flow takes the path it takes there.
 */
#include "lb/lb.h"

static inline uint32_t rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static inline uint32_t mix(uint32_t hash, uint32_t word)
{
    return rotate(hash ^ rotate(word * 0xcc9e2d51u, 15) * 0x1b873593u, 13) * 5 + 0xe6546b64u;
}

static uint32_t ecmp_pick(const void *cfg, void *state, uint64_t now_ps, uint32_t salt, const struct lb_packet *p)
{
    uint32_t hash = mix(mix(mix(salt, p->src_ip), p->dst_ip), p->ports) ^ 12;

    (void)cfg, (void)state, (void)now_ps;
    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35u;
    hash ^= hash >> 16;
    return hash % p->count;
}

extern const struct lb_algo lb_ecmp;
const struct lb_algo lb_ecmp = {
    .pick  = ecmp_pick,
    .name  = "ecmp",
    .about = "one path per flow, by a hash of its addresses and ports",
};
