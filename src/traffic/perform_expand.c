/* src/traffic/perform_expand.c - collectives of a trace become messages. */
#include "traffic/perform.h"

#include <errno.h>
#include <stdlib.h>

#define TAGS_FROM (1ull << 40)   /* above those of files */

struct expansion {
    const struct trace      *from;
    const struct expand_cfg *cfg;
    struct trace             to;
    uint32_t               **first, **last;      /* by rank and old operation: what it has become; a collective has two ends */
    uint64_t                 tag;
    struct err              *err;
};

/* ---- operations ---- */

static void copy_ops(struct expansion *x, uint32_t rank)
{
    const struct trace_rank *r = &x->from->rank[rank];

    x->first[rank] = xcalloc(r->ops + 1ul, sizeof *x->first[rank]);
    x->last[rank] = xcalloc(r->ops + 1ul, sizeof *x->last[rank]);
    for (uint32_t i = 0; i < r->ops; i++) {
        struct trace_op op = r->op[i];

        if (op.type == TRACE_COLLECTIVE)
            op.type = TRACE_HOLD;
        x->first[rank][i] = x->last[rank][i] = trace_add(&x->to, rank, &op);
        if (op.type != TRACE_HOLD)
            continue;
        op.type = TRACE_FREE;
        x->last[rank][i] = trace_add(&x->to, rank, &op);
        trace_require(&x->to, rank, x->last[rank][i], x->first[rank][i], false);
    }
}

static void copy_edges(struct expansion *x, uint32_t rank)
{
    const struct trace_rank *r = &x->from->rank[rank];

    for (uint32_t i = 0; i < r->edges; i++) {
        const struct trace_edge *e = &r->edge[i];

        trace_require(&x->to, rank, x->first[rank][e->after], e->is_start ? x->first[rank][e->before] : x->last[rank][e->before],
                      e->is_start);
    }
}

/* ---- one collective ---- */

/* How many of a group are of one server, if that is so for all and they stand together; otherwise 1. */
static uint32_t server_size(const struct expansion *x, const struct trace_group *g)
{
    const uint32_t *server = x->cfg->server;
    uint32_t        size = 1;

    if (!server || !server[g->rank[0]])
        return 1;
    while (size < g->count && server[g->rank[size]] == server[g->rank[0]])
        size++;
    for (uint32_t i = 0; i + 1 < g->count; i++)
        if ((server[g->rank[i]] == server[g->rank[i + 1]]) != ((i + 1) % size != 0))
            return 1;
    return g->count % size ? 1 : size;
}

/* Sizes are ASTRA-sim's: of an all-gather what each rank contributes, of an all-to-all what each rank has for all. */
static struct collective_cfg cfg_of(const struct expansion *x, const struct trace_group *g, const struct trace_op *op)
{
    struct collective_cfg c = { .kind = x->cfg->all_reduce, .workers = g->count, .bytes = op->size, .chunk_bytes = x->cfg->chunk_bytes,
                                .server = server_size(x, g), .is_by_rail = x->cfg->is_by_rail };
    uint64_t              least = c.workers;

    switch ((enum trace_collective)op->collective) {
    case TRACE_ALL_REDUCE:                                                                  break;
    case TRACE_ALL_GATHER:     c.kind = COLLECTIVE_ALL_GATHER, c.bytes *= c.workers;        break;
    case TRACE_REDUCE_SCATTER: c.kind = COLLECTIVE_REDUCE_SCATTER;                          break;
    case TRACE_ALL_TO_ALL:     c.kind = COLLECTIVE_ALL_TO_ALL, c.bytes /= c.workers, least = 1, c.is_at_once = true; break;
    }
    if (collective_has_rings(c.kind) && x->cfg->channels) {
        c.channels = x->cfg->channels;
        least *= c.channels;
    }
    c.bytes = c.bytes > least ? c.bytes : least;
    return c;
}

