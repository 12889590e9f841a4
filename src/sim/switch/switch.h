/* src/sim/switch/switch.h - a shared-buffer switch: store and forward, output queued, without processing
 * delay. */
#ifndef SIM_SWITCH_SWITCH_H
#define SIM_SWITCH_SWITCH_H

#include "sim/state/state.h"

void switch_on_packet(struct sim *, struct port *in, uint32_t id, struct packet *);

/* The last byte has left a port with a backlog. */
void switch_on_free(struct sim *, struct port *);

/* Sends the next packet of an idle port, if one is allowed to go. */
void switch_kick(struct sim *, struct port *);

/* Sends a PFC frame that pauses or resumes a class of the peer. */
void switch_send_pfc(struct sim *, struct port *, uint32_t prio, bool is_pause);

/* With pause_ps: repeats a pause that 'port' has sent for class 'prio'. */
void switch_refresh_pause(struct sim *, struct port *, uint32_t prio);

/* Drops all packets that wait for a port whose link has gone down. */
void switch_flush(struct sim *, struct port *);

/* Chooses how switches mark packets. Call it before thresholds are set. */
void switch_build_marking(struct sim *);

/* switch_set_ecn() sets the marking thresholds of one port. The others apply the knobs or the per-speed
 * table. */
void switch_set_ecn(const struct sim *, struct port *, const struct ecn_cfg *);
void switch_set_ecn_by_knobs(const struct sim *, struct port *, bool use_table);

void switch_check(const struct sim *, const struct node *);

#endif
