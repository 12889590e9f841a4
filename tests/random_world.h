/* tests/random_world.h - small worlds of every kind from a seed: graph, model, buffers, losses, failing
 * links, traffic.
 *
 * Half of the worlds of model nic have persistent queue pairs, and a third of those selective repeat.
 *
 * Buffers are within a factor of two of the smallest accepted size, so that PFC and drops are common.
 * Configurations that no network could handle are left out: lossless worlds have no cycles in which pauses
 * could wait for each other. Lossy worlds have links of one speed, because go-back-N may retransmit forever
 * before a much slower link. Model hpcc in order ns3 loses PFC frames as its fork does, after which a class
 * may stay paused forever: 'may_hang'.
 */
#ifndef TESTS_RANDOM_WORLD_H
#define TESTS_RANDOM_WORLD_H

#include "sim/test_world.h"
#include "work/traffic/kinds/patterns.h"

#include <stdio.h>

struct random_world {
    struct world world;
    const char  *graph_kind;
    uint32_t fabric_first, fabric_count; /* redundant links between switches */
    bool         has_loss;       /* on the wire */
    bool         has_changes;
    bool         may_hang;       /* model hpcc as its fork: a lost resume frame pauses a class forever */
    bool         is_tight;       /* model nic, and nothing can be lost */
    uint32_t     flows;
};

static const uint64_t random_rates_bps[] = { 10 * GBPS,  25 * GBPS,  40 * GBPS,
                                             100 * GBPS, 200 * GBPS, 400 * GBPS };

static inline uint32_t pick(struct rng *r, uint32_t low, uint32_t high)
{
    return low + (uint32_t)rng_below(r, high - low + 1ull);
}

static inline bool one_in(struct rng *r, uint32_t n)
{
    return rng_below(r, n) == 0;
}

static inline uint64_t random_rate(struct rng *r)
{
    return random_rates_bps[rng_below(r, sizeof random_rates_bps / sizeof *random_rates_bps)];
}

static inline uint64_t random_delay(struct rng *r)
{
    return one_in(r, 4) ? pick(r, 1, 20) * PS_PER_NS : pick(r, 100, 3000) * PS_PER_NS;
}

/* Returns any congestion control but rlcc, which needs a trained model. */
static inline const struct cc_algo *random_cc(struct rng *r)
{
    uint32_t count = 0;

    while (cc_all[count] && !cc_all[count]->needs_uet)
        count++;
    for (;;) {
        const struct cc_algo *cc = cc_all[pick(r, 0, count - 1)];

        if (strcmp(cc->name, "rlcc"))
            return cc;
    }
}

/* Gives every host link a different rate and delay; some are long. */
static inline void make_hosts_unlike(struct graph *g, struct rng *r)
{
    for (uint32_t i = 0; i < g->links; i++)
        if (!g->node[g->link[i].a].is_switch || !g->node[g->link[i].b].is_switch) {
            g->link[i].rate_bps = random_rate(r);
            g->link[i].delay_ps = one_in(r, 8) ? pick(r, 10, 50) * PS_PER_US : random_delay(r);
        }
}

/* Builds a random tree of switches with hosts anywhere; with cycles, adds links between switches. */
static inline void random_graph(struct graph *g, struct rng *r, bool may_have_cycles)
{
    uint32_t hosts = pick(r, 2, 8), switches = pick(r, 1, 6);

    graph_init(g);
    for (uint32_t i = 0; i < hosts; i++)
        graph_add_node(g, false, NULL);
    for (uint32_t i = 0; i < switches; i++)
        graph_add_node(g, true, NULL);
    for (uint32_t i = 0; i < hosts; i++)
        graph_add_link(g, &(struct graph_link){ i, hosts + pick(r, 0, switches - 1), random_rate(r),
                                                random_delay(r), 0, 0 });
    for (uint32_t i = 1; i < switches; i++)
        graph_add_link(g, &(struct graph_link){ hosts + i, hosts + pick(r, 0, i - 1), random_rate(r),
                                                random_delay(r), 0, 0 });
    for (uint32_t i = may_have_cycles && switches > 1 ? pick(r, 0, 4) : 0; i > 0; i--) {
        uint32_t a = pick(r, 1, switches - 1), b = pick(r, 0, a - 1);

        graph_add_link(g,
                       &(struct graph_link){ hosts + a, hosts + b, random_rate(r), random_delay(r), 0, 0 });
    }
}

