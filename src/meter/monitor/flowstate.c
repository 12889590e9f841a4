#include "meter/monitor/flowstate.h"
#include "base/err.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#ifdef __ARM_NEON
#include <arm_neon.h>
#endif

/* 1 / (1 + e^-n) in 1/FSD_ONE, rounded; a whole flow from 12 on. */
static const uint32_t sigmoid[] = {
    32768, 47911, 57724, 62428, 64357, 65097, 65374, 65476, 65514, 65528, 65533, 65535, 65536,
};

#define SIGMOIDS (sizeof(sigmoid) / sizeof(sigmoid[0]))

struct flowstate_cfg flowstate_configure(struct flowstate_cfg cfg)
{
    cfg.tau_bytes = cfg.tau_bytes ? cfg.tau_bytes : FLOWSTATE_TAU_BYTES;
    cfg.delta = cfg.delta ? cfg.delta : FLOWSTATE_DELTA;
    assert(cfg.delta < FLOWSTATE_RUN_MAX);
    return cfg;
}

enum flow_class flowstate_step(const struct flowstate_cfg *cfg, struct flowstate *s, uint64_t bytes)
{
    uint64_t room = UINT32_MAX - s->bytes;

    s->bytes += (uint32_t)(bytes < room ? bytes : room);
    s->run = (uint16_t)(bytes ? s->run + (s->run < FLOWSTATE_RUN_MAX) : 0);
    if (bytes == 0)
        return FLOW_SILENT;
    if (s->bytes >= cfg->tau_bytes)
        return FLOW_ELEPHANT;
    return s->run >= cfg->delta ? FLOW_POTENTIAL : FLOW_MOUSE;
}

void flow_count(const struct flowstate_cfg *cfg, uint64_t bytes, struct fsd *fsd)
{
    if (bytes >= cfg->tau_bytes)
        fsd->elephants += FSD_ONE;
    else
        fsd->mice += FSD_ONE;
    if (cfg->with_bins)
        fsd->bin[fsd_bin(bytes)]++;
}

void flow_tally_add(const struct flowstate_cfg *cfg, struct flow_tally *t, enum flow_class class,
                    struct flowstate s)
{
    if (class == FLOW_SILENT)
        return;
    t->elephants += class == FLOW_ELEPHANT;
    t->mice += class == FLOW_MOUSE;
    if (class == FLOW_POTENTIAL) {
        uint32_t age = s.run - cfg->delta;

        t->potentials++;
        t->potential_bytes += s.bytes;
        t->potential_sigmoid += sigmoid[age < SIGMOIDS ? age : SIGMOIDS - 1];
    }
    if (cfg->with_bins)
        t->bin[fsd_bin(s.bytes)]++;
}

void flow_tally_write(const struct flowstate_cfg *cfg, const struct flow_tally *t, struct fsd *f)
{
    uint64_t all = t->potentials * FSD_ONE, part = t->potential_sigmoid;

    if (cfg->share == FLOW_SHARE_SIZE)
        part = t->potential_bytes * FSD_ONE / cfg->tau_bytes;
    f->elephants = t->elephants * FSD_ONE + part;
    f->mice = t->mice * FSD_ONE + (cfg->share == FLOW_SHARE_ARTIFACT ? all : all - part);
    for (uint32_t i = 0; i < FSD_BINS; i++)
        f->bin[i] = t->bin[i];
}

/* ---- the states of all flows of a sketch ---- */

#define PARKING_WAYS 4u          /* positions in which a flow may be parked */
#define ALL_ENTRIES  ((1u << ELASTIC_ENTRIES) - 1)
#define AHEAD        8u          /* prefetch distance, in entries */

void flowstate_table_init(struct flowstate_table *s, struct flowstate_cfg cfg, uint32_t buckets,
                          uint32_t places)
{
    *s = (struct flowstate_table){ .cfg = flowstate_configure(cfg), .buckets = buckets };
    s->parking_places = places > PARKING_WAYS ? places / PARKING_WAYS * PARKING_WAYS : PARKING_WAYS;
    s->states = xalloc_lines((uint64_t)buckets * sizeof(*s->states));
    s->owner = xalloc_lines((uint64_t)buckets * ELASTIC_ENTRIES * sizeof(*s->owner));
    s->parked = xalloc_lines((uint64_t)s->parking_places * sizeof(*s->parked));
}

void flowstate_table_fini(struct flowstate_table *s)
{
    free(s->states);
    free(s->owner);
    free(s->parked);
}

static uint64_t name_of(const struct flow_key *k)
{
    uint64_t name = flow_key_hash(k, 0x2545f4914f6cdd1dull);

    return name + !name;
}

static struct parked_flow *parking_row(const struct flowstate_table *s, uint64_t name)
{
    return &s->parked[(size_t)flow_key_below(name, s->parking_places / PARKING_WAYS) * PARKING_WAYS];
}

/* Returns a free position of a row, or the oldest one. */
static struct parked_flow *place_in(const struct flowstate_table *s, struct parked_flow *row)
{
    struct parked_flow *place = row;

