/* src/run/queue_log.h - records the thresholds of each queue over time, for tuners that set single queues. */
#ifndef RUN_QUEUE_LOG_H
#define RUN_QUEUE_LOG_H

#include "run/slots.h"
#include "tune/tuning_history.h"

#include <stdint.h>

#define QUEUE_CHANGES_MAX (1u << 20)     /* stored; further changes are only counted */

struct queue_change { uint64_t at_ps; uint32_t port; struct ecn ecn; };

struct queue_log {
    struct ecn          *first;              /* by port, at the start; NULL: no such tuner */
    uint64_t            *changes_of;         /* by port */
    uint32_t             ports;
    struct queue_change *change;             /* in the order of time */
    uint32_t             count, max;
    uint64_t             changes;            /* stored or not */
};

void queue_log_init(struct queue_log *, const struct sim *);
void queue_log_fini(struct queue_log *);
void queue_log_add(struct queue_log *, const struct slots_row *);

/* Summarizes a run that ended at this time. */
void queue_log_sum(const struct queue_log *, const struct sim *, uint64_t end_ps, struct tuned_queues *);

/* "tor0:3 > spine1" */
void queue_log_name(char *buf, size_t size, const struct sim *, uint32_t port);

#endif
