#include "sim/route.h"
#include "base/arena.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

struct edge { uint32_t to, port; };      /* a link as one of its ends sees it */

struct builder {
    const struct graph *graph;
    uint32_t           *first;           /* by node: its edges in 'edge', sorted as next hops are */
    struct edge        *edge;
    uint32_t           *distance, *queue;
    uint32_t           *set;             /* next hops found for the switch at hand */
    uint32_t           *hop;             /* grows */
    uint32_t            hops, hops_max;
};

static int compare_edges(const void *a_, const void *b_)
{
    const struct edge *a = a_, *b = b_;

    if (a->to != b->to)
        return a->to > b->to ? -1 : 1;
    return a->port < b->port ? -1 : a->port > b->port;
}

static void find_edges(struct builder *b, const uint32_t *first_port, const bool *down)
{
    const struct graph *g = b->graph;
    uint32_t *port = xcalloc(g->nodes + 1, sizeof *port), *fill;

    b->first = xcalloc(g->nodes + 2, sizeof *b->first);
    b->edge = xcalloc(2ul * g->links + 1, sizeof *b->edge);
    for (uint32_t i = 0; i < g->links; i++)
        if (!down || !down[i])
            b->first[g->link[i].a + 1]++, b->first[g->link[i].b + 1]++;
    for (uint32_t n = 0; n < g->nodes; n++)
        b->first[n + 1] += b->first[n];
    fill = xcalloc(g->nodes + 1, sizeof *fill);
    memcpy(fill, b->first, g->nodes * sizeof *fill);
    for (uint32_t i = 0; i < g->links; i++) {
        uint32_t x = g->link[i].a, y = g->link[i].b;
        uint32_t at_x = first_port[x] + port[x]++, at_y = first_port[y] + port[y]++;

        if (down && down[i])
            continue;
        b->edge[fill[x]++] = (struct edge){ y, at_x };
        b->edge[fill[y]++] = (struct edge){ x, at_y };
    }
    for (uint32_t n = 0; n < g->nodes; n++)
        qsort(b->edge + b->first[n], b->first[n + 1] - b->first[n], sizeof *b->edge, compare_edges);
    free(fill);
    free(port);
}

/* Hops from every switch to node 'target'; hosts are not passed through. */
static void measure(struct builder *b, uint32_t target)
{
    uint32_t head = 0, tail = 0;

    memset(b->distance, 0xff, b->graph->nodes * sizeof *b->distance);
    b->distance[target] = 0;
    b->queue[tail++] = target;
    while (head < tail) {
        uint32_t n = b->queue[head++];

        for (uint32_t e = b->first[n]; e < b->first[n + 1]; e++) {
            uint32_t to = b->edge[e].to;

            if (b->distance[to] != UINT32_MAX)
                continue;
            b->distance[to] = b->distance[n] + 1;
            if (b->graph->node[to].is_switch)
                b->queue[tail++] = to;
        }
    }
}

/* Returns where the set stands in hop[], looking among the sets from 'from' on before adding it. */
static uint32_t keep_set(struct builder *b, uint32_t from, uint32_t count)
{
    for (uint32_t at = from; at < b->hops; at += b->hop[at] + 1)
        if (b->hop[at] == count && memcmp(b->hop + at + 1, b->set, count * sizeof *b->set) == 0)
            return at;
    if (b->hops + count + 1 > b->hops_max) {
        b->hops_max = 2 * (b->hops + count + 1);
        b->hop = xrealloc(b->hop, b->hops_max * sizeof *b->hop);
    }
    b->hop[b->hops] = count;
    memcpy(b->hop + b->hops + 1, b->set, count * sizeof *b->set);
    b->hops += count + 1;
    return b->hops - count - 1;
}

static uint32_t find_set(struct builder *b, uint32_t node, uint32_t from)
{
    uint32_t count = 0;

    if (b->distance[node] != UINT32_MAX)
        for (uint32_t e = b->first[node]; e < b->first[node + 1]; e++)
            if (b->distance[b->edge[e].to] == b->distance[node] - 1)
                b->set[count++] = b->edge[e].port;
    return count == 1 ? ROUTE_ONE | b->set[0] : keep_set(b, from, count);
}

/* The node a host hangs on: its neighbour, by the whole graph, links that are down included. */
static void find_hosts(struct route *r, const struct graph *g, const uint32_t *first_port, uint32_t *group_of,
                       uint32_t *target)
{
    uint32_t *port = xcalloc(g->nodes + 1, sizeof *port);

    memset(group_of, 0xff, g->nodes * sizeof *group_of);
    for (uint32_t i = 0; i < g->links; i++) {
        for (int end = 0; end < 2; end++) {
            uint32_t host = end ? g->link[i].b : g->link[i].a, near = end ? g->link[i].a : g->link[i].b;

            if (g->node[host].is_switch)
                continue;
            if (group_of[near] == UINT32_MAX) {
                target[r->groups] = near;
                group_of[near] = r->groups++;
            }
            r->host[host] = (struct route_host){ group_of[near], first_port[near] + port[near] };
        }
        port[g->link[i].a]++, port[g->link[i].b]++;
    }
    free(port);
}

void route_build(struct route *r, struct arena *arena, const struct graph *g, const uint32_t *first_port,
                 const bool *down)
{
    struct builder b = { .graph = g };
    uint32_t *group_of = xcalloc(g->nodes, sizeof *group_of), *target = xcalloc(g->nodes, sizeof *target);
    uint32_t *distances, switches = 0;

    *r = (struct route){ .host = arena_alloc(arena, g->nodes, sizeof *r->host),
                         .row = arena_alloc(arena, g->nodes, sizeof *r->row) };
    find_hosts(r, g, first_port, group_of, target);
    find_edges(&b, first_port, down);
    for (uint32_t n = 0; n < g->nodes; n++)
        r->row[n] = r->groups * (g->node[n].is_switch ? switches++ : 0);
    r->entry = arena_alloc(arena, (size_t)switches * r->groups + 1, sizeof *r->entry);
    b.queue = xcalloc(g->nodes + 1, sizeof *b.queue);
    b.set = xcalloc(2ul * g->links + 1, sizeof *b.set);

    /* Distances come group by group, but sets are made switch by switch: equal ones are then found among
     * that switch's few. */
    distances = xcalloc(r->groups + 1ul, g->nodes * sizeof *distances);
    for (uint32_t k = 0; k < r->groups; k++) {
        b.distance = distances + (size_t)k * g->nodes;
        measure(&b, target[k]);
    }
    for (uint32_t n = 0; n < g->nodes; n++) {
        uint32_t from = b.hops;

        for (uint32_t k = 0; g->node[n].is_switch && k < r->groups; k++) {
            b.distance = distances + (size_t)k * g->nodes;
            r->entry[r->row[n] + k] = target[k] == n ? ROUTE_LOCAL : find_set(&b, n, from);
        }
    }
    r->hops = b.hops;
    r->hop = arena_alloc(arena, b.hops + 1, sizeof *r->hop);
    if (b.hops)
        memcpy(r->hop, b.hop, b.hops * sizeof *r->hop);
    free(distances);
    free(b.hop);
    free(b.set);
    free(b.queue);
    free(b.edge);
    free(b.first);
    free(target);
    free(group_of);
}
