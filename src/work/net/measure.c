#include "work/net/measure.h"
#include "work/net/shortest.h"

#include <stdlib.h>

uint32_t *graph_host_links(const struct graph *g)
{
    uint32_t *link = xcalloc(g->nodes, sizeof *link);

    for (uint32_t i = 0; i < g->links; i++)
        link[g->link[i].a] = link[g->link[i].b] = i;
    return link;
}

uint32_t graph_rack(const struct graph *g, const uint32_t *link_of, uint32_t host)
{
    const struct graph_link *l = &g->link[link_of[host]];

    return l->a == host ? l->b : l->a;
}

uint32_t *graph_list_hosts(const struct graph *g)
{
    uint32_t *node = xcalloc(g->hosts + 1ul, sizeof *node), hosts = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        if (!g->node[i].is_switch)
            node[hosts++] = i;
    return node;
}

uint32_t graph_last_host(const struct graph *g)
{
    uint32_t last = g->nodes - 1;

    while (last > 0 && g->node[last].is_switch)
        last--;
    return last;
}

uint64_t graph_delay_ps_min(const struct graph *g)
{
    uint64_t least = GRAPH_DELAY_PS_MAX;

    for (uint32_t i = 0; i < g->links; i++)
        least = g->link[i].delay_ps < least ? g->link[i].delay_ps : least;
    return least;
}

uint64_t graph_delay_ps_max(const struct graph *g)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < g->links; i++)
        longest = g->link[i].delay_ps > longest ? g->link[i].delay_ps : longest;
    return longest;
}

double graph_host_bps(const struct graph *g)
{
    double sum = 0;

    for (uint32_t i = 0; i < g->links; i++) {
        const struct graph_link *l = &g->link[i];

        sum += (double)l->rate_bps * (!g->node[l->a].is_switch + !g->node[l->b].is_switch);
    }
    return sum;
}

double graph_uplink_bps(const struct graph *g)
{
    bool  *has_hosts = xcalloc(g->nodes + 1ul, sizeof *has_hosts);
    double sum = 0;

    for (uint32_t i = 0; i < g->links; i++) {
        const struct graph_link *l = &g->link[i];

        if (!g->node[l->a].is_switch)
            has_hosts[l->b] = true;
        if (!g->node[l->b].is_switch)
            has_hosts[l->a] = true;
    }
    for (uint32_t i = 0; i < g->links; i++) {
        const struct graph_link *l = &g->link[i];

        if (g->node[l->a].is_switch && g->node[l->b].is_switch)
            sum += (double)l->rate_bps * (has_hosts[l->a] + has_hosts[l->b]);
    }
    free(has_hosts);
    return sum;
}

/* Returns the numbers of the switches that have hosts, *count of them; malloc'd. */
static uint32_t *find_racks(const struct graph *g, const struct adjacency *a, uint32_t *count)
{
    uint32_t *rack = xcalloc(a->switches + 1ul, sizeof *rack), *link_of = graph_host_links(g);
    bool     *is_rack = xcalloc(a->switches + 1ul, sizeof *is_rack);

    *count = 0;
    for (uint32_t i = 0; i < g->nodes; i++) {
        uint32_t number = g->node[i].is_switch ? ADJACENCY_NONE : a->number[graph_rack(g, link_of, i)];

        if (number == ADJACENCY_NONE || is_rack[number])
            continue;
        is_rack[number] = true;
        rack[(*count)++] = number;
    }
    free(is_rack);
    free(link_of);
    return rack;
}

uint32_t graph_switches_max(const struct graph *g)
{
    uint32_t        *first_port = xcalloc(g->nodes + 1ul, sizeof *first_port), racks, most = 0;
    struct adjacency a;
    struct shortest  s;

    adjacency_init(&a, g, first_port, NULL, true);
    uint32_t *rack = find_racks(g, &a, &racks);
    shortest_init(&s, &a, rack, racks);
    for (uint32_t from = 0; from < racks; from++)
        for (uint32_t to = 0; to < racks; to++) {
            uint32_t links = s.distance[(size_t)rack[from] * racks + to];

            most = links != SHORTEST_FAR && links + 1 > most ? links + 1 : most;
        }
    shortest_fini(&s);
    adjacency_fini(&a);
    free(rack);
    free(first_port);
    return most;
}

struct link_pair { uint32_t low, high, link; };  /* end nodes of a link */

static int compare_pairs(const void *a_, const void *b_)
{
    const struct link_pair *a = a_, *b = b_;

    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->link < b->link ? -1 : a->link > b->link;
}

bool graph_find_parallel(const struct graph *g, uint32_t *first, uint32_t *second)
{
    struct link_pair *pair = xmalloc((g->links + 1ul) * sizeof *pair);
    uint32_t          i = 1;

    for (uint32_t k = 0; k < g->links; k++) {
        uint32_t a = g->link[k].a, b = g->link[k].b;

        pair[k] = a < b ? (struct link_pair){ a, b, k } : (struct link_pair){ b, a, k };
    }
    qsort(pair, g->links, sizeof *pair, compare_pairs);
    while (i < g->links && (pair[i].low != pair[i - 1].low || pair[i].high != pair[i - 1].high))
        i++;
    if (i < g->links) {
        *first = pair[i - 1].link;
        *second = pair[i].link;
    }
    free(pair);
    return i < g->links;
}
