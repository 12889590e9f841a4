#include "study/report/trace/trace.h"

#include "base/err.h"
#include "base/print/safe.h"
#include "core/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROW_BYTES_MAX 120u
#define GBPS          1e9

struct shown {                    /* of a flow, at the last sample */
    uint64_t acked, rate_bps;
    uint32_t src, dst, ports;
    uint16_t generation;
    bool     is_there, has_goodput;
};

struct samples {
    FILE                    *out;
    const struct simulation *simulation;
    uint64_t                 bytes, bytes_max, left_out;
    uint64_t                 last_ps;
    uint64_t                *queue;          /* by port: bytes at the last sample */
    struct shown             *seen;           /* by flow */
    uint32_t                 flows;
};

static void write_row(struct samples *s, uint64_t now_ps, const char *what, const char *where, double value)
{
    if (s->bytes + ROW_BYTES_MAX > s->bytes_max) {
        s->left_out++;
        return;
    }
    int length = fprintf(s->out, "%.6f,%s,%s,%.9g\n", (double)now_ps / (double)PS_PER_US, what,
                         csv_field(where).buf, value);
    s->bytes += length > 0 ? (uint64_t)length : 0;
}

struct samples *samples_open(FILE *out, const struct simulation *simulation, uint64_t bytes_max)
{
    struct samples *s = xcalloc(1, sizeof *s);

    *s = (struct samples){ .out = out, .simulation = simulation, .bytes_max = bytes_max,
                           .queue = xcalloc(simulation->sim->net.ports + 1ul, sizeof *s->queue) };
    s->bytes = (uint64_t)fprintf(out, "time_us,what,where,value\n");
    return s;
}

static void look_at_ports(struct samples *s, uint64_t now_ps)
{
    const struct network *net = &s->simulation->sim->net;
    char                  where[48];

    for (uint32_t i = 0; i < net->ports; i++) {
        const struct port *p = &net->port[i];
        uint64_t           bytes = 0;

        for (uint32_t c = 0; p->is_switch && c < PRIOS; c++)
            bytes += p->queue[c].bytes;
        if (bytes == s->queue[i])
            continue;
        s->queue[i] = bytes;
        snprintf(where, sizeof where, "%s:%u", net->graph.node[p->node->id].name, p->index);
        write_row(s, now_ps, "queue", where, (double)bytes);
    }
}

static void name_flow(char *where, size_t size, const struct samples *s, const struct shown *f)
{
    const struct graph *g = &s->simulation->sim->net.graph;

    snprintf(where, size, "%.15s>%.15s:%u", g->node[f->src].name, g->node[f->dst].name, f->ports & 0xffff);
}

/* One that is over has sent nothing since. */
static void end_flow(struct samples *s, uint64_t now_ps, struct shown *was)
{
    char where[64];

    if (was->is_there && was->has_goodput) {
        name_flow(where, sizeof where, s, was);
        write_row(s, now_ps, "goodput", where, 0);
    }
    was->is_there = false;
}

static void look_at_flow(struct samples *s, uint64_t now_ps, uint32_t id)
{
    const struct flow *f = &s->simulation->sim->flows.flow[id];
    struct shown       *was = &s->seen[id];
    char               where[64];

    if (!was->is_there || was->generation != f->generation || was->ports != f->ports) {
        end_flow(s, now_ps, was);
        *was = (struct shown){ .src = f->src, .dst = f->dst, .ports = f->ports, .generation = f->generation,
                               .is_there = true };
    }
    name_flow(where, sizeof where, s, was);
    if (was->rate_bps != f->out.rate_bps && !f->tcp)
        write_row(s, now_ps, "rate", where, (double)f->out.rate_bps / GBPS);
    uint64_t bytes = f->acked > was->acked ? f->acked - was->acked : 0;
    if (bytes || was->has_goodput)
        write_row(s, now_ps, "goodput", where,
                  (double)bytes * 8 * (double)PS_PER_S / (double)(now_ps - s->last_ps) / GBPS);
    was->has_goodput = bytes > 0;
    was->acked = f->acked;
    was->rate_bps = f->out.rate_bps;
}

static void look_at_flows(struct samples *s, uint64_t now_ps)
{
    const struct flows *all = &s->simulation->sim->flows;

    if (all->used > s->flows) {
        s->seen = xrealloc(s->seen, (all->used + all->used / 2ul) * sizeof *s->seen);
        memset(s->seen + s->flows, 0, (all->used + all->used / 2ul - s->flows) * sizeof *s->seen);
        s->flows = all->used + all->used / 2;
    }
    for (uint32_t id = all->first; id < all->used; id++)
        if (all->flow[id].phase == FLOW_ACTIVE)
            look_at_flow(s, now_ps, id);
        else
            end_flow(s, now_ps, &s->seen[id]);
}

void samples_look(struct samples *s, uint64_t now_ps)
{
    if (now_ps <= s->last_ps)
        return;
    look_at_ports(s, now_ps);
    look_at_flows(s, now_ps);
    s->last_ps = now_ps;
}

uint64_t samples_close(struct samples *s)
{
    uint64_t left_out = s->left_out;

    free(s->queue);
    free(s->seen);
    free(s);
    return left_out;
}
