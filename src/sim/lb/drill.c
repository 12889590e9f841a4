/* src/sim/lb/drill.c - DRILL(d, m) (SIGCOMM'17): every switch sends each packet to the shortest of a few
 * queues.
 *
 * The candidates are d random queues (knob drill_samples) and the m shortest of the previous decision for the
 * same last switch (drill_memory). Two samples and one memory are nearly as good as comparing all queues. Of
 * equal queues the first drawn wins. A remembered queue must be strictly shorter, or an idle switch would use
 * one port only.
 */
#include "sim/lb/lb.h"

#define DRILL_SAMPLES_MAX 16     /* limits of the knobs */
#define DRILL_MEMORY_MAX  8
#define DRILL_MAX (DRILL_SAMPLES_MAX + DRILL_MEMORY_MAX)

struct drill_cfg { uint32_t samples, memory; };

struct drill {                   /* memory for one last switch */
    uint32_t best[DRILL_MEMORY_MAX]; /* next hops of the last decision + 1, shortest queue first; 0: none */
};

struct drill_candidates {        /* shortest queue first; of equal ones the first added */
    uint32_t way[DRILL_MAX], bytes[DRILL_MAX], count;
};

static void drill_configure(void *cfg, const struct knobs *k)
{
    struct drill_cfg *c = cfg;

    c->samples = (uint32_t)k->value[KNOB_drill_samples];
    c->memory = (uint32_t)k->value[KNOB_drill_memory];
}

static size_t drill_state_bytes(const void *cfg, const struct lb_switch *sw)
{
    (void)cfg;
    return sw->racks * sizeof(struct drill);
}

static bool has_candidate(const struct drill_candidates *c, uint32_t way)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->way[i] == way)
            return true;
    return false;
}

static void add_candidate(struct drill_candidates *c, uint32_t way, uint32_t bytes)
{
    uint32_t i = c->count++;

    for (; i > 0 && c->bytes[i - 1] > bytes; i--) {
        c->way[i] = c->way[i - 1];
        c->bytes[i] = c->bytes[i - 1];
    }
    c->way[i] = way;
    c->bytes[i] = bytes;
}

/* Draws distinct next hops, every set equally likely (Floyd's algorithm), rotated by a random offset. Without
 * the rotation, drawing all would favor an order. */
static void add_random(struct drill_candidates *c, uint32_t samples, const struct lb_switch *sw,
                       const struct lb_packet *p)
{
    uint32_t offset = lb_below(sw, p->ways);

    for (uint32_t last = p->ways - samples; last < p->ways; last++) {
        uint32_t drawn = lb_below(sw, last + 1ull), way = (drawn + offset) % p->ways;

        if (has_candidate(c, way))
            way = (last + offset) % p->ways;
        add_candidate(c, way, lb_queue_bytes(sw, p->way[way], p->prio));
    }
}

static void add_remembered(struct drill_candidates *c, const struct drill *d, uint32_t memory,
                           const struct lb_switch *sw, const struct lb_packet *p)
{
    for (uint32_t i = 0; i < memory; i++) {
        uint32_t way = d->best[i] - 1;

        if (way < p->ways && !has_candidate(c, way)) /* links may have failed */
            add_candidate(c, way, lb_queue_bytes(sw, p->way[way], p->prio));
    }
}

static uint32_t drill_pick(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw,
                           struct lb_packet *p)
{
    const struct drill_cfg *c = cfg;
    struct drill           *d = &((struct drill *)state)[p->to];
    struct drill_candidates found = { .count = 0 };

    (void)now_ps;
    add_random(&found, c->samples < p->ways ? c->samples : p->ways, sw, p);
    add_remembered(&found, d, c->memory, sw, p);
    for (uint32_t i = 0; i < c->memory; i++)
        d->best[i] = i < found.count ? found.way[i] + 1 : 0;
    return found.way[0];
}

extern const struct lb_algo lb_drill;
const struct lb_algo lb_drill = {
    .name = "drill",
    .about =
        "each packet takes the shortest of a few queues, at every switch: knobs drill_samples, drill_memory",
    .cfg_size = sizeof(struct drill_cfg),
    .configure = drill_configure,
    .state_bytes = drill_state_bytes,
    .pick = drill_pick,
};
