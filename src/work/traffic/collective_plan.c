#include "work/traffic/collective_plan.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct plans {
    struct plan_cfg cfg;
    uint32_t       *server;
    pthread_mutex_t lock;        /* protects the fields below */
    struct plan    *first;       /* newest first */
};

/* ---- participants ---- */

/* A subset of a group's members: first, first + stride, ... */
struct plan_subset { const struct trace_group *g; uint32_t first, stride, count; };

static uint32_t rank_of(const struct plan_subset *p, uint32_t worker)
{
    return p->g->rank[p->first + worker * p->stride];
}

/* Returns the number of members per server if it is uniform and each server's members are consecutive;
 * otherwise 1. */
static uint32_t server_size(const struct plans *x, const struct plan_subset *p)
{
    const uint32_t *server = x->server;
    uint32_t        size = 1;

    if (!server || !server[rank_of(p, 0)])
        return 1;
    while (size < p->count && server[rank_of(p, size)] == server[rank_of(p, 0)])
        size++;
    for (uint32_t i = 0; i + 1 < p->count; i++)
        if ((server[rank_of(p, i)] == server[rank_of(p, i + 1)]) != ((i + 1) % size != 0))
            return 1;
    return p->count % size ? 1 : size;
}

static bool has_dims(const struct plans *x, const struct trace *t, const struct trace_op *op)
{
    return x->cfg.dims > 1 && t->group[op->peer].count == t->ranks;
}

/* Returns the subset of dimension 'dim' that contains a member of the group. */
static struct plan_subset part_of(const struct plans *x, const struct trace_group *g, uint32_t dim,
                                  uint32_t member, uint32_t *worker)
{
    uint32_t stride = 1, size = x->cfg.dim[dim];

    for (uint32_t i = 0; i < dim; i++)
        stride *= x->cfg.dim[i];
    *worker = member / stride % size;
    return (struct plan_subset){ g, member - *worker * stride, stride, size };
}

/* ---- phases ---- */

struct plan_step { struct trace_op op; uint32_t dim; };

/* Lists the collectives that make up an operation, in order, each with its remaining size. Returns their
 * number. */
static uint32_t list_phases(const struct plans *x, const struct trace_op *op, struct plan_step *phase)
{
    const uint32_t  *dim = x->cfg.dim;
    uint32_t         dims = x->cfg.dims, count = 0;
    struct plan_step p = { .op = *op };

    switch ((enum trace_collective)op->collective) {
    case TRACE_ALL_REDUCE:
        p.op.collective = TRACE_REDUCE_SCATTER;
        for (; p.dim + 1 < dims; p.op.size /= dim[p.dim++])
            phase[count++] = p;
        p.op.collective = TRACE_ALL_REDUCE;
        phase[count++] = p;
        /* each rank contributes what its reduce-scatter left it */
        p.op.collective = TRACE_ALL_GATHER;
        while (p.dim-- > 0) {
            phase[count++] = p;
            p.op.size *= dim[p.dim];
        }
        break;
    case TRACE_ALL_GATHER:
        for (p.dim = dims; p.dim-- > 0; p.op.size *= dim[p.dim])
            phase[count++] = p;
        break;
    case TRACE_REDUCE_SCATTER:
        for (; p.dim < dims; p.op.size /= dim[p.dim++])
            phase[count++] = p;
        break;
    case TRACE_ALL_TO_ALL:
        for (; p.dim < dims; p.dim++)
            phase[count++] = p;
        break;
    }
    return count;
}

/* Sizes as in ASTRA-sim: of an all-gather each rank's contribution, of an all-to-all each rank's total. */
static struct collective_cfg cfg_of(const struct plans *x, const struct plan_subset *part,
                                    const struct trace_op *op)
{
    struct collective_cfg c = { .kind = x->cfg.all_reduce, .workers = part->count, .bytes = op->size,
                                .chunk_bytes = x->cfg.chunk_bytes,
                                .server = server_size(x, part), .is_by_rail = x->cfg.is_by_rail };
    uint64_t              least = c.workers;

    switch ((enum trace_collective)op->collective) {
    case TRACE_ALL_REDUCE:                                                                  break;
    case TRACE_ALL_GATHER:     c.kind = COLLECTIVE_ALL_GATHER, c.bytes *= c.workers;        break;
    case TRACE_REDUCE_SCATTER: c.kind = COLLECTIVE_REDUCE_SCATTER;                          break;
    case TRACE_ALL_TO_ALL:     c.kind = COLLECTIVE_ALL_TO_ALL, c.bytes /= c.workers, least = 1,
        c.is_at_once = true; break;
    }
    if (collective_has_rings(c.kind) && x->cfg.channels) {
        c.channels = x->cfg.channels;
        least *= c.channels;
    }
    c.bytes = c.bytes > least ? c.bytes : least;
    return c;
}

static bool is_same(const struct collective_cfg *a, const struct collective_cfg *b)
{
    return a->kind == b->kind && a->workers == b->workers && a->bytes == b->bytes &&
           a->chunk_bytes == b->chunk_bytes &&
           a->is_at_once == b->is_at_once && a->channels == b->channels && a->server == b->server &&
           a->is_by_rail == b->is_by_rail;
}

uint32_t plans_phases(const struct plans *x, const struct trace *t, const struct trace_op *op)
{
    struct plan_step phase[PLAN_PHASES_MAX];

    return has_dims(x, t, op) ? list_phases(x, op, phase) : 1;
}

