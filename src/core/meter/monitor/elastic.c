#include "core/meter/monitor/elastic.h"
#include "base/err.h"
#include "base/rng.h"

#include <assert.h>
#include <stdlib.h>

#define NO_ENTRY ELASTIC_ENTRIES

/* Returns the first entry with this fingerprint, or NO_ENTRY. */
static inline uint32_t find_entry(const struct elastic_bucket *b, uint32_t print)
{
    uint32_t entry = 0;

    while (entry < ELASTIC_ENTRIES && b->print[entry] != print)
        entry++;
    return entry;
}

/* Returns the first of the entries with the smallest count. */
static uint32_t smallest_entry(const struct elastic_bucket *b)
{
    uint32_t least = 0;

    for (uint32_t entry = 1; entry < ELASTIC_ENTRIES; entry++)
        if (b->count[entry] < b->count[least])
            least = entry;
    return least;
}

static inline uint32_t add_to_most(uint32_t a, uint32_t b)
{
    uint32_t sum = a + b;

    return sum < a ? UINT32_MAX : sum;
}

static inline uint32_t print_of(uint64_t hash)
{
    uint32_t print = (uint32_t)hash;

    return print + !print;
}

/* The upper half of the hash selects the bucket, the lower is the fingerprint, both select the counter. */
static uint16_t *light_of(const struct elastic *e, uint64_t hash)
{
    return &e->light[flow_key_below(hash * 0x9e3779b97f4a7c15ull, e->lights)];
}

static uint64_t light_bytes(const uint16_t *light)
{
    return (uint64_t)*light * ELASTIC_LIGHT_UNIT;
}

static void light_set(struct elastic *e, uint16_t *light, uint64_t units)
{
    e->lights_used += *light == 0 && units > 0;
    *light = units < UINT16_MAX ? (uint16_t)units : UINT16_MAX;
}

static uint64_t units_of(uint64_t bytes)
{
    return (bytes + ELASTIC_LIGHT_UNIT - 1) / ELASTIC_LIGHT_UNIT;
}

static void light_add(struct elastic *e, uint16_t *light, uint64_t bytes)
{
    light_set(e, light, *light + units_of(bytes));
}

/* Moves a flow from its entry to the light part. The flow's part of the light counter is also in 'count', so
 * the larger of the two is the new value. */
static void move_to_light(struct elastic *e, const struct flow_key *k, uint32_t count)
{
    uint16_t *light = light_of(e, flow_key_hash(k, e->seed));

    if (units_of(count) > *light)
        light_set(e, light, units_of(count));
}

static void take_entry(struct elastic *e, uint32_t bucket, uint32_t entry, const struct flow_key *k,
                      uint32_t print, uint32_t count, bool is_split)
{
    struct elastic_bucket *b = &e->bucket[bucket];

    b->print[entry] = print;
    b->count[entry] = count;
    if (!(b->fresh >> entry & 1))
        e->changed[e->changes++] = bucket * ELASTIC_ENTRIES + entry;
    b->fresh = (uint8_t)(b->fresh | 1u << entry);
    b->idle = (uint8_t)(b->idle & ~(1u << entry));
    bool was_split = b->split >> entry & 1;
    b->split = (uint8_t)(b->split ^ (uint32_t)(was_split != is_split) << entry);
    e->splits += (uint32_t)is_split - was_split;
    e->key[bucket * ELASTIC_ENTRIES + entry] = *k;
}

/* Replaces the flow of an entry by a newcomer that has enough votes. */
static void take_by_votes(struct elastic *e, uint32_t bucket, uint32_t entry, const struct flow_key *k,
                          uint64_t hash, uint32_t bytes)
{
    struct elastic_bucket *b = &e->bucket[bucket];
    uint16_t *light = light_of(e, hash);
    uint64_t count = bytes + light_bytes(light);

    light_set(e, light, *light + !*light);
    move_to_light(e, &e->key[bucket * ELASTIC_ENTRIES + entry], b->count[entry]);
    take_entry(e, bucket, entry, k, print_of(hash), count < UINT32_MAX ? (uint32_t)count : UINT32_MAX, true);
    b->guard = 0;
}

/* Returns an entry that any flow may take, or NO_ENTRY. Free entries only become fewer during an interval, so
 * a flow that was sent to the light part finds none later. */
static uint32_t free_entry(struct elastic_bucket *b)
{
    uint32_t entry = find_entry(b, 0);

    if (entry != NO_ENTRY)
        return entry;             /* never used */
    while (b->idle) {
        entry = (uint32_t)__builtin_ctz(b->idle);

        if (b->count[entry] == 0)
            return entry;
        b->idle = (uint8_t)(b->idle & (b->idle - 1));        /* its flow has come back */
    }
    return NO_ENTRY;
}

