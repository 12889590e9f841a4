/* src/sim/state/network.h - the network, shared by all parts of a world. Each part has a copy of these
 * handles and touches only the entries of its own nodes.
 */
#ifndef SIM_STATE_NETWORK_H
#define SIM_STATE_NETWORK_H

#include "net/address.h"
#include "net/graph.h"
#include "net/route.h"
#include "sim/event/mrg.h"
#include "sim/link/node.h"
#include "sim/link/port.h"

#include <stdint.h>

struct host;

#define LINKS_MANY 2048u         /* ports of this many links take 2 MB and do not fit the cache */

/* A link of a node goes down or comes up. */
struct port_change { uint32_t epoch, port; bool is_up; };

/* State of a switch in model conweave. */
struct conweave_node {
    _Alignas(64) int64_t egress_bytes_left;  /* see forks/conweave_buffer.h */
    struct mrg           mrg;                /* its random numbers */
};

#define LAST_WAYS 2u              /* per port, for data and for other packets: one cache line */

/* Cached route: the egress port of the last packet. */
struct last_way {
    uint64_t nodes;              /* its source and destination, laid out as in struct packet */
    uint32_t ports, port;
};

struct network {
    struct port   *port;
    struct node   *node;
    struct host   *host;
    uint32_t       nodes, ports, hosts;
    struct conweave_node *conweave;          /* by node; NULL: another model */
    uint64_t      *pausing_until_ps;         /* model conweave, by port and class: see
                                              * forks/conweave_buffer.h */
    struct last_way (*last_way)[LAST_WAYS][2];   /* by ingress port, by flow parity, and by data or other; for
                                                  * the current routes */
    struct route  *route;                    /* one per epoch (set of links that are up) */
    uint64_t      *epoch_ps;                 /* start of the next epoch; NEVER: this is the last */
    struct port_change *change;              /* by node, then by epoch */
    uint32_t      *first_change;             /* by node, plus one */
    uint64_t       base_rtt_ps;              /* the longest */
    uint32_t       base_rtt_hops;            /* links on that path, including those of both hosts */
    bool           is_uneven;                /* see sim_ideal_is_uneven() */
    uint64_t       bdp_bytes;                /* the largest; 0: not defined in this model */
    struct graph   graph;
};

#endif