/* ---- plans ---- */

static struct plan *make_plan(const struct collective_cfg *cfg)
{
    struct plan *p = xcalloc(1, sizeof *p);

    p->cfg = *cfg;
    collective_init(&p->c, cfg);
    collective_list_own(&p->c, true);
    return p;
}

static void free_plan(struct plan *p)
{
    collective_fini(&p->c);
    free(p);
}

static struct plan *find_or_build(struct plans *x, const struct collective_cfg *cfg)
{
    pthread_mutex_lock(&x->lock);
    struct plan *p = x->first;
    while (p && !is_same(&p->cfg, cfg))
        p = p->next;
    if (!p) {
        p = make_plan(cfg);
        p->next = x->first;
        x->first = p;
    }
    p->users++;
    pthread_mutex_unlock(&x->lock);
    return p;
}

void plans_give(struct plans *x, struct plan *p)
{
    pthread_mutex_lock(&x->lock);
    assert(p->users);
    if (--p->users == 0) {
        struct plan **at = &x->first;

        while (*at != p)
            at = &(*at)->next;
        *at = p->next;
        free_plan(p);
    }
    pthread_mutex_unlock(&x->lock);
}

static uint32_t find_member(const struct trace_group *g, uint32_t rank)
{
    uint32_t i = rank < g->count && g->rank[rank] == rank ? rank : 0;

    while (g->rank[i] != rank)
        i++;
    return i;
}

void plans_take(struct plans *x, const struct trace *t, const struct trace_op *op, uint32_t rank,
                uint32_t number, struct plan_phase *is)
{
    const struct trace_group *g = &t->group[op->peer];
    struct plan_step          phase[PLAN_PHASES_MAX] = { { .op = *op } };
    uint32_t                  member = find_member(g, rank);
    struct plan_subset        part = { g, 0, 1, g->count };

    *is = (struct plan_phase){ .worker = member };
    if (has_dims(x, t, op)) {
        list_phases(x, op, phase);
        part = part_of(x, g, phase[number].dim, member, &is->worker);
    }
    is->first = part.first;
    is->stride = part.stride;
    if (part.count < 2)
        return;
    struct collective_cfg cfg = cfg_of(x, &part, &phase[number].op);
    is->plan = find_or_build(x, &cfg);
}

/* ---- checking ---- */

struct plan_check { const struct plans *x; struct collective_cfg last; double last_messages; bool has_last; };

/* Caches the last count: neighbors are mostly equal, and counting is slow. */
static int check_part(struct plan_check *c, const struct plan_subset *part, const struct trace_op *op,
                      double *messages, struct err *err)
{
    struct collective_cfg cfg = cfg_of(c->x, part, op);
    int                   rc;

    if (part->count < 2)
        return 0;
    if (!c->has_last || !is_same(&cfg, &c->last)) {
        rc = collective_check(&cfg, err);
        if (rc)
            return rc;
        c->last = cfg;
        c->last_messages = (double)collective_messages(&cfg);
        c->has_last = true;
    }
    *messages += c->last_messages;
    return 0;
}

static int check_collective(struct plan_check *c, const struct trace *t, const struct trace_op *op,
                            double *messages, struct err *err)
{
    const struct trace_group *g = &t->group[op->peer];
    struct plan_step          phase[PLAN_PHASES_MAX];
    uint32_t                  worker;
    int                       rc = 0;

    if (!has_dims(c->x, t, op))
        return check_part(c, &(struct plan_subset){ g, 0, 1, g->count }, op, messages, err);
    uint32_t phases = list_phases(c->x, op, phase);
    for (uint32_t p = 0; p < phases; p++)
        for (uint32_t i = 0; i < g->count && !rc; i++) {
            struct plan_subset part = part_of(c->x, g, phase[p].dim, i, &worker);

            if (worker == 0)     /* once per subset */
                rc = check_part(c, &part, &phase[p].op, messages, err);
        }
    return rc;
}

int plans_check(const struct plans *x, const struct trace *t, double *messages, struct err *err)
{
    struct plan_check c = { .x = x };
    struct err        why;

    *messages = 0;
    for (uint32_t g = 0; g < t->groups; g++)
        for (uint32_t i = 0; i < t->group[g].collectives; i++) {
            const struct trace_meeting *m = &t->group[g].collective[i];
            struct trace_op             op = { .type = TRACE_COLLECTIVE, .peer = g,
                                               .collective = m->collective, .size = m->size };

            if (check_collective(&c, t, &op, messages, &why))
                return err_set(err, EINVAL, "%s:%u: %s", t->name, m->line, why.text);
        }
    return 0;
}

/* ---- entry points ---- */

struct plans *plans_new(const struct plan_cfg *cfg, uint32_t ranks)
{
    struct plans *x = xcalloc(1, sizeof *x);

    x->cfg = *cfg;
    if (cfg->server) {
        x->server = xcalloc(ranks + 1ul, sizeof *x->server);
        memcpy(x->server, cfg->server, ranks * sizeof *x->server);
    }
    x->cfg.server = x->server;
    pthread_mutex_init(&x->lock, NULL);
    return x;
}

void plans_free(struct plans *x)
{
    struct plan *next;

    if (!x)
        return;
    for (struct plan *p = x->first; p; p = next) {
        next = p->next;
        free_plan(p);
    }
    pthread_mutex_destroy(&x->lock);
    free(x->server);
    free(x);
}
