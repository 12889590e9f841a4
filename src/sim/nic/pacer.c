#include "sim/nic/pacer.h"
#include "sim/nic/flow.h"
#include "sim/nic/hf2t.h"

/* ---- heap of flows that wait for their pacer ---- */

/* The times are in a separate array, so that a search touches no flow. */
static inline void heap_put(struct sim *s, struct host *h, uint32_t at, uint32_t flow, uint64_t ps)
{
    h->heap[at] = flow;
    h->heap_ps[at] = ps;
    s->flows.flow[flow].heap_at = at;
}

static void heap_up(struct sim *s, struct host *h, uint32_t at, uint32_t flow, uint64_t ps)
{
    while (at > 0 && h->heap_ps[(at - 1) / 2] > ps) {
        heap_put(s, h, at, h->heap[(at - 1) / 2], h->heap_ps[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(s, h, at, flow, ps);
}

/* The entry after the last must not be before this time, so that an only child can be compared with it. The
 * comparison is branch-free, because a branch would be unpredictable. */
static void heap_down(struct sim *s, struct host *h, uint32_t at, uint32_t flow, uint64_t ps)
{
    const uint64_t *times = h->heap_ps;
    uint32_t        child;

    assert(times[h->heap_count] >= ps);
    while ((child = 2 * at + 1) < h->heap_count) {
        child += times[child + 1] < times[child];
        if (times[child] >= ps)
            break;
        heap_put(s, h, at, h->heap[child], times[child]);
        at = child;
    }
    heap_put(s, h, at, flow, ps);
}

static void heap_add(struct sim *s, struct host *h, struct flow *f)
{
    heap_up(s, h, h->heap_count++, (uint32_t)(f - s->flows.flow), f->look_ps);
}

static void heap_remove(struct sim *s, struct host *h, uint32_t at)
{
    uint32_t last = h->heap[--h->heap_count];
    uint64_t ps = h->heap_ps[h->heap_count];

    s->flows.flow[h->heap[at]].heap_at = NOT_IN_HEAP;
    if (at == h->heap_count)
        return;
    if (at > 0 && h->heap_ps[(at - 1) / 2] > ps)
        heap_up(s, h, at, last, ps);
    else
        heap_down(s, h, at, last, ps);
}

/* Changes the time of a waiting flow. */
static void heap_move(struct sim *s, struct host *h, uint32_t at, uint64_t ps)
{
    uint32_t flow = h->heap[at];

    if (at > 0 && h->heap_ps[(at - 1) / 2] > ps) {
        heap_up(s, h, at, flow, ps);
    } else {
        h->heap_ps[h->heap_count] = NEVER;
        heap_down(s, h, at, flow, ps);
    }
}

/* ---- permission to send ---- */

bool pacer_has_window(const struct sim *s, const struct host *h, const struct flow *f)
{
    uint64_t window = s->model.repace ? f->out.window_bytes : UINT64_MAX;

    if (s->cfg.window_bytes) {
        uint64_t w = s->cfg.window_by_pair ? f->pair_bdp_bytes : s->cfg.window_bytes;

        if (s->hosts.bdp_bps)
            w = units_share(w, h->port->rate_bps, s->hosts.bdp_bps);
        if (s->cfg.window_by_rate)
            w = units_share(w, f->out.rate_bps, h->port->rate_bps);
        w = w ? w : 1;           /* one packet may always be in flight */
        window = w < window ? w : window;
    }
    return f->sent - f->acked < window;
}

APART bool pacer_is_held(const struct sim *s, const struct host *h, struct flow *f)
{
    if (s->engine.now_ps >= f->out.due_ps)
        h->cc->on_due(h->cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine), &f->out);
    return !pacer_has_window(s, h, f);
}

/* Returns when to check a waiting flow: when its pacer lets it send, or earlier if its rate changes. */
static inline uint64_t look_at(const struct sim *s, const struct flow *f)
{
    if (!s->model.repace || f->out.due_ps >= f->next_ps)
        return f->next_ps;
    return f->out.due_ps > s->engine.now_ps ? f->out.due_ps : s->engine.now_ps + 1;
}

void pacer_put_off(struct sim *s, struct host *h, struct flow *f)
{
    assert(bit_is_set(h->ready, f->position) && f->heap_at == NOT_IN_HEAP && f->next_ps > s->engine.now_ps);
    bit_clear(h->ready, f->position);
    h->ready_count--;
    f->look_ps = look_at(s, f);
    heap_add(s, h, f);
}

/* A flow blocked by its window waits for the next change of its rate. */
static APART void await_rate(struct sim *s, struct host *h, struct flow *f)
{
    if (f->sent >= f->bytes || f->out.due_ps == NEVER)
        return;
    f->look_ps = f->out.due_ps > s->engine.now_ps ? f->out.due_ps : s->engine.now_ps + 1;
    f->look_ps += f->look_ps == f->next_ps;          /* equal times would mean that it may send then */
    heap_add(s, h, f);
}

void pacer_sort_in_unpaced(struct sim *s, struct host *h, struct flow *f)
{
    bool is_ready = bit_is_set(h->ready, f->position), may_send = pacer_may_send(s, h, f);

    if (is_ready && !may_send)
        bit_clear(h->ready, f->position), h->ready_count--;
    else if (!is_ready && may_send)
        pacer_set_ready(h, f);
}

void pacer_sort_in(struct sim *s, struct host *h, struct flow *f)
{
    bool is_ready = bit_is_set(h->ready, f->position);

    if (!transport_of(s, f)->is_paced) {
        pacer_sort_in_unpaced(s, h, f);
        return;
    }
    if (s->hosts.paces_window && s->engine.now_ps >= f->out.due_ps)
        h->cc->on_due(h->cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine), &f->out);
    if (f->sent >= f->bytes || !(s->hosts.has_held || pacer_may_send(s, h, f))) {
        if (is_ready)
            bit_clear(h->ready, f->position), h->ready_count--;
        if (f->heap_at != NOT_IN_HEAP)
            heap_remove(s, h, f->heap_at);
        if (s->hosts.paces_window)
            await_rate(s, h, f);
    } else if (f->next_ps > s->engine.now_ps) {
        if (is_ready)
            bit_clear(h->ready, f->position), h->ready_count--;
        f->look_ps = look_at(s, f);
        if (f->heap_at != NOT_IN_HEAP)
            heap_move(s, h, f->heap_at, f->look_ps);
        else
            heap_add(s, h, f);
    } else if (!is_ready) {
        if (f->heap_at != NOT_IN_HEAP)
            heap_remove(s, h, f->heap_at);
        pacer_set_ready(h, f);
    }
}

/* Scales the rest of the gap. A packet that HF2T or an RNR NACK holds keeps its time. */
void pacer_repace(const struct sim *s, struct flow *f)
{
    if (f->held_ps > s->engine.now_ps)
        return;
    if (s->hosts.hf2t && s->hosts.hf2t->qp[f - s->flows.flow].is_held)
        return;
    f->next_ps = s->engine.now_ps + units_divide(f->next_ps - s->engine.now_ps, f->gap_rate_bps,
                                                 f->out.rate_bps - 1, f->out.rate_bps);
    f->gap_rate_bps = f->out.rate_bps;
    f->gap_bytes = 0;            /* gap_ps is stale */
}

/* Returns by how much the gap after the last packet grows, or shrinks; in the fork also without pacing. */
static uint64_t longer_ps(const struct sim *s, struct flow *f)
{
    uint64_t was_ps = f->gap_ps, was_bps = f->gap_rate_bps;

    if (!s->cfg.is_unpaced)
        return pacer_gap_ps(s, f, f->gap_bytes) - was_ps;
    f->gap_rate_bps = f->out.rate_bps;
    return model_frame_ps(&s->model, f->gap_bytes, f->out.rate_bps) -
           model_frame_ps(&s->model, f->gap_bytes, was_bps);
}

APART void pacer_repace_last(struct sim *s, struct host *h, struct flow *f)
{
    uint32_t event = evq_id(&s->engine.evq, h);

    f->next_ps += longer_ps(s, f);
    pacer_sort_in(s, h, f);
    uint64_t at = f->next_ps > s->engine.now_ps ? f->next_ps : s->engine.now_ps;
    if (h->wake.next != EVQ_IDLE && f->next_ps < h->wake.at_ps) {
        evq_cancel(&s->engine.evq, event);
        evq_add(&s->engine.evq, event, at, sim_order(s, &s->net.node[h->node], at));
    }
}

/* A flow that is neither ready nor waiting is blocked by its window, which may have changed. */
static APART void let_held_go(struct sim *s, struct host *h, struct flow *f)
{
    if (f->phase == FLOW_ACTIVE && f->heap_at == NOT_IN_HEAP && !bit_is_set(h->ready, f->position))
        pacer_sort_in(s, h, f);
}

void pacer_on_decision(struct sim *s, struct host *h, struct flow *f)
{
    if (f->heap_at == NOT_IN_HEAP || !s->model.repace) {
        if (__builtin_expect(s->hosts.paces_window, 0))
            let_held_go(s, h, f);
        return;
    }
    if (f->out.rate_bps != f->gap_rate_bps && f->next_ps > s->engine.now_ps)
        s->model.repace(s, f);
    pacer_sort_in(s, h, f);
}

/* Updates the rate of a waiting flow. */
static APART void look_again(struct sim *s, struct host *h, struct flow *f)
{
    h->cc->on_due(h->cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine), &f->out);
    s->model.repace(s, f);
    pacer_sort_in(s, h, f);
}

