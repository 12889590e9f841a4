/* src/sim/sim.c - builds, runs, configures and checks a world with all its parts. */
#include "sim/sim.h"
#include "sim/build.h"
#include "sim/change.h"
#include "sim/forks/htsim_sim.h"
#include "sim/parts/divide.h"
#include "sim/nic/hf2t.h"
#include "sim/nic/host.h"
#include "sim/nic/send.h"
#include "sim/partition.h"
#include "sim/run.h"
#include "sim/skip/skip.h"
#include "sim/switch/balance.h"
#include "sim/switch/switch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX (1u << 20)     /* limited by the bits of the order key */

/* ---- building ---- */

static void configure_hf2t(struct sim *s)
{
    bool is_new;

    if (!hf2t_configure(s, &is_new))
        return;
    hf2t_join(s, s->hosts.hf2t, is_new);
    send_choose(s);
    for (uint32_t i = 0; s->parts && i < partition_parts(s); i++) {
        hf2t_join(partition_part(s, i), s->hosts.hf2t, is_new);
        send_choose(partition_part(s, i));
    }
    hf2t_await_stop(s);
}

static int divide(struct sim *s, struct err *err)
{
    uint32_t threads = s->cfg.threads ? s->cfg.threads : 1;
    bool     skips = s->skip && !skip_stats(s)->why_not;
    uint32_t parts = skips ? 1 : divide_count(s, threads);

    return parts > 1 ? partition_new(s, parts, threads < parts ? threads : parts, err) : 0;
}

/* Schedules the first flow of every stream and the first link change of every node. */
static void schedule(struct sim *s)
{
    struct traffic *traffic = s->program.traffic;

    for (uint32_t i = 0; i < s->program.streams; i++) {
        struct sim *part = partition_of_node(s, traffic_source(traffic, i));

        if (!traffic_is_worker(traffic, i))
            program_start_stream(&part->engine, &part->program, i);
    }
    for (uint32_t i = 0; i < partition_parts(s); i++) {
        struct sim *part = partition_part(s, i);

        program_schedule_workers(&part->engine, &part->program);
        s->program.live += part != s ? part->program.live : 0;
    }
    for (uint32_t i = 0; i < s->net.nodes && s->cfg.changes; i++)
        change_await(partition_of_node(s, i), &s->net.node[i]);
    s->is_done = s->program.live == 0 && !s->htsim;
}

static struct link_change *copy_changes(const struct sim_cfg *cfg)
{
    struct link_change *copy = xcalloc(cfg->changes + 1ul, sizeof *copy);

    if (cfg->changes)
        memcpy(copy, cfg->change, cfg->changes * sizeof *copy);
    return copy;
}

int sim_new(struct sim **out, struct graph *g, const struct sim_cfg *cfg, struct traffic *traffic,
            struct err *err)
{
    if (g->nodes > NODES_MAX || 2ull * g->links > UINT32_MAX / 4)
        return err_set(err, EINVAL, "a network of %u nodes and %u links is too large", g->nodes, g->links);
    if (cfg->htsim && cfg->threads > 1)
        return err_set(err, EINVAL,
                       "model htsim runs on one thread, not %u: its events of equal time happen in the order "
                       "in which they were entered, and all draw from one random sequence",
                       cfg->threads);
    for (uint32_t i = 0; i < g->links; i++)
        assert(g->link[i].delay_ps <= GRAPH_DELAY_PS_MAX);
    struct sim *s = xcalloc(1, sizeof *s);
    s->cfg = *cfg;
    s->cfg.change = copy_changes(cfg);
    s->net.graph = *g;
    s->program.traffic = traffic;
    int rc = build_world(s, err);
    if (rc == 0) {
        configure_hf2t(s);
        if (cfg->is_fast)
            skip_new(s);
        rc = cfg->htsim ? htsim_attach(s, err) : divide(s, err);
    }
    if (rc < 0) {
        s->net.graph = (struct graph){ 0 };      /* the caller keeps ownership of the graph and the traffic */
        s->program.traffic = NULL;
        sim_free(s);
        return rc;
    }
    schedule(s);
    *out = s;
    return 0;
}

void sim_free(struct sim *s)
{
    if (!s)
        return;
    htsim_free(s->htsim);
    skip_free(s);
    partition_free(s->parts);
    build_free(s);
    free(s->cfg.change);
    free(s->hosts.cc_own);
    traffic_free(s->program.traffic);
    graph_fini(&s->net.graph);
    free(s);
}

