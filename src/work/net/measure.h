/* src/work/net/measure.h - figures derived from a graph: total rates, shortest and longest delay, racks. */
#ifndef WORK_NET_MEASURE_H
#define WORK_NET_MEASURE_H

#include "work/net/graph.h"

#include <stdint.h>

/* Returns, by node, the index of a host's link; malloc'd. */
uint32_t *graph_host_links(const struct graph *);

/* Returns the switch a host is connected to, its rack. link_of: from graph_host_links(). */
uint32_t graph_rack(const struct graph *, const uint32_t *link_of, uint32_t host);

uint32_t graph_last_host(const struct graph *);

/* Returns the nodes of all hosts in order. The caller frees them. */
uint32_t *graph_list_hosts(const struct graph *);

/* Shortest and longest delay of a link. The shortest one bounds how soon one node can affect another. */
uint64_t graph_delay_ps_min(const struct graph *);
uint64_t graph_delay_ps_max(const struct graph *);

/* Total rate of all host links, and of all links from switches with hosts to other switches. */
double graph_host_bps(const struct graph *);
double graph_uplink_bps(const struct graph *);

/* Largest number of switches on a shortest path between two hosts, with all links up. */
uint32_t graph_switches_max(const struct graph *);

/* Finds two links between the same nodes: those of the lowest nodes. Returns false if there are none. */
bool graph_find_parallel(const struct graph *, uint32_t *first, uint32_t *second);

#endif