static inline void random_topology(struct random_world *w, struct graph *g, struct rng *r,
                                   bool may_have_cycles)
{
    struct graph_star     star = { pick(r, 2, 10), random_rate(r), random_delay(r) };
    struct graph_clos     clos = { pick(r, 1, 4),  pick(r, 2, 4),   pick(r, 1, 3),  pick(r, 1, 2),
                                   random_rate(r), random_delay(r), random_rate(r), random_delay(r) };
    struct graph_fat_tree tree = { one_in(r, 2) ? 2 : 4, random_rate(r), random_delay(r) };

    w->fabric_count = 0;
    switch (pick(r, 0, 3)) {
    case 0:
        w->graph_kind = "star";
        graph_star(g, &star);
        break;
    case 1:
        w->graph_kind = "clos";
        graph_clos(g, &clos);
        w->fabric_first = g->hosts;
        w->fabric_count = clos.spines * clos.parallel > 1 ? g->links - g->hosts : 0;
        break;
    case 2:
        w->graph_kind = "fat_tree";
        graph_fat_tree(g, &tree);
        w->fabric_first = g->hosts;
        w->fabric_count = tree.k > 2 ? g->links - g->hosts : 0;
        break;
    default:
        w->graph_kind = "graph";
        random_graph(g, r, may_have_cycles);
        break;
    }
}

/* Fails up to three links, one after the other; each comes up before the next one fails. */
static inline void random_changes(struct random_world *w, struct sim_cfg *cfg, const struct graph *g,
                                  struct rng *r)
{
    uint32_t failures = pick(r, 1, 3);
    uint64_t at = 0;

    cfg->change = xcalloc(2ul * failures, sizeof *cfg->change);
    for (uint32_t i = 0; i < failures; i++) {
        uint32_t link = w->fabric_count && !one_in(r, 4) ? w->fabric_first + pick(r, 0, w->fabric_count - 1)
                                                         : pick(r, 0, g->links - 1);

        at += pick(r, 1, 100) * PS_PER_US;
        cfg->change[cfg->changes++] = (struct link_change){ at, link, false };
        at += one_in(r, 3) ? pick(r, 1, 3000) * PS_PER_NS : pick(r, 10, 200) * PS_PER_US;
        cfg->change[cfg->changes++] = (struct link_change){ at, link, true };
    }
    w->has_changes = true;
}

/* Returns 1, a few, or the value of `ack_every: mlx5`. */
static inline uint32_t random_ack_every(struct rng *r)
{
    static const uint32_t every[] = { 1, 1, 1, 2, 8, 16, 256 };

    return every[rng_below(r, sizeof every / sizeof *every)];
}

