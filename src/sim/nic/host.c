#include "sim/nic/host.h"
#include "sim/nic/drain.h"
#include "sim/nic/np/np.h"
#include "sim/nic/pacer.h"
#include "sim/nic/post.h"
#include "sim/nic/receive.h"
#include "sim/nic/send.h"
#include "sim/transport/transports.h"
#include "sim/nic/turn.h"
#include "sim/link/path.h"
#include "sim/link/pfc.h"

/* Adds a flow to the round robin. */
static void take_turns(struct sim *s, struct host *h, struct flow *f)
{
    turn_add(s, h, f);
    h->last_prio = f->prio;
    rto_on_start(s, h, f);
    pacer_sort_in(s, h, f);
}

static void begin(struct sim *s, struct host *h, const struct post *post)
{
    const struct transport *t = transport_of(s, post->flow);

    if (post->step == POST_MORE) {
        pacer_sort_in(s, h, post->flow);
        if (t->on_more)
            t->on_more(s, h, post->flow);
        return;
    }
    (t->start ? t->start : take_turns)(s, h, post->flow);
    if (post->step == POST_AWAKE)
        pacer_on_decision(s, h, post->flow);
}

void host_start_flow(struct sim *s, struct host *h, const struct flow_spec *spec)
{
    if (s->model.list)
        s->model.list->on_start(s, h, spec->dst);
    enum transport_id id = transports_choose(s, h, spec);
    if (s->hosts.transport[id]->post) {
        s->hosts.transport[id]->post(s, h, spec);
        return;
    }
    struct post post = post_flow(s, h, spec, id);
    if (post.flow)
        begin(s, h, &post);
    host_kick(s, h);
}

APART enum act nic_on_pfc(struct sim *s, struct host *h, struct packet *k)
{
    struct port *in = h->port;

    pfc_on_frame(&s->engine, &s->pfc, in, k->prio, k->seq);
    if (s->flow_watch.arg && in->paused)
        s->flow_watch.on_pause(s->flow_watch.arg, in);
    return ACT_FREE;
}

/* A frame for switches, which consume it. */
APART enum act nic_on_stray(struct sim *s, struct host *h, struct packet *k)
{
    (void)s, (void)h, (void)k;
    return ACT_FREE;
}

/* Returns true if a packet is lost or waits on arrival. */
static APART bool is_kept(struct sim *s, struct host *h, uint32_t id, struct packet *k)
{
    if (!k->bytes || (h->port->slow_path & SLOW_DRAIN && drain_lets_pass(s, h, id)))
        return false;
    if (h->port->slow_path & SLOW_LINK && path_is_gone(&s->engine, h->port, id, k))
        return true;
    return h->port->slow_path & SLOW_DRAIN && drain_take(s, h, id, k);
}

static inline enum act arrive(struct sim *s, struct host *h, struct packet *k)
{
    switch ((enum packet_kind)k->kind) {
#define KIND(class, number, name, on_arrival) case name: return on_arrival(s, h, k);
#include "sim/event/kinds.def"
    }
    __builtin_unreachable();
}

void host_on_packet(struct sim *s, struct host *h, struct packet *k)
{
    uint32_t id = evq_id(&s->engine.evq, k);

    if (__builtin_expect(h->port->slow_path & (SLOW_LINK | SLOW_DRAIN), 0) && is_kept(s, h, id, k))
        return;
    enum act act = arrive(s, h, k);
    if (act != ACT_KEEP)
        packet_free(&s->engine.packets, id);
    if (act != ACT_IGNORE || !s->model.ignores_late_answers)
        send_kick(s, h, h->port);
}

void host_on_free(struct sim *s, struct host *h)
{
    send_on_free(s, h, h->port);
}

void host_kick(struct sim *s, struct host *h)
{
    send_kick(s, h, h->port);
}

/* ---- timers ---- */

