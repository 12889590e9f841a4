/* src/net/measure.h - what a graph comes to: speeds of all hosts together, shortest and longest delay, who is where. */
#ifndef NET_MEASURE_H
#define NET_MEASURE_H

#include "net/graph.h"

#include <stdint.h>

/* The link a host hangs on, by node; malloc'd. */
uint32_t *graph_host_links(const struct graph *);

/* The switch a host hangs on: its rack. link_of: as above. */
uint32_t graph_rack(const struct graph *, const uint32_t *link_of, uint32_t host);

uint32_t graph_last_host(const struct graph *);

/* Of a link. What one host does acts on another no sooner than after the shortest one. */
uint64_t graph_delay_ps_min(const struct graph *);
uint64_t graph_delay_ps_max(const struct graph *);

/* Sums of rates: of all host links; of all links from switches with hosts to other switches. */
double graph_host_bps(const struct graph *);
double graph_uplink_bps(const struct graph *);

/* The most switches on a shortest way from a host to another, all links being up. */
uint32_t graph_switches_max(const struct graph *);

#endif
