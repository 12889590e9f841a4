/* src/sim/state/ideal.h - the flow completion time of a lone flow, in closed form. */
#ifndef SIM_STATE_IDEAL_H
#define SIM_STATE_IDEAL_H

#include "sim/state/state.h"

#define IDEAL_HOPS_MAX 64u        /* links of a path: what the default TTL of an IP packet usually allows */

/* Returns the FCT of a lone flow: over the best of the first 256 shortest paths, over all of them if its
 * packets are sprayed, or over the first one in the forks. _tcp: with TCP frames, at line rate. */
uint64_t sim_ideal_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes);

/* Returns true if the routes of an epoch connect two hosts. */
bool sim_has_path(const struct sim *, uint32_t epoch, uint32_t src, uint32_t dst);

/* The HPCC fork, for a flow that ends after a change: the first path, with the slowest link of this epoch. */
uint64_t sim_ideal_rerouted_ps(const struct sim *, uint32_t epoch, uint32_t src, uint32_t dst,
                               uint64_t bytes);
uint64_t sim_ideal_tcp_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t mss_bytes);

/* Returns the duration of a lone READ at requester 'src': request, 'wait_ps' at responder 'dst', data. */
uint64_t sim_ideal_read_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t wait_ps);

/* Returns the FCT of a lone message of RDMA, whatever its operation. */
uint64_t sim_ideal_message_ps(const struct sim *, uint32_t src, const struct flow_spec *);

/* Returns true if shortest paths differ in rate or delay. */
bool sim_ideal_is_uneven(const struct sim *);

/* Returns the round trip of a full packet and its ACK in an empty network. In the forks: the part of their
 * ideal time that does not depend on the flow. */
uint64_t sim_base_rtt_ps(const struct sim *, uint32_t src, uint32_t dst);

/* In the forks: returns the BDP of that round trip at the slowest link. */
uint64_t sim_pair_bdp_bytes(const struct sim *, uint32_t src, uint32_t dst);

/* Maxima over all pairs of hosts, using one shortest path per pair. */
struct ideal_most {
    uint64_t rtt_ps;             /* base round trip, */
    uint32_t rtt_hops;           /* links on that path; the most, if several paths are equally long */
    uint64_t bdp_bytes;          /* BDP of that round trip, by HPCC's scripts; 0: not defined in this model */
    uint32_t hops;               /* links, including those of both hosts */
    uint32_t from, to;           /* the nodes of two hosts at that distance */
};

struct ideal_most sim_ideal_most(const struct sim *);

/* Returns the longest base round trip with queue_bytes ahead of the packet in each of 'queues' switches,
 * drained at the slowest rate of any switch port. */
uint64_t sim_full_rtt_ps(const struct sim *, uint64_t queue_bytes, uint32_t queues);

#endif