/* Not inlined, to keep the common path short. */
static __attribute__((noinline)) void insert_stranger(struct elastic *e, uint32_t bucket,
                                                      const struct flow_key *k, uint64_t hash, uint32_t bytes)
{
    struct elastic_bucket *b = &e->bucket[bucket];
    uint32_t entry = free_entry(b);

    if (entry != NO_ENTRY) {
        take_entry(e, bucket, entry, k, print_of(hash), bytes, false);
        return;
    }
    entry = smallest_entry(b);
    uint32_t count = b->count[entry] ? b->count[entry] : bytes;
    b->guard = add_to_most(b->guard, bytes);
    if (b->guard > (uint64_t)ELASTIC_LAMBDA * count)
        take_by_votes(e, bucket, entry, k, hash, bytes);
    else
        light_add(e, light_of(e, hash), bytes);
}

void elastic_insert(struct elastic *e, const struct flow_key *k, uint32_t bytes)
{
    uint64_t hash = flow_key_hash(k, e->seed);
    uint32_t bucket = flow_key_below(hash, e->buckets);
    struct elastic_bucket *b = &e->bucket[bucket];
    uint32_t entry = find_entry(b, print_of(hash));

    if (__builtin_expect(entry == NO_ENTRY, 0))
        insert_stranger(e, bucket, k, hash, bytes);
    else
        b->count[entry] = add_to_most(b->count[entry], bytes);
}

void elastic_init(struct elastic *e, const struct elastic_cfg *cfg)
{
    uint32_t heavy_bytes = cfg->heavy_bytes ? cfg->heavy_bytes : ELASTIC_HEAVY_BYTES;
    uint32_t light_size = cfg->light_bytes ? cfg->light_bytes : ELASTIC_LIGHT_BYTES;

    *e = (struct elastic){ .buckets = heavy_bytes / 64, .lights = light_size / 2 };
    assert(e->buckets > 0 && e->lights > 0);
    /* Mixed, so that seeds 0, 1, 2 are as different as any. */
    e->seed = flow_key_fold(cfg->seed ^ 0x9e3779b97f4a7c15ull, 0xd1342543de82ef95ull);
    e->bucket = xalloc_lines((uint64_t)e->buckets * sizeof(*e->bucket));
    e->key = xalloc_lines((uint64_t)e->buckets * ELASTIC_ENTRIES * sizeof(*e->key));
    e->light = xalloc_lines((uint64_t)e->lights * sizeof(*e->light));
    e->changed = xmalloc((uint64_t)e->buckets * ELASTIC_ENTRIES * sizeof(*e->changed));
    elastic_reset(e);
}

void elastic_fini(struct elastic *e)
{
    free(e->bucket);
    free(e->key);
    free(e->light);
    free(e->changed);
}

static void clear_rest(struct elastic *e)
{
    if (e->lights_used)
        memset(e->light, 0, e->lights * sizeof(*e->light));
    e->lights_used = e->splits = e->changes = 0;
}

void elastic_reset(struct elastic *e)
{
    memset(e->bucket, 0, e->buckets * sizeof(*e->bucket));
    memset(e->key, 0, (uint64_t)e->buckets * ELASTIC_ENTRIES * sizeof(*e->key));
    e->lights_used = e->lights;
    clear_rest(e);
}

void elastic_next_interval(struct elastic *e)
{
    for (uint32_t i = 0; i < e->buckets; i++) {
        struct elastic_bucket *b = &e->bucket[i];

        b->fresh = b->split = b->idle = 0;
        for (uint32_t entry = 0; entry < ELASTIC_ENTRIES; entry++)
            b->idle = (uint8_t)(b->idle | (b->count[entry] == 0) << entry);
        b->guard = 0;
        memset(b->count, 0, sizeof(b->count));
    }
    clear_rest(e);
}

uint64_t elastic_query(const struct elastic *e, const struct flow_key *k)
{
    uint64_t hash = flow_key_hash(k, e->seed);
    uint32_t bucket = flow_key_below(hash, e->buckets);
    uint32_t entry = find_entry(&e->bucket[bucket], print_of(hash));

    if (entry != NO_ENTRY && e->bucket[bucket].count[entry])
        return e->bucket[bucket].count[entry];
    return light_bytes(light_of(e, hash));
}

uint32_t elastic_list(const struct elastic *e, uint64_t bytes_min, struct elastic_flow *flow, uint32_t max)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < e->buckets * ELASTIC_ENTRIES; i++) {
        uint32_t bucket = i / ELASTIC_ENTRIES, entry = i % ELASTIC_ENTRIES;
        uint64_t bytes = e->bucket[bucket].count[entry];

        if (bytes < bytes_min)
            continue;
        if (found < max)
            flow[found] = (struct elastic_flow){ e->key[i], bytes, e->bucket[bucket].split >> entry & 1 };
        found++;
    }
    return found;
}

/* ---- number of flows ---- */

double elastic_light_flows(const struct elastic *e)
{
    uint32_t empty = e->lights - e->lights_used;
    double   flows = e->lights * rng_log((double)e->lights / (empty ? empty : 1)) - e->splits;

    return flows > 0 ? flows : 0;
}
