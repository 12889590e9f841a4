/* src/cmd/results.c - adds up what the ports and flows of a simulation have counted. */
#include "cmd/results.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

char *results_port_name(char buf[PORT_NAME_MAX], const struct sim *s, const struct port *p)
{
    snprintf(buf, PORT_NAME_MAX, "%s:%u", s->graph.node[p->node->id].name, p->index);
    return buf;
}

/* Keeps 'list' sorted by value, largest first; the first of equals stays first. */
static void keep_worst(uint32_t list[RESULTS_WORST], uint64_t value[RESULTS_WORST], uint32_t *count, uint32_t port,
                       uint64_t is)
{
    uint32_t at = *count;

    while (at > 0 && value[at - 1] < is)
        at--;
    if (is == 0 || at == RESULTS_WORST)
        return;
    if (*count < RESULTS_WORST)
        ++*count;
    for (uint32_t i = *count - 1; i > at; i--) {
        list[i] = list[i - 1];
        value[i] = value[i - 1];
    }
    list[at] = port;
    value[at] = is;
}

static void add_ports(struct results *r)
{
    uint64_t paused[RESULTS_WORST], queued[RESULTS_WORST];

    for (uint32_t i = 0; i < r->sim->ports; i++) {
        const struct port *p = &r->sim->port[i];
        uint64_t paused_ps = port_paused_ps(p, r->end_ps);

        for (int kind = PACKET_DATA; kind <= PACKET_PFC; kind++)
            r->hops += p->counters.tx_packets[kind];
        r->marked_packets += p->counters.marked_packets;
        r->paused_ps += paused_ps;
        r->paused_ports += p->counters.pauses > 0;
        keep_worst(r->paused, paused, &r->paused_count, i, paused_ps);
        keep_worst(r->queued, queued, &r->queued_count, i, p->counters.queue_bytes_max);
    }
}

/* Flows that are over have been counted by meter/fct; those that are not are still in the simulation. */
static void add_flows(struct results *r)
{
    const struct sim *s = r->sim;

    r->resent_bytes = r->fct->all.resent_bytes;
    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        r->entry[i].flows_started = r->fct->entry[i].count;
        r->entry[i].bytes_started = r->fct->entry[i].bytes;
    }
    for (uint32_t i = 0; (i = sim_next_active(s, i)) != 0; ) {
        const struct flow *f = &s->flow[i];

        r->resent_bytes += f->resent_bytes;
        r->entry[f->traffic].flows_started++;
        r->entry[f->traffic].bytes_started += f->bytes;
    }
}

static double realised_load(const struct scenario_traffic *t, uint64_t bytes, uint64_t end_ps)
{
    uint64_t stop_ps = t->stop_ps < end_ps ? t->stop_ps : end_ps;
    double asked_bits;

    if (t->load == 0 || stop_ps <= t->start_ps)
        return 0;
    asked_bits = t->bps_per_host * t->hosts * ((double)(stop_ps - t->start_ps) / (double)PS_PER_S);
    return t->load * (double)bytes * 8 / asked_bits;
}

void results_init(struct results *r, const struct simulation *run)
{
    const struct scenario *scenario = &run->scenario;
    const struct sim *s = run->sim;
    uint64_t end_ps = run->end_ps;

    memset(r, 0, sizeof(*r));
    r->scenario = scenario;
    r->sim = s;
    r->fct = &run->fct;
    r->ops = &run->ops;
    r->series = &run->series;
    r->text = run->input.text;
    r->text_bytes = run->input.text_bytes;
    r->set = run->input.set;
    r->sets = run->input.sets;
    r->end_ps = end_ps;
    r->wall_s = run->wall_s;
    r->entry = xcalloc(scenario->entries ? scenario->entries : 1, sizeof(*r->entry));
    add_ports(r);
    add_flows(r);
    r->unfinished = s->counters.flows_started - s->counters.flows_done;
    if (end_ps > s->first_start_ps)      /* flow lists often begin at 2 s */
        r->goodput_bps = (double)s->counters.payload_received * 8 /
                         ((double)(end_ps - s->first_start_ps) / (double)PS_PER_S);
    for (uint32_t i = 0; i < scenario->entries; i++)
        r->entry[i].load = realised_load(&scenario->entry[i], r->entry[i].bytes_started, end_ps);
}

void results_fini(struct results *r)
{
    free(r->entry);
}
