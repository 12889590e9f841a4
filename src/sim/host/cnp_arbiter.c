#include "sim/host/cnp_arbiter.h"
#include "sim/sim.h"

#define TURN_PS     PS_PER_US
#define CNP_GAP_PS  (45 * PS_PER_US)
#define IDLE_PS     (200 * PS_PER_US)

static uint32_t slot_of(const struct sim *s, const struct host *h)
{
    return s->slot_turn + (uint32_t)(h - s->host);
}

static void await_turn(struct sim *s, struct host *h)
{
    uint64_t at = s->now_ps + TURN_PS;

    evq_add(&s->evq, slot_of(s, h), at, sim_order(s, &s->node[h->node], at));
}

static struct cnp_entry *take(struct sim *s)
{
    struct cnp_entry *e = s->congested_free;

    if (!e)
        return arena_alloc(&s->list_arena, 1, sizeof *e);
    s->congested_free = e->next;
    return e;
}

/* The new one's turn is last: the ring is entered behind the one visited last, which it then is. */
static struct cnp_entry *add(struct sim *s, struct host *h, const struct packet *k)
{
    struct cnp_entry *e = take(s), *last = h->congested;

    *e = (struct cnp_entry){
        .next = last ? last->next : e,
        .flow = k->flow, .src = k->src, .ports = k->ports, .generation = k->generation,
    };
    if (last)
        last->next = e;
    else
        await_turn(s, h);
    h->congested = e;
    h->congested_count++;
    return e;
}

static void drop(struct sim *s, struct host *h, struct cnp_entry *e)
{
    h->congested->next = e->next;
    if (--h->congested_count == 0)
        h->congested = NULL;
    e->flow = 0;
    e->next = s->congested_free;
    s->congested_free = e;
}

void cnp_arbiter_on_mark(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k)
{
    struct cnp_entry *e = rx->congested;
    bool              is_last = k->flags & PACKET_LAST;

    if (!e || e->flow != k->flow || e->generation != k->generation) {
        if (is_last || h->congested_count == CNP_ARBITER_MAX)
            return;
        e = rx->congested = add(s, h, k);
    }
    e->is_marked = !is_last;
    e->marked_ps = s->now_ps;
}

static void tell(struct sim *s, struct host *h, struct cnp_entry *e)
{
    struct packet k = { .flow = e->flow, .src = e->src, .ports = e->ports, .generation = e->generation };

    e->is_marked = false;
    e->ready_ps = s->now_ps + CNP_GAP_PS;
    host_notify(s, h, &k, h->congested_count * TURN_PS);
}

void cnp_arbiter_on_turn(struct sim *s, struct host *h)
{
    struct cnp_entry *e = h->congested->next;

    while (!e->is_marked && s->now_ps - e->marked_ps >= IDLE_PS) {
        drop(s, h, e);
        if (!h->congested)
            return;
        e = h->congested->next;
    }
    h->congested = e;
    if (e->is_marked && s->now_ps > e->ready_ps)
        tell(s, h, e);
    await_turn(s, h);
}

const char *cnp_arbiter_check(const struct sim *s, const struct host *h)
{
    const struct cnp_entry *e = h->congested;
    uint32_t                count = 0;

    if (!s->cfg.cc->takes_turns)
        return h->congested_count ? "flows wait for turns that nobody takes" : NULL;
    if ((e != NULL) != evq_is_pending(&s->evq, slot_of(s, h)))
        return "congested flows and their next turn disagree";
    for (; e && e->flow && count < h->congested_count; e = e->next)
        count++;
    return count == h->congested_count && e == h->congested ? NULL : "the ring of congested flows is broken";
}
