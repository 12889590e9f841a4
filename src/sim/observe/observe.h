/* src/sim/observe/observe.h - reports of a simulated network, one per monitor interval. */
#ifndef SIM_OBSERVE_OBSERVE_H
#define SIM_OBSERVE_OBSERVE_H

#include "core/report.h"
#include "sim/sim.h"

struct observer;

/* The simulation must outlive it. */
struct observer *observer_new(struct sim *);

/* Makes room for what it writes; to be given back with report_fini(). */
void observer_init_report(const struct observer *, struct report *);

/* Writes what has happened since the last look, or the start. Peaks start anew: until observer_free(), the
 * queue_bytes_max of a port is that since the last look. */
void observer_look(struct observer *, uint64_t now_ps, struct report *);

/* The same without asking the monitors: they go on, and watch_read() will ask them. */
void observer_count(struct observer *, uint64_t now_ps, struct report *);

/* Gives ports the largest queues of the whole run back. */
void observer_free(struct observer *);

#endif