static void add_messages(struct expansion *x, const struct trace_group *g, const struct collective *c, const uint32_t *begins,
                         const uint32_t *ends, uint32_t line)
{
    uint32_t *send = xcalloc(c->messages + 1ul, sizeof *send), *recv = xcalloc(c->messages + 1ul, sizeof *recv);

    for (uint32_t m = 0; m < c->messages; m++) {
        const struct collective_message *is = &c->message[m];
        uint32_t                         src = g->rank[is->src], dst = g->rank[is->dst];

        send[m] = trace_add(&x->to, src, &(struct trace_op){ .type = TRACE_SEND, .line = line, .peer = dst, .size = is->bytes, .tag = x->tag });
        recv[m] = trace_add(&x->to, dst, &(struct trace_op){ .type = TRACE_RECV, .line = line, .peer = src, .size = is->bytes, .tag = x->tag++ });
        trace_require(&x->to, dst, recv[m], begins[is->dst], false);
        if (!c->waits[m])
            trace_require(&x->to, src, send[m], begins[is->src], false);
        trace_require(&x->to, src, ends[is->src], send[m], false);
        trace_require(&x->to, dst, ends[is->dst], recv[m], false);
    }
    for (uint32_t m = 0; m < c->messages; m++) {
        for (uint32_t i = c->arrival_at[m]; i < c->arrival_at[m + 1]; i++)
            trace_require(&x->to, g->rank[c->message[m].dst], send[c->arrival[i]], recv[m], false);
        for (uint32_t i = c->sent_at[m]; i < c->sent_at[m + 1]; i++)
            trace_require(&x->to, g->rank[c->message[m].src], send[c->sent[i]], send[m], false);
    }
    free(send);
    free(recv);
}

/* One collective of some ranks, between what has to be over before and what waits for it. */
static int expand_phase(struct expansion *x, const struct trace_group *g, const struct trace_op *op, const uint32_t *begins, const uint32_t *ends)
{
    struct collective_cfg cfg = cfg_of(x, g, op);
    struct collective     c;
    struct err            why;

    if (g->count < 2)
        return 0;
    if (collective_check(&cfg, &why))
        return err_set(x->err, EINVAL, "%s:%u: %s", x->from->name, op->line, why.text);
    collective_init(&c, &cfg);
    add_messages(x, g, &c, begins, ends, op->line);
    collective_fini(&c);
    return 0;
}

/* ---- dimension by dimension ---- */

struct phase { struct trace_op op; uint32_t dim; };

/* Which collectives an operation is, one after the other, and how much is left of it in each. Returns how many there are. */
static uint32_t list_phases(const struct expansion *x, const struct trace_op *op, struct phase *phase)
{
    uint32_t     dims = x->cfg->dims, count = 0;
    struct phase p = { .op = *op };

    switch ((enum trace_collective)op->collective) {
    case TRACE_ALL_REDUCE:
        p.op.collective = TRACE_REDUCE_SCATTER;
        for (; p.dim + 1 < dims; p.op.size /= x->cfg->dim[p.dim++])
            phase[count++] = p;
        p.op.collective = TRACE_ALL_REDUCE;
        phase[count++] = p;
        p.op.collective = TRACE_ALL_GATHER;          /* of what each contributes: what its reduce-scatter has left */
        while (p.dim-- > 0) {
            phase[count++] = p;
            p.op.size *= x->cfg->dim[p.dim];
        }
        break;
    case TRACE_ALL_GATHER:
        for (p.dim = dims; p.dim-- > 0; p.op.size *= x->cfg->dim[p.dim])
            phase[count++] = p;
        break;
    case TRACE_REDUCE_SCATTER:
        for (; p.dim < dims; p.op.size /= x->cfg->dim[p.dim++])
            phase[count++] = p;
        break;
    case TRACE_ALL_TO_ALL:
        for (; p.dim < dims; p.dim++)
            phase[count++] = p;
        break;
    }
    return count;
}

static int expand_in_dim(struct expansion *x, const struct trace_group *g, const struct phase *p, const uint32_t *begins, const uint32_t *ends)
{
    uint32_t           size = x->cfg->dim[p->dim], stride = 1, *rank = xcalloc(3ul * size, sizeof *rank);
    struct trace_group part = { rank, size };
    int                rc = 0;

    for (uint32_t i = 0; i < p->dim; i++)
        stride *= x->cfg->dim[i];
    for (uint32_t k = 0; k < g->count / size && !rc; k++) {
        for (uint32_t i = 0; i < size; i++) {
            uint32_t member = k / stride * stride * size + k % stride + i * stride;

            rank[i] = g->rank[member];
            rank[size + i] = begins[member];
            rank[2 * size + i] = ends[member];
        }
        rc = expand_phase(x, &part, &p->op, rank + size, rank + 2ul * size);
    }
    free(rank);
    return rc;
}

