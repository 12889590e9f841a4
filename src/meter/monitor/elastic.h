/* src/meter/monitor/elastic.h - Elastic Sketch: bytes per flow in little memory.
 * Yang et al., "Elastic Sketch: Adaptive and Fast Network-wide Measurements", SIGCOMM 2018; the software
 * version.
 *
 * In a nutshell, large flows get a counter of their own in the heavy part, the rest share those of the light
 * part:
 *
 *   packet of a flow with an entry      entry += bytes
 *   an entry of its bucket is free      the flow takes it: one without a flow, or whose flow sends no more
 *   otherwise it votes against them     guard += bytes
 *       guard <= lambda x smallest      light += bytes
 *       guard > lambda x smallest       the smallest entry's flow moves to the light part, the newcomer
 *                                       takes its entry and a mark that it may be in both; guard = 0
 *
 * A bucket is one cache line of seven entries. An entry holds a 32-bit fingerprint; its flow's whole key lies
 * beside and is touched only when the flow takes the entry. Two flows are one to the sketch if bucket and
 * fingerprint are equal: one pair in 10^13 at 150 KB. Votes are bytes, as counts are. Light counters have 16
 * bits in units of 16 bytes, rounded up, and stay at 1 MB when they are full, which is what an elephant
 * begins with.
 *
 * Differences from the publication; 'published' gives it as it was:
 * - A newcomer that takes an entry by votes brings along what the light part says of it at that moment. As
 *   published that is added when the entry is asked, and with it all that others have added meanwhile.
 * - Such a newcomer leaves its trace in the light part, so that marked flows are exactly those that are
 *   counted in both parts; as published, a flow that wins with its first packet is subtracted without having
 *   been added.
 * - A new interval empties counters and leaves flows in their entries: see elastic_next_interval(). A flow that
 *   has sent in the last interval and not yet in this one is taken to have sent a packet like the newcomer's:
 *   without that, every newcomer would drive out a flow that is only late, and this one the next.
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
#define ELASTIC_LIGHT_UNIT  16u              /* bytes to a step of a light counter */

struct elastic_cfg {
    uint32_t heavy_bytes;        /* of buckets; keys take 2.2 times as much besides; 0: ELASTIC_HEAVY_BYTES */
    uint32_t light_bytes;        /* 0: ELASTIC_LIGHT_BYTES */
    uint64_t seed;               /* of the hash */
    bool     published;
};

struct elastic_bucket {
    uint32_t print[ELASTIC_ENTRIES];           /* fingerprint; 0: no flow */
    uint32_t guard;                          /* votes against the entries, in bytes */
    uint32_t count[ELASTIC_ENTRIES];           /* bytes, at most UINT32_MAX; 0: nothing yet in this interval */
    uint8_t  fresh;                          /* bit per entry: its flow has come in this interval */
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

/* There must be room for a bucket, 64 bytes, and a light counter, 2. */
void elastic_init(struct elastic *, const struct elastic_cfg *);
void elastic_fini(struct elastic *);

/* Counts a packet. 'bytes' > 0. */
void elastic_insert(struct elastic *, const struct flow_key *, uint32_t bytes);

/* Where a flow has its entry, as a number > 0; 0: it has none. As long as it has it, elastic_insert_at() is the
 * same as elastic_insert(); when it has lost it, elastic_insert_at() returns false and does nothing. */
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

/* elastic_insert() without vectors: what elastic_insert() is tested against. */
void elastic_insert_scalar(struct elastic *, const struct flow_key *, uint32_t bytes);

/* What is known of a flow: never less than its bytes, until a counter is full. */
uint64_t elastic_query(const struct elastic *, const struct flow_key *);

/* Writes the flows of the heavy part with at least bytes_min, > 0, at most 'max' of them; returns how many
 * there are. */
uint32_t elastic_list(const struct elastic *, uint64_t bytes_min, struct elastic_flow *, uint32_t max);

/* Empties all counters. Flows keep their entries until a newcomer takes them: a flow that goes on finds its
 * entry again, and whoever keeps something about entries need not look for it (meter/monitor/flowstate_table.h). */
void elastic_next_interval(struct elastic *);

/* Its two parts, buckets and the rest, for whoever walks through the buckets anyway; 'idle' has a bit for
 * every entry whose count is 0. */
static inline void elastic_clear_bucket(struct elastic_bucket *b, uint8_t idle)
{
    const uint8_t marks[4] = { 0, 0, idle, 0 };

    b->guard = 0;
    memset(b->count, 0, sizeof(b->count));
    memcpy((char *)b + offsetof(struct elastic_bucket, fresh), marks, sizeof(marks));    /* in one go */
}

void elastic_clear_rest(struct elastic *);

/* Forgets everything. */
void elastic_reset(struct elastic *);

/* Adds 'from' to 'to'. Of the flows that meet in a bucket the largest stay. Returns 0, or -EINVAL and does
 * nothing if their sizes, seeds or variants differ. */
int elastic_merge(struct elastic *to, const struct elastic *from);

/* How many flows there were; those of the light part by linear counting. If no counter is empty, one is taken
 * to be. */
double elastic_cardinality(const struct elastic *);

/* Flows of the light part that the heavy part does not know: the same, alone. At least 0. */
double elastic_light_flows(const struct elastic *);

/* The sizes of all flows: flows[i] is how many had more than i and at most i + 1 times quantum_bytes, the
 * last also all above. Those of the light part by expectation maximisation, 'rounds' times; > 0. See
 * elastic_sizes.c. */
void elastic_sizes(const struct elastic *, uint32_t quantum_bytes, uint32_t rounds,
                   double *flows, uint32_t sizes);

/* Memory it holds, in bytes. */
uint64_t elastic_bytes(const struct elastic *);

#endif
