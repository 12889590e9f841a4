#include "core/meter/monitor/flowstate.h"
#include "base/err.h"

#include <assert.h>
#include <stdlib.h>

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

/* Parks the states of flows that have lost their entries. */
static void park_all(struct flowstate_table *s, const struct elastic *e)
{
    for (uint32_t i = 0; i < e->changes; i++) {
        uint32_t entry = e->changed[i];

        park(s, s->owner[entry], state_of(s, entry / ELASTIC_ENTRIES, entry % ELASTIC_ENTRIES));
        s->owner[entry] = name_of(&e->key[entry]);
    }
}

/* Restores the states of flows with a new entry, after park_all(): a flow may have changed its entry. */
static void unpark_all(struct flowstate_table *s, const struct elastic *e)
{
    for (uint32_t i = 0; i < e->changes; i++) {
        uint32_t entry = e->changed[i];

        set_state(s, entry / ELASTIC_ENTRIES, entry % ELASTIC_ENTRIES, unpark(s, s->owner[entry]));
    }
}

void flowstate_table_read(struct flowstate_table *s, struct elastic *e, struct flow_tally *t)
{
    s->interval++;
    park_all(s, e);
    unpark_all(s, e);
    for (uint32_t i = 0; i < s->buckets; i++) {
        for (uint32_t entry = 0; entry < ELASTIC_ENTRIES; entry++) {
            struct flowstate state = state_of(s, i, entry);
            enum flow_class class = flowstate_step(&s->cfg, &state, e->bucket[i].count[entry]);

            set_state(s, i, entry, state);
            flow_tally_add(&s->cfg, t, class, state);
        }
    }
    elastic_next_interval(e);
}