static inline void random_cfg(struct sim_cfg *cfg, struct rng *r, uint64_t seed)
{
    world_cfg(cfg, !one_in(r, 3) ? MODEL_NIC : seed % 2 ? MODEL_HPCC : MODEL_CONWEAVE);
    cfg->seed = seed;
    cfg->order = cfg->model != MODEL_NIC && !one_in(r, 3) ? ORDER_NS3 : ORDER_NODE;
    if (cfg->model != MODEL_CONWEAVE && seed % 5 == 0)
        cfg->pause_ps = (seed % 50 + 20) * PS_PER_US;
    cfg->nack_is_cnp = seed % 7 == 0;
    cfg->is_selective = cfg->model == MODEL_NIC && seed % 6 == 1;
    cfg->reorder_ps = 20 * PS_PER_US;
    if (seed % 11 == 0) {
        cfg->has_ack_prio = true;
        cfg->ack_prio = (uint8_t)(seed % PRIOS);
    }
    cfg->ack_droppable = false;
    if (!one_in(r, 3))
        cfg->cc = cfg->model != MODEL_NIC ? cc_find("dcqcn_hpcc") : random_cc(r);
    if (one_in(r, 4))
        cfg->mtu_bytes = pick(r, 64, 4096);
    cfg->ack_every = random_ack_every(r);
    cfg->nack_gap_ps = pick(r, 10, 50) * PS_PER_US;
    cfg->rto_ps = pick(r, 50, 1000) * PS_PER_US;
    if (one_in(r, 5))
        cfg->window_bytes = pick(r, 2000, 50000);
    cfg->reserve_bytes = one_in(r, 4) ? 0 : pick(r, 0, 8000);
    cfg->resume_bytes = pick(r, 0, 4000);
    cfg->pfc_shift = pick(r, 0, 7);
    cfg->lossy_alpha = one_in(r, 2) ? 1 : 0.125;
    cfg->is_lossless = !one_in(r, 3);
    cfg->ecn_on = !one_in(r, 5);
    cfg->ecn_at_enqueue = one_in(r, 2);
    if (cfg->model == MODEL_NIC && seed % 13 < 3) {
        cfg->ecn_cell_bytes = seed % 13 ? 100 : 0;
        cfg->ecn_lag_ps = seed % 13 == 1 ? 0 : 3 * PS_PER_US;
    }
    cfg->knobs.value[KNOB_kmin] = pick(r, 0, 20);
    cfg->knobs.value[KNOB_kmax] = cfg->knobs.value[KNOB_kmin] + pick(r, 0, 40);
    cfg->knobs.value[KNOB_roce_cc_cnp_moderation] = pick(r, 0, 2);
    cfg->knobs.value[KNOB_rpg_min_rate] = 1000;
    for (int i = 0; i < PRIOS; i++)
        cfg->weight[i] = (uint8_t)pick(r, 1, 5);
    if (cfg->model == MODEL_CONWEAVE) {
        /* In this model, pauses do not stop senders at line rate for long, and nothing stops their ACKs and
         * PFC frames. */
        cfg->cc = cc_find("dcqcn_hpcc");
        cfg->mtu_bytes = 1000;
        cfg->rto_ps = PS_PER_MS;
    }
}

static inline uint8_t random_prio(struct rng *r, bool has_classes)
{
    return has_classes ? (uint8_t)pick(r, 1, 7) : 3;
}

/* Where queue pairs may persist, they do in half of the worlds. Flows of a list then share destination
 * ports. */
static inline struct traffic *random_traffic(struct random_world *w, const struct graph *g, struct rng *r,
                                             uint64_t seed, bool may_last)
{
    uint32_t          qps = may_last && seed % 2 ? 1 + (uint32_t)(seed / 2 % 3) : 0;
    struct traffic   *t = traffic_new(g, seed);
    bool              has_classes = one_in(r, 3);
    struct flow_list list = { xcalloc(64, sizeof *list.flow), pick(r, 1, 60) };
    uint32_t          hosts[64], n = 0;
    uint64_t          at_ns = 0;

    for (uint32_t i = 0; i < g->nodes && n < 64; i++)
        if (!g->node[i].is_switch)
            hosts[n++] = i;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t src = pick(r, 0, n - 1), dst = pick(r, 0, n - 2);

        at_ns += one_in(r, 2) ? 0 : pick(r, 0, 8000);
        list.flow[i] = (struct flow_row){ .src = hosts[src],
                                           .dst = hosts[dst + (dst >= src)],
                                           .prio = random_prio(r, has_classes),
                                           .dport = (uint16_t)(qps ? i % 2 : i),
                                           .bytes = one_in(r, 2) ? pick(r, 1, 3000) : pick(r, 1, 200000),
                                           .start_ps = at_ns * PS_PER_NS };
    }
    w->flows = list.count;
    traffic_add_list(t, &list);
    traffic_use_qps(t, qps);
    if (one_in(r, 2)) {
        struct traffic_common c = { pick(r, 0, 50) * PS_PER_US, PS_PER_MS, random_prio(r, has_classes) };
        uint32_t              each = pick(r, 1, 4);

        traffic_add_incast(t, &c, pick(r, 1, 60000), 0, hosts[n - 1], hosts, n - 1, each);
        traffic_use_qps(t, qps);
        w->flows += (n - 1) * each;
    }
    return t;
}

