#include "sim/nic/np/np.h"

#define TURN_PS     PS_PER_US
#define CNP_GAP_PS  (45 * PS_PER_US)
#define IDLE_PS     (200 * PS_PER_US)

static uint32_t event_of(const struct sim *s, const struct host *h)
{
    return s->engine.first_event[EV_CNP_TURN] + h->id;
}

void cnp_arbiter_await_turn(struct sim *s, const struct host *h)
{
    uint64_t at = s->engine.now_ps + TURN_PS;

    if (!h->cnp_last)
        return;
    evq_add(&s->engine.evq, event_of(s, h), at, sim_order(s, &s->net.node[h->node], at));
}

static struct cnp_entry *take(struct sim *s)
{
    struct cnp_entry *e = s->hosts.cnp_free;

    if (!e)
        return arena_alloc(&s->arena, 1, sizeof *e);
    s->hosts.cnp_free = e->next;
    return e;
}

/* Adds an entry to the ring behind the one visited last, so that its turn comes last. */
static struct cnp_entry *add(struct sim *s, struct host *h, const struct packet *k)
{
    struct cnp_entry *e = take(s), *last = h->cnp_last;

    *e = (struct cnp_entry){
        .next = last ? last->next : e,
        .flow = k->flow, .src = k->src, .ports = k->ports, .generation = k->generation,
    };
    if (last)
        last->next = e;
    h->cnp_last = e;
    h->cnp_count++;
    if (!last)
        cnp_arbiter_await_turn(s, h);
    return e;
}

static void drop(struct sim *s, struct host *h, struct cnp_entry *e)
{
    h->cnp_last->next = e->next;
    if (--h->cnp_count == 0)
        h->cnp_last = NULL;
    e->flow = 0;
    e->next = s->hosts.cnp_free;
    s->hosts.cnp_free = e;
}

static bool on_mark(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k)
{
    struct cnp_entry *e = rx->cnp_entry;
    bool              is_last = k->flags & PACKET_LAST && !s->flows.flow[k->flow].is_lasting;

    if (!e || e->flow != k->flow || e->generation != k->generation) {
        if (is_last || h->cnp_count == CNP_ARBITER_MAX)
            return false;
        e = rx->cnp_entry = add(s, h, k);
    }
    e->is_marked = !is_last;
    e->marked_ps = s->engine.now_ps;
    return false;
}

bool cnp_arbiter_visit(struct sim *s, struct host *h, struct packet *k, uint64_t *announced_ps)
{
    struct cnp_entry *e = h->cnp_last->next;

    while (!e->is_marked && s->engine.now_ps - e->marked_ps >= IDLE_PS) {
        drop(s, h, e);
        if (!h->cnp_last)
            return false;
        e = h->cnp_last->next;
    }
    h->cnp_last = e;
    if (!e->is_marked || s->engine.now_ps <= e->ready_ps)
        return false;
    e->is_marked = false;
    e->ready_ps = s->engine.now_ps + CNP_GAP_PS;
    *k = (struct packet){ .flow = e->flow, .src = e->src, .ports = e->ports, .generation = e->generation };
    *announced_ps = h->cnp_count * TURN_PS;
    return true;
}

static const char *check(const struct sim *s, const struct host *h)
{
    const struct cnp_entry *e = h->cnp_last;
    uint32_t                count = 0;

    if ((e != NULL) != evq_is_pending(&s->engine.evq, event_of(s, h)))
        return "congested flows and their next turn disagree";
    for (; e && e->flow && count < h->cnp_count; e = e->next)
        count++;
    return count == h->cnp_count && e == h->cnp_last ? NULL : "the ring of congested flows is broken";
}

const struct np_algo cnp_arbiter = { .on_mark = on_mark, .check = check, .has_turns = true };