/* Between two dimensions a rank has an operation that takes no time. */
static int expand_dims(struct expansion *x, const struct trace_group *g, const struct trace_op *op, const uint32_t *begins, const uint32_t *ends)
{
    struct phase phase[2 * EXPAND_DIMS_MAX];
    uint32_t     phases = list_phases(x, op, phase), *from = xcalloc(g->count + 1ul, sizeof *from), *to = xcalloc(g->count + 1ul, sizeof *to);
    int          rc = 0;

    for (uint32_t i = 0; i < g->count; i++)
        to[i] = begins[i];
    for (uint32_t p = 0; p < phases && !rc; p++) {
        for (uint32_t i = 0; i < g->count; i++) {
            from[i] = to[i];
            to[i] = p + 1 < phases ? trace_add(&x->to, g->rank[i], &(struct trace_op){ .type = TRACE_CALC, .line = op->line }) : ends[i];
            trace_require(&x->to, g->rank[i], to[i], from[i], false);
        }
        rc = expand_in_dim(x, g, &phase[p], from, to);
    }
    free(from);
    free(to);
    return rc;
}

static int expand_one(struct expansion *x, const struct trace_group *g, const uint32_t *number, bool is_all)
{
    const struct trace_op *op = &x->from->rank[g->rank[0]].op[number[0]];
    uint32_t              *begins = xcalloc(g->count + 1ul, sizeof *begins), *ends = xcalloc(g->count + 1ul, sizeof *ends);
    int                    rc = 0;

    for (uint32_t i = 0; i < g->count && !rc; i++) {
        const struct trace_op *other = &x->from->rank[g->rank[i]].op[number[i]];

        begins[i] = x->first[g->rank[i]][number[i]];
        ends[i] = x->last[g->rank[i]][number[i]];
        if (other->collective != op->collective || other->size != op->size)
            rc = err_set(x->err, EINVAL, "%s: the collective of rank %u (node %u) is another, or of another size, than that of rank %u (node %u)",
                         x->from->name, g->rank[i], other->line, g->rank[0], op->line);
    }
    if (!rc)
        rc = is_all && x->cfg->dims > 1 ? expand_dims(x, g, op, begins, ends) : expand_phase(x, g, op, begins, ends);
    free(begins);
    free(ends);
    return rc;
}

/* ---- groups ---- */

/* The collectives of a rank that are of a group, in order. */
static uint32_t list_collectives(const struct trace_rank *r, uint32_t group, uint32_t **list)
{
    uint32_t count = 0;

    *list = xcalloc(r->ops + 1ul, sizeof **list);
    for (uint32_t i = 0; i < r->ops; i++)
        if (r->op[i].type == TRACE_COLLECTIVE && r->op[i].peer == group)
            (*list)[count++] = i;
    return count;
}

static int expand_group(struct expansion *x, uint32_t group)
{
    const struct trace_group *g = &x->from->group[group];
    uint32_t                **list = xcalloc(g->count + 1ul, sizeof *list), *number = xcalloc(g->count + 1ul, sizeof *number), count = 0;
    bool                      is_all = g->count == x->from->ranks;
    int                       rc = 0;

    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t others = list_collectives(&x->from->rank[g->rank[i]], group, &list[i]);

        if (i && others != count && !rc)
            rc = err_set(x->err, EINVAL, "%s: rank %u has %u collectives of its group, and rank %u has %u", x->from->name, g->rank[i], others,
                         g->rank[0], count);
        count = i ? count : others;
    }
    for (uint32_t k = 0; k < count && !rc; k++) {
        for (uint32_t i = 0; i < g->count; i++)
            number[i] = list[i][k];
        rc = expand_one(x, g, number, is_all);
        if (!rc && x->to.ops > TRACE_OPS_MAX)
            rc = err_set(x->err, E2BIG, "%s: its collectives have more than %u messages", x->from->name, TRACE_OPS_MAX);
    }
    for (uint32_t i = 0; i < g->count; i++)
        free(list[i]);
    free(list);
    free(number);
    return rc;
}

int perform_expand(struct trace *t, const struct expand_cfg *cfg, struct err *err)
{
    struct expansion x = { .from = t, .cfg = cfg, .first = xcalloc(t->ranks + 1ul, sizeof *x.first),
                           .last = xcalloc(t->ranks + 1ul, sizeof *x.last), .tag = TAGS_FROM, .err = err };
    int              rc = 0;

    trace_init(&x.to, t->name, t->ranks);
    x.to.is_by_number = t->is_by_number;
    for (uint32_t i = 0; i < t->ranks; i++) {
        copy_ops(&x, i);
        copy_edges(&x, i);
    }
    for (uint32_t i = 0; i < t->groups && !rc; i++)
        rc = expand_group(&x, i);
    if (!rc)
        rc = trace_seal(&x.to, err);
    if (!rc)
        rc = trace_check(&x.to, err);
    for (uint32_t i = 0; i < t->ranks; i++) {
        free(x.first[i]);
        free(x.last[i]);
    }
    free(x.first);
    free(x.last);
    trace_fini(rc ? &x.to : t);
    if (!rc)
        *t = x.to;
    return rc;
}