    for (uint32_t i = 0; i < PARKING_WAYS; i++) {
        if (row[i].name == 0)
            return &row[i];
        if ((uint16_t)(s->interval - row[i].since) > (uint16_t)(s->interval - place->since))
            place = &row[i];
    }
    return place;
}

static void park(struct flowstate_table *s, uint64_t name, struct flowstate state)
{
    if (state.run == 0 && state.bytes <= s->cfg.tau_bytes / 16)
        return;
    *place_in(s, parking_row(s, name)) = (struct parked_flow){ name, state.bytes, state.run, s->interval };
}

/* A flow that was parked earlier has been silent or in the light part since, so its run ended. */
static struct flowstate unpark(struct flowstate_table *s, uint64_t name)
{
    struct parked_flow *row = parking_row(s, name);

    for (uint32_t i = 0; i < PARKING_WAYS; i++) {
        if (row[i].name == name) {
            row[i].name = 0;
            return (struct flowstate){ row[i].bytes, row[i].since == s->interval ? row[i].run : 0 };
        }
    }
    return (struct flowstate){ 0, 0 };
}

static struct flowstate state_of(const struct flowstate_table *s, uint32_t bucket, uint32_t entry)
{
    return (struct flowstate){ s->states[bucket].bytes[entry], s->states[bucket].run[entry] };
}

static void set_state(struct flowstate_table *s, uint32_t bucket, uint32_t entry, struct flowstate state)
{
    s->states[bucket].bytes[entry] = state.bytes;
    s->states[bucket].run[entry] = state.run;
}

static void prefetch_owners(const struct flowstate_table *s, const struct elastic *e, uint32_t entry)
{
    __builtin_prefetch(&s->owner[entry], 1);
    __builtin_prefetch(&e->key[entry]);
    __builtin_prefetch(&s->states[entry / ELASTIC_ENTRIES], 1);
}

/* Parks the states of flows that have lost their entries. Prefetches, because the accesses are scattered. */
static void park_all(struct flowstate_table *s, const struct elastic *e)
{
    for (uint32_t i = 0; i < e->changes; i++) {
        uint32_t entry = e->changed[i];

        if (i + 2 * AHEAD < e->changes)
            prefetch_owners(s, e, e->changed[i + 2 * AHEAD]);
        if (i + AHEAD < e->changes)
            __builtin_prefetch(parking_row(s, s->owner[e->changed[i + AHEAD]]), 1);
        park(s, s->owner[entry], state_of(s, entry / ELASTIC_ENTRIES, entry % ELASTIC_ENTRIES));
        s->owner[entry] = name_of(&e->key[entry]);
    }
}

/* Restores the states of flows with a new entry, after park_all(): a flow may have changed its entry. */
static void unpark_all(struct flowstate_table *s, const struct elastic *e)
{
    for (uint32_t i = 0; i < e->changes; i++) {
        uint32_t entry = e->changed[i];

        if (i + AHEAD < e->changes)
            __builtin_prefetch(parking_row(s, s->owner[e->changed[i + AHEAD]]), 1);
        set_state(s, entry / ELASTIC_ENTRIES, entry % ELASTIC_ENTRIES, unpark(s, s->owner[entry]));
    }
}

static void read_bucket(struct flowstate_table *s, const struct elastic *e, uint32_t bucket,
                        struct flow_tally *t)
{
    for (uint32_t entry = 0; entry < ELASTIC_ENTRIES; entry++) {
        struct flowstate state = state_of(s, bucket, entry);
        enum flow_class class = flowstate_step(&s->cfg, &state, e->bucket[bucket].count[entry]);

        set_state(s, bucket, entry, state);
        flow_tally_add(&s->cfg, t, class, state);
    }
}

void flowstate_table_read_scalar(struct flowstate_table *s, struct elastic *e, struct flow_tally *t)
{
    s->interval++;
    park_all(s, e);
    unpark_all(s, e);
    for (uint32_t i = 0; i < s->buckets; i++)
        read_bucket(s, e, i, t);
    elastic_next_interval(e);
}

/* Processes the eight lanes of a bucket at once: bytes as two vectors of four, runs and truth values (-1 or
 * 0) as one. */
typedef uint32_t words __attribute__((vector_size(16)));
typedef uint16_t shorts __attribute__((vector_size(16)));
typedef uint64_t sums __attribute__((vector_size(16)));

struct lanes { words low, high; };

#ifdef __ARM_NEON                /* compilers do not generate these instructions */

static inline words add_to_most(words a, words b)
{
    return (words)vqaddq_u32((uint32x4_t)a, (uint32x4_t)b);
}

static inline shorts add_1_to_most(shorts s)
{
    return (shorts)vqaddq_u16((uint16x8_t)s, vdupq_n_u16(1));
}

static inline sums add_wide(sums sum, words w)
{
    return (sums)vpadalq_u32((uint64x2_t)sum, (uint32x4_t)w);
}

#else

static inline words add_to_most(words a, words b)
{
    words sum = a + b;

    return sum | (words)(sum < a);
}

static inline shorts add_1_to_most(shorts s)
{
    return s - (shorts)(s != UINT16_MAX);
}

