#include "study/run/slots.h"
#include "sim/observe/queue_telemetry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slots {
    struct sim         *sim;
    struct loop        *loop;
    struct telemetry   *telemetry;
    struct queue_slot  *seen;
    uint64_t            start_ps, slot_ps, slot; /* slot: current, from 0 */
    uint32_t            sample;  /* next sample of the slot, from 1; 0: not begun */

    void (*row)(void *arg, const struct slots_row *);
    void               *row_arg;
    struct queue_facts *queue;
    uint32_t            count;
    struct ecn         *was;     /* at the start of the slot */
};

static void begin_record(struct slots *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->was[i] = sim_port(s->sim, s->queue[i].port).ecn;
}

struct slots *slots_new(struct sim *sim, struct loop *loop, uint64_t start_ps,
                        void (*row)(void *arg, const struct slots_row *), void *arg)
{
    struct slots *s;

    if (!loop_slot_ps(loop))
        return NULL;
    s = xmalloc(sizeof *s);
    *s = (struct slots){ .sim = sim, .loop = loop,
                         .start_ps = start_ps, .sample = start_ps == 0, .slot_ps = loop_slot_ps(loop),
                         .row = row, .row_arg = arg, .count = telemetry_list(sim, NULL),
                         .telemetry = telemetry_new(sim) };
    s->seen = xcalloc(s->count + 1ul, sizeof *s->seen);
    s->queue = xcalloc(s->count + 1ul, sizeof *s->queue);
    s->was = xcalloc(s->count + 1ul, sizeof *s->was);
    telemetry_list(s->sim, s->queue);
    begin_record(s);
    return s;
}

void slots_free(struct slots *s)
{
    if (!s)
        return;
    telemetry_free(s->telemetry);
    free(s->seen);
    free(s->queue);
    free(s->was);
    free(s);
}

/* ---- recording ---- */

static void record(struct slots *s, uint64_t start_ps)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct queue_slot *seen = &s->seen[i];
        uint32_t                 port = s->queue[i].port;
        struct slots_row         row = { .start_ps = start_ps, .slot_ps = s->slot_ps, .seen = seen,
                                         .port = port, .ecn = sim_port(s->sim, port).ecn };

        row.is_changed = !ecn_equal(&seen->ecn, &s->was[i]) || !ecn_equal(&row.ecn, &s->was[i]);
        s->was[i] = row.ecn;
        if (row.is_changed || seen->tx_bytes || seen->queue_bytes_mean)
            s->row(s->row_arg, &row);
    }
}

/* ---- timing ---- */

uint64_t slots_next_ps(const struct slots *s)
{
    if (!s)
        return NEVER;
    return s->start_ps + s->slot * s->slot_ps + s->slot_ps * s->sample / TELEMETRY_SAMPLES;
}

static void decide(struct slots *s, uint64_t end_ps)
{
    struct decision d;

    loop_on_slot(s->loop, end_ps, s->seen, &d);
    apply_decision(s->sim, s->loop, &d);
}

void slots_look(struct slots *s)
{
    if (s->sample++ == 0) {
        telemetry_read(s->telemetry, s->seen);     /* discards earlier measurements */
        begin_record(s);
        return;
    }
    telemetry_sample(s->telemetry);
    if (s->sample <= TELEMETRY_SAMPLES)
        return;
    s->sample = 1;
    s->slot++;
    telemetry_read(s->telemetry, s->seen);
    decide(s, s->start_ps + s->slot * s->slot_ps);
    record(s, s->start_ps + (s->slot - 1) * s->slot_ps);
}

/* ---- log of thresholds ---- */

void queue_log_init(struct queue_log *l, const struct sim *s)
{
    *l = (struct queue_log){ .ports = sim_ports(s) };
    l->first = xcalloc(l->ports + 1ul, sizeof *l->first);
    l->changes_of = xcalloc(l->ports + 1ul, sizeof *l->changes_of);
    for (uint32_t i = 0; i < l->ports; i++)
        l->first[i] = sim_port(s, i).ecn;
}

void queue_log_fini(struct queue_log *l)
{
    free(l->first);
    free(l->changes_of);
    free(l->change);
    *l = (struct queue_log){ 0 };
}

