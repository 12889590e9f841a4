/* src/work/net/graph.h - a graph of hosts, switches and links: the input of simulators and routing.
 *
 * Hosts and switches share one numbering, 0 .. nodes-1. The builders number hosts first; a file may mix them.
 * The ports of a node are numbered from 1 in the order of its links in link[], as in the HPCC topology file.
 */
#ifndef WORK_NET_GRAPH_H
#define WORK_NET_GRAPH_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_NODES_MAX (1u << 20)
#define GRAPH_LINKS_MAX (1u << 22)
#define GRAPH_FAT_TREE_MAX 158u  /* largest k that stays within GRAPH_NODES_MAX */
/* Delay plus the serialization of a frame must stay below 2^32 ps, and bytes on a link below 2^32. */
#define GRAPH_DELAY_PS_MAX 4000000000ull

struct graph_link {
    uint32_t a, b;
    uint64_t rate_bps, delay_ps;
    double   loss;               /* probability that a packet is lost on the wire */
    double   ber;                /* bit error rate; a packet with a bit error is lost */
    bool     has_common_loss;    /* 'loss' is the default of all links, not set for this one */
};

struct graph_node {
    bool is_switch;
    bool is_nic;                 /* a switch that stands for the NIC of a host with several ports */
    uint32_t server;             /* server number from 1, equal for the GPUs of one server; 0: none */
    char name[16];               /* "h12", "tor3", "spine0", "edge1", "agg4", "core2", "s0" */
};

struct graph {
    uint32_t           nodes, links, hosts;
    struct graph_node *node;
    struct graph_link *link;

    /* Links inside servers. Traffic between GPUs of one server uses these, one per direction and GPU, and
     * does not enter the network. */
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

struct graph_rails {             /* GPU servers; GPU i connects to rail i, which is leaf i of its unit */
    uint32_t servers, gpus;      /* gpus: per server */
    uint32_t unit;               /* servers per leaf */
    uint32_t spines, parallel;   /* parallel: links between each leaf and each spine */
    uint64_t rate_bps, delay_ps;                 /* NIC links */
    uint64_t fabric_rate_bps, fabric_delay_ps;
    uint64_t inside_rate_bps, inside_delay_ps;
};

struct graph_hpn {               /* dual plane: each NIC has one port per plane; planes share no switch */
    uint32_t segments, servers, gpus;            /* servers: per segment */
    uint32_t aggs;               /* per plane, each with one link to each ToR of the plane */
    uint64_t rate_bps, delay_ps;                 /* per NIC port */
    uint64_t fabric_rate_bps, fabric_delay_ps;
    uint64_t inside_rate_bps, inside_delay_ps;
};

struct graph_planes {            /* several two-tier planes; each host has one port per plane */
    uint32_t planes, tors, hosts, spines;        /* tors, spines: per plane; hosts: per ToR */
    uint32_t parallel;           /* links between each ToR and each spine of a plane */
    uint32_t gpus;               /* GPUs (hosts) per server; 1: each host is a server */
    uint64_t rate_bps, delay_ps;                 /* per port */
    uint64_t fabric_rate_bps, fabric_delay_ps;
    uint64_t inside_rate_bps, inside_delay_ps;
};

struct graph_dragonfly {         /* groups of routers; full mesh within and between groups */
    uint32_t groups, routers;    /* routers: per group */
    uint32_t hosts;              /* per router */
    uint32_t global;             /* largest number of links from a router to other groups */
    uint64_t rate_bps, delay_ps;                 /* host links */
    uint64_t fabric_rate_bps, fabric_delay_ps;   /* within a group */
    uint64_t global_rate_bps, global_delay_ps;
};

/* Refuse parameters that cannot be built: a count of 0, an odd k, too many nodes or links. */
int graph_check_star(const struct graph_star *, struct err *);
int graph_check_clos(const struct graph_clos *, struct err *);
int graph_check_fat_tree(const struct graph_fat_tree *, struct err *);
int graph_check_rails(const struct graph_rails *, struct err *);
int graph_check_hpn(const struct graph_hpn *, struct err *);
int graph_check_planes(const struct graph_planes *, struct err *);
int graph_check_dragonfly(const struct graph_dragonfly *, struct err *);

/* Builders cannot fail on accepted parameters. They do not judge rates and delays; graph_check() does.
 *
 * Node order: hosts by rack, then ToRs, then spines; or hosts, edges, aggs (by pod), then cores. Link order:
 * host links by host, then fabric links by lower switch, then by upper switch. In a fat-tree, agg j of each
 * pod connects to cores j*k/2 .. j*k/2+k/2-1.
 */
void graph_star(struct graph *, const struct graph_star *);
void graph_clos(struct graph *, const struct graph_clos *);
void graph_fat_tree(struct graph *, const struct graph_fat_tree *);

/* Hosts are GPUs, numbered server by server.
 *
 *   rails      leaf u * gpus + i is rail i of unit u
 *   HPN        the two ports of a NIC are modeled as a switch, nic<host>, between the host and its ToRs. Its
 *              link to the host is as fast as both ports. ToR (segment * gpus + rail) * 2 + plane, agg
 *              plane * aggs + i
 *   planes     as HPN, with one port per plane; ToR plane * tors + i, spine plane * spines + i
 *   dragonfly  each pair of groups has (routers x global) / (groups - 1) links, rounded down, spread over
 *              the routers
 */
void graph_rails(struct graph *, const struct graph_rails *);
void graph_hpn(struct graph *, const struct graph_hpn *);
void graph_planes(struct graph *, const struct graph_planes *);
void graph_dragonfly(struct graph *, const struct graph_dragonfly *);

/* True if both hosts are GPUs of the same server. */
static inline bool graph_is_inside(const struct graph *g, uint32_t a, uint32_t b)
{
    return g->node[a].server && g->node[a].server == g->node[b].server;
}

/* Build a graph node by node, for graphs from files. Names are cut to 15 characters. NULL: h<i> or s<i>,
 * counted per kind. */
void     graph_init(struct graph *);
uint32_t graph_add_node(struct graph *, bool is_switch, const char *name);
void     graph_add_link(struct graph *, const struct graph_link *);
void     graph_fini(struct graph *);

/* Adds 'count' nodes called <prefix>0, <prefix>1, ... and returns the first. */
uint32_t graph_add_nodes(struct graph *, bool is_switch, const char *prefix, uint32_t count);

/* Returns the node called 'name' ("h3", "tor0", or a plain node number), or -1. */
int64_t graph_find(const struct graph *, const char *name);

/* Refuses graphs that cannot be simulated: no host, a self-link or a link to an unknown node, a host without
 * exactly one link, a rate outside 1 Gb/s .. 1.6 Tb/s, a delay over 4 ms, a probability outside [0, 1), or
 * hosts that cannot reach each other. The reason names the nodes; the caller adds the file name. */
int graph_check(const struct graph *, struct err *);

/* Checks a single link, which need not have been added yet. */
int graph_check_link(const struct graph *, const struct graph_link *, struct err *);

#endif
