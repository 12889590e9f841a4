#include "sim/parts/gather.h"
#include "sim/parts/divide.h"

#include <stdlib.h>
#include <string.h>

struct part_result {
    uint64_t at_ps, order;
    bool     is_flow;
    union { struct flow_result flow; struct pfc_result pfc; };
};

/* ---- collecting ---- */

static void keep(struct gathered *g, const struct part_result *t)
{
    g->result = xgrow(g->result, g->results, &g->results_max, 1024, sizeof *g->result);
    g->result[g->results++] = *t;
}

static void on_flow_done(void *arg, const struct flow_result *r)
{
    struct gathered     *g = arg;
    const struct engine *e = &g->sim->engine;

    keep(g, &(struct part_result){ .at_ps = e->now_ps, .order = e->order, .is_flow = true, .flow = *r });
}

static void on_pfc(void *arg, const struct pfc_result *r)
{
    struct gathered     *g = arg;
    const struct engine *e = &g->sim->engine;

    keep(g, &(struct part_result){ .at_ps = e->now_ps, .order = e->order, .pfc = *r });
}

void gather_begin(struct gathered *g, struct sim *part, const struct sim_hooks *hooks)
{
    g->sim = part;
    part->engine.hooks = (struct sim_hooks){ g, hooks->flow_done ? on_flow_done : NULL,
                                             hooks->pfc ? on_pfc : NULL };
}

void gather_free(struct gathered *g)
{
    free(g->result);
}

/* ---- reporting ---- */

static bool is_before(const struct part_result *a, const struct part_result *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->order < b->order);
}

/* Returns the earliest result not reported yet, and its part; or NULL. */
static const struct part_result *find_first(struct gathered **g, uint32_t count, const uint32_t *next,
                                     uint32_t *whose)
{
    const struct part_result *first = NULL;

    for (uint32_t i = 0; i < count; i++) {
        const struct part_result *t = &g[i]->result[next[i]];

        if (next[i] < g[i]->results && (!first || is_before(t, first))) {
            first = t;
            *whose = i;
        }
    }
    return first;
}

void gather_report(struct gathered **g, uint32_t count, const struct sim_hooks *hooks)
{
    uint32_t           next[PARTS_MAX] = { 0 }, whose = 0;
    const struct part_result *t;

    while ((t = find_first(g, count, next, &whose)) != NULL) {
        next[whose]++;
        if (t->is_flow)
            hooks->flow_done(hooks->arg, &t->flow);
        else
            hooks->pfc(hooks->arg, &t->pfc);
    }
    for (uint32_t i = 0; i < count; i++)
        g[i]->results = 0;
}

/* ---- sums ---- */

/* struct sim_counters consists only of sums. */
static void add_counters(struct sim_counters *to, const struct sim_counters *from)
{
    uint64_t       *sum = (uint64_t *)to;
    const uint64_t *is = (const uint64_t *)from;

    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++)
        sum[i] += is[i];
}

static void add_part(struct sim *s, struct sim *part, uint32_t entries)
{
    struct engine *e = &s->engine, *p = &part->engine;

    add_counters(&e->counters, &p->counters);
    for (uint32_t i = 0; i < entries; i++)
        s->entry_bytes_done[i] += part->entry_bytes_done[i];
    s->program.live += part->program.live;
    s->done_ps = part->done_ps > s->done_ps ? part->done_ps : s->done_ps;
    e->rtt_ps_peak = p->rtt_ps_peak > e->rtt_ps_peak ? p->rtt_ps_peak : e->rtt_ps_peak;
    p->rtt_ps_peak = 0;
    if (p->counters.flows_started && part->first_start_ps < s->first_start_ps)
        s->first_start_ps = part->first_start_ps;
}

void gather_sums(struct sim *s, struct gathered **g, uint32_t count)
{
    uint32_t entries = traffic_entries(s->program.traffic);

    memset(&s->engine.counters, 0, sizeof s->engine.counters);
    memset(s->entry_bytes_done, 0, entries * sizeof *s->entry_bytes_done);
    s->program.live = 0;
    s->first_start_ps = NEVER;
    for (uint32_t i = 0; i < count; i++)
        add_part(s, g[i]->sim, entries);
    s->is_done = s->program.live == 0 && s->engine.counters.flows_done == s->engine.counters.flows_started;
}
