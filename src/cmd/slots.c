/* src/cmd/slots.c */
#include "cmd/slots.h"
#include "sim/queues.h"

#include <stdlib.h>

struct slots {
    struct sim        *sim;
    struct tuner      *tuner;
    struct queues     *queues;   /* NULL: the tuner does not look at them */
    struct queue_slot *seen;
    struct ecn        *ecn;
    uint64_t           start_ps, slot_ps, slot;  /* the slot at hand, from 0 */
    uint32_t           sample;   /* the next of it, from 1; 0: it has not begun */
};

void slots_set(struct slots *s)
{
    if (s && s->tuner->algo->queues(s->tuner->state, s->ecn))
        queues_set(s->sim, s->ecn);
}

struct slots *slots_new(struct sim *sim, struct tuner *tuner, uint64_t start_ps)
{
    struct slots *s;
    uint32_t      count;

    if (!tuner->algo || !tuner->algo->queues)
        return NULL;
    s = xcalloc(1, sizeof *s);
    count = queues_list(sim, NULL);
    *s = (struct slots){ .sim = sim, .tuner = tuner, .start_ps = start_ps, .sample = start_ps == 0 };
    s->ecn = xcalloc(count + 1ul, sizeof *s->ecn);
    if (tuner->algo->slot) {
        s->slot_ps = tuner->algo->slot_ps(tuner->state);
        s->queues = queues_new(sim);
        s->seen = xcalloc(count + 1ul, sizeof *s->seen);
    }
    slots_set(s);
    return s;
}

void slots_free(struct slots *s)
{
    if (!s)
        return;
    queues_free(s->queues);
    free(s->seen);
    free(s->ecn);
    free(s);
}

uint64_t slots_next_ps(const struct slots *s)
{
    if (!s || !s->queues)
        return NEVER;
    return s->start_ps + s->slot * s->slot_ps + s->slot_ps * s->sample / QUEUES_SAMPLES;
}

void slots_look(struct slots *s)
{
    if (s->sample++ == 0) {
        queues_read(s->queues, s->seen);     /* what was before does not count */
        return;
    }
    queues_sample(s->queues);
    if (s->sample <= QUEUES_SAMPLES)
        return;
    s->sample = 1;
    s->slot++;
    queues_read(s->queues, s->seen);
    s->tuner->algo->slot(s->tuner->state, s->seen);
    slots_set(s);
}
