/* src/sim/forks/ns3.h - behaviour shared by both ns-3 forks: hooks of struct model. */
#ifndef SIM_FORKS_NS3_H
#define SIM_FORKS_NS3_H

#include "sim/nic/nic.h"

/* Returns whole nanoseconds, truncated. */
uint64_t ns3_frame_ps(uint32_t bytes, uint64_t rate_bps);

/* Ideal times as the forks' scripts compute them. Each link contributes its propagation delay in both
 * directions and one full payload. All bytes then pass the slowest link. */
uint64_t ns3_hop_ps(const struct sim_cfg *, const struct port *);
uint64_t ns3_rest_ps(const struct sim *, uint64_t bytes, uint64_t slowest_bps);

/* All nodes draw from one stream. */
double ns3_random(struct sim *, const struct node *);


/* A receiver forgets a flow at the instant its sender finishes; both are in one part. A duplicate packet
 * then meets fresh state and is acknowledged. The sender ignores that ACK, but it uses the network like
 * any other. */
void ns3_forget(struct sim *, const struct flow *);
void ns3_on_forgotten(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint8_t flags);

/* The models: ns3_hpcc.c, and ns3_conweave.c, which grew out of it. See docs/fidelity.md. */
struct model hpcc_model(const struct sim_cfg *);
struct model conweave_model(const struct sim_cfg *);

/* ---- the queue pairs of a host in the order of the HPCC fork's hash table ----
 *
 * When a link goes down, the fork's hosts rebuild their round robin of queue pairs in the iteration order of
 * a std::unordered_map of libstdc++. That order depends on every insertion and removal. So in worlds whose
 * links change, it is tracked from the start of the run. */

struct qp_order {
    uint32_t *flow;              /* in the table's order */
    uint32_t  count, room;
    uint32_t  growths;           /* how often the table has grown */
};

/* Makes all hosts track this order. */
void qp_order_build(struct sim *);
void qp_order_free(struct sim *);

extern const struct qp_list qp_order_list;

#endif
