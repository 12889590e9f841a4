/* src/sim/observe/observe.h - reports of a simulated network, one per monitor interval. */
#ifndef SIM_OBSERVE_OBSERVE_H
#define SIM_OBSERVE_OBSERVE_H

#include "core/report.h"
#include "sim/sim.h"

struct observer;

/* The simulation must outlive the observer. */
struct observer *observer_new(struct sim *);

/* Allocates a report; free it with report_fini(). */
void observer_init_report(const struct observer *, struct report *);

/* Fills in the report for the time since the last call. Also resets peaks: until observer_free(), a port's
 * queue_bytes_max covers the time since the last call. */
void observer_look(struct observer *, uint64_t now_ps, struct report *);

/* Like observer_look(), without reading the monitors; watch_read() does that. */
void observer_count(struct observer *, uint64_t now_ps, struct report *);

/* Frees the observer and restores the ports' queue maxima of the whole run. */
void observer_free(struct observer *);

#endif
