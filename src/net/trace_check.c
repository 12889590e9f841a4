/* src/net/trace_check.c - a trace is tried before it is carried out: every message takes no time. */
#include "net/trace.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

struct letter { uint64_t tag; uint32_t peer, op, next; };    /* a message that came before its receive (peer: who sent it); or a receive */

struct place { uint32_t rank, op; };

/* A collective that some have begun and others have not. */
struct meeting { uint64_t number; uint32_t group, count, next; struct place *who; };

struct dry {
    const struct trace *t;
    struct trace_waits *waits;               /* by rank */
    uint32_t           *first_post, *last_post, *first_came, *last_came;     /* by rank: lists of letters */
    struct letter      *letter;
    uint32_t            letters, max, letter_free;
    struct place       *ready;               /* a ring of those that may begin */
    uint64_t            from, to, room;      /* from, to: counted on and on */
    uint32_t           *left;                /* by rank: operations that are not over */
    uint64_t            done;
    bool                is_unread;           /* the trace's file could not be read */
    struct trace_list  *list;                /* by rank */
    struct meeting     *meeting;             /* from 1 on */
    uint32_t            meetings, meetings_max, meeting_free, open;
    uint32_t           *bucket, buckets;     /* of meetings, by group and number */
};

static void set_ready(struct dry *d, uint32_t rank, uint32_t op)
{
    if (d->to - d->from == d->room) {
        struct place *more = xcalloc(2 * d->room, sizeof *more);

        for (uint64_t i = d->from; i < d->to; i++)
            more[i & (2 * d->room - 1)] = d->ready[i & (d->room - 1)];
        free(d->ready);
        d->ready = more;
        d->room *= 2;
    }
    d->ready[d->to++ & (d->room - 1)] = (struct place){ rank, op };
}

static void set_free(struct dry *d, uint32_t rank, const struct trace_op *op, bool of_start)
{
    struct trace_list *l = &d->list[rank];

    d->is_unread |= !trace_followers(d->t, rank, op, of_start, l);
    for (uint32_t i = 0; i < l->count; i++)
        if (trace_waits_end(&d->waits[rank], d->t, rank, l->op[i], l))
            set_ready(d, rank, l->op[i]);
}

static void end(struct dry *d, uint32_t rank, const struct trace_op *op)
{
    d->done++;
    d->left[rank]--;
    set_free(d, rank, op, false);
}

static void end_number(struct dry *d, uint32_t rank, uint32_t number)
{
    struct trace_op op;

    d->is_unread |= !trace_get(d->t, rank, number, &op, &d->list[rank]);
    end(d, rank, &op);
}

static void keep(struct dry *d, uint32_t *first, uint32_t *last, struct letter l)
{
    uint32_t id = d->letter_free;

    if (id) {
        d->letter_free = d->letter[id].next;
    } else {
        if (d->letters + 1 >= d->max) {
            d->max = d->max ? 2 * d->max : 1024;
            d->letter = xrealloc(d->letter, d->max * sizeof *d->letter);
        }
        id = ++d->letters;
    }
    d->letter[id] = l;
    if (*first)
        d->letter[*last].next = id;
    else
        *first = id;
    *last = id;
}

static bool matches(uint32_t wanted, uint64_t wanted_tag, uint32_t from, uint64_t tag)
{
    return (wanted == TRACE_ANY || wanted == from) && (wanted_tag == TRACE_ANY_TAG || wanted_tag == tag);
}

/* Takes the first letter of a list that matches: a message, its sender and tag, among receives, or a receive among messages. Returns its
 * operation. */
static bool take(struct dry *d, uint32_t *first, uint32_t *last, uint32_t peer, uint64_t tag, bool is_send, uint32_t *op)
{
    uint32_t before = 0;

    for (uint32_t l = *first; l; before = l, l = d->letter[l].next) {
        struct letter *x = &d->letter[l];

        assert(d->letter);       /* there is one, so there are some */
        if (is_send ? !matches(x->peer, x->tag, peer, tag) : !matches(peer, tag, x->peer, x->tag))
            continue;
        if (before)
            d->letter[before].next = x->next;
        else
            *first = x->next;
        if (*last == l)
            *last = before;
        *op = x->op;
        x->next = d->letter_free;
        d->letter_free = l;
        return true;
    }
    return false;
}

