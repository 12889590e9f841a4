/* src/sim/host/drain.h - hosts that take data in more slowly than their link brings it.
 *
 * Data waits in the NIC, in order, until it has been written to memory at cfg.drain_bps, counted as on the
 * wire. Only then it is received: ACKs and completions come after it. A class that holds more than
 * cfg.rx_buffer_bytes is paused, and resumed cfg.resume_bytes below that; the NIC has room for what is on
 * its way. In a lossy class, a packet that finds no room is dropped. Answers and other small frames do not
 * wait.
 */
#ifndef SIM_HOST_DRAIN_H
#define SIM_HOST_DRAIN_H

#include "sim/host/nic.h"

/* Makes hosts slow, if the configuration says so. */
void drain_build(struct sim *);

/* A packet comes from the wire of a host with SLOW_DRAIN. Returns whether it waits, or was dropped. */
bool drain_take(struct sim *, struct host *, uint32_t id, struct packet *);

/* The oldest packet has been written to memory. Returns it, to be received as one that drain_lets_pass(). */
struct packet *drain_next(struct sim *, struct host *);
bool           drain_lets_pass(struct sim *, const struct host *, uint32_t id);

/* For each packet that waits. */
void drain_each_held(const struct sim *, const struct host *,
                     void (*do_it)(void *arg, const struct packet *), void *arg);

#endif
