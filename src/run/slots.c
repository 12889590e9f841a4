#include "run/slots.h"
#include "sim/observe/queue_telemetry.h"

#include <stdlib.h>

struct slots {
    struct sim         *sim;
    struct applier     *applier;
    struct loop        *loop;
    struct telemetry   *telemetry;
    struct queue_slot  *seen;
    uint64_t            start_ps, slot_ps, slot; /* slot: current, from 0 */
    uint32_t            sample;  /* next sample of the slot, from 1; 0: not begun */

    void (*row)(void *arg, const struct slots_row *);    /* NULL: not recorded */
    void               *row_arg;
    struct queue_facts *queue;
    uint32_t            count;
    struct ecn         *was;     /* at the start of the slot */
};

struct slots *slots_new(struct applier *a, struct loop *loop, uint64_t start_ps)
{
    struct slots *s;

    if (!loop_slot_ps(loop))
        return NULL;
    s = xcalloc(1, sizeof *s);
    *s = (struct slots){ .sim = a->sim, .applier = a, .loop = loop,
                         .start_ps = start_ps, .sample = start_ps == 0, .slot_ps = loop_slot_ps(loop),
                         .telemetry = telemetry_new(a->sim) };
    s->seen = xcalloc(telemetry_list(a->sim, NULL) + 1ul, sizeof *s->seen);
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

static struct ecn in_force(const struct slots *s, uint32_t queue)
{
    const struct ecn_cfg *e = &s->sim->net.port[s->queue[queue].port].ecn;

    return (struct ecn){ e->kmin_bytes, e->kmax_bytes, e->pmax };
}

static void begin_record(struct slots *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->was[i] = in_force(s, i);
}

void slots_record(struct slots *s, void (*row)(void *arg, const struct slots_row *), void *arg)
{
    if (!s)
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
                                         .port = &s->sim->net.port[s->queue[i].port], .ecn = in_force(s, i) };

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
    struct outcome  o;

    loop_on_slot(s->loop, end_ps, s->seen, &d);
    if (!d.number)
        return;
    apply_decision(s->applier, &d, &o);
    loop_on_applied(s->loop, &o);
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