/* Handles a flow that is due for another reason than its pacer. */
static APART void release_other(struct sim *s, struct host *h, struct flow *f)
{
    if (f->next_ps > s->engine.now_ps)
        look_again(s, h, f);
    else if (s->hosts.paces_window)
        pacer_sort_in(s, h, f);
    else
        pacer_set_ready(h, f);
}

void pacer_release(struct sim *s, struct host *h)
{
    while (!pacer_is_later(h, s->engine.now_ps)) {
        struct flow *f = &s->flows.flow[h->heap[0]];

        heap_remove(s, h, 0);
        if (f->look_ps == f->next_ps)
            pacer_set_ready(h, f);
        else
            release_other(s, h, f);
    }
}

/* ---- wake-up ---- */

/* The order key of the event counts from since_ps, regardless of the time of the call. */
void pacer_await(struct sim *s, struct host *h, uint64_t since_ps)
{
    if (h->heap_count)
        pacer_await_at(s, h, h->heap_ps[0], since_ps);
}

void pacer_await_at(struct sim *s, struct host *h, uint64_t at, uint64_t since_ps)
{
    uint32_t event = evq_id(&s->engine.evq, h);

    if (s->model.keeps_wake && s->model.keeps_wake(s, h))
        return;
    if (h->wake.next != EVQ_IDLE) {
        if (h->wake.at_ps <= at)
            return;
        evq_cancel(&s->engine.evq, event);
    }
    evq_add(&s->engine.evq, event, at,
            sim_order(s, &s->net.node[h->node], s->engine.now_ps + (at - since_ps)));
}

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

/* ---- congestion control ---- */

void pacer_catch_up(struct sim *s, struct host *h)
{
    for (uint32_t i = 0; i < h->count; i++) {
        struct flow *f = &s->flows.flow[h->list[i]];

        if (bit_is_set(h->finished, i) || !f->controlled || !transport_of(s, f)->is_paced)
            continue;
        h->cc->on_due(h->cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine), &f->out);
        pacer_on_decision(s, h, f);
    }
    for (uint32_t id = h->pairs; id; id = s->flows.pairs.pair[id].next_of_host) {
        struct flow *f = &s->flows.flow[id];

        if (f->phase == FLOW_IDLE && f->controlled && s->engine.now_ps >= f->out.due_ps)
            h->cc->on_due(h->cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine), &f->out);
    }
}
