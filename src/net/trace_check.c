/* src/net/trace_check.c - a dry run of a trace, in which messages take no time. */
#include "net/trace.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

struct op_ref { uint32_t rank, op; };

/* A collective that some but not all members have started. */
struct open_collective { uint32_t group, count, next; struct op_ref *member; };    /* next: free */

struct dry_run {
    const struct trace *t;
    struct trace_waits *waits;               /* by rank */
    struct trace_matching matching;
    struct trace_queue *posted, *arrived;    /* by rank: receives, and messages that arrived before those */
    struct op_ref      *ready;               /* ring buffer of operations that can start */
    uint64_t            from, to, room;      /* from, to: running counts, never wrapped */
    uint32_t           *left;                /* by rank: operations that have not ended */
    uint64_t            done;
    bool                is_unread;           /* the trace's file could not be read */
    struct trace_list  *list;                /* by rank */
    struct open_collective *collective;      /* starts at index 1 */
    uint32_t            collectives, collectives_max, collective_free, open;
    uint32_t          **index;               /* of open collectives, by group and number; 0: none yet */
};

static void set_ready(struct dry_run *d, uint32_t rank, uint32_t op)
{
    if (d->to - d->from == d->room) {
        struct op_ref *more = xcalloc(2 * d->room, sizeof *more);

        for (uint64_t i = d->from; i < d->to; i++)
            more[i & (2 * d->room - 1)] = d->ready[i & (d->room - 1)];
        free(d->ready);
        d->ready = more;
        d->room *= 2;
    }
    d->ready[d->to++ & (d->room - 1)] = (struct op_ref){ rank, op };
}

static void release_followers(struct dry_run *d, uint32_t rank, const struct trace_op *op, bool of_start)
{
    struct trace_list *l = &d->list[rank];

    d->is_unread |= !trace_followers(d->t, rank, op, of_start, l);
    for (uint32_t i = 0; i < l->count; i++)
        if (trace_waits_end(&d->waits[rank], d->t, rank, l->op[i], l))
            set_ready(d, rank, l->op[i]);
}

static void end_op(struct dry_run *d, uint32_t rank, const struct trace_op *op)
{
    d->done++;
    d->left[rank]--;
    release_followers(d, rank, op, false);
}

static void end_op_number(struct dry_run *d, uint32_t rank, uint32_t number)
{
    struct trace_op op;

    d->is_unread |= !trace_get(d->t, rank, number, &op, &d->list[rank]);
    end_op(d, rank, &op);
}

/* ---- collectives ---- */

static uint32_t add_collective(struct dry_run *d, uint32_t group)
{
    uint32_t id = d->collective_free;

    if (id) {
        d->collective_free = d->collective[id].next;
    } else {
        d->collective = xgrow(d->collective, d->collectives + 1, &d->collectives_max, 64,
                              sizeof *d->collective);
        id = ++d->collectives;
    }
    d->collective[id] = (struct open_collective){
        .group = group, .member = xcalloc(d->t->group[group].count, sizeof *d->collective->member) };
    d->open++;
    return id;
}

/* Adds a rank to its collective. The last member ends it for all. */
static void join_collective(struct dry_run *d, uint32_t rank, uint32_t number, const struct trace_op *op)
{
    uint32_t               *id = &d->index[op->peer][op->tag];
    struct open_collective *m;

    if (!*id)
        *id = add_collective(d, op->peer);
    m = &d->collective[*id];
    m->member[m->count++] = (struct op_ref){ rank, number };
    if (m->count < d->t->group[op->peer].count)
        return;
    for (uint32_t i = 0; i < m->count; i++)
        end_op_number(d, m->member[i].rank, m->member[i].op);
    free(m->member);
    *m = (struct open_collective){ .next = d->collective_free };
    d->collective_free = *id;
    d->open--;
}

static bool has_started(const struct open_collective *m, uint32_t rank)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (m->member[i].rank == rank)
            return true;
    return false;
}

/* Reports a collective that has not ended and a member that has not started it. */
static int report_open_collective(const struct dry_run *d, struct err *err)
{
    const struct open_collective *m = &d->collective[1];
    uint32_t              absent = 0;
    struct trace_op       op;

    while (!m->count)
        m++;
    while (has_started(m, d->t->group[m->group].rank[absent]))
        absent++;
    trace_get(d->t, m->member[0].rank, m->member[0].op, &op, NULL);
    return err_set(err, EINVAL,
                   "%s: the collective of rank %u (node %u) never ends: rank %u does not start it",
                   d->t->name, m->member[0].rank, op.line, d->t->group[m->group].rank[absent]);
}

