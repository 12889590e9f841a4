/* src/sim/control.h - congestion control of the hosts and its configuration.
 *
 * Hosts with the same algorithm and link speed share one configuration, which is computed from the knobs.
 */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include "sim/state/state.h"

struct cc_at {                   /* a group of hosts that share a configuration */
    const struct cc_algo *cc;
    uint64_t              rate_bps;          /* link speed */
    bool                  is_uet;            /* true: UET connections; false: queue pairs */
};

/* control_build() allocates all groups. Hosts are then added one by one. */
void control_build(struct sim *);
void control_add_host(struct sim *, struct host *);

/* Returns the largest per-flow state of any congestion control in use, in bytes. */
size_t control_state_bytes(const struct sim *);

/* Returns whether receivers send CNPs to congested flows in rotation. */
bool control_takes_turns(const struct sim_cfg *);

/* Applies the knobs. */
void control_configure(struct sim *);

/* Makes hosts of equal speed share a setting again, including NICs that lost it or had a separate one. */
void control_share(struct sim *);

/* Applies knobs to one host, until control_share(). */
void control_apply_host(struct sim *, struct host *, const struct knobs *);

#endif
