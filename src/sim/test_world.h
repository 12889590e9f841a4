/* src/sim/test_world.h - small worlds for tests: builds a simulation from a graph and a list of flows, and
 * records its results.
 *
 * Settings are copies of the models' settings, so that a change of the models does not change the tests.
 */
#ifndef SIM_TEST_WORLD_H
#define SIM_TEST_WORLD_H

#include "sim/nic/nic.h"
#include "sim/sim.h"
#include "sim/state/ideal.h"
#include "work/traffic/kinds/flows.h"
#include "work/traffic/traffic.h"

#include <stdlib.h>
#include <string.h>

#define GBPS 1000000000ull

struct world {
    struct sim         *sim;
    struct flow_result *done;
    uint32_t            done_count, done_max;
    struct pfc_result  *pfc;
    uint32_t            pfc_count, pfc_max;
};

static inline void world_cfg(struct sim_cfg *cfg, enum sim_model model)
{
    bool is_fork = !sim_model_is_real(model), is_conweave = model == MODEL_CONWEAVE,
         is_uet = model == MODEL_UET;

    *cfg = (struct sim_cfg){
        .model = model,
        .order = is_fork ? ORDER_NS3 : ORDER_NODE,
        .seed = 1,
        .cc = cc_find(is_uet ? "nscc" : "none"),
        .lb = lb_find(is_uet ? "mixed" : "ecmp"),
        .mtu_bytes = is_uet ? 4096 : is_fork ? 1000 : 1024,
        .header_bytes = is_uet ? 64 : is_fork ? 48 : 62,
        .ack_bytes = is_uet ? 64 : is_fork ? 60 : 66,
        .cnp_bytes = is_fork ? 60 : 78,
        .pfc_bytes = is_fork ? 43 : 64,
        .spacing_bytes = is_fork ? 0 : 20,
        .ack_every = is_uet ? 4 : 1,
        .ack_unpaused = is_fork,
        .ack_droppable = model == MODEL_HPCC,
        .has_ack_prio = is_conweave,
        .nack_gap_ps = (is_conweave ? 4 : is_fork ? 500 : 100) * PS_PER_US,
        .nack_is_cnp = is_conweave,
        .rto_ps = is_uet ? RTO_AUTO : model == MODEL_HPCC ? 0 : 4 * PS_PER_MS,
        .has_trim = is_uet,
        .trim_bytes = 64,
        .head_prio = 7,
        .ecn_by_network = is_uet,
        .buffer_bytes = 32000000,
        .reserve_bytes = is_conweave ? 2096 : 4096,
        .resume_bytes = 3072,
        .pause_ps = is_conweave ? 5 * PS_PER_US : 0,
        .pfc_shift = is_conweave ? 4 : 3,
        .lossy_alpha = 1,
        .is_lossless = !is_uet,
        .ecn_on = true,
        .strict_prios = is_fork ? 1 << 0 : 1 << 6,
        .weight = { 1, 1, 1, 1, 1, 1, 1, 1 },
    };
    knobs_init(&cfg->knobs);
}

static inline void *world_grow(void *rows, uint32_t count, uint32_t *max, size_t bytes)
{
    if (count < *max)
        return rows;
    *max = *max ? 2 * *max : 64;
    return xrealloc(rows, *max * bytes);
}

static inline void world_on_done(void *arg, const struct flow_result *r)
{
    struct world *w = arg;

    w->done = world_grow(w->done, w->done_count, &w->done_max, sizeof *w->done);
    w->done[w->done_count++] = *r;
}

static inline void world_on_pfc(void *arg, const struct pfc_result *r)
{
    struct world *w = arg;

    w->pfc = world_grow(w->pfc, w->pfc_count, &w->pfc_max, sizeof *w->pfc);
    w->pfc[w->pfc_count++] = *r;
}

/* Takes ownership of the graph, the traffic and the configuration's list of changes, even on failure. */
static inline int world_start(struct world *w, struct graph *g, const struct sim_cfg *cfg, struct traffic *t,
                              struct err *err)
{
    *w = (struct world){ 0 };
    int rc = sim_new(&w->sim, g, cfg, t, err);
    free(cfg->change);
    if (rc) {
        traffic_free(t);
        graph_fini(g);
        return rc;
    }
    w->sim->engine.hooks = (struct sim_hooks){ w, world_on_done, world_on_pfc };
    return 0;
}

static inline void world_end(struct world *w)
{
    sim_free(w->sim);
    free(w->done);
    free(w->pfc);
    *w = (struct world){ 0 };
}

/* Builds a world with the given flows, sorted by start time. */
static inline void world_of_flows(struct world *w, struct graph *g, const struct sim_cfg *cfg,
                                  const struct flow_row *flows, uint32_t count)
{
    struct flow_list list = { xcalloc(count + 1ul, sizeof *list.flow), count };
    struct traffic   *t = traffic_new(g, cfg->seed);
    struct err        err;

    if (count)
        memcpy(list.flow, flows, count * sizeof *flows);
    traffic_add_list(t, &list);
    if (world_start(w, g, cfg, t, &err))
        die("%s", err.text);
}

/* Runs until all flows are done and packets in flight have arrived. Checks invariants every 'step_ps'.
 * Returns false if flows are unfinished at 'until_ps'. */
static inline bool world_finish(struct world *w, uint64_t step_ps, uint64_t until_ps)
{
    struct sim *s = w->sim;

    while (!s->is_done && s->now_ps < until_ps) {
        sim_run_until(s, s->now_ps + step_ps);
        sim_check(s);
    }
    if (!s->is_done)
        return false;
    sim_run_until(s, s->now_ps + PS_PER_S / 10);
    sim_check(s);
    return true;
}

/* Packets on the wire of a port, at most 64, in order of arrival. */
struct world_wire {
    const struct port *port;
    struct packet     *packet[64];
    uint32_t           count;
};

static inline void world_see_event(void *arg, struct event *e)
{
    struct world_wire *w = arg;
    uint32_t           i = w->count;

    if (e->owner != w->port->to)
        return;
    if (w->count++ == 64)
        die("too many packets on a wire");
    for (; i > 0 && evq_before(e, &w->packet[i - 1]->event); i--)
        w->packet[i] = w->packet[i - 1];
    w->packet[i] = (struct packet *)e;
}

static inline struct world_wire world_wire(const struct world *w, const struct port *p)
{
    struct world_wire wire = { .port = p };

    evq_each(&w->sim->engine.evq, world_see_event, &wire);
    return wire;
}

/* Returns the result of the flow from 'src' to destination port 'dport', or NULL if it is unfinished. */
static inline const struct flow_result *world_result(const struct world *w, uint32_t src, uint16_t dport)
{
    for (uint32_t i = 0; i < w->done_count; i++)
        if (w->done[i].src == src && w->done[i].dport == dport)
            return &w->done[i];
    return NULL;
}

#endif