/* ---- collectives ---- */

static uint32_t *bucket_of(const struct dry *d, uint32_t group, uint64_t number)
{
    assert(d->bucket);
    return &d->bucket[((uint64_t)group * 2654435769u + number * 0x9e3779b97f4a7c15ull) >> 20 & (d->buckets - 1)];
}

static void add_buckets(struct dry *d)
{
    d->buckets = d->buckets ? 4 * d->buckets : 256;
    free(d->bucket);
    d->bucket = xcalloc(d->buckets, sizeof *d->bucket);
    for (uint32_t i = 1; i <= d->meetings; i++)
        if (d->meeting[i].count) {
            uint32_t *b = bucket_of(d, d->meeting[i].group, d->meeting[i].number);

            d->meeting[i].next = *b;
            *b = i;
        }
}

static uint32_t *find_meeting(const struct dry *d, uint32_t group, uint64_t number)
{
    uint32_t *at = bucket_of(d, group, number);

    while (*at) {
        struct meeting *m = &d->meeting[*at];

        assert(d->meeting);      /* there is one, so there are some */
        if (m->group == group && m->number == number)
            break;
        at = &m->next;
    }
    return at;
}

static uint32_t add_meeting(struct dry *d, uint32_t group, uint64_t number)
{
    uint32_t id = d->meeting_free;

    if (id) {
        d->meeting_free = d->meeting[id].next;
    } else {
        if (d->meetings + 1 >= d->meetings_max) {
            d->meetings_max = d->meetings_max ? 2 * d->meetings_max : 64;
            d->meeting = xrealloc(d->meeting, d->meetings_max * sizeof *d->meeting);
        }
        id = ++d->meetings;
    }
    d->meeting[id] = (struct meeting){ .number = number, .group = group, .who = xcalloc(d->t->group[group].count, sizeof *d->meeting->who) };
    d->open++;
    return id;
}

/* The last one to come ends it for all. */
static void meet(struct dry *d, uint32_t rank, uint32_t number, const struct trace_op *op)
{
    uint32_t       *at, id;
    struct meeting *m;

    if (2 * d->open >= d->buckets)
        add_buckets(d);
    at = find_meeting(d, op->peer, op->tag);
    if (!*at) {
        id = add_meeting(d, op->peer, op->tag);
        at = bucket_of(d, op->peer, op->tag);
        d->meeting[id].next = *at;
        *at = id;
    }
    id = *at;
    assert(d->meeting);
    m = &d->meeting[id];
    m->who[m->count++] = (struct place){ rank, number };
    if (m->count < d->t->group[op->peer].count)
        return;
    *at = m->next;
    for (uint32_t i = 0; i < m->count; i++)
        end_number(d, m->who[i].rank, m->who[i].op);
    free(m->who);
    *m = (struct meeting){ .next = d->meeting_free };
    d->meeting_free = id;
    d->open--;
}

static bool is_among(const struct meeting *m, uint32_t rank)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (m->who[i].rank == rank)
            return true;
    return false;
}

/* Names a collective that not all have begun, and one who has not. */
static int tell_meeting(const struct dry *d, struct err *err)
{
    const struct meeting *m = &d->meeting[1];
    uint32_t              absent = 0;
    struct trace_op       op;

    while (!m->count)
        m++;
    while (is_among(m, d->t->group[m->group].rank[absent]))
        absent++;
    trace_get(d->t, m->who[0].rank, m->who[0].op, &op, NULL);
    return err_set(err, EINVAL, "%s: the collective of rank %u (node %u) never ends: rank %u has none for it, or never begins it", d->t->name, m->who[0].rank, op.line,
                   d->t->group[m->group].rank[absent]);
}

/* ---- one operation ---- */

