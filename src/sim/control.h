/* src/sim/control.h - which congestion control the hosts have, and how it is configured: once for each
 * control and speed of links, from the knobs, which hosts that are alike share. */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include "sim/state/state.h"

struct cc_at {                   /* hosts that are alike */
    const struct cc_algo *cc;
    uint64_t              rate_bps;          /* of their links */
    bool                  is_uet;            /* for connections of model uet, not for queue pairs */
};

/* Room for all of them; hosts are added one by one. */
void control_build(struct sim *);
void control_add_host(struct sim *, struct host *);

/* Bytes that a control remembers of a flow, at most. */
size_t control_state_bytes(const struct sim *);

/* Returns whether receivers send CNPs to congested flows in rotation. */
bool control_takes_turns(const struct sim_cfg *);

/* Applies the knobs. */
void control_configure(struct sim *);

/* Hosts of equal speed share a setting again, even if a NIC forgot it or had one of its own. */
void control_share(struct sim *);

/* Knobs of one host alone, until they are shared again. */
void control_apply_host(struct sim *, struct host *, const struct knobs *);

#endif
