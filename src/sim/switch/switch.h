/* src/sim/switch/switch.h - a shared-buffer switch: store and forward, output queued, without processing
 * delay. */
#ifndef SIM_SWITCH_SWITCH_H
#define SIM_SWITCH_SWITCH_H

#include "sim/state/state.h"

/* reads and checks the buffer accounts of a switch. switch.c updates them. */

/* Returns the bytes of an ingress account beyond its reserve. */
static inline uint32_t buffer_shared_used(const struct sim *s, const struct ingress *in)
{
    return in->bytes > s->cfg.reserve_bytes ? in->bytes - s->cfg.reserve_bytes : 0;
}

/* Returns the bytes in a switch's buffer, summed over all accounts. */
int64_t buffer_used_bytes(const struct sim *, const struct node *);

/* Aborts if the accounts differ from the packets in the queues. */
void buffer_check(const struct sim *, const struct node *);

/* queues of Ultra Ethernet: two classes at each port.
 *
 * The data queue has a limit. If a packet does not fit, a coin toss selects either it or the last packet in
 * the queue, and the selected packet loses its payload. The remaining header joins the header queue, which
 * has priority and twice the limit. Without trimming the packet is dropped.
 */

/* Admits packet 'id' to port 'out', trimmed if necessary. On return 'id' may hold another packet in another
 * class: the one that was last in the queue. Returns false if there is no room. */
bool trim_admit(struct sim *, struct port *out, uint32_t id);

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

/* Set the marking thresholds of one port: to these, or by the knobs or the per-speed table. */
void switch_set_ecn(const struct sim *, struct port *, const struct ecn_cfg *);
void switch_set_ecn_by_knobs(const struct sim *, struct port *, bool use_table);

void switch_check(const struct sim *, const struct node *);

#endif
