#include "work/traffic/round.h"

#include <assert.h>
#include <stdlib.h>

#define NONE         UINT32_MAX
#define MESSAGE_BITS 24u
#define PHASE_BITS   5u

_Static_assert(COLLECTIVE_MESSAGES_MAX < 1u << MESSAGE_BITS, "a message's number fits into a tag");
_Static_assert(PLAN_PHASES_MAX <= 1u << PHASE_BITS, "a phase's number fits into a tag");

enum round_receive { RECEIVE_NOT_POSTED, RECEIVE_POSTED, RECEIVE_ARRIVED };

struct round_phase {
    struct plan_phase is;
    bool              is_there;
    uint32_t          left;      /* the rank's own messages that are not complete */
    uint8_t          *state;     /* by own message: open dependencies of a send, or an enum round_receive */
};

struct collective_round {
    struct collective_round *next;
    struct trace_op          op;
    uint32_t                 number; /* of the operation; NONE: not started */
    uint32_t                 now, phases;
    struct round_phase       phase[];
};

/* ---- tags ---- */

static uint64_t tag_of(uint32_t op, uint32_t phase, uint32_t message)
{
    return ROUND_TAG | (uint64_t)op << (MESSAGE_BITS + PHASE_BITS) | (uint64_t)phase << MESSAGE_BITS |
           message;
}

struct round_message round_message_of(uint64_t tag)
{
    return (struct round_message){ (uint32_t)(tag >> (MESSAGE_BITS + PHASE_BITS)),
                                   (uint32_t)(tag >> MESSAGE_BITS) & ((1u << PHASE_BITS) - 1),
                                   (uint32_t)tag & ((1u << MESSAGE_BITS) - 1) };
}

/* ---- phases ---- */

static uint32_t own_count(const struct plan_phase *p)
{
    return p->plan ? p->plan->c.own_at[p->worker + 1] - p->plan->c.own_at[p->worker] : 0;
}

static uint32_t own_message(const struct plan_phase *p, uint32_t own)
{
    return p->plan->c.own[p->plan->c.own_at[p->worker] + own];
}

/* Returns the index of a message among the worker's own. */
static uint32_t find_own(const struct plan_phase *p, uint32_t message)
{
    uint32_t from = 0, to = own_count(p);

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (own_message(p, middle) < message)
            from = middle + 1;
        else
            to = middle;
    }
    assert(from < own_count(p) && own_message(p, from) == message);
    return from;
}

static bool is_send(const struct plan_phase *p, uint32_t message)
{
    return p->plan->c.message[message].src == p->worker;
}

static struct round_phase *phase_of(struct rounds *all, struct collective_round *r, uint32_t number)
{
    struct round_phase *p = &r->phase[number];

    assert(number < r->phases);
    if (p->is_there)
        return p;
    p->is_there = true;
    plans_take(all->plans, all->trace, &r->op, all->rank, number, &p->is);
    p->left = own_count(&p->is);
    p->state = xcalloc(p->left + 1ul, sizeof *p->state);
    for (uint32_t i = 0; i < p->left; i++) {
        uint32_t m = own_message(&p->is, i);

        p->state[i] = is_send(&p->is, m) ? p->is.plan->c.waits[m] : RECEIVE_NOT_POSTED;
    }
    return p;
}

static void end_phase(struct rounds *all, struct round_phase *p)
{
    if (p->is_there && p->is.plan)
        plans_give(all->plans, p->is.plan);
    free(p->state);
    *p = (struct round_phase){ 0 };
}

static void post_message(const struct rounds *all, const struct collective_round *r,
                         const struct round_phase *p, uint32_t own, struct round_posts *posts)
{
    uint32_t                         m = own_message(&p->is, own);
    const struct collective_message *is = &p->is.plan->c.message[m];
    const struct trace_group        *g = &all->trace->group[r->op.peer];

    posts->post = xgrow(posts->post, posts->count, &posts->max, 16, sizeof *posts->post);
    posts->post[posts->count++] = (struct round_post){ g->rank[p->is.first + is->dst * p->is.stride],
                                                       is->bytes, tag_of(r->number, r->now, m) };
}

