/* src/net/trace_collectives.c - matches the collectives of a rank with those of its group. */
#include "net/trace.h"

#include <errno.h>
#include <stdlib.h>

void trace_numbers_init(struct trace_numbers *n, struct trace *t, uint32_t rank)
{
    *n = (struct trace_numbers){ t, rank, NULL };
}

void trace_numbers_fini(struct trace_numbers *n)
{
    free(n->of_group);
}

static void add_collective(struct trace_group *g, const struct trace_op *op)
{
    g->collective = xgrow(g->collective, g->collectives, &g->collectives_max, 16, sizeof *g->collective);
    g->collective[g->collectives++] = (struct trace_meeting){ op->size, op->line, op->collective };
}

static int refuse_count(const struct trace_numbers *n, const struct trace_group *g, const char *how_many,
                        uint32_t count, struct err *err)
{
    return err_set(err, EINVAL, "%s: rank %u has %s%u collectives of its group, and rank %u has %u",
                   n->trace->name, n->rank, how_many, count, g->first, g->collectives);
}

int trace_number(struct trace_numbers *n, struct trace_op *op, struct err *err)
{
    struct trace_group         *g = &n->trace->group[op->peer];
    const struct trace_meeting *is;

    if (!n->of_group)
        n->of_group = xcalloc(n->trace->groups + 1ul, sizeof *n->of_group);
    if (!g->collectives)
        g->first = n->rank;
    op->tag = n->of_group[op->peer]++;
    if (g->first == n->rank)
        add_collective(g, op);
    if (op->tag >= g->collectives)
        return refuse_count(n, g, "more than ", g->collectives, err);
    is = &g->collective[op->tag];
    if (is->collective != op->collective || is->size != op->size)
        return err_set(
            err, EINVAL,
            "%s: the collective of rank %u (node %u) differs in kind or size from that of rank %u (node %u)",
            n->trace->name, n->rank, op->line, g->first, is->line);
    return 0;
}

/* A rank without any collective of a group is found by trace_check(). */
int trace_numbers_end(struct trace_numbers *n, struct err *err)
{
    const struct trace *t = n->trace;

    for (uint32_t i = 0; n->of_group && i < t->groups; i++)
        if (n->of_group[i] && n->of_group[i] != t->group[i].collectives)
            return refuse_count(n, &t->group[i], "", n->of_group[i], err);
    return 0;
}
