#include "sim/observe/queue_telemetry.h"
#include "sim/sim.h"
#include "sim/state/state.h"

#include <stdlib.h>

struct telemetry {
    struct sim        *sim;
    struct queue_slot *was;      /* counters at the end of the last slot */
    uint64_t          *sum;      /* sum of the sampled lengths */
    uint32_t           count, samples;
};

/* ---- list ---- */

/* Iterates over switch ports by id; 'i' is the port after the last one returned. */
static struct port *next_queue(const struct sim *s, uint32_t *i)
{
    while (*i < s->net.ports)
        if (s->net.port[(*i)++].is_switch)
            return &s->net.port[*i - 1];
    return NULL;
}

/* Breadth-first search from the hosts. */
void telemetry_tiers(const struct sim *s, uint32_t *tier)
{
    bool goes_on = true;

    for (uint32_t n = 0; n < s->net.nodes; n++)
        tier[n] = s->net.node[n].is_switch ? UINT32_MAX : 0;
    for (uint32_t at = 0; goes_on; at++) {
        goes_on = false;
        for (uint32_t i = 0; i < s->net.ports; i++) {
            uint32_t *far = &tier[s->net.port[i].peer->node->id];

            if (tier[s->net.port[i].node->id] != at || *far != UINT32_MAX)
                continue;
            *far = at + 1;
            goes_on = true;
        }
    }
}

uint32_t telemetry_list(const struct sim *s, struct queue_facts *facts)
{
    uint32_t    *tier = xcalloc(s->net.nodes, sizeof *tier);
    uint32_t     count = 0, devices = 0;
    struct node *last = NULL;
    struct port *p;

    telemetry_tiers(s, tier);
    for (uint32_t i = 0; (p = next_queue(s, &i)) != NULL; count++) {
        devices += p->node != last;
        last = p->node;
        if (facts)
            facts[count] = (struct queue_facts){ .device = devices - 1, .port = p->id,
                                                 .rate_bps = p->rate_bps,
                                                 .is_uplink = tier[p->peer->node->id] > tier[p->node->id] };
    }
    free(tier);
    return count;
}

/* ---- read ---- */

static void count_ports(struct sim *s, bool is_on)
{
    struct port *p;

    for (uint32_t i = 0; (p = next_queue(s, &i)) != NULL; ) {
        p->slow_path = (uint16_t)((p->slow_path & ~SLOW_COUNTED) | (is_on ? SLOW_COUNTED : 0));
        p->counted_prios = s->sw.queue_prios;
    }
}

static uint64_t length(const struct sim *s, const struct port *p)
{
    uint64_t bytes = 0;

    for (uint32_t c = 0; p->backlog && c < PRIOS; c++)
        if (s->sw.queue_prios >> c & 1)
            bytes += p->queue[c].bytes;
    return bytes;
}

struct telemetry *telemetry_new(struct sim *s)
{
    struct telemetry *q = xcalloc(1, sizeof *q);
    struct port   *p;

    q->sim = s;
    q->count = telemetry_list(s, NULL);
    q->was = xcalloc(q->count + 1ul, sizeof *q->was);
    q->sum = xcalloc(q->count + 1ul, sizeof *q->sum);
    for (uint32_t i = 0, n = 0; (p = next_queue(s, &i)) != NULL; n++)
        q->was[n] = (struct queue_slot){ .tx_bytes = p->queue_tx_bytes,
                                         .marked_bytes = p->queue_marked_bytes };
    count_ports(s, true);
    return q;
}

void telemetry_free(struct telemetry *q)
{
    if (!q)
        return;
    count_ports(q->sim, false);
    free(q->was);
    free(q->sum);
    free(q);
}

void telemetry_sample(struct telemetry *q)
{
    struct port *p;

    for (uint32_t i = 0, n = 0; (p = next_queue(q->sim, &i)) != NULL; n++)
        q->sum[n] += length(q->sim, p);
    q->samples++;
}

void telemetry_read(struct telemetry *q, struct queue_slot *slot)
{
    struct port *p;

    if (!q->samples)
        telemetry_sample(q);
    for (uint32_t i = 0, n = 0; (p = next_queue(q->sim, &i)) != NULL; n++) {
        slot[n] = (struct queue_slot){
            .tx_bytes = p->queue_tx_bytes - q->was[n].tx_bytes,
            .marked_bytes = p->queue_marked_bytes - q->was[n].marked_bytes,
            .queue_bytes_mean = q->sum[n] / q->samples,
            .ecn = { p->ecn.kmin_bytes, p->ecn.kmax_bytes, p->ecn.pmax },
        };
        q->was[n].tx_bytes = p->queue_tx_bytes;
        q->was[n].marked_bytes = p->queue_marked_bytes;
        q->sum[n] = 0;
    }
    q->samples = 0;
}

/* ---- write ---- */

uint32_t telemetry_set(struct sim *s, const struct ecn *ecn)
{
    uint32_t     changed = 0;
    struct port *p;

    for (uint32_t i = 0, n = 0; s->cfg.ecn_on && (p = next_queue(s, &i)) != NULL; n++) {
        if (p->ecn.kmin_bytes == ecn[n].kmin_bytes && p->ecn.kmax_bytes == ecn[n].kmax_bytes &&
            p->ecn.pmax == ecn[n].pmax)
            continue;
        sim_set_ecn(s, p->id, &ecn[n]);
        changed++;
    }
    return changed;
}