/* ---- run ---- */

static void start_op(struct dry_run *d, uint32_t rank, uint32_t number)
{
    struct trace_op op;
    uint32_t        other;

    d->is_unread |= !trace_get(d->t, rank, number, &op, &d->list[rank]);
    release_followers(d, rank, &op, true);
    if (op.type == TRACE_SEND) {
        if (trace_match_now(&d->matching, &d->posted[op.peer], rank, op.tag, true, &other))
            end_op_number(d, op.peer, other);
        else
            trace_match_later(&d->matching, &d->arrived[op.peer], rank, op.tag, number);
        end_op(d, rank, &op);
    } else if (op.type == TRACE_RECV) {
        if (trace_match_now(&d->matching, &d->arrived[rank], op.peer, op.tag, false, &other))
            end_op(d, rank, &op);
        else
            trace_match_later(&d->matching, &d->posted[rank], op.peer, op.tag, number);
    } else if (op.type == TRACE_COLLECTIVE) {
        join_collective(d, rank, number, &op);
    } else {
        end_op(d, rank, &op);
    }
}

static int report_result(const struct dry_run *d, struct err *err)
{
    const struct trace *t = d->t;
    struct trace_op     op;

    if (d->is_unread)
        return err_set(err, EIO, "%s: cannot read its temporary file", t->name);
    if (d->open)
        return report_open_collective(d, err);
    for (uint32_t i = 0; i < t->ranks; i++) {
        assert(d->matching.item || !(d->posted[i].first || d->arrived[i].first));
        if (d->posted[i].first) {
            uint32_t number = d->matching.item[d->posted[i].first].op;

            trace_get(t, i, number, &op, NULL);
            return err_set(err, EINVAL,
                           "%s:%u: no matching message for the receive of rank %u (operation %u)", t->name,
                           op.line, i, number);
        }
        if (d->arrived[i].first) {
            const struct trace_unmatched *l = &d->matching.item[d->arrived[i].first];

            trace_get(t, l->peer, l->op, &op, NULL);
            return err_set(err, EINVAL, "%s:%u: no matching receive for the message from rank %u to rank %u",
                           t->name, op.line, l->peer, i);
        }
    }
    for (uint32_t i = 0; i < t->ranks; i++)
        if (d->left[i])
            return err_set(err, EINVAL,
                           "%s: %u operations of rank %u are part of a dependency cycle, or wait for one",
                           t->name, d->left[i], i);
    assert(d->done == t->ops);
    return 0;
}

static void queue_roots(struct dry_run *d)
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
    struct dry_run d = { .t = t, .waits = xcalloc(t->ranks + 1ul, sizeof *d.waits),
                         .list = xcalloc(t->ranks + 1ul, sizeof *d.list),
                         .posted = xcalloc(2ul * t->ranks + 1, sizeof *d.posted),
                         .left = xcalloc(t->ranks + 1ul, sizeof *d.left), .room = 1024,
                         .ready = xcalloc(1024, sizeof *d.ready) };
    int            rc;

    d.arrived = d.posted + t->ranks;
    d.index = xcalloc(t->groups + 1ul, sizeof *d.index);
    for (uint32_t i = 0; i < t->groups; i++)
        d.index[i] = xcalloc(t->group[i].collectives + 1ul, sizeof *d.index[i]);
    queue_roots(&d);
    while (d.from < d.to) {
        struct op_ref next = d.ready[d.from++ & (d.room - 1)];

        start_op(&d, next.rank, next.op);
    }
    rc = report_result(&d, err);
    for (uint32_t i = 0; i < t->ranks; i++) {
        trace_waits_fini(&d.waits[i]);
        trace_list_fini(&d.list[i]);
    }
    free(d.waits);
    free(d.list);
    for (uint32_t i = 1; i <= d.collectives; i++)
        free(d.collective[i].member);
    free(d.collective);
    for (uint32_t i = 0; i < t->groups; i++)
        free(d.index[i]);
    free(d.index);
    free(d.matching.item);
    free(d.posted);
    free(d.left);
    free(d.ready);
    return rc;
}
