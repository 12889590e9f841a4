/* src/work/net/fat_tree.h - a fat-tree of two or three tiers, described by its dimensions and wired as in
 * htsim.
 *
 * Hosts are numbered ToR by ToR and pod by pod. ToR i has 'bundle[1]' parallel links to each aggregation
 * switch (agg) of its pod. Agg i of a pod has 'bundle[2]' parallel links to each of the cores i, i + a, i +
 * 2a, .., where a is the number of aggs in a pod. With two tiers there is one pod, and its aggs are the top.
 */
#ifndef WORK_NET_FAT_TREE_H
#define WORK_NET_FAT_TREE_H

#include "base/err.h"
#include "work/net/graph.h"

#include <stdbool.h>
#include <stdint.h>

#define FAT_TREE_TIERS 3

struct fat_tree {
    uint32_t tiers;                              /* 2 or 3 */
    uint32_t hosts, hosts_per_tor, tors_per_pod, aggs_per_pod, cores, pods;
    uint32_t bundle[FAT_TREE_TIERS];             /* parallel links below the switches of a tier */
    uint32_t oversubscribed[FAT_TREE_TIERS];     /* ratio of the links below a tier to those above */
    uint64_t rate_bps[FAT_TREE_TIERS];           /* of the links below a tier */
    uint64_t link_ps[FAT_TREE_TIERS];            /* their delay, one way */
    uint64_t switch_ps[FAT_TREE_TIERS];          /* delay of a switch of the tier */
    bool     is_given;                           /* read from a file; otherwise made by fat_tree_make() */
};

/* Makes a full fat-tree of k-port switches with k^3/4 hosts (three tiers) or k^2/2 hosts (two tiers). Refuses
 * other numbers of hosts. */
int fat_tree_make(struct fat_tree *, uint32_t tiers, uint32_t hosts, uint64_t rate_bps, uint64_t link_ps,
                  uint64_t switch_ps, struct err *);

/* Adds nodes h0 .., tor0 .., agg0 .., core0 .. and links. A switch's delay becomes part of its links: half
 * of it at each end. */
void fat_tree_wire(const struct fat_tree *, struct graph *);

/* Returns the delay of a link of that graph. */
uint64_t fat_tree_delay_ps(const struct fat_tree *, uint32_t tier);

/* Returns the one-way delay of the longest path, switches included. */
uint64_t fat_tree_longest_ps(const struct fat_tree *);

#endif
