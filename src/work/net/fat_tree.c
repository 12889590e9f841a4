#include "work/net/fat_tree.h"

#include <errno.h>

/* Returns the port count of the smallest switches for a network of this size. */
static uint32_t ports_for(uint32_t tiers, uint32_t hosts)
{
    uint64_t k = 0;

    while ((tiers == 3 ? k * k * k / 4 : k * k / 2) < hosts)
        k++;
    return (uint32_t)k;
}

int fat_tree_make(struct fat_tree *t, uint32_t tiers, uint32_t hosts, uint64_t rate_bps, uint64_t link_ps,
                  uint64_t switch_ps, struct err *err)
{
    uint32_t k = ports_for(tiers, hosts), half = k / 2;

    if (hosts == 0 || k % 2 || (tiers == 3 ? (uint64_t)half * half * k : (uint64_t)half * k) != hosts)
        return err_set(err, EINVAL, "%u hosts do not fill a fat-tree of %u tiers: %s", hosts, tiers,
                       tiers == 3 ? "it has k^3/4 of them, k even (2, 16, 54, 128, 250, 432, 1024, ..)"
                                  : "it has k^2/2 of them, k even (2, 8, 18, 32, 50, 72, 98, 128, ..)");
    *t = (struct fat_tree){ .tiers = tiers, .hosts = hosts, .hosts_per_tor = half, .aggs_per_pod = half,
                            .tors_per_pod = tiers == 3 ? half : k, .pods = tiers == 3 ? k : 1,
                            .cores = tiers == 3 ? half * half : 0 };
    for (uint32_t i = 0; i < FAT_TREE_TIERS; i++) {
        t->bundle[i] = t->oversubscribed[i] = 1;
        t->rate_bps[i] = rate_bps;
        t->link_ps[i] = link_ps;
        t->switch_ps[i] = switch_ps;
    }
    return 0;
}

uint64_t fat_tree_delay_ps(const struct fat_tree *t, uint32_t tier)
{
    return t->link_ps[tier] + (t->switch_ps[tier] + (tier ? t->switch_ps[tier - 1] : 0)) / 2;
}

uint64_t fat_tree_longest_ps(const struct fat_tree *t)
{
    uint64_t ps = 2 * (t->link_ps[0] + t->link_ps[1]) + 2 * t->switch_ps[0] + t->switch_ps[1];

    return t->tiers == 3 ? ps + 2 * t->link_ps[2] + t->switch_ps[1] + t->switch_ps[2] : ps;
}

static void add_links(const struct fat_tree *t, struct graph *g, uint32_t tier, uint32_t low, uint32_t high)
{
    struct graph_link link = { .a = low, .b = high, .rate_bps = t->rate_bps[tier],
                               .delay_ps = fat_tree_delay_ps(t, tier) };

    for (uint32_t i = 0; i < t->bundle[tier]; i++)
        graph_add_link(g, &link);
}

void fat_tree_wire(const struct fat_tree *t, struct graph *g)
{
    uint32_t tors = t->pods * t->tors_per_pod, aggs = t->pods * t->aggs_per_pod;
    uint32_t tor = t->hosts, agg = tor + tors, core = agg + aggs;        /* first node of each kind */

    graph_add_nodes(g, false, "h", t->hosts);
    graph_add_nodes(g, true, "tor", tors);
    graph_add_nodes(g, true, "agg", aggs);
    graph_add_nodes(g, true, "core", t->cores);
    for (uint32_t i = 0; i < t->hosts; i++)
        add_links(t, g, 0, i, tor + i / t->hosts_per_tor);
    for (uint32_t i = 0; i < tors; i++)
        for (uint32_t j = 0; j < t->aggs_per_pod; j++)
            add_links(t, g, 1, tor + i, agg + i / t->tors_per_pod * t->aggs_per_pod + j);
    for (uint32_t i = 0; i < aggs; i++)
        for (uint32_t j = i % t->aggs_per_pod; j < t->cores; j += t->aggs_per_pod)
            add_links(t, g, 2, agg + i, core + j);
}
