/* src/core/meter/monitor/elastic.h - Elastic Sketch: bytes per flow in little memory.
 * Yang et al., "Elastic Sketch: Adaptive and Fast Network-wide Measurements", SIGCOMM 2018; the software
 * version.
 *
 * Large flows have their own counters in the heavy part. All others share the counters of the light part:
 *
 *   packet of a flow with an entry      entry += bytes
 *   an entry of its bucket is free      the flow takes it (unused, or its flow stopped sending)
 *   otherwise it votes against them     guard += bytes
 *       guard <= lambda x smallest      light += bytes
 *       guard > lambda x smallest       the smallest entry's flow moves to the light part, the newcomer
 *                                       takes its entry and a mark that it may be in both; guard = 0
 *
 * A bucket is one cache line of seven entries. An entry holds a 32-bit fingerprint. The complete key is
 * stored separately and only written when a flow takes the entry. Two flows with equal bucket and fingerprint
 * are counted as one: one pair in 10^13 at 150 KB. Votes are bytes, like counts. Light counters have 16 bits
 * in units of 16 bytes, rounded up. They saturate at 1 MB, where elephants begin.
 *
 * Differences from the publication:
 * - A newcomer that wins an entry by votes starts with its light counter. In the publication, that counter is
 *   added when the entry is queried, which includes bytes that other flows added since.
 * - Such a newcomer leaves a trace in the light part, so marked flows are exactly those counted in both
 *   parts. In the publication, a flow that wins with its first packet is subtracted without being added.
 * - A new interval clears counters but keeps flows in their entries: see elastic_next_interval(). A flow that
 *   sent in the last interval but not yet in this one defends its entry as if it had sent a packet of the
 *   newcomer's size. Otherwise newcomers would evict flows that are merely late.
 */
#ifndef CORE_METER_MONITOR_ELASTIC_H
#define CORE_METER_MONITOR_ELASTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- the key by which monitors identify flows ----
 *
 * Either the five-tuple of the packets or, if the transport header is read, the destination queue pair. Both
 * fit into 16 bytes without loss, are never all zero, and differ in the last word.
 */
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

/* ---- the sketch ---- */

#define ELASTIC_ENTRIES       7
#define ELASTIC_LAMBDA      8
#define ELASTIC_HEAVY_BYTES (150u << 10)     /* PARALEON's sketch */
#define ELASTIC_LIGHT_BYTES (450u << 10)
#define ELASTIC_LIGHT_UNIT  16u              /* bytes per step of a light counter */

struct elastic_cfg {
    uint32_t heavy_bytes;        /* of buckets, without keys (2.2 times as much); 0: ELASTIC_HEAVY_BYTES */
    uint32_t light_bytes;        /* 0: ELASTIC_LIGHT_BYTES */
    uint64_t seed;               /* of the hash */
};

struct elastic_bucket {
    uint32_t print[ELASTIC_ENTRIES];         /* fingerprint; 0: no flow */
    uint32_t guard;                          /* votes against the entries, in bytes */
    uint32_t count[ELASTIC_ENTRIES];         /* bytes in this interval, at most UINT32_MAX */
    uint8_t  fresh;                          /* bit per entry: its flow is new in this interval */
    uint8_t  split;                          /* bit per entry: a part of the flow may be in the light part */
    uint8_t  idle;                           /* bit per entry: its flow sent nothing in the last interval */
    uint8_t  unused;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct elastic_bucket) == 64, "a bucket is one cache line");

struct elastic {
    struct elastic_bucket *bucket;
    struct flow_key       *key;              /* [bucket * ELASTIC_ENTRIES + entry] */
    uint16_t              *light;
    uint32_t              *changed;          /* entries that are fresh, as indices of 'key' */
    uint32_t               changes;
    uint32_t               buckets, lights;
    uint32_t               lights_used;      /* light counters that are not 0 */
    uint32_t               splits;           /* entries whose bit in 'split' is set */
    uint64_t               seed;
};

struct elastic_flow { struct flow_key key; uint64_t bytes; bool split; };

/* The sizes must allow one bucket (64 bytes) and one light counter (2 bytes). */
void elastic_init(struct elastic *, const struct elastic_cfg *);
void elastic_fini(struct elastic *);

/* Counts a packet. 'bytes' > 0. */
void elastic_insert(struct elastic *, const struct flow_key *, uint32_t bytes);

/* Estimated bytes of a flow: never too low, unless a counter is saturated. */
uint64_t elastic_query(const struct elastic *, const struct flow_key *);

/* Writes up to 'max' flows of the heavy part of at least bytes_min > 0. Returns how many there are. */
uint32_t elastic_list(const struct elastic *, uint64_t bytes_min, struct elastic_flow *, uint32_t max);

/* Clears all counters. Flows keep their entries until a newcomer takes them, so a continuing flow finds its
 * entry, and per-entry state of others stays valid (struct flowstate_table). */
void elastic_next_interval(struct elastic *);

/* Forgets everything. */
void elastic_reset(struct elastic *);

/* Estimated number of flows in the light part that have no entry, by linear counting: m counters of which e
 * are empty hold m ln(m / e) flows. Assumes at least one empty counter. Not negative. */
double elastic_light_flows(const struct elastic *);

#endif