static void begin(struct dry *d, uint32_t rank, uint32_t number)
{
    struct trace_op op;
    uint32_t        other;

    d->is_unread |= !trace_get(d->t, rank, number, &op, &d->list[rank]);
    set_free(d, rank, &op, true);
    if (op.type == TRACE_SEND) {
        if (take(d, &d->first_post[op.peer], &d->last_post[op.peer], rank, op.tag, true, &other))
            end_number(d, op.peer, other);
        else
            keep(d, &d->first_came[op.peer], &d->last_came[op.peer], (struct letter){ op.tag, rank, number, 0 });
        end(d, rank, &op);
    } else if (op.type == TRACE_RECV) {
        if (take(d, &d->first_came[rank], &d->last_came[rank], op.peer, op.tag, false, &other))
            end(d, rank, &op);
        else
            keep(d, &d->first_post[rank], &d->last_post[rank], (struct letter){ op.tag, op.peer, number, 0 });
    } else if (op.type == TRACE_COLLECTIVE) {
        meet(d, rank, number, &op);
    } else {
        end(d, rank, &op);
    }
}

static int tell(const struct dry *d, struct err *err)
{
    const struct trace *t = d->t;
    struct trace_op     op;

    if (d->is_unread)
        return err_set(err, EIO, "%s: its temporary file cannot be read", t->name);
    if (d->open)
        return tell_meeting(d, err);
    for (uint32_t i = 0; i < t->ranks; i++) {
        assert(d->letter || !(d->first_post[i] || d->first_came[i]));
        if (d->first_post[i]) {
            uint32_t number = d->letter[d->first_post[i]].op;

            trace_get(t, i, number, &op, NULL);
            return err_set(err, EINVAL, "%s:%u: the receive of rank %u, its operation %u, gets no message", t->name, op.line, i, number);
        }
        if (d->first_came[i]) {
            const struct letter *l = &d->letter[d->first_came[i]];

            trace_get(t, l->peer, l->op, &op, NULL);
            return err_set(err, EINVAL, "%s:%u: nobody receives the message of rank %u to rank %u", t->name, op.line, l->peer, i);
        }
    }
    for (uint32_t i = 0; i < t->ranks; i++)
        if (d->left[i])
            return err_set(err, EINVAL, "%s: %u operations of rank %u wait for each other in a circle, or for others that do", t->name, d->left[i], i);
    assert(d->done == t->ops);
    return 0;
}

static void set_out(struct dry *d)
{
    for (uint32_t i = 0; i < d->t->ranks; i++) {
        d->left[i] = d->t->rank[i].ops;
        trace_waits_init(&d->waits[i], d->t, i);
        d->is_unread |= !trace_roots(d->t, i, &d->list[i]);
        for (uint32_t k = 0; k < d->list[i].count; k++)
            set_ready(d, i, d->list[i].op[k]);
    }
}

int trace_check(const struct trace *t, struct err *err)
{
    uint32_t  *list = xcalloc(5ul * t->ranks + 1, sizeof *list);
    struct dry d = { .t = t, .waits = xcalloc(t->ranks + 1ul, sizeof *d.waits), .list = xcalloc(t->ranks + 1ul, sizeof *d.list), .first_post = list, .last_post = list + t->ranks,
                     .first_came = list + 2ul * t->ranks, .last_came = list + 3ul * t->ranks, .left = list + 4ul * t->ranks, .room = 1024, .ready = xcalloc(1024, sizeof *d.ready) };
    int        rc;

    set_out(&d);
    while (d.from < d.to) {
        struct place next = d.ready[d.from++ & (d.room - 1)];

        begin(&d, next.rank, next.op);
    }
    rc = tell(&d, err);
    for (uint32_t i = 0; i < t->ranks; i++) {
        trace_waits_fini(&d.waits[i]);
        trace_list_fini(&d.list[i]);
    }
    free(d.waits);
    free(d.list);
    for (uint32_t i = 1; i <= d.meetings; i++)
        free(d.meeting[i].who);
    free(d.meeting);
    free(d.bucket);
    free(d.letter);
    free(d.ready);
    free(list);
    return rc;
}