static inline sums add_wide(sums sum, words w)
{
    return sum + ((sums)w >> 32) + ((sums)w & 0xffffffffu);
}

#endif

/* Two separate copies: compilers would copy both vectors at once through memory. */
static inline struct lanes load(const void *eight_words)
{
    struct lanes l;

    memcpy(&l.low, eight_words, sizeof(l.low));
    memcpy(&l.high, (const char *)eight_words + sizeof(l.low), sizeof(l.high));
    return l;
}

static inline void store(void *eight_words, struct lanes l)
{
    memcpy(eight_words, &l.low, sizeof(l.low));
    memcpy((char *)eight_words + sizeof(l.low), &l.high, sizeof(l.high));
}

static inline shorts narrow(words low, words high)
{
    return __builtin_shufflevector((shorts)low, (shorts)high, 0, 2, 4, 6, 8, 10, 12, 14);
}

static inline struct lanes widen(shorts s)
{
    return (struct lanes){ (words)__builtin_shufflevector(s, s, 0, 0, 1, 1, 2, 2, 3, 3),
                           (words)__builtin_shufflevector(s, s, 4, 4, 5, 5, 6, 6, 7, 7) };
}

/* One bit per lane that is true. The mask leaves bytes of 1, 2, 4, ...; the multiplication adds them up. */
static inline uint8_t bits_of(shorts s)
{
    typedef uint8_t bytes __attribute__((vector_size(16)));
    bytes b = (bytes)s;
    sums packed = (sums)__builtin_shufflevector(b, b, 0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14);

    return (uint8_t)((packed[0] & 0x8040201008040201ull) * 0x0101010101010101ull >> 56);
}

struct classes { shorts active, elephants, potentials; sums bytes; };

/* flowstate_step() and flow_tally_add() for a whole bucket. Returns the active entries as a bit mask. */
static inline uint8_t step(uint32_t tau, uint16_t delta, struct bucket_states *s, struct lanes count,
                           struct classes *sum)
{
    struct lanes bytes = load(s->bytes), part;
    shorts run, active, is_elephant, is_potential;

    memcpy(&run, s->run, sizeof(run));
    active = narrow((words)(count.low != 0), (words)(count.high != 0));
    bytes = (struct lanes){ add_to_most(bytes.low, count.low), add_to_most(bytes.high, count.high) };
    run = add_1_to_most(run) & active;
    is_elephant = narrow((words)(bytes.low >= tau), (words)(bytes.high >= tau)) & active;
    is_potential = (shorts)(run >= delta) & ~is_elephant;    /* a run implies active */
    part = widen(is_potential);
    store(s->bytes, bytes);
    memcpy(s->run, &run, sizeof(run));
    sum->active -= active;
    sum->elephants -= is_elephant;
    sum->potentials -= is_potential;
    sum->bytes = add_wide(add_wide(sum->bytes, bytes.low & part.low), bytes.high & part.high);
    return bits_of(active);
}

static inline struct lanes counts_of(const struct elastic_bucket *b)
{
    struct lanes count = load((const char *)b + offsetof(struct elastic_bucket, count));

    count.high &= (words){ UINT32_MAX, UINT32_MAX, UINT32_MAX, 0 };      /* the eighth word is marks */
    return count;
}

static uint64_t sum_of(shorts s)
{
    return (uint64_t)s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

static void add_classes(struct flow_tally *t, const struct classes *c)
{
    uint64_t active = sum_of(c->active), elephants = sum_of(c->elephants), potentials = sum_of(c->potentials);

    t->elephants += elephants;
    t->potentials += potentials;
    t->mice += active - elephants - potentials;
    t->potential_bytes += c->bytes[0] + c->bytes[1];
}

#define STRETCH 32768u           /* buckets: no sum of them overflows 16 bits */

static void read_stretch(struct flowstate_table *s, struct elastic *e, uint32_t first, struct flow_tally *t)
{
    uint32_t end = s->buckets - first < STRETCH ? s->buckets : first + STRETCH, tau = s->cfg.tau_bytes;
    uint16_t delta = (uint16_t)s->cfg.delta;
    struct elastic_bucket *bucket = e->bucket;
    struct bucket_states *states = s->states;
    struct classes sum = { 0 };

    for (uint32_t i = first; i < end; i++) {
        uint8_t active = step(tau, delta, &states[i], counts_of(&bucket[i]), &sum);

        elastic_clear_bucket(&bucket[i], ~active & ALL_ENTRIES);
    }
    add_classes(t, &sum);
}

void flowstate_table_read(struct flowstate_table *s, struct elastic *e, struct flow_tally *t)
{
    /* Sigmoids and bins need each flow separately. */
    if (s->cfg.share != FLOW_SHARE_SIZE || s->cfg.with_bins) {
        flowstate_table_read_scalar(s, e, t);
        return;
    }
    s->interval++;
    park_all(s, e);
    unpark_all(s, e);
    for (uint32_t first = 0; first < s->buckets; first += STRETCH)
        read_stretch(s, e, first, t);
    elastic_clear_rest(e);
}
