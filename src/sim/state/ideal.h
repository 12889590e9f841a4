/* src/sim/state/ideal.h - how long a flow takes that is alone in the network, by closed forms. */
#ifndef SIM_STATE_IDEAL_H
#define SIM_STATE_IDEAL_H

#include "sim/state/state.h"

#define IDEAL_HOPS_MAX 64u        /* links on a way: what the time to live of an IP packet usually allows */

/* FCT of a flow alone in the network, by the model's closed form; in model nic over the best of the shortest
 * paths (of the first 256), in the forks over their first. _tcp: of packets with the frames of TCP, sent at
 * line rate. */
uint64_t sim_ideal_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes);

/* Is there a way from one host to another by the routes of an epoch? */
bool sim_has_way(const struct sim *, uint32_t epoch, uint32_t src, uint32_t dst);

/* The same of a flow that ends after links have changed, in the HPCC fork: of the first path, but at the rate
 * of the slowest link of that in this epoch. */
uint64_t sim_ideal_rerouted_ps(const struct sim *, uint32_t epoch, uint32_t src, uint32_t dst,
                               uint64_t bytes);
uint64_t sim_ideal_tcp_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t mss_bytes);

/* Whether shortest paths differ in rates or delays: some switch may choose between links that do. */
bool sim_ideal_is_uneven(const struct sim *);

/* The round trip of a packet and its acknowledgement in an empty network: a full packet's or, in the forks,
 * the part of their ideal that does not depend on the flow. */
uint64_t sim_base_rtt_ps(const struct sim *, uint32_t src, uint32_t dst);

/* In the forks: bytes on the way in such a round trip at the slowest link of the path. */
uint64_t sim_pair_bdp_bytes(const struct sim *, uint32_t src, uint32_t dst);

/* What is the most over all pairs of hosts, by one shortest path of each. */
struct ideal_most {
    uint64_t rtt_ps;             /* base round trip, */
    uint32_t rtt_hops;           /* and the links on that way; of ways that take the same, the most */
    uint64_t bdp_bytes;          /* on its way in a base round trip, by HPCC's scripts; 0: the model has
                                  * none */
    uint32_t hops;               /* links, those of both hosts included */
    uint32_t from, to;           /* hosts so many apart; nodes */
};

struct ideal_most sim_ideal_most(const struct sim *);

/* The longest base round trip with queue_bytes before the packet in each of 'queues' switches, if there are
 * so many on its way, all sent at the slowest rate of any switch's port. */
uint64_t sim_full_rtt_ps(const struct sim *, uint64_t queue_bytes, uint32_t queues);

#endif
