#include "net/measure.h"

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
