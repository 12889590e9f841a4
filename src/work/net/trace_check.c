/* src/work/net/trace_check.c - a dry run of a trace, in which messages take no time. */
#include "work/net/trace.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

struct op_ref { uint32_t rank, op; };

/* The members that have started a collective. NULL: none, or all, so that it has ended. */
struct meeting { struct op_ref *member; uint32_t count; };

struct dry_run {
    const struct trace *t;
    uint32_t          **waits;               /* by rank and operation: open dependencies */
    struct trace_matching matching;
    struct trace_queue *posted, *arrived;    /* by rank: receives, and messages that arrived before those */
    struct op_ref      *ready;               /* ring buffer of operations that can start */
    uint64_t            from, to, room;      /* from, to: running counts, never wrapped */
    uint64_t            done;                /* operations that have ended */
    struct meeting    **meeting;             /* by group and number of the collective */
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
    uint32_t        count;
    const uint32_t *next = trace_followers(&d->t->rank[rank], op, of_start, &count);

    for (uint32_t i = 0; i < count; i++)
        if (--d->waits[rank][next[i]] == 0)
            set_ready(d, rank, next[i]);
}

static void end_op(struct dry_run *d, uint32_t rank, uint32_t number)
{
    d->done++;
    release_followers(d, rank, &d->t->rank[rank].op[number], false);
}

/* ---- collectives ---- */

/* Adds a rank to its collective. The last member ends it for all. */
static void join_collective(struct dry_run *d, uint32_t rank, uint32_t number, const struct trace_op *op)
{
    struct meeting *m = &d->meeting[op->peer][op->tag];
    uint32_t        members = d->t->group[op->peer].count;

    if (!m->member)
        m->member = xcalloc(members, sizeof *m->member);
    m->member[m->count++] = (struct op_ref){ rank, number };
    if (m->count < members)
        return;
    for (uint32_t i = 0; i < members; i++)
        end_op(d, m->member[i].rank, m->member[i].op);
    free(m->member);
    m->member = NULL;
}

static bool has_started(const struct meeting *m, uint32_t rank)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (m->member[i].rank == rank)
            return true;
    return false;
}

/* Reports a collective that has not ended and a member that has not started it. */
static int report_open_collective(const struct dry_run *d, uint32_t group, const struct meeting *m,
                                  struct err *err)
{
    const struct op_ref *first = &m->member[0];
    uint32_t             absent = 0;

    while (has_started(m, d->t->group[group].rank[absent]))
        absent++;
    return err_set(err, EINVAL,
                   "%s: the collective of rank %u (node %u) never ends: rank %u does not start it",
                   d->t->name, first->rank, d->t->rank[first->rank].op[first->op].line,
                   d->t->group[group].rank[absent]);
}

/* ---- run ---- */

static void start_op(struct dry_run *d, uint32_t rank, uint32_t number)
{
    const struct trace_op *op = &d->t->rank[rank].op[number];
    uint32_t               other;

    release_followers(d, rank, op, true);
    if (op->type == TRACE_SEND) {
        if (trace_match_now(&d->matching, &d->posted[op->peer], rank, op->tag, true, &other))
            end_op(d, op->peer, other);
        else
            trace_match_later(&d->matching, &d->arrived[op->peer], rank, op->tag, number);
        end_op(d, rank, number);
    } else if (op->type == TRACE_RECV) {
        if (trace_match_now(&d->matching, &d->arrived[rank], op->peer, op->tag, false, &other))
            end_op(d, rank, number);
        else
            trace_match_later(&d->matching, &d->posted[rank], op->peer, op->tag, number);
    } else if (op->type == TRACE_COLLECTIVE) {
        join_collective(d, rank, number, op);
    } else {
        end_op(d, rank, number);
    }
}

static int report_result(const struct dry_run *d, struct err *err)
{
    const struct trace *t = d->t;

    for (uint32_t i = 0; i < t->groups; i++)
        for (uint32_t k = 0; k < t->group[i].collectives; k++)
            if (d->meeting[i][k].member)
                return report_open_collective(d, i, &d->meeting[i][k], err);
    for (uint32_t i = 0; i < t->ranks; i++) {
        assert(d->matching.item || !(d->posted[i].first || d->arrived[i].first));
        if (d->posted[i].first) {
            uint32_t number = d->matching.item[d->posted[i].first].op;

            return err_set(err, EINVAL,
                           "%s:%u: no matching message for the receive of rank %u (operation %u)", t->name,
                           t->rank[i].op[number].line, i, number);
        }
        if (d->arrived[i].first) {
            const struct trace_unmatched *l = &d->matching.item[d->arrived[i].first];

            return err_set(err, EINVAL, "%s:%u: no matching receive for the message from rank %u to rank %u",
                           t->name, t->rank[l->peer].op[l->op].line, l->peer, i);
        }
    }
    assert(d->done == t->ops);   /* sealed ranks have no cycles */
    return 0;
}

static void queue_roots(struct dry_run *d)
{
    for (uint32_t i = 0; i < d->t->ranks; i++) {
        const struct trace_rank *r = &d->t->rank[i];

        d->waits[i] = xcalloc(r->ops + 1ul, sizeof *d->waits[i]);
        for (uint32_t k = 0; k < r->ops; k++) {
            d->waits[i][k] = r->op[k].waits;
            if (!r->op[k].waits)
                set_ready(d, i, k);
        }
    }
}

int trace_check(const struct trace *t, struct err *err)
{
    struct dry_run d = { .t = t, .waits = xcalloc(t->ranks + 1ul, sizeof *d.waits),
                         .posted = xcalloc(2ul * t->ranks + 1, sizeof *d.posted),
                         .room = 1024, .ready = xcalloc(1024, sizeof *d.ready) };

    d.arrived = d.posted + t->ranks;
    d.meeting = xcalloc(t->groups + 1ul, sizeof *d.meeting);
    for (uint32_t i = 0; i < t->groups; i++)
        d.meeting[i] = xcalloc(t->group[i].collectives + 1ul, sizeof *d.meeting[i]);
    queue_roots(&d);
    while (d.from < d.to) {
        struct op_ref next = d.ready[d.from++ & (d.room - 1)];

        start_op(&d, next.rank, next.op);
    }
    int rc = report_result(&d, err);
    for (uint32_t i = 0; i < t->ranks; i++)
        free(d.waits[i]);
    free(d.waits);
    for (uint32_t i = 0; i < t->groups; i++) {
        for (uint32_t k = 0; k < t->group[i].collectives; k++)
            free(d.meeting[i][k].member);
        free(d.meeting[i]);
    }
    free(d.meeting);
    free(d.matching.item);
    free(d.posted);
    free(d.ready);
    return rc;
}