void queue_log_add(struct queue_log *l, const struct slots_row *r)
{
    if (!r->is_changed)
        return;
    l->changes++;
    l->changes_of[r->port]++;
    if (l->count == QUEUE_CHANGES_MAX)
        return;
    l->change = xgrow(l->change, l->count, &l->max, 256, sizeof *l->change);
    l->change[l->count++] = (struct queue_change){ r->start_ps + r->slot_ps, r->port, r->ecn };
}

void queue_log_name(char *buf, size_t size, const struct sim *s, uint32_t port)
{
    struct sim_port p = sim_port(s, port);

    snprintf(buf, size, "%s:%u > %s", sim_graph(s)->node[p.node].name, p.index,
             sim_graph(s)->node[p.peer_node].name);
}

/* ---- summary ---- */

struct sums { struct tuned_setting *of; uint32_t count, max; };

static void add_time(struct sums *s, const struct ecn *e, uint64_t ps)
{
    uint32_t i = 0;

    while (i < s->count && !ecn_equal(&s->of[i].ecn, e))
        i++;
    if (i == s->count) {
        s->of = xgrow(s->of, s->count, &s->max, 64, sizeof *s->of);
        s->of[s->count++] = (struct tuned_setting){ .ecn = *e };
    }
    s->of[i].share += (double)ps;
}

static int by_share(const void *a, const void *b)
{
    const struct tuned_setting *x = a, *y = b;

    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return (x->ecn.kmin_bytes > y->ecn.kmin_bytes) - (x->ecn.kmin_bytes < y->ecn.kmin_bytes);
}

static void sum_settings(const struct queue_log *l, const struct queue_facts *queue, uint32_t queues,
                         uint64_t end_ps, struct tuned_queues *t)
{
    struct ecn  *now = xcopy(l->first, l->ports, sizeof *now);
    uint64_t    *since_ps = xcalloc(l->ports + 1ul, sizeof *since_ps);
    struct sums  sums = { 0 };

    for (uint32_t i = 0; i < l->count; i++) {
        const struct queue_change *c = &l->change[i];

        add_time(&sums, &now[c->port], c->at_ps - since_ps[c->port]);
        now[c->port] = c->ecn;
        since_ps[c->port] = c->at_ps;
    }
    for (uint32_t i = 0; i < queues; i++)
        if (end_ps > since_ps[queue[i].port])
            add_time(&sums, &now[queue[i].port], end_ps - since_ps[queue[i].port]);
    if (sums.count)
        qsort(sums.of, sums.count, sizeof *sums.of, by_share);
    for (; t->settings < sums.count && t->settings < TUNED_SETTINGS_MAX; t->settings++) {
        double share = sums.of[t->settings].share / ((double)end_ps * queues);

        t->setting[t->settings] = (struct tuned_setting){ .ecn = sums.of[t->settings].ecn,
                                                          .share = fmin(share, 1) };
    }                            /* above 1: the last slot may end after the run */
    free(sums.of);
    free(since_ps);
    free(now);
}

static void add_most(const struct queue_log *l, const struct sim *s, uint32_t port, struct tuned_queues *t)
{
    uint32_t at = t->mosts;

    while (at > 0 && t->most[at - 1].changes < l->changes_of[port])
        at--;
    if (at == TUNED_MOST_MAX || l->changes_of[port] == 0)
        return;
    if (t->mosts < TUNED_MOST_MAX)
        t->mosts++;
    memmove(&t->most[at + 1], &t->most[at], (t->mosts - at - 1) * sizeof *t->most);
    t->most[at] = (struct tuned_queue){ .changes = l->changes_of[port],
                                        .last = sim_port(s, port).ecn };
    queue_log_name(t->most[at].name, sizeof t->most[at].name, s, port);
}

void queue_log_sum(const struct queue_log *l, const struct sim *s, uint64_t end_ps, struct tuned_queues *t)
{
    uint32_t            queues = telemetry_list(s, NULL);
    struct queue_facts *queue = xcalloc(queues + 1ul, sizeof *queue);

    *t = (struct tuned_queues){ .queues = queues, .changes = l->changes };
    telemetry_list(s, queue);
    for (uint32_t i = 0; i < queues; i++) {
        t->changed += l->changes_of[queue[i].port] > 0;
        add_most(l, s, queue[i].port, t);
    }
    if (queues && end_ps)
        sum_settings(l, queue, queues, end_ps, t);
    free(queue);
}
