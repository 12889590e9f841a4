#include "net/trace.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

void trace_init(struct trace *t, const char *name, uint32_t ranks)
{
    size_t size = strlen(name) + 1;

    *t = (struct trace){ .name = xmalloc(size), .rank = xcalloc(ranks + 1ul, sizeof *t->rank), .ranks = ranks };
    memcpy(t->name, name, size);
    trace_add_group(t, NULL, ranks);
    for (uint32_t i = 0; i < ranks; i++)
        t->group[0].rank[i] = i;
}

void trace_fini(struct trace *t)
{
    for (uint32_t i = 0; i < t->ranks; i++) {
        free(t->rank[i].op);
        free(t->rank[i].edge);
        free(t->rank[i].next);
    }
    for (uint32_t i = 0; i < t->groups; i++)
        free(t->group[i].rank);
    free(t->group);
    free(t->rank);
    free(t->name);
    *t = (struct trace){ 0 };
}

uint32_t trace_add(struct trace *t, uint32_t rank, const struct trace_op *op)
{
    struct trace_rank *r = &t->rank[rank];

    if (r->ops == r->ops_max) {
        r->ops_max = r->ops_max ? 2 * r->ops_max : 16;
        r->op = xrealloc(r->op, r->ops_max * sizeof *r->op);
    }
    r->op[r->ops] = *op;
    r->op[r->ops].waits = 0;
    t->ops++;
    return r->ops++;
}

void trace_require(struct trace *t, uint32_t rank, uint32_t after, uint32_t before, bool is_start)
{
    struct trace_rank *r = &t->rank[rank];

    if (r->edges == r->edges_max) {
        r->edges_max = r->edges_max ? 2 * r->edges_max : 16;
        r->edge = xrealloc(r->edge, r->edges_max * sizeof *r->edge);
    }
    r->edge[r->edges++] = (struct trace_edge){ before, after, is_start };
    r->op[after].waits++;
}

uint32_t trace_add_group(struct trace *t, const uint32_t *rank, uint32_t count)
{
    struct trace_group *g;

    t->group = xrealloc(t->group, (t->groups + 1ul) * sizeof *t->group);
    g = &t->group[t->groups];
    *g = (struct trace_group){ xcalloc(count + 1ul, sizeof *g->rank), count };
    if (rank)
        memcpy(g->rank, rank, count * sizeof *rank);
    return t->groups++;
}

/* ---- sealing ---- */

/* Lists by what comes before: first those that wait for its end, then those that wait for its start. */
static void list_edges(struct trace_rank *r)
{
    uint32_t *count = xcalloc(2ul * r->ops + 1, sizeof *count), at = 0;

    r->next = xcalloc(r->edges + 1ul, sizeof *r->next);
    for (uint32_t i = 0; i < r->edges; i++)
        count[2ul * r->edge[i].before + r->edge[i].is_start]++;
    for (uint32_t i = 0; i < r->ops; i++) {
        r->op[i].done_at = at;
        at += count[2ul * i];
        r->op[i].started_at = at;
        at += count[2ul * i + 1];
        r->op[i].next_at = at;
        count[2ul * i] = r->op[i].done_at;
        count[2ul * i + 1] = r->op[i].started_at;
    }
    for (uint32_t i = 0; i < r->edges; i++)
        r->next[count[2ul * r->edge[i].before + r->edge[i].is_start]++] = r->edge[i].after;
    free(count);
    free(r->edge);
    r->edge = NULL;
}

/* Takes away who waits for nobody until there is none: who is left waits in a circle, or for one. Returns one of them, or NONE. */
static uint32_t find_circle(const struct trace_rank *r)
{
    uint32_t *waits = xcalloc(r->ops + 1ul, sizeof *waits), *ready = xcalloc(r->ops + 1ul, sizeof *ready), from = 0, to = 0, found = NONE;

    for (uint32_t i = 0; i < r->ops; i++) {
        waits[i] = r->op[i].waits;
        if (!waits[i])
            ready[to++] = i;
    }
    for (; from < to; from++)
        for (uint32_t i = r->op[ready[from]].done_at; i < r->op[ready[from]].next_at; i++)
            if (--waits[r->next[i]] == 0)
                ready[to++] = r->next[i];
    for (uint32_t i = 0; i < r->ops && to < r->ops && found == NONE; i++)
        if (waits[i])
            found = i;
    free(waits);
    free(ready);
    return found;
}

int trace_seal(struct trace *t, struct err *err)
{
    for (uint32_t i = 0; i < t->ranks; i++) {
        uint32_t found;

        list_edges(&t->rank[i]);
        found = find_circle(&t->rank[i]);
        if (found != NONE)
            return err_set(err, EINVAL, "%s:%u: operation %u of rank %u waits for itself, or for others that wait in a circle", t->name,
                           t->rank[i].op[found].line, found, i);
    }
    return 0;
}

/* ---- trying ---- */

struct letter { uint32_t from, op, next; };      /* a message that came before its receive; or a receive: 'op' */

struct dry {
    const struct trace *t;
    uint32_t          **waits;               /* by rank and operation */
    uint32_t           *first_post, *last_post, *first_came, *last_came;     /* by rank: lists of letters */
    struct letter      *letter;
    uint32_t            letters, max;
    struct { uint32_t rank, op; } *ready;
    uint64_t            from, to;
    uint64_t            done;
};

