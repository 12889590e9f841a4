/* src/net/trace_check.c - a trace is tried before it is carried out: every message takes no time. */
#include "net/trace.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

struct letter { uint64_t tag; uint32_t peer, op, next; };    /* a message that came before its receive (peer: who sent it); or a receive */

struct place { uint32_t rank, op; };

struct dry {
    const struct trace *t;
    struct trace_waits *waits;               /* by rank */
    uint32_t           *first_post, *last_post, *first_came, *last_came;     /* by rank: lists of letters */
    struct letter      *letter;
    uint32_t            letters, max, letter_free;
    struct place       *ready;               /* a ring of those that may begin */
    uint64_t            from, to, room;      /* from, to: counted on and on */
    uint64_t            done;
    struct trace_list  *list;                /* by rank */
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

    trace_followers(d->t, rank, op, of_start, l);
    for (uint32_t i = 0; i < l->count; i++)
        if (trace_waits_end(&d->waits[rank], d->t, rank, l->op[i], l))
            set_ready(d, rank, l->op[i]);
}

static void end(struct dry *d, uint32_t rank, const struct trace_op *op)
{
    d->done++;
    set_free(d, rank, op, false);
}

static void end_number(struct dry *d, uint32_t rank, uint32_t number)
{
    struct trace_op op;

    trace_get(d->t, rank, number, &op, &d->list[rank]);
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

static void begin(struct dry *d, uint32_t rank, uint32_t number)
{
    struct trace_op op;
    uint32_t        other;

    trace_get(d->t, rank, number, &op, &d->list[rank]);
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
    } else {
        end(d, rank, &op);
    }
}

static int tell(const struct dry *d, struct err *err)
{
    const struct trace *t = d->t;
    struct trace_op     op;

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
    return d->done == t->ops ? 0 : err_set(err, EIO, "%s: its temporary file cannot be read", t->name);
}

static void set_out(struct dry *d)
{
    for (uint32_t i = 0; i < d->t->ranks; i++) {
        trace_waits_init(&d->waits[i], d->t, i);
        trace_roots(d->t, i, &d->list[i]);
        for (uint32_t k = 0; k < d->list[i].count; k++)
            set_ready(d, i, d->list[i].op[k]);
    }
}

int trace_check(const struct trace *t, struct err *err)
{
    uint32_t  *list = xcalloc(4ul * t->ranks + 1, sizeof *list);
    struct dry d = { .t = t, .waits = xcalloc(t->ranks + 1ul, sizeof *d.waits), .list = xcalloc(t->ranks + 1ul, sizeof *d.list), .first_post = list, .last_post = list + t->ranks,
                     .first_came = list + 2ul * t->ranks, .last_came = list + 3ul * t->ranks, .room = 1024, .ready = xcalloc(1024, sizeof *d.ready) };
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
    free(d.letter);
    free(d.ready);
    free(list);
    return rc;
}
