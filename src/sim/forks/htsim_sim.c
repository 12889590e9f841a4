#include "sim/forks/htsim_sim.h"

#include "core/result.h"
#include "sim/state/state.h"

#include <string.h>

/* Reports see one traffic entry: the matrix. */
static void on_finished(void *arg, const struct htsim_flow *f)
{
    struct sim        *s = arg;
    struct flow_result r = { .src = f->src, .dst = f->dst, .bytes = f->bytes,
                             .start_ps = (uint64_t)f->start_ps,
                             .fct_ps = (uint64_t)(f->finish_ps - f->start_ps),
                             .ideal_ps = htsim_ideal_ps(s->htsim, f), .resent_bytes = f->resent_bytes };

    s->done_ps = (uint64_t)f->finish_ps;
    s->entry_bytes_done[0] += f->bytes;
    if (s->engine.hooks.flow_done)
        s->engine.hooks.flow_done(s->engine.hooks.arg, &r);
}

int htsim_attach(struct sim *s, struct err *err)
{
    const struct htsim_input *in = s->cfg.htsim;
    int                       rc = htsim_new(&s->htsim, &in->cfg, &in->tree, &in->matrix, err);

    if (rc)
        return rc;
    htsim_follow(s->htsim, s, on_finished);
    s->first_start_ps = NEVER;
    for (uint32_t i = 0; i < in->matrix.conns; i++) {
        const struct matrix_conn *c = &in->matrix.conn[i];

        if (c->trigger == MATRIX_NO_TRIGGER && c->start_ps < s->first_start_ps)
            s->first_start_ps = c->start_ps;
    }
    return 0;
}

static void copy_port(struct port *p, const struct htsim_port *from)
{
    p->counters.tx_bytes = from->bytes;
    p->counters.data_packets = from->data_packets;
    p->counters.ack_packets = from->header_packets;
    p->counters.marked_packets = from->marked_packets;
    p->counters.queue_bytes_max = from->queue_bytes_max;
}

/* A graph's link goes from its lower end, a, to its upper end, b. */
static void copy_ports(struct sim *s)
{
    for (uint32_t i = 0; i < s->net.ports; i++) {
        struct port      *p = &s->net.port[i];
        struct htsim_port up, down;

        if (p->node->id != s->net.graph.link[p->link].a)
            continue;
        htsim_link(s->htsim, p->link, &up, &down);
        copy_port(p, &up);
        copy_port(p->peer, &down);
    }
}

bool htsim_advance(struct sim *s, uint64_t until_ps)
{
    bool                  more = htsim_run_until(s->htsim, until_ps);
    struct htsim_counters n;

    htsim_count(s->htsim, &n);
    _Static_assert(sizeof n.sim == sizeof s->engine.counters.count, "the same counters");
    memcpy(s->engine.counters.count, &n.sim, sizeof n.sim);
    s->engine.counters.events = n.events;
    s->engine.counters.dropped_buffer = n.drops;
    if (n.rtt_ps_peak > s->engine.rtt_ps_peak)
        s->engine.rtt_ps_peak = n.rtt_ps_peak;
    copy_ports(s);
    s->is_done = n.unfinished == 0;
    s->now_ps = s->engine.now_ps = more ? until_ps : n.now_ps;
    if (htsim_failure(s->htsim)) {
        s->engine.has_failed = true;
        s->engine.failure_code = htsim_failure_code(s->htsim);
        s->engine.failure = *htsim_failure(s->htsim);
    }
    return more;
}

const struct htsim *htsim_of(const struct sim *s)
{
    return s->htsim;
}
