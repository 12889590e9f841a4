#include "sim/host/rto.h"

static uint32_t event_of(const struct sim *s, const struct host *h)
{
    return s->engine.first_event[EV_TIMEOUT] + h->id;
}

void rto_await(struct sim *s, const struct host *h, uint64_t at_ps, uint64_t order_ps)
{
    if (s->cfg.rto_ps && !evq_is_pending(&s->engine.evq, event_of(s, h)))
        evq_add(&s->engine.evq, event_of(s, h), at_ps, sim_order(s, &s->net.node[h->node], order_ps));
}

APART void rto_restart(struct sim *s, const struct host *h, struct flow *f)
{
    f->progress_ps = s->engine.now_ps;
    rto_await(s, h, s->engine.now_ps + s->cfg.rto_ps, s->engine.now_ps + s->cfg.rto_ps);
}

void rto_on_start(struct sim *s, const struct host *h, struct flow *f)
{
    if (s->model.on_timeout)
        f->progress_ps = NEVER;          /* until it sends */
    else
        rto_await(s, h, s->engine.now_ps + s->cfg.rto_ps, s->engine.now_ps + s->cfg.rto_ps);
}

void rto_cancel(struct sim *s, const struct host *h)
{
    if (evq_is_pending(&s->engine.evq, event_of(s, h)))
        evq_cancel(&s->engine.evq, event_of(s, h));
}
