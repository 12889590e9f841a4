/* src/sim/forks/ns3.h - behaviour that both forks share: hooks of struct model. */
#ifndef SIM_FORKS_NS3_H
#define SIM_FORKS_NS3_H

#include "sim/host/nic.h"

/* Whole nanoseconds, truncated. */
uint64_t ns3_frame_ps(uint32_t bytes, uint64_t rate_bps);

/* Ideal times of the forks' scripts: each link takes its propagation both ways and one full payload; then all
 * bytes pass the slowest link. */
uint64_t ns3_hop_ps(const struct sim_cfg *, const struct port *);
uint64_t ns3_rest_ps(const struct sim *, uint64_t bytes, uint64_t slowest_bps);

/* Where all nodes draw from one stream. */
double ns3_random(struct sim *, const struct node *);

/* A NIC that ignores the answers of a flow that is over. */
void ns3_drop_answer(struct sim *, uint32_t packet);

/* A receiver forgets a flow in the instant in which its sender knows of the end; both are in one part. A copy
 * then meets a fresh state and is answered. The sender ignores that, but these answers are frames like
 * others. */
void ns3_forget(struct sim *, const struct flow *);
void ns3_on_forgotten(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint8_t flags);

#endif