static bool matches(const struct trace_op *recv, uint32_t from, const struct trace_op *send)
{
    return (recv->peer == TRACE_ANY || recv->peer == from) && (recv->tag == TRACE_ANY_TAG || recv->tag == send->tag);
}

static void set_ready(struct dry *d, uint32_t rank, uint32_t op)
{
    d->ready[d->to].rank = rank;
    d->ready[d->to++].op = op;
}

static void end(struct dry *d, uint32_t rank, uint32_t op)
{
    const struct trace_rank *r = &d->t->rank[rank];

    d->done++;
    for (uint32_t i = r->op[op].done_at; i < r->op[op].started_at; i++)
        if (--d->waits[rank][r->next[i]] == 0)
            set_ready(d, rank, r->next[i]);
}

static void keep(struct dry *d, uint32_t *first, uint32_t *last, struct letter l)
{
    if (d->letters + 1 >= d->max) {
        d->max = d->max ? 2 * d->max : 1024;
        d->letter = xrealloc(d->letter, d->max * sizeof *d->letter);
    }
    d->letter[++d->letters] = l;
    if (*first)
        d->letter[*last].next = d->letters;
    else
        *first = d->letters;
    *last = d->letters;
}

/* Takes the first letter of a list for which the two match; 0: none does. */
static uint32_t take(struct dry *d, uint32_t *first, uint32_t *last, uint32_t rank, uint32_t from, const struct trace_op *op, bool is_send)
{
    uint32_t before = 0;

    for (uint32_t l = *first; l; before = l, l = d->letter[l].next) {
        const struct letter *x = &d->letter[l];

        assert(d->letter);       /* there is one, so there are some */
        if (is_send ? !matches(&d->t->rank[rank].op[x->op], from, op) : !matches(op, x->from, &d->t->rank[x->from].op[x->op]))
            continue;
        if (before)
            d->letter[before].next = x->next;
        else
            *first = x->next;
        if (*last == l)
            *last = before;
        return l;
    }
    return 0;
}

static void begin(struct dry *d, uint32_t rank, uint32_t number)
{
    const struct trace_rank *r = &d->t->rank[rank];
    const struct trace_op   *op = &r->op[number];
    uint32_t                 l;

    for (uint32_t i = op->started_at; i < op->next_at; i++)
        if (--d->waits[rank][r->next[i]] == 0)
            set_ready(d, rank, r->next[i]);
    if (op->type == TRACE_SEND) {
        l = take(d, &d->first_post[op->peer], &d->last_post[op->peer], op->peer, rank, op, true);
        if (l)
            end(d, op->peer, d->letter[l].op);
        else
            keep(d, &d->first_came[op->peer], &d->last_came[op->peer], (struct letter){ rank, number, 0 });
        end(d, rank, number);
    } else if (op->type == TRACE_RECV) {
        if (take(d, &d->first_came[rank], &d->last_came[rank], rank, 0, op, false))
            end(d, rank, number);
        else
            keep(d, &d->first_post[rank], &d->last_post[rank], (struct letter){ rank, number, 0 });
    } else {
        end(d, rank, number);
    }
}

static int tell(const struct dry *d, struct err *err)
{
    const struct trace *t = d->t;

    for (uint32_t i = 0; i < t->ranks; i++) {
        assert(d->letter || !(d->first_post[i] || d->first_came[i]));
        if (d->first_post[i]) {
            uint32_t op = d->letter[d->first_post[i]].op;

            return err_set(err, EINVAL, "%s:%u: the receive of rank %u, its operation %u, gets no message", t->name, t->rank[i].op[op].line, i, op);
        }
        if (d->first_came[i]) {
            const struct letter *l = &d->letter[d->first_came[i]];

            return err_set(err, EINVAL, "%s:%u: nobody receives the message of rank %u to rank %u", t->name,
                           t->rank[l->from].op[l->op].line, l->from, i);
        }
    }
    return 0;
}

static void set_out(struct dry *d)
{
    const struct trace *t = d->t;

    for (uint32_t i = 0; i < t->ranks; i++) {
        d->waits[i] = xcalloc(t->rank[i].ops + 1ul, sizeof *d->waits[i]);
        for (uint32_t k = 0; k < t->rank[i].ops; k++) {
            d->waits[i][k] = t->rank[i].op[k].waits;
            if (!d->waits[i][k])
                set_ready(d, i, k);
        }
    }
}

int trace_check(const struct trace *t, struct err *err)
{
    uint32_t  *list = xcalloc(4ul * t->ranks + 1, sizeof *list);
    struct dry d = { .t = t, .waits = xcalloc(t->ranks + 1ul, sizeof *d.waits), .first_post = list, .last_post = list + t->ranks,
                     .first_came = list + 2ul * t->ranks, .last_came = list + 3ul * t->ranks,
                     .ready = xcalloc(t->ops + 1, sizeof *d.ready) };
    int        rc;

    set_out(&d);
    while (d.from < d.to) {
        d.from++;
        begin(&d, d.ready[d.from - 1].rank, d.ready[d.from - 1].op);
    }
    rc = tell(&d, err);
    assert(rc || d.done == t->ops);
    for (uint32_t i = 0; i < t->ranks; i++)
        free(d.waits[i]);
    free(d.waits);
    free(d.letter);
    free(d.ready);
    free(list);
    return rc;
}
