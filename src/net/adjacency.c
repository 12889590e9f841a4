#include "net/adjacency.h"

#include <stdlib.h>

static int compare_descending(const void *a_, const void *b_)
{
    const struct adjacent *a = a_, *b = b_;

    if (a->to != b->to)
        return a->to > b->to ? -1 : 1;
    return a->port < b->port ? -1 : a->port > b->port;
}

static int compare_ascending(const void *a_, const void *b_)
{
    const struct adjacent *a = a_, *b = b_;

    return a->to == b->to ? compare_descending(a, b) : -compare_descending(a, b);
}

static bool is_edge(const struct adjacency *a, const struct graph *g, const bool *down, uint32_t link)
{
    return !(down && down[link]) && a->number[g->link[link].a] != ADJACENCY_NONE &&
           a->number[g->link[link].b] != ADJACENCY_NONE;
}

static void fill_edges(struct adjacency *a, const struct graph *g, const uint32_t *first_port,
                       const bool *down)
{
    uint32_t *port = xcalloc(g->nodes + 1ul, sizeof *port), *next = xcalloc(a->switches + 1ul, sizeof *next);

    for (uint32_t s = 0; s < a->switches; s++)
        next[s] = a->first[s];
    for (uint32_t i = 0; i < g->links; i++) {
        uint32_t x = g->link[i].a, y = g->link[i].b;
        uint32_t at_x = first_port[x] + port[x]++, at_y = first_port[y] + port[y]++;

        if (!is_edge(a, g, down, i))
            continue;
        a->edge[next[a->number[x]]++] = (struct adjacent){ a->number[y], at_x, i };
        a->edge[next[a->number[y]]++] = (struct adjacent){ a->number[x], at_y, i };
    }
    free(next);
    free(port);
}

void adjacency_init(struct adjacency *a, const struct graph *g, const uint32_t *first_port, const bool *down,
                    bool is_ascending)
{
    *a = (struct adjacency){ .number = xcalloc(g->nodes + 1ul, sizeof *a->number) };
    for (uint32_t n = 0; n < g->nodes; n++)
        a->number[n] = g->node[n].is_switch ? a->switches++ : ADJACENCY_NONE;
    a->first = xcalloc(a->switches + 2ul, sizeof *a->first);
    for (uint32_t i = 0; i < g->links; i++)
        if (is_edge(a, g, down, i))
            a->first[a->number[g->link[i].a] + 1]++, a->first[a->number[g->link[i].b] + 1]++;
    for (uint32_t s = 0; s < a->switches; s++)
        a->first[s + 1] += a->first[s];
    a->edge = xcalloc(a->first[a->switches] + 1ul, sizeof *a->edge);
    fill_edges(a, g, first_port, down);
    for (uint32_t s = 0; s < a->switches; s++)
        qsort(a->edge + a->first[s], a->first[s + 1] - a->first[s], sizeof *a->edge,
              is_ascending ? compare_ascending : compare_descending);
}

void adjacency_fini(struct adjacency *a)
{
    free(a->number);
    free(a->first);
    free(a->edge);
}
