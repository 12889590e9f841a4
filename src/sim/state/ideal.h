/* src/sim/state/ideal.h - how long a flow takes that is alone in the network, by closed forms. */
#ifndef SIM_STATE_IDEAL_H
#define SIM_STATE_IDEAL_H

#include "sim/state/state.h"

/* FCT of a flow alone in the network, by the model's closed form; _tcp: of packets with the frames of TCP, sent
 * at line rate. */
uint64_t sim_ideal_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes);
uint64_t sim_ideal_tcp_ps(const struct sim *, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t mss_bytes);

/* The round trip of a packet and its acknowledgement in an empty network: a full packet's or, in the forks, the part of
 * their ideal that does not depend on the flow. */
uint64_t sim_base_rtt_ps(const struct sim *, uint32_t src, uint32_t dst);

/* The longest of them. */
uint64_t sim_longest_rtt_ps(const struct sim *);

/* That one with queue_bytes before the packet in each of 'queues' switches, if there are so many on its way, all sent at the
 * slowest rate of any switch's port. */
uint64_t sim_full_rtt_ps(const struct sim *, uint64_t queue_bytes, uint32_t queues);

/* The most that is on its way in a base round trip of a pair of hosts, by HPCC's scripts. */
uint64_t sim_largest_bdp_bytes(const struct sim *);

/* The most switches on a shortest path between two hosts. */
uint32_t sim_most_switches(const struct sim *);

#endif
