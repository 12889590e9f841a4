/* src/core/meter/monitor/netflow.c - sampling like commodity switches: one packet in a hundred, exported once
 * per second.
 *
 * The size of a flow is its sampled bytes times the sampling rate; a flow without samples is not seen. Gaps
 * between samples are uniform in 1 .. 2 n - 1, so that periodic traffic does not bias them. Between exports
 * the last export is reported.
 */
#include "base/err.h"
#include "base/rng.h"
#include "core/units.h"
#include "core/meter/monitor/monitor.h"
#include "core/meter/monitor/monitor_table.h"

#include <stdlib.h>

struct netflow {
    struct flow_table    sampled;
    struct flowstate_cfg cfg;
    struct rng           rng;
    uint64_t             gap;                /* packets until the next sample */
    uint32_t             one_in;
    uint64_t             period_ps, export_ps;   /* export_ps: time of the next export */
    struct fsd           last;
};

static void draw_gap(struct netflow *n)
{
    n->gap = 1 + rng_below(&n->rng, 2ull * n->one_in - 1);
}

static void netflow_on_packet(void *state, const struct flow_key *k, uint32_t bytes, uint64_t now_ps)
{
    struct netflow *n = state;

    (void)now_ps;
    if (--n->gap)
        return;
    flow_table_at(&n->sampled, k)->now_bytes += (uint64_t)bytes * n->one_in;
    draw_gap(n);
}

static void netflow_read(void *state, uint64_t now_ps, struct fsd *fsd)
{
    struct netflow *n = state;

    if (now_ps >= n->export_ps) {
        struct flow_tally tally = { 0 };
        for (uint32_t i = 0; i < n->sampled.places; i++) {
            struct flowstate s = { 0, 0 };
            enum flow_class class = flowstate_step(&n->cfg, &s, n->sampled.flow[i].now_bytes);
            flow_tally_add(&n->cfg, &tally, class, s);
        }
        flow_tally_write(&n->cfg, &tally, &n->last);
        flow_table_clear(&n->sampled);
        n->export_ps += (now_ps - n->export_ps) / n->period_ps * n->period_ps + n->period_ps;
    }
    *fsd = n->last;
}

static void *netflow_create(const struct monitor_cfg *cfg)
{
    struct netflow *n = xcalloc(1, sizeof(*n));

    flow_table_init(&n->sampled);
    rng_init(&n->rng, cfg->seed, 0);
    n->cfg = flowstate_configure(cfg->states);
    n->cfg.delta = FLOWSTATE_RUN_MAX;        /* no potential elephants */
    n->one_in = cfg->netflow_one_in ? cfg->netflow_one_in : 100;
    n->period_ps = n->export_ps = cfg->netflow_export_ps ? cfg->netflow_export_ps : PS_PER_S;
    draw_gap(n);
    return n;
}

static void netflow_destroy(void *state)
{
    struct netflow *n = state;

    flow_table_fini(&n->sampled);
    free(n);
}

extern const struct monitor_algo monitor_netflow;
const struct monitor_algo monitor_netflow = {
    .on_packet = netflow_on_packet,
    .read      = netflow_read,
    .create    = netflow_create,
    .destroy   = netflow_destroy,
    .name      = "netflow",
    .about     = "one packet in 100, exported once per second",
};
