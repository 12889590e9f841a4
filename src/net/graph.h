/* src/net/graph.h - which nodes there are and how they are wired, before anything is built on it.
 *
 * Hosts and switches share one numbering, 0 .. nodes-1. The builders put hosts
 * first; a file may mix them. A node's ports are numbered from 1 in the order of its links in link[], as
 * in the HPCC topology file.
 */
#ifndef NET_GRAPH_H
#define NET_GRAPH_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_NODES_MAX (1u << 20)
#define GRAPH_LINKS_MAX (1u << 22)
#define GRAPH_FAT_TREE_MAX 158u  /* k: the largest with no more nodes than that */
/* With the time of a frame, less than 2^32 ps; and no link ever holds 2^32 bytes. */
#define GRAPH_DELAY_PS_MAX 4000000000ull

struct graph_link {
    uint32_t a, b;
    uint64_t rate_bps, delay_ps;
    double   loss;               /* probability that a packet is lost on the wire */
    double   ber;                /* bit error rate; a packet with a wrong bit is lost */
    bool     has_common_loss;    /* 'loss' was given for all links, not for this one */
};

struct graph_node {
    bool is_switch;
    uint32_t server;             /* hosts with the same number, from 1, are GPUs of one server: see struct graph; 0: of none */
    char name[16];               /* "h12", "tor3", "spine0", "edge1", "agg4", "core2", "s0" */
};

struct graph {
    uint32_t           nodes, links, hosts;
    struct graph_node *node;
    struct graph_link *link;

    /* Inside servers: what GPUs of one server send each other does not leave it. Each has such a link in and out. */
    uint64_t           inside_rate_bps, inside_delay_ps;
};

struct graph_star { uint32_t hosts; uint64_t rate_bps, delay_ps; };

struct graph_clos {              /* two tiers; every ToR has 'parallel' links to every spine */
    uint32_t tors, hosts_per_tor, spines, parallel;
    uint64_t rate_bps, delay_ps;                 /* host links */
    uint64_t fabric_rate_bps, fabric_delay_ps;   /* ToR-spine links */
};

struct graph_fat_tree {          /* k even: k^3/4 hosts, k^2/2 edge, k^2/2 agg, k^2/4 core switches */
    uint32_t k;
    uint64_t rate_bps, delay_ps;
};

struct graph_rails {             /* GPU servers; GPU i of a server is on rail i: leaf i of its unit */
    uint32_t servers, gpus;      /* gpus: of each server */
    uint32_t unit;               /* servers to a leaf */
    uint32_t spines, parallel;   /* links between every leaf and every spine */
    uint64_t rate_bps, delay_ps;                 /* of NICs */
    uint64_t fabric_rate_bps, fabric_delay_ps;
    uint64_t inside_rate_bps, inside_delay_ps;
};

struct graph_hpn {               /* two planes: every NIC has two ports, one to a ToR of each, and a plane its own aggs */
    uint32_t segments, servers, gpus;            /* servers: of a segment */
    uint32_t aggs;               /* of each plane; a link to each of its ToRs */
    uint64_t rate_bps, delay_ps;                 /* of a port of a NIC */
    uint64_t fabric_rate_bps, fabric_delay_ps;
    uint64_t inside_rate_bps, inside_delay_ps;
};

struct graph_planes {            /* planes of two tiers; every host has a port in each */
    uint32_t planes, tors, hosts, spines;        /* tors, spines: of a plane; hosts: of a ToR */
    uint32_t parallel;           /* links between every ToR and every spine of a plane */
    uint32_t gpus;               /* hosts that are GPUs of one server; 1: hosts are servers */
    uint64_t rate_bps, delay_ps;                 /* of a port */
    uint64_t fabric_rate_bps, fabric_delay_ps;
    uint64_t inside_rate_bps, inside_delay_ps;
};

struct graph_dragonfly {         /* groups of routers that are all linked with each other, in groups and between them */
    uint32_t groups, routers;    /* routers: of a group */
    uint32_t hosts;              /* of a router */
    uint32_t global;             /* links of a router to other groups, at most */
    uint64_t rate_bps, delay_ps;                 /* of hosts */
    uint64_t fabric_rate_bps, fabric_delay_ps;   /* within a group */
    uint64_t global_rate_bps, global_delay_ps;
};

/* Refuse what the builders cannot build: a count of 0, an odd k, more nodes or links than the maximum. */
int graph_check_star(const struct graph_star *, struct err *);
int graph_check_clos(const struct graph_clos *, struct err *);
int graph_check_fat_tree(const struct graph_fat_tree *, struct err *);
int graph_check_rails(const struct graph_rails *, struct err *);
int graph_check_hpn(const struct graph_hpn *, struct err *);
int graph_check_planes(const struct graph_planes *, struct err *);
int graph_check_dragonfly(const struct graph_dragonfly *, struct err *);

/* Builders cannot fail on what the checks above accept; rates and delays are for graph_check() to judge.
 * Node order: hosts (by rack), then ToRs, spines; or edges, aggs, cores (by pod). Link order: all host links
 * by host, then fabric links by lower switch, then upper switch. In a fat-tree agg j of each pod reaches
 * cores j*k/2 .. j*k/2+k/2-1. */
void graph_star(struct graph *, const struct graph_star *);
void graph_clos(struct graph *, const struct graph_clos *);
void graph_fat_tree(struct graph *, const struct graph_fat_tree *);

/* Hosts are GPUs, server by server. Rails: leaf u * gpus + i is rail i of unit u. HPN: the two ports of a NIC are a switch,
 * nic<host>, behind the host, whose link to it is as fast as both; ToR (segment * gpus + rail) * 2 + plane, agg plane * aggs + i.
 * Planes: likewise, with a port for each plane; ToR plane * tors + i, spine plane * spines + i.
 * Dragonfly: each pair of groups has (routers x global) / (groups - 1) links, rounded down, spread over routers. */
void graph_rails(struct graph *, const struct graph_rails *);
void graph_hpn(struct graph *, const struct graph_hpn *);
void graph_planes(struct graph *, const struct graph_planes *);
void graph_dragonfly(struct graph *, const struct graph_dragonfly *);

/* Are two hosts of one server? */
static inline bool graph_is_inside(const struct graph *g, uint32_t a, uint32_t b)
{
    return g->node[a].server && g->node[a].server == g->node[b].server;
}

/* Starts a graph node by node (any graph, from a file). A name is cut after 15 characters; NULL: h<i> or s<i>
 * by its kind's count. */
void     graph_init(struct graph *);
uint32_t graph_add_node(struct graph *, bool is_switch, const char *name);
void     graph_add_link(struct graph *, const struct graph_link *);
void     graph_fini(struct graph *);

/* Returns the node called 'name' ("h3", "tor0", or a plain node number), or -1. */
int64_t graph_find(const struct graph *, const char *name);

/* Refuses what cannot be simulated: no host, a link from a node to itself or to no node, a host with no link
 * or more than one, a rate outside 1 Gb/s .. 1.6 Tb/s or a delay over 4 ms, probabilities outside [0, 1),
 * hosts that cannot reach each other. The reason names the nodes; it has no file name in front. */
int graph_check(const struct graph *, struct err *);

/* The part of it that concerns a single link, whether or not it has been added yet. */
int graph_check_link(const struct graph *, const struct graph_link *, struct err *);

#endif
