#include "sim/host/flow.h"
#include "sim/host/pair/pair.h"

#define REST_PS (PS_PER_S / 10)  /* longer than a packet is ever under way */

void flow_fail(struct engine *e, uint64_t most)
{
    engine_fail(e, "more than %llu flows at once: more is sent than the network carries", (unsigned long long)most);
}

uint32_t flow_take(struct sim *s)
{
    struct flows *all = &s->flows;
    uint32_t      id = all->free;

    if (id) {
        all->free = all->flow[id].next_free;
        return id;
    }
    id = all->resting;
    if (id && s->engine.now_ps - all->flow[id].progress_ps > REST_PS) {
        all->resting = all->flow[id].next_free;
        if (!all->resting)
            all->resting_last = 0;
        return id;
    }
    if (all->used < all->limit)
        return all->used++;
    flow_fail(&s->engine, all->limit - all->first);
    return 0;
}

/* Gives a flow's index back. While copies of its packets may be under way their receiver must find the state
 * that goes with them, so a flow that has sent something twice keeps its index for a while. */
static void retire(struct sim *s, struct flow *f)
{
    struct flows *all = &s->flows;
    uint32_t      id = (uint32_t)(f - all->flow);

    f->next_free = 0;
    if (!f->resent_bytes) {
        f->next_free = all->free;
        all->free = id;
        return;
    }
    if (s->model.forget)
        s->model.forget(s, f);
    f->progress_ps = s->engine.now_ps;
    if (all->resting_last)
        all->flow[all->resting_last].next_free = id;
    else
        all->resting = id;
    all->resting_last = id;
}

/* What is read here of a flow does not change from its start until the source knows of its end, so the destination may
 * look. */
static struct message message_of(const struct sim *s, const struct flow *f)
{
    return (struct message){ f->src, f->dst, f->traffic, pair_bytes(s, f), f->tag, f->start_ps };
}

/* The destination's view of a message of a lasting queue pair: the sender may have gone on to others. */
static APART struct message arrived_of(struct sim *s, const struct flow *f)
{
    const struct posted *p = pair_receiving(s, f);
    struct message       m = { f->src, f->dst, f->traffic, p->end - p->begin, p->tag, p->start_ps };

    pair_on_arrival(s, f);
    return m;
}

void flow_on_arrival(struct sim *s, const struct flow *f)
{
    struct message m = f->is_lasting ? arrived_of(s, f) : message_of(s, f);

    if (s->flow_watch.arg)
        s->flow_watch.on_arrival(s->flow_watch.arg, f);
    if (f->is_answered)
        program_on_arrival(&s->engine, &s->program, &m);
}

static void tell(const struct sim *s, const struct flow *f)
{
    struct flow_result r = {
        .src = f->src, .dst = f->dst, .sport = (uint16_t)f->ports, .dport = (uint16_t)(f->ports >> 16),
        .prio = f->prio, .traffic = f->traffic, .bytes = pair_bytes(s, f), .start_ps = f->start_ps,
        .fct_ps = engine_world_ps(&s->engine) - f->start_ps, .ideal_ps = s->model.end_ps ? s->model.end_ps(s, f) : f->ideal_ps, .resent_bytes = f->resent_bytes,
    };

    s->engine.hooks.flow_done(s->engine.hooks.arg, &r);
}

void flow_end(struct sim *s, struct flow *f)
{
    struct message m = message_of(s, f);

    s->engine.counters.flows_done++;
    s->engine.counters.bytes_done += m.bytes;
    s->entry_bytes_done[f->traffic] += m.bytes;
    if (s->engine.hooks.flow_done)
        tell(s, f);
    if (s->flow_watch.arg)
        s->flow_watch.on_end(s->flow_watch.arg, f);
    if (f->is_answered)
        program_on_sent(&s->engine, &s->program, &m);
    s->done_ps = engine_world_ps(&s->engine);
    if (f->is_lasting)
        return;
    f->phase = FLOW_DONE;
    if (f->tcp || f->sent == f->bytes) {
        retire(s, f);
        return;
    }
    if (s->model.forget)
        s->model.forget(s, f);
    if (s->model.list)
        s->model.list->remove(s, &s->net.host[f->host], f);
}

void flow_retire(struct sim *s, struct flow *f)
{
    retire(s, f);
}