int sim_check_streams(uint32_t most, uint32_t nodes, struct err *err)
{
    int bits = program_stream_bits(most, nodes, err);

    return bits < 0 ? bits : 0;
}

/* ---- running ---- */

static bool run_undivided(struct sim *s, uint64_t until_ps)
{
    run_part(s, until_ps);
    s->is_done = is_all_done(s, s->engine.packets.live);
    if (s->engine.has_failed || evq_is_empty(&s->engine.evq))
        return false;            /* the clock stays at the last event */
    s->engine.now_ps = until_ps;
    s->engine.order = UINT64_MAX;
    return true;
}

static bool run_world(struct sim *s, uint64_t until_ps)
{
    bool more = s->parts ? partition_run_until(s, until_ps) : run_undivided(s, until_ps);

    s->now_ps = s->engine.now_ps;
    return more;
}

bool sim_run_until(struct sim *s, uint64_t until_ps)
{
    if (s->htsim)
        return htsim_advance(s, until_ps);
    while (s->hosts.hf2t && s->hosts.hf2t->stop_ps <= until_ps) {
        if (!run_world(s, s->hosts.hf2t->stop_ps))
            return false;
        hf2t_on_stop(s);
    }
    return run_world(s, until_ps);
}

void sim_wake_workers(struct sim *s)
{
    program_schedule_workers(&s->engine, &s->program);
}

const struct err *sim_failure(const struct sim *s)
{
    return s->engine.has_failed ? &s->engine.failure : NULL;
}

bool sim_is_overloaded(const struct sim *s)
{
    return s->engine.failure_code == ENOBUFS;
}

bool sim_has_drawn(const struct sim *s)
{
    if (s->lb.rng || s->model.random || s->htsim || skip_has_drawn(s))
        return true;             /* unknown: assume it has */
    for (uint32_t i = 0; i < s->net.nodes; i++) {
        struct rng unused;

        rng_init(&unused, s->cfg.seed, i);
        if (memcmp(&unused, &s->net.node[i].rng, sizeof unused) != 0)
            return true;
    }
    return false;
}

/* ---- knobs ---- */

void sim_set_ecn(struct sim *s, uint32_t port, const struct ecn *ecn)
{
    skip_on_change(s);
    switch_set_ecn(s, &s->net.port[port], &(struct ecn_cfg){ ecn->kmin_bytes, ecn->kmax_bytes, ecn->pmax });
}

static bool has_new_ecn(const double *was, const double *is)
{
    return was[KNOB_kmin] != is[KNOB_kmin] || was[KNOB_kmax] != is[KNOB_kmax] ||
           was[KNOB_pmax] != is[KNOB_pmax]
           || was[KNOB_by_speed] != is[KNOB_by_speed];
}

void sim_apply_host(struct sim *s, uint32_t host, const struct knobs *knobs)
{
    struct host *h = &s->net.host[host];

    skip_on_change(s);
    if (h->cc->on_due)
        host_catch_up(partition_of_node(s, h->node), h);
    control_apply_host(s, h, knobs);
}

void sim_apply(struct sim *s, const struct knobs *knobs)
{
    bool new_ecn = has_new_ecn(s->cfg.knobs.value, knobs->value);

    skip_on_change(s);
    for (uint32_t i = 0; i < s->net.hosts; i++)
        if (s->net.host[i].cc->on_due)
            host_catch_up(partition_of_node(s, s->net.host[i].node), &s->net.host[i]);
    s->cfg.knobs = *knobs;
    build_configure_hosts(s);
    control_share(s);
    configure_hf2t(s);
    balance_configure(s);
    uet_configure(s);
    for (uint32_t i = 0; s->parts && i < partition_parts(s); i++) {
        struct sim *part = partition_part(s, i);

        part->cfg.knobs = *knobs;
        part->hosts.np_cfg = s->hosts.np_cfg;
        part->lb.is_path = s->lb.is_path;
        part->sw.trim = s->sw.trim;
        part->spray.paths = s->spray.paths;
    }
    for (uint32_t i = 0; new_ecn && i < s->net.ports; i++)
        if (s->net.port[i].is_switch)
            switch_set_ecn_by_knobs(s, &s->net.port[i], false);
}

/* ---- invariants ---- */

void sim_check(const struct sim *s)
{
    struct check_sums sums = { 0 };

    if (s->htsim)
        return;                  /* the counters do not describe packets of this world */
    for (uint32_t i = 0; i < partition_parts(s); i++)
        check_part(partition_part(s, i), &sums);
    check_totals(s, &sums);
}
