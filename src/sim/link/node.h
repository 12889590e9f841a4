/* src/sim/link/node.h - the common part of hosts and switches. */
#ifndef SIM_LINK_NODE_H
#define SIM_LINK_NODE_H

#include "base/rng.h"
#include "net/route.h"

#include <stdbool.h>
#include <stdint.h>

struct node {
    uint32_t     id;
    uint32_t     next_number;    /* next event number: see engine_number() */
    uint32_t     host;           /* index among the hosts */
    uint32_t     salt;           /* of the ECMP hash */
    bool         is_switch;
    uint8_t      part;           /* see partition.h */
    uint32_t     epoch;          /* number of link changes it has seen */

    /* Switches: the current routes, see struct route. */
    const struct route_host *route_host;
    const uint32_t          *route_entry, *route_hop;
    int64_t      shared_bytes_left;  /* free bytes of the shared buffer (without headroom and reserves) */
    int64_t      used_bytes;         /* buffer bytes that no ingress port accounts for: see
                                      * buffer_used_bytes() */

    struct rng   rng;
    uint32_t     first_port, ports;
    int64_t      shared_bytes_max;   /* shared_bytes_left of an empty switch */
    void        *lb_state;
    const uint16_t *route_paths;     /* only for balancers other than ECMP */
};

/* Neighbouring nodes may belong to different threads. */
_Static_assert(sizeof(struct node) % 64 == 0, "nodes share no cache line");

#endif
