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
    uint32_t src, dst;
    uint16_t sport, dport, generation;
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
                           .queue = xcalloc(sim_ports(simulation->sim) + 1ul, sizeof *s->queue) };
    s->bytes = (uint64_t)fprintf(out, "time_us,what,where,value\n");
    return s;
}

static void look_at_ports(struct samples *s, uint64_t now_ps)
{
    const struct sim *sim = s->simulation->sim;
    char              where[48];

    for (uint32_t i = 0; i < sim_ports(sim); i++) {
        struct sim_port p = sim_port(sim, i);

        if (p.queue_bytes == s->queue[i])
            continue;
        s->queue[i] = p.queue_bytes;
        snprintf(where, sizeof where, "%s:%u", sim_graph(sim)->node[p.node].name, p.index);
        write_row(s, now_ps, "queue", where, (double)p.queue_bytes);
    }
}

static void name_flow(char *where, size_t size, const struct samples *s, const struct shown *f)
{
    const struct graph *g = sim_graph(s->simulation->sim);

    snprintf(where, size, "%.15s>%.15s:%u", g->node[f->src].name, g->node[f->dst].name, f->sport);
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

static void look_at_flow(struct samples *s, uint64_t now_ps, const struct sim_flow *f)
{
    struct shown *was = &s->seen[f->id];
    char          where[64];

    if (!was->is_there || was->generation != f->generation || was->sport != f->sport ||
        was->dport != f->dport) {
        end_flow(s, now_ps, was);
        *was = (struct shown){ .src = f->src, .dst = f->dst, .sport = f->sport, .dport = f->dport,
                               .generation = f->generation, .is_there = true };
    }
    name_flow(where, sizeof where, s, was);
    if (was->rate_bps != f->rate_bps && !f->is_tcp)
        write_row(s, now_ps, "rate", where, (double)f->rate_bps / GBPS);
    uint64_t bytes = f->acked > was->acked ? f->acked - was->acked : 0;
    if (bytes || was->has_goodput)
        write_row(s, now_ps, "goodput", where,
                  (double)bytes * 8 * (double)PS_PER_S / (double)(now_ps - s->last_ps) / GBPS);
    was->has_goodput = bytes > 0;
    was->acked = f->acked;
    was->rate_bps = f->rate_bps;
}

static void make_room_for(struct samples *s, uint32_t id)
{
    if (id < s->flows)
        return;
    uint32_t flows = id + id / 2 + 1;
    s->seen = xrealloc(s->seen, flows * sizeof *s->seen);
    memset(s->seen + s->flows, 0, (flows - s->flows) * sizeof *s->seen);
    s->flows = flows;
}

/* In the order of their numbers, those that are over included. */
static void look_at_flows(struct samples *s, uint64_t now_ps)
{
    uint32_t next = 1, id;

    for (id = 0; (id = sim_next_active(s->simulation->sim, id)) != 0; next = id + 1) {
        struct sim_flow f = sim_flow(s->simulation->sim, id);

        make_room_for(s, id);
        for (; next < id; next++)
            end_flow(s, now_ps, &s->seen[next]);
        look_at_flow(s, now_ps, &f);
    }
    for (; next < s->flows; next++)
        end_flow(s, now_ps, &s->seen[next]);
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
