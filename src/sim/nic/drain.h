/* src/sim/nic/drain.h - hosts that drain received data more slowly than their link delivers it.
 *
 * Data waits in the NIC, in order, until it has been written to memory at cfg.drain_bps, counted as on the
 * wire. Only then is it received, so ACKs and completions come later. A class that holds more than
 * cfg.rx_buffer_bytes is paused, and resumed cfg.resume_bytes below that; the NIC has headroom for packets in
 * flight. In a lossy class, a packet that finds no room is dropped. ACKs and other small frames do not wait.
 */
#ifndef SIM_NIC_DRAIN_H
#define SIM_NIC_DRAIN_H

#include "sim/nic/nic.h"

/* Sets up slow hosts, if configured. */
void drain_build(struct sim *);

/* A packet arrives at a host with SLOW_DRAIN. Returns true if it waits or was dropped. */
bool drain_take(struct sim *, struct host *, uint32_t id, struct packet *);

/* The oldest packet has been written to memory. Returns it, to be received as one that drain_lets_pass(). */
struct packet *drain_next(struct sim *, struct host *);
bool           drain_lets_pass(struct sim *, const struct host *, uint32_t id);

/* Calls the function for each waiting packet. */
void drain_each_held(const struct sim *, const struct host *,
                     void (*do_it)(void *arg, const struct packet *), void *arg);

#endif