/* One of the rank's messages of the current phase is complete. What follows it is sent by the rank. */
static void end_own_message(const struct rounds *all, const struct collective_round *r,
                            struct round_phase *p, uint32_t own, struct round_posts *posts)
{
    const struct collective *c = &p->is.plan->c;
    uint32_t                 m = own_message(&p->is, own);
    bool                     is_sent = is_send(&p->is, m);
    const uint32_t          *at = is_sent ? c->sent_at : c->arrival_at,
                            *list = is_sent ? c->sent : c->arrival;

    p->left--;
    for (uint32_t i = at[m + 1]; i-- > at[m];) {
        uint32_t next = find_own(&p->is, list[i]);

        if (--p->state[next] == 0)
            post_message(all, r, p, next, posts);
    }
}

/* Sends messages without dependencies, and accepts receives from now on. Starts with the last message. */
static void begin_phase(struct rounds *all, struct collective_round *r, struct round_posts *posts)
{
    struct round_phase *p = phase_of(all, r, r->now);

    for (uint32_t i = p->left; i-- > 0;) {
        uint32_t m = own_message(&p->is, i);

        if (is_send(&p->is, m) && p->is.plan->c.waits[m] == 0)
            post_message(all, r, p, i, posts);
        else if (!is_send(&p->is, m) && p->state[i] == RECEIVE_ARRIVED)
            end_own_message(all, r, p, i, posts);
        else if (!is_send(&p->is, m))
            p->state[i] = RECEIVE_POSTED;
    }
}

/* ---- rounds ---- */

static void free_round(struct rounds *all, struct collective_round *r)
{
    for (uint32_t i = 0; i < r->phases; i++)
        end_phase(all, &r->phase[i]);
    free(r);
}

void rounds_fini(struct rounds *all)
{
    struct collective_round *next;

    for (struct collective_round *r = all->first; r; r = next) {
        next = r->next;
        free_round(all, r);
    }
    all->first = NULL;
}

struct collective_round *round_of(struct rounds *all, const struct trace_op *op)
{
    struct collective_round *r = all->first;

    while (r && (r->op.peer != op->peer || r->op.tag != op->tag))
        r = r->next;
    if (r)
        return r;
    uint32_t phases = plans_phases(all->plans, all->trace, op);
    r = xcalloc(1, sizeof *r + phases * sizeof *r->phase);
    r->op = *op;
    r->number = NONE;
    r->phases = phases;
    r->next = all->first;
    all->first = r;
    return r;
}

/* Enters the following phases while the current one is over. */
static uint32_t go_on(struct rounds *all, struct collective_round *r, struct round_posts *posts)
{
    uint32_t number = r->number;

    while (r->phase[r->now].left == 0) {
        end_phase(all, &r->phase[r->now]);
        if (++r->now == r->phases) {
            struct collective_round **at = &all->first;
            while (*at != r)
                at = &(*at)->next;
            *at = r->next;
            free_round(all, r);
            return number;
        }
        begin_phase(all, r, posts);
    }
    return ROUND_GOES_ON;
}

uint32_t round_begin(struct rounds *all, struct collective_round *r, uint32_t number,
                     struct round_posts *posts)
{
    assert(r->number == NONE);
    r->number = number;
    begin_phase(all, r, posts);
    return go_on(all, r, posts);
}

uint32_t round_on_arrival(struct rounds *all, struct collective_round *r, const struct round_message *m,
                          struct round_posts *posts)
{
    struct round_phase *p = phase_of(all, r, m->phase);
    uint32_t            own = find_own(&p->is, m->message);
    bool                is_posted = p->state[own] == RECEIVE_POSTED;

    p->state[own] = RECEIVE_ARRIVED;
    if (!is_posted)
        return ROUND_GOES_ON;
    end_own_message(all, r, p, own, posts);
    return go_on(all, r, posts);
}

uint32_t round_on_sent(struct rounds *all, struct collective_round *r, const struct round_message *m,
                       struct round_posts *posts)
{
    struct round_phase *p = phase_of(all, r, m->phase);

    end_own_message(all, r, p, find_own(&p->is, m->message), posts);
    return go_on(all, r, posts);
}