/* Checks at least once per rto: a flow that makes progress meanwhile has a shorter timeout again. */
static bool on_timeout(struct sim *s, struct host *h)
{
    uint64_t next = NEVER;

    if (s->model.on_timeout)
        return s->model.on_timeout(s, h);
    for (uint32_t i = 0; i < h->count; i++) {
        struct flow *f = &s->flows.flow[h->list[i]];
        uint64_t     at;

        if (bit_is_set(h->finished, i))
            continue;
        at = transport_of(s, f)->timer(s, h, f);
        next = at < next ? at : next;
    }
    if (next > s->engine.now_ps + s->cfg.rto_ps)
        next = next == NEVER ? NEVER : s->engine.now_ps + s->cfg.rto_ps;
    if (next != NEVER)
        rto_await(s, h, next, next);
    return true;
}

static void on_turn(struct sim *s, struct host *h)
{
    struct packet k;
    uint64_t      announced_ps;

    if (cnp_arbiter_visit(s, h, &k, &announced_ps)) {
        reply_cnp(s, h, &k, announced_ps);
        host_kick(s, h);
    }
    cnp_arbiter_await_turn(s, h);
}

struct packet *host_on_numbered(struct sim *s, struct host *h, enum event_kind kind)
{
    if (kind == EV_DRAIN)
        return drain_next(s, h);
    if (kind == EV_CNP_TURN)
        on_turn(s, h);
    else if (on_timeout(s, h))
        host_kick(s, h);
    return NULL;
}

void host_on_timer(struct sim *s, struct host *h, enum transport_timer timer)
{
    switch (timer) {
#define TIMER(NAME, on_time) case TIMER_##NAME: on_time(s, h); break;
#include "sim/event/kinds.def"
    case TRANSPORT_TIMERS: break;
    }
    host_kick(s, h);
}

void host_catch_up(struct sim *s, struct host *h)
{
    pacer_catch_up(s, h);
    if (s->model.repace)
        host_kick(s, h);         /* a queue pair may now be due before the wake-up */
}

/* ---- invariants ---- */

void host_check(const struct sim *s, const struct host *h)
{
    uint32_t    ready = 0, dead = 0, active = 0;
    const char *why = s->hosts.np->check(s, h);

    for (uint32_t i = 0; i < h->count; i++) {
        const struct flow *f = &s->flows.flow[h->list[i]];
        bool is_ready = bit_is_set(h->ready, i), is_finished = bit_is_set(h->finished, i);

        ready += is_ready;
        dead += is_finished;
        if (is_finished) {
            expect_of_node(!is_ready, s, h->node, "a finished flow is ready to send");
            continue;
        }
        active++;
        expect_of_node((f->phase == FLOW_ACTIVE || (s->model.sends_acked && f->phase == FLOW_DONE)) &&
                       f->position == i, s, h->node, "a flow is not where its host thinks");
        expect_of_node((f->acked <= f->sent || s->model.sends_acked) && f->sent <= f->bytes, s, h->node,
                       "a flow has more acknowledged than sent");
        expect_of_node(!(is_ready && f->heap_at != NOT_IN_HEAP), s, h->node, "a flow is ready and waiting");
        expect_of_node(is_ready || f->heap_at != NOT_IN_HEAP || f->sent == f->bytes ||
                       !pacer_may_send(s, h, f), s, h->node,
                       "a flow has bytes left but will not send");
    }
    expect_of_node(ready == h->ready_count && dead == h->dead + h->kept && active == h->active, s, h->node,
                   "counts of flows are off");
    for (uint32_t i = 1; i < h->heap_count; i++)
        expect_of_node(h->heap_ps[(i - 1) / 2] <= h->heap_ps[i] &&
                       h->heap_ps[i] == s->flows.flow[h->heap[i]].look_ps, s, h->node,
                       "the pacer's heap is no heap");
    expect_of_node(!why, s, h->node, why);
    for (uint32_t i = 0; i < TRANSPORTS; i++)
        if (s->hosts.transport[i]->check)
            s->hosts.transport[i]->check(s, h);
}
