#include "sim/unfinished.h"
#include "base/err.h"
#include "sim/nic/flow.h"

#include <stdlib.h>

static void each_of_flow(const struct sim *s, uint32_t flow,
                         void (*each)(void *arg, const struct unfinished *), void *arg)
{
    const struct flow   *f = &s->flows.flow[flow];
    struct sim_flow      seen = sim_flow(s, flow);
    const struct posted *posted = s->flows.pairs.posted;
    uint32_t             place = 0, head = f->is_lasting ? pair_of(s, f)->head : 0;

    if (!head || posted_is_open(&posted[head]))
        each(arg, &(struct unfinished){ seen, f->start_ps, head ? posted_bytes(&posted[head]) : f->bytes,
                                        pair_acked(s, f), f->resent_bytes, f->ideal_ps, 0 });
    for (uint32_t id = head ? posted[head].next : 0; id; id = posted[id].next)
        if (posted_is_open(&posted[id]))
            each(arg, &(struct unfinished){ seen, posted[id].start_ps, posted_bytes(&posted[id]), 0, 0,
                                            posted[id].ideal_ps, ++place });
}

void sim_each_unfinished(const struct sim *s, void (*each)(void *arg, const struct unfinished *), void *arg)
{
    for (uint32_t i = 0; (i = sim_next_active(s, i)) != 0; )
        each_of_flow(s, i, each, arg);
}

struct read { struct posted *m; uint32_t flow; };

/* READs that arrive at the same time keep the order of their queue pairs. */
static int by_arrival(const void *a, const void *b)
{
    const struct read *x = a, *y = b;

    if (x->m->arrived_ps != y->m->arrived_ps)
        return x->m->arrived_ps < y->m->arrived_ps ? -1 : 1;
    return x->flow != y->flow ? (x->flow < y->flow ? -1 : 1) : x->m->begin < y->m->begin ? -1 : 1;
}

void sim_end_reads(struct sim *s)
{
    struct posted *posted = s->flows.pairs.posted;
    struct read   *read = NULL;
    uint32_t       reads = 0, room = 0;

    for (uint32_t i = 0; (i = sim_next_active(s, i)) != 0; ) {
        const struct flow *f = &s->flows.flow[i];

        for (uint32_t id = f->is_lasting ? pair_of(s, f)->head : 0; id; id = posted[id].next)
            if (posted[id].op.verb == VERB_READ && posted[id].arrived_ps) {
                read = xgrow(read, reads, &room, 64, sizeof *read);
                read[reads++] = (struct read){ &posted[id], i };
            }
    }
    if (reads)
        qsort(read, reads, sizeof *read, by_arrival);
    for (uint32_t i = 0; i < reads; i++)
        flow_end_read(s, &s->flows.flow[read[i].flow], read[i].m);
    free(read);
}

double unfinished_slowdown(const struct unfinished *m, uint64_t now_ps)
{
    if (!m->bytes || !m->ideal_ps || now_ps < m->start_ps)
        return 0;
    return (double)(now_ps - m->start_ps) / (double)m->ideal_ps +
           (double)(m->bytes - m->acked_bytes) / (double)m->bytes;
}
