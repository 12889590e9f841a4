#include "sim/unfinished.h"
#include "sim/nic/flow.h"

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

double unfinished_slowdown(const struct unfinished *m, uint64_t now_ps)
{
    if (!m->bytes || !m->ideal_ps || now_ps < m->start_ps)
        return 0;
    return (double)(now_ps - m->start_ps) / (double)m->ideal_ps +
           (double)(m->bytes - m->acked_bytes) / (double)m->bytes;
}
