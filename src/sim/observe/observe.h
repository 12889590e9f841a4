/* src/sim/observe/observe.h - reports of a simulated network, one per monitor interval. */
#ifndef SIM_OBSERVE_OBSERVE_H
#define SIM_OBSERVE_OBSERVE_H

#include "core/report.h"
#include "sim/sim.h"

struct observer;

/* The simulation must outlive it. */
struct observer *observer_new(struct sim *);

/* Allocates a report; free it with report_fini(). */
void observer_init_report(const struct observer *, struct report *);

/* Writes what has happened since the last call. Peaks restart: until observer_free(), queue_bytes_max of a
 * port is since the last call. */
void observer_look(struct observer *, uint64_t now_ps, struct report *);

/* The same without reading the monitors; watch_read() does that. */
void observer_count(struct observer *, uint64_t now_ps, struct report *);

/* Restores the largest queues of the whole run. */
void observer_free(struct observer *);

#endif
