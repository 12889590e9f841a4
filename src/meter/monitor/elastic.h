/* src/meter/monitor/elastic.h - Elastic Sketch: bytes per flow in little memory.
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
 * Differences from the publication ('published' restores the original):
 * - A newcomer that wins an entry by votes starts with its light counter. As published, the light counter is
 *   added when the entry is queried, which includes bytes that other flows added since.
 * - Such a newcomer leaves a trace in the light part, so marked flows are exactly those counted in both
 *   parts. As published, a flow that wins with its first packet is subtracted without having been added.
 * - A new interval clears counters but keeps flows in their entries: see elastic_next_interval(). A flow that
 *   sent in the last interval but not yet in this one defends its entry as if it had sent a packet of the
 *   newcomer's size. Otherwise newcomers would evict flows that are merely late.
 */
#ifndef METER_MONITOR_ELASTIC_H
#define METER_MONITOR_ELASTIC_H

#include "meter/monitor/monitor_key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ELASTIC_ENTRIES       7
#define ELASTIC_LAMBDA      8
#define ELASTIC_HEAVY_BYTES (150u << 10)     /* PARALEON's sketch */
#define ELASTIC_LIGHT_BYTES (450u << 10)
#define ELASTIC_LIGHT_UNIT  16u              /* bytes per step of a light counter */

struct elastic_cfg {
    uint32_t heavy_bytes;        /* size of the buckets, without keys, which take
                                  * 2.2 times as much; 0: ELASTIC_HEAVY_BYTES */
    uint32_t light_bytes;        /* 0: ELASTIC_LIGHT_BYTES */
    uint64_t seed;               /* of the hash */
    bool     published;
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
    bool                   published;
};

struct elastic_flow { struct flow_key key; uint64_t bytes; bool split; };

/* The sizes must allow one bucket (64 bytes) and one light counter (2 bytes). */
void elastic_init(struct elastic *, const struct elastic_cfg *);
void elastic_fini(struct elastic *);

/* Counts a packet. 'bytes' > 0. */
void elastic_insert(struct elastic *, const struct flow_key *, uint32_t bytes);

/* Returns the place of a flow's entry, or 0 if it has none. While the flow keeps the entry,
 * elastic_insert_at() is equivalent to elastic_insert(). Once it has lost it, elastic_insert_at() does
 * nothing and returns false. */
uint64_t elastic_find(const struct elastic *, const struct flow_key *);

static inline bool elastic_insert_at(struct elastic *e, uint64_t place, uint32_t bytes)
{
    struct elastic_bucket *b = &e->bucket[(uint32_t)place >> 3];
    uint32_t               entry = place & 7, count = b->count[entry] + bytes;

    if (b->print[entry] != place >> 32)
        return false;
    b->count[entry] = count < bytes ? UINT32_MAX : count;
    return true;
}

/* Reference implementation of elastic_insert() without vectors, for tests. */
void elastic_insert_scalar(struct elastic *, const struct flow_key *, uint32_t bytes);

/* Estimated bytes of a flow: never too low, unless a counter is saturated. */
uint64_t elastic_query(const struct elastic *, const struct flow_key *);

/* Writes up to 'max' flows of the heavy part with at least bytes_min > 0 bytes. Returns how many there
 * are. */
uint32_t elastic_list(const struct elastic *, uint64_t bytes_min, struct elastic_flow *, uint32_t max);

/* Clears all counters. Flows keep their entries until a newcomer takes them, so a continuing flow finds its
 * entry, and per-entry state of others stays valid (meter/monitor/flowstate_table.h). */
void elastic_next_interval(struct elastic *);

/* The two parts of elastic_next_interval(), for callers that visit all buckets anyway: one bucket, and the
 * rest. 'idle' has a bit for every entry whose count is 0. */
static inline void elastic_clear_bucket(struct elastic_bucket *b, uint8_t idle)
{
    const uint8_t marks[4] = { 0, 0, idle, 0 };

    b->guard = 0;
    memset(b->count, 0, sizeof(b->count));
    memcpy((char *)b + offsetof(struct elastic_bucket, fresh), marks, sizeof(marks));    /* in one store */
}

void elastic_clear_rest(struct elastic *);

/* Forgets everything. */
void elastic_reset(struct elastic *);

/* Estimated number of flows in the light part that have no entry, by linear counting: m counters of which e
 * are empty hold m ln(m / e) flows. Assumes at least one empty counter. Not negative. */
double elastic_light_flows(const struct elastic *);

/* Returns the estimated number of all flows. */
double elastic_cardinality(const struct elastic *);

/* Memory of the sketch, in bytes. */
uint64_t elastic_bytes(const struct elastic *);

#endif
