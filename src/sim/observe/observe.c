#include "sim/observe/observe.h"
#include "base/minmax.h"
#include "sim/nic/flow.h"
#include "sim/transport/transport.h"
#include "sim/observe/watch.h"
#include "sim/skip/skip.h"
#include "sim/switch/switch.h"
#include "work/traffic/traffic.h"

#include <stdlib.h>

/* Up to the last call. */
struct port_was { struct port_counters counters; uint64_t paused_ps, queue_bytes_max; };

struct observer {
    struct sim          *sim;
    struct sim_counters  was;
    uint64_t             was_ps;
    struct port_was     *port;
    uint64_t             sum_mask[PORT_COUNTS];      /* all ones for sums, reported as differences */
    uint64_t            *entry_was;          /* bytes received up to the last call */
    uint64_t             looks;
};

struct observer *observer_new(struct sim *s)
{
    struct observer *o = xcalloc(1, sizeof *o);

    o->sim = s;
    o->port = xcalloc(s->net.ports + 1ul, sizeof *o->port);
    o->entry_was = xcalloc(traffic_entries(s->program.traffic) + 1ul, sizeof *o->entry_was);
    for (int c = 0; c < PORT_COUNTS; c++)
        o->sum_mask[c] = port_info[c].how == FIGURE_SUM ? UINT64_MAX : 0;
    return o;
}

void observer_init_report(const struct observer *o, struct report *r)
{
    report_init(r, o->sim->net.nodes, o->sim->net.ports, traffic_entries(o->sim->program.traffic));
}

void observer_free(struct observer *o)
{
    if (!o)
        return;
    for (uint32_t i = 0; i < o->sim->net.ports; i++) {
        uint64_t *now = &o->sim->net.port[i].counters.queue_bytes_max;

        *now = max_u64(*now, o->port[i].queue_bytes_max);
    }
    free(o->port);
    free(o->entry_was);
    free(o);
}

/* Returns the longest queue now: a queue that only shrinks is longest at the start of the interval. The
 * result never exceeds the switch's own maximum, which does not include a packet that was alone in the queue
 * when the port became free. */
static uint64_t longest_queue(const struct port *p, uint64_t counted_max)
{
    uint64_t longest = 0;

    for (uint32_t c = 0; p->is_switch && c < PRIOS; c++)
        longest = max_u64(longest, p->queue[c].bytes);
    return min_u64(longest, counted_max);
}

static void look_at_ports(struct observer *o, uint64_t now_ps, struct report *r)
{
    for (uint32_t i = 0; i < o->sim->net.ports; i++) {
        struct port        *p = &o->sim->net.port[i];
        struct port_was    *was = &o->port[i];
        struct report_port *seen = &r->port[i];
        uint64_t            paused_ps = port_paused_ps(p, now_ps);

        *seen = (struct report_port){ .device = p->node->id, .rate_bps = p->rate_bps,
                                      .is_uplink = !p->is_switch };
        for (int c = 0; c < PORT_COUNTS; c++)
            seen->count[c] = p->counters.count[c] - (was->counters.count[c] & o->sum_mask[c]);
        seen->paused_ps = paused_ps - was->paused_ps;
        r->paused_ps += seen->paused_ps;
        r->marked_packets += seen->marked_packets;
        r->queue_bytes_max = max_u64(r->queue_bytes_max, seen->queue_bytes_max);
        was->queue_bytes_max = max_u64(was->queue_bytes_max, seen->queue_bytes_max);
        p->counters.queue_bytes_max = longest_queue(p, was->queue_bytes_max);
        was->counters = p->counters;
        was->paused_ps = paused_ps;
    }
}

static uint64_t arrived_bytes(const struct sim *s, const struct flow *f)
{
    const struct transport *t = transport_of(s, f);

    return t->arrived_bytes ? t->arrived_bytes(s, f) : pair_acked(s, f);
}

/* Sums the bytes received of finished and unfinished flows. */
static void look_at_entries(struct observer *o, struct report *r)
{
    const struct sim *s = o->sim;

    for (uint32_t i = 0; i < r->entries; i++)
        r->entry_bytes[i] = s->entry_bytes_done[i];
    for (uint32_t i = 0; (i = sim_next_active(s, i)) != 0; )
        r->entry_bytes[s->flows.flow[i].traffic] += arrived_bytes(s, &s->flows.flow[i]);
    for (uint32_t i = 0; i < r->entries; i++) {
        uint64_t now = r->entry_bytes[i];

        if (s->cfg.is_selective && now < o->entry_was[i])
            now = o->entry_was[i];       /* the last packet of a message was counted as full before its end */
        r->entry_bytes[i] = now - o->entry_was[i];
        o->entry_was[i] = now;
    }
}

static void look_at_counters(const struct observer *o, struct report *r)
{
    const struct sim_counters *c = &o->sim->engine.counters, *was = &o->was;

    for (int i = 0; i < FIGURE_COUNTERS; i++)
        r->count[i] = c->count[i] - was->count[i];
    r->flows_active = c->flows_started - c->flows_done;
    r->dropped_packets = r->dropped_buffer + r->dropped_wire + r->dropped_down + r->dropped_no_route +
                         r->dropped_host;
}

/* All devices report everything, at the same time. */
void observer_count(struct observer *o, uint64_t now_ps, struct report *r)
{
    struct sim *s = o->sim;

    skip_settle(s);
    report_clear_all_but_ports(r);
    r->number = ++o->looks;
    r->start_ps = o->was_ps;
    r->end_ps = now_ps;
    r->knobs = s->cfg.knobs;
    r->rtt_ps_peak = s->engine.rtt_ps_peak;
    look_at_counters(o, r);
    look_at_ports(o, now_ps, r);
    look_at_entries(o, r);
    for (uint32_t i = 0; i < s->net.nodes; i++)
        if (s->net.node[i].is_switch)
            r->queue_bytes += (uint64_t)buffer_used_bytes(s, &s->net.node[i]);
    s->engine.rtt_ps_peak = 0;
    o->was = s->engine.counters;
    o->was_ps = now_ps;
}

void observer_look(struct observer *o, uint64_t now_ps, struct report *r)
{
    observer_count(o, now_ps, r);
    if (o->sim->watch.arg)
        watch_read(o->sim->watch.arg, now_ps, r);
}
