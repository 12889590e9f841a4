/* src/meter/monitor/monitor_key.h - the key by which monitors identify flows.
 *
 * Either the five-tuple of the packets or, if the transport header is read, the destination queue pair. Both
 * fit into 16 bytes without loss, are never all zero, and differ in the last word.
 */
#ifndef METER_MONITOR_MONITOR_KEY_H
#define METER_MONITOR_MONITOR_KEY_H

#include <stdbool.h>
#include <stdint.h>

struct flow_key { uint64_t word[2]; };       /* all zero: no flow */

#define FLOW_KEY_TUPLE (1ull << 62)
#define FLOW_KEY_QP    (1ull << 63)

static inline struct flow_key flow_key_tuple(uint32_t src_ip, uint32_t dst_ip, uint16_t sport, uint16_t dport,
                                             uint8_t protocol)
{
    return (struct flow_key){ { (uint64_t)src_ip << 32 | dst_ip,
                                FLOW_KEY_TUPLE | (uint64_t)protocol << 32 | (uint64_t)sport << 16 | dport } };
}

/* 'qp' is the number of the destination's queue pair, 24 bits. */
static inline struct flow_key flow_key_qp(uint32_t src_ip, uint32_t dst_ip, uint32_t qp)
{
    return (struct flow_key){ { (uint64_t)src_ip << 32 | dst_ip, FLOW_KEY_QP | qp } };
}

static inline bool flow_key_equal(const struct flow_key *a, const struct flow_key *b)
{
    return a->word[0] == b->word[0] && a->word[1] == b->word[1];
}

static inline bool flow_key_is_none(const struct flow_key *k)
{
    return (k->word[0] | k->word[1]) == 0;
}

static inline uint64_t flow_key_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A 64-bit hash: two rounds of a 64 x 64 bit multiplication, each folded to 64 bits. All bits are usable. */
static inline uint64_t flow_key_hash(const struct flow_key *k, uint64_t seed)
{
    return flow_key_fold(flow_key_fold(k->word[0] ^ seed, k->word[1] ^ 0xe7037ed1a0b428dbull),
                         0xa0761d6478bd642full ^ seed);
}

/* Maps the upper half of a hash to 0 .. n - 1. */
static inline uint32_t flow_key_below(uint64_t hash, uint32_t n)
{
    return (uint32_t)((hash >> 32) * n >> 32);
}

#endif
