/* src/sim/host/rto.h - the retransmission timer: one event per host, for the first queue pair that times out.
 *
 * A queue pair's time counts from the last acknowledgement of new bytes, or from when it began to send. A
 * model may have other rules: see model.on_timeout.
 */
#ifndef SIM_HOST_RTO_H
#define SIM_HOST_RTO_H

#include "sim/host/nic.h"

/* Sets the event, unless it is pending, in the order of one that is for order_ps. */
void rto_await(struct sim *, const struct host *, uint64_t at_ps, uint64_t order_ps);

/* The time of a queue pair counts from now. */
void rto_restart(struct sim *, const struct host *, struct flow *);

/* A queue pair starts; the last one of a host is over. */
void rto_on_start(struct sim *, const struct host *, struct flow *);
void rto_cancel(struct sim *, const struct host *);

#endif