/* Half of the worlds in which nothing can be lost have no timer: a flow that waits for it never ends. */
static inline void settle_timer(struct random_world *w, struct sim_cfg *cfg, struct rng *r)
{
    w->is_tight = cfg->model == MODEL_NIC && cfg->is_lossless && !w->has_loss && !w->has_changes;
    if (w->is_tight && one_in(r, 2))
        cfg->rto_ps = 0;
}

/* Sets the headroom that a port needs after it has requested a pause, instead of the model's formula. */
static inline void ample_headroom(struct sim_cfg *cfg, const struct graph *g)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < g->links; i++) {
        uint64_t bytes = g->link[i].rate_bps / 1000000 * (g->link[i].delay_ps / PS_PER_NS) / 4000 + 1;

        most = bytes > most ? bytes : most;
    }
    cfg->headroom_bytes = most + 6 * (cfg->mtu_bytes + cfg->header_bytes);
}

static inline void random_world_make(struct random_world *w, uint64_t seed, uint32_t threads)
{
    struct err err;
    int        rc = -1;

    for (uint64_t buffer = 20000; rc; buffer *= 2) {
        struct rng     r;
        struct graph   g;
        struct sim_cfg cfg;

        *w = (struct random_world){ 0 };
        rng_init(&r, seed, 77);
        random_cfg(&cfg, &r, seed);
        cfg.threads = cfg.parts = threads;
        random_topology(w, &g, &r, !cfg.is_lossless);
        if (one_in(&r, 2))
            make_hosts_unlike(&g, &r);
        cfg.buffer_bytes = cfg.is_lossless ? buffer : 200ull * (cfg.mtu_bytes + cfg.header_bytes);
        if (cfg.model != MODEL_NIC)
            ample_headroom(&cfg, &g);
        for (uint32_t i = 0; !cfg.is_lossless && i < g.links; i++)
            g.link[i].rate_bps = g.link[0].rate_bps;
        w->has_loss = one_in(&r, 4);
        for (uint32_t i = 0; w->has_loss && i < g.links; i++)
            g.link[i].loss = 0.01 * rng_real(&r), g.link[i].ber = one_in(&r, 2) ? 1e-7 : 0;
        if (one_in(&r, 4))
            random_changes(w, &cfg, &g, &r);
        w->may_hang = cfg.model == MODEL_HPCC && cfg.order == ORDER_NS3 && (w->has_loss || w->has_changes);
        settle_timer(w, &cfg, &r);
        rc = world_start(&w->world, &g, &cfg, random_traffic(w, &g, &r, seed, cfg.model == MODEL_NIC), &err);
        if (rc && buffer > 1ull << 30)
            die("seed %llu: %s", (unsigned long long)seed, err.text);
    }
}

static inline void random_world_print(const struct random_world *w, uint64_t seed)
{
    const struct sim          *s = w->world.sim;
    const struct sim_counters *c = &s->engine.counters;

    fprintf(stderr,
            "seed %llu: %s, %u hosts, model %s, cc %s, ack_every %u, %s, buffer %llu%s%s; %u flows, "
            "%llu done at %llu ps; "
            "drops: buffer %llu "
            "wire %llu down %llu no route %llu; pauses %llu resumes %llu timeouts %llu live %u pending %u\n",
            (unsigned long long)seed, w->graph_kind, s->net.hosts, sim_model_names[s->cfg.model],
            s->cfg.cc->name, s->cfg.ack_every, s->cfg.is_lossless ? "lossless" : "lossy",
            (unsigned long long)s->cfg.buffer_bytes, w->has_loss ? ", loss" : "",
            w->has_changes ? ", changes" : "", w->flows, (unsigned long long)c->flows_done,
            (unsigned long long)s->engine.now_ps, (unsigned long long)c->dropped_buffer,
            (unsigned long long)c->dropped_wire, (unsigned long long)c->dropped_down,
            (unsigned long long)c->dropped_no_route, (unsigned long long)c->pauses,
            (unsigned long long)c->resumes, (unsigned long long)c->timeouts, s->engine.packets.live,
            evq_pending(&s->engine.evq));
}

#endif
