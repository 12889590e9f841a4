#include "work/net/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

void trace_init(struct trace *t, const char *name, uint32_t ranks)
{
    size_t size = strlen(name) + 1;

    *t = (struct trace){
        .name = xmalloc(size), .rank = xcalloc(ranks + 1ul, sizeof *t->rank), .ranks = ranks
    };
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
    for (uint32_t i = 0; i < t->groups; i++) {
        free(t->group[i].rank);
        free(t->group[i].collective);
    }
    free(t->group);
    free(t->pass_at);
    free(t->rank);
    free(t->name);
    *t = (struct trace){ 0 };
}

uint32_t trace_add(struct trace *t, uint32_t rank, const struct trace_op *op)
{
    struct trace_rank *r = &t->rank[rank];

    r->op = xgrow(r->op, r->ops, &r->ops_max, 16, sizeof *r->op);
    r->op[r->ops] = *op;
    r->op[r->ops].waits = 0;
    t->has_reads |= op->type == TRACE_READ;
    if (op->type == TRACE_SEND && op->size > t->send_bytes_max)
        t->send_bytes_max = op->size;
    t->ops++;
    return r->ops++;
}

void trace_require(struct trace *t, uint32_t rank, uint32_t after, uint32_t before, bool is_start)
{
    struct trace_rank *r = &t->rank[rank];

    r->edge = xgrow(r->edge, r->edges, &r->edges_max, 16, sizeof *r->edge);
    r->edge[r->edges++] = (struct trace_edge){ before, after, is_start };
    r->op[after].waits++;
}

uint32_t trace_add_group(struct trace *t, const uint32_t *rank, uint32_t count)
{
    t->group = xrealloc(t->group, (t->groups + 1ul) * sizeof *t->group);
    struct trace_group *g = &t->group[t->groups];
    *g = (struct trace_group){ .rank = xcalloc(count + 1ul, sizeof *g->rank), .count = count };
    if (rank)
        memcpy(g->rank, rank, count * sizeof *rank);
    return t->groups++;
}

/* ---- seal ---- */

/* Sorts edges by predecessor: first the operations that wait for its end, then those that wait for its
 * start. */
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

/* Topological sort: removes operations without open dependencies. Returns an operation on or behind a cycle,
 * or NONE. */
static uint32_t find_cycle(const struct trace_rank *r)
{
    uint32_t *waits = xcalloc(r->ops + 1ul, sizeof *waits), *ready = xcalloc(r->ops + 1ul, sizeof *ready),
             from = 0, to = 0, found = NONE;

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

/* Computes the totals of a rank. */
static void count_ops(struct trace_rank *r)
{
    for (uint32_t i = 0; i < r->ops; i++) {
        r->sends += r->op[i].type == TRACE_SEND || r->op[i].type == TRACE_READ;
        r->cpus = r->op[i].cpu >= r->cpus ? r->op[i].cpu + 1u : r->cpus;
    }
}

static int refuse_count(const struct trace *t, uint32_t rank, const struct trace_group *g,
                        const char *how_many, uint32_t count, struct err *err)
{
    return err_set(err, EINVAL, "%s: rank %u has %s%u collectives of its group, and rank %u has %u", t->name,
                   rank, how_many, count, g->first, g->collectives);
}

/* Numbers a collective. 'count': how many its rank has so far, by group. */
static int number_collective(struct trace *t, uint32_t rank, uint32_t *count, struct trace_op *op,
                             struct err *err)
{
    struct trace_group *g = &t->group[op->peer];

    if (!g->collectives)
        g->first = rank;
    op->tag = count[op->peer]++;
    if (g->first == rank) {
        g->collective = xgrow(g->collective, g->collectives, &g->collectives_max, 16, sizeof *g->collective);
        g->collective[g->collectives++] = (struct trace_meeting){ op->size, op->line, op->collective };
    }
    if (op->tag >= g->collectives)
        return refuse_count(t, rank, g, "more than ", g->collectives, err);
    const struct trace_meeting *is = &g->collective[op->tag];
    if (is->collective != op->collective || is->size != op->size)
        return err_set(
            err, EINVAL,
            "%s: the collective of rank %u (node %u) differs in kind or size from that of rank %u (node %u)",
            t->name, rank, op->line, g->first, is->line);
    return 0;
}

/* A rank without any collective of a group is found by trace_check(). */
static int number_collectives(struct trace *t, uint32_t rank, struct err *err)
{
    struct trace_rank *r = &t->rank[rank];
    uint32_t          *count = xcalloc(t->groups + 1ul, sizeof *count);
    int                rc = 0;

    for (uint32_t i = 0; i < r->ops && !rc; i++)
        if (r->op[i].type == TRACE_COLLECTIVE)
            rc = number_collective(t, rank, count, &r->op[i], err);
    for (uint32_t i = 0; i < t->groups && !rc; i++)
        if (count[i] && count[i] != t->group[i].collectives)
            rc = refuse_count(t, rank, &t->group[i], "", count[i], err);
    free(count);
    return rc;
}

int trace_seal_rank(struct trace *t, uint32_t rank, struct err *err)
{
    struct trace_rank *r = &t->rank[rank];

    list_edges(r);
    uint32_t found = find_cycle(r);
    if (found != NONE)
        return err_set(err, EINVAL,
                       "%s:%u: operation %u of rank %u is part of a dependency cycle, or waits for one",
                       t->name, r->op[found].line, found, rank);
    count_ops(r);
    return number_collectives(t, rank, err);
}

int trace_seal(struct trace *t, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < t->ranks && !rc; i++)
        rc = trace_seal_rank(t, i, err);
    return rc;
}

const uint32_t *trace_followers(const struct trace_rank *r, const struct trace_op *op, bool of_start,
                                uint32_t *count)
{
    uint32_t from = of_start ? op->started_at : op->done_at, to = of_start ? op->next_at : op->started_at;

    *count = to - from;
    return r->next + from;
}

/* ---- matching of messages and receives ---- */

void trace_match_later(struct trace_matching *m, struct trace_queue *q, uint32_t peer, uint64_t tag,
                       uint32_t op)
{
    uint32_t id = m->free;

    if (id) {
        m->free = m->item[id].next;
    } else {
        m->item = xgrow(m->item, m->items + 1, &m->max, 16, sizeof *m->item);
        id = ++m->items;
    }
    m->item[id] = (struct trace_unmatched){ tag, peer, op, 0 };
    *(q->first ? &m->item[q->last].next : &q->first) = id;
    q->last = id;
}

static bool matches(uint32_t wanted, uint64_t wanted_tag, uint32_t from, uint64_t tag)
{
    return (wanted == TRACE_ANY || wanted == from) && (wanted_tag == TRACE_ANY_TAG || wanted_tag == tag);
}

bool trace_match_now(struct trace_matching *m, struct trace_queue *q, uint32_t peer, uint64_t tag,
                     bool is_message, uint32_t *op)
{
    uint32_t before = 0;

    for (uint32_t i = q->first; i; before = i, i = m->item[i].next) {
        struct trace_unmatched *is = &m->item[i];

        if (is_message ? !matches(is->peer, is->tag, peer, tag) : !matches(peer, tag, is->peer, is->tag))
            continue;
        *(before ? &m->item[before].next : &q->first) = is->next;
        if (q->last == i)
            q->last = before;
        *op = is->op;
        is->next = m->free;
        m->free = i;
        return true;
    }
    return false;
}
