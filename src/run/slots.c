/* src/run/slots.c */
#include "run/slots.h"
#include "sim/observe/queue_telemetry.h"

#include <stdlib.h>

struct slots {
    struct sim        *sim;
    struct tuner      *tuner;
    struct telemetry     *queues;   /* NULL: the tuner does not look at them */
    struct queue_slot *seen;
    struct ecn        *ecn;
    uint64_t           start_ps, slot_ps, slot;  /* the slot at hand, from 0 */
    uint32_t           sample;   /* the next of it, from 1; 0: it has not begun */

    void (*row)(void *arg, const struct slots_row *);    /* NULL: nobody asks */
    void              *row_arg;
    struct queue_facts *queue;
    uint32_t           count;
    struct ecn        *was;      /* in force when the slot began */
};

void slots_set(struct slots *s)
{
    if (s && s->tuner->algo->queues(s->tuner->state, s->ecn))
        telemetry_set(s->sim, s->ecn);
}

struct slots *slots_new(struct sim *sim, struct tuner *tuner, uint64_t start_ps)
{
    struct slots *s;
    uint32_t      count;

    if (!tuner->algo || !tuner->algo->queues)
        return NULL;
    s = xcalloc(1, sizeof *s);
    count = telemetry_list(sim, NULL);
    *s = (struct slots){ .sim = sim, .tuner = tuner, .start_ps = start_ps, .sample = start_ps == 0 };
    s->ecn = xcalloc(count + 1ul, sizeof *s->ecn);
    if (tuner->algo->slot) {
        s->slot_ps = tuner->algo->slot_ps(tuner->state);
        s->queues = telemetry_new(sim);
        s->seen = xcalloc(count + 1ul, sizeof *s->seen);
    }
    slots_set(s);
    return s;
}

void slots_free(struct slots *s)
{
    if (!s)
        return;
    telemetry_free(s->queues);
    free(s->seen);
    free(s->ecn);
    free(s->queue);
    free(s->was);
    free(s);
}

/* ---- what is recorded ---- */

static struct ecn in_force(const struct slots *s, uint32_t queue)
{
    const struct ecn_cfg *e = &s->sim->port[s->queue[queue].port].ecn;

    return (struct ecn){ e->kmin_bytes, e->kmax_bytes, e->pmax };
}

static void begin_record(struct slots *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->was[i] = in_force(s, i);
}

void slots_record(struct slots *s, void (*row)(void *arg, const struct slots_row *), void *arg)
{
    if (!s || !s->queues)
        return;
    s->row = row;
    s->row_arg = arg;
    s->count = telemetry_list(s->sim, NULL);
    s->queue = xcalloc(s->count + 1ul, sizeof *s->queue);
    s->was = xcalloc(s->count + 1ul, sizeof *s->was);
    telemetry_list(s->sim, s->queue);
    begin_record(s);
}

static void record(struct slots *s, uint64_t start_ps)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct queue_slot *seen = &s->seen[i];
        struct slots_row         row = { .start_ps = start_ps, .slot_ps = s->slot_ps, .seen = seen,
                                         .port = &s->sim->port[s->queue[i].port], .ecn = in_force(s, i) };

        row.is_changed = !ecn_equal(&seen->ecn, &s->was[i]) || !ecn_equal(&row.ecn, &s->was[i]);
        s->was[i] = row.ecn;
        if (row.is_changed || seen->tx_bytes || seen->queue_bytes_mean)
            s->row(s->row_arg, &row);
    }
}

/* ---- the clock ---- */

uint64_t slots_next_ps(const struct slots *s)
{
    if (!s || !s->queues)
        return NEVER;
    return s->start_ps + s->slot * s->slot_ps + s->slot_ps * s->sample / TELEMETRY_SAMPLES;
}

void slots_look(struct slots *s)
{
    if (s->sample++ == 0) {
        telemetry_read(s->queues, s->seen);     /* what was before does not count */
        begin_record(s);
        return;
    }
    telemetry_sample(s->queues);
    if (s->sample <= TELEMETRY_SAMPLES)
        return;
    s->sample = 1;
    s->slot++;
    telemetry_read(s->queues, s->seen);
    s->tuner->algo->slot(s->tuner->state, s->seen);
    slots_set(s);
    record(s, s->start_ps + (s->slot - 1) * s->slot_ps);
}
