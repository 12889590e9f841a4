/* src/sim/state/network.h - the network, shared by all parts of a world. Each part has a copy of these
 * handles and only touches the entries of its own nodes. */
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

#define LINKS_MANY 2048u         /* 2 MB of ports: a network of so many does not fit the cache */

/* A link of a node goes down or comes up. */
struct port_change { uint32_t epoch, port; bool is_up; };

/* State of a switch in model conweave. */
struct conweave_node {
    _Alignas(64) int64_t egress_bytes_left;  /* see forks/conweave_buffer.h */
    struct mrg           mrg;                /* its random numbers */
};

#define LAST_WAYS 2u              /* of a port, for data and for the rest: a cache line */

/* The port by which a packet left. */
struct last_way {
    uint64_t nodes;              /* its source and destination, as they lie in struct packet */
    uint32_t ports, port;
};

struct network {
    struct port   *port;
    struct node   *node;
    struct host   *host;
    uint32_t       nodes, ports, hosts;
    struct conweave_node *conweave;          /* by node; NULL: another model */
    uint64_t      *pausing_until_ps;         /* model conweave: by port and class: see
                                              * forks/conweave_buffer.h */
    struct last_way (*last_way)[LAST_WAYS][2];   /* by port that a packet came in by, by flow, and whether
                                                  * it was data; of the present routes */
    struct route  *route;                    /* one per set of links that are up: by epoch */
    uint64_t      *epoch_ps;                 /* when the epoch after this one begins; NEVER: it is the last */
    struct port_change *change;              /* by node, then by epoch */
    uint32_t      *first_change;             /* by node, and one more */
    uint64_t       base_rtt_ps;              /* the longest, */
    uint32_t       base_rtt_hops;            /* over so many links, those of both hosts included */
    bool           is_uneven;                /* see sim_ideal_is_uneven() */
    uint64_t       bdp_bytes;                /* the largest; 0: the model has none */
    struct graph   graph;
};

#endif
