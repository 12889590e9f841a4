/* src/sim/host/rto.h - the retransmission timer: one event per host, for the first of its queue pairs whose time is up.
 *
 * A queue pair's time counts from the last acknowledgement of something new, or from when it began to send. Where
 * the model has has_qp_timers, it counts from what was sent or answered last; it runs out once, and does not count again
 * before the next packet.
 */
#ifndef SIM_HOST_RTO_H
#define SIM_HOST_RTO_H

#include "sim/host/nic.h"

/* Awaits that moment, unless the event is pending. */
void rto_await(struct sim *, const struct host *, uint64_t at_ps);

/* has_qp_timers: the time of a queue pair counts from now. */
void rto_restart(struct sim *, const struct host *, struct flow *);

/* A queue pair starts; the last one of a host is over. */
void rto_on_start(struct sim *, const struct host *, struct flow *);
void rto_cancel(struct sim *, const struct host *);

#endif
