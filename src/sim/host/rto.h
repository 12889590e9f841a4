/* src/sim/host/rto.h - the retransmission timer: one event per host, for the first queue pair to time out.
 *
 * A queue pair's timeout counts from the last acknowledgement of new bytes, or from the start of sending. A
 * model may have other rules: see model.on_timeout.
 */
#ifndef SIM_HOST_RTO_H
#define SIM_HOST_RTO_H

#include "sim/host/nic.h"

/* Schedules the event, unless it is pending, with the order key of an event for order_ps. */
void rto_await(struct sim *, const struct host *, uint64_t at_ps, uint64_t order_ps);

/* Restarts the timeout of a queue pair. */
void rto_restart(struct sim *, const struct host *, struct flow *);

/* rto_on_start(): a queue pair starts. rto_cancel(): the last one of a host is done. */
void rto_on_start(struct sim *, const struct host *, struct flow *);
void rto_cancel(struct sim *, const struct host *);

#endif
