/* src/sim/state/ideal.h - how long a flow takes that is alone in the network, in closed form. */
#ifndef SIM_STATE_IDEAL_H
#define SIM_STATE_IDEAL_H

#include "sim/state/state.h"

#define IDEAL_HOPS_MAX 64u        /* links on a way: what the time to live of an IP packet usually allows */

/* Returns the FCT of a lone flow: over the best of the shortest paths (of the first 256), over all of them
 * if its packets are sprayed, or, in the forks, over their first. _tcp: with the frames of TCP, at line
 * rate. */
uint64_t sim_ideal_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes);

/* Returns whether the routes of an epoch lead from one host to another. */
bool sim_has_way(const struct sim *, uint32_t epoch, uint32_t src, uint32_t dst);

/* The HPCC fork, for a flow that ends after links have changed: of the first path, but with the slowest link
 * of this epoch. */
uint64_t sim_ideal_rerouted_ps(const struct sim *, uint32_t epoch, uint32_t src, uint32_t dst,
                               uint64_t bytes);
uint64_t sim_ideal_tcp_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t mss_bytes);

/* Returns how long a lone RDMA READ takes at the requester 'src': its request, 'wait_ps' at the responder
 * 'dst', and the data. */
uint64_t sim_ideal_read_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t wait_ps);

/* Returns whether shortest paths differ in rates or delays. */
bool sim_ideal_is_uneven(const struct sim *);

/* Returns the round trip of a full packet and its ACK in an empty network; in the forks, the part of their
 * ideal that does not depend on the flow. */
uint64_t sim_base_rtt_ps(const struct sim *, uint32_t src, uint32_t dst);

/* In the forks: returns the bytes in flight in that round trip at the slowest link. */
uint64_t sim_pair_bdp_bytes(const struct sim *, uint32_t src, uint32_t dst);

/* Maxima over all pairs of hosts, each by one shortest path. */
struct ideal_most {
    uint64_t rtt_ps;             /* base round trip, */
    uint32_t rtt_hops;           /* and the links on that way; of ways that take the same, the most */
    uint64_t bdp_bytes;          /* on its way in a base round trip, by HPCC's scripts; 0: the model has
                                  * none */
    uint32_t hops;               /* links, those of both hosts included */
    uint32_t from, to;           /* hosts so many apart; nodes */
};

struct ideal_most sim_ideal_most(const struct sim *);

/* Returns the longest base round trip with queue_bytes ahead of the packet in each of 'queues' switches, all
 * sent at the slowest rate of any switch port. */
uint64_t sim_full_rtt_ps(const struct sim *, uint64_t queue_bytes, uint32_t queues);

#endif
