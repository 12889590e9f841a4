/* src/study/run/slots.h - time slots of a tuner that sets single queues in a simulated network.
 *
 * Slots are shorter than intervals and independent of them. The simulation pauses at every sample, which does
 * not change results. A log records the thresholds of each queue over time.
 */
#ifndef STUDY_RUN_SLOTS_H
#define STUDY_RUN_SLOTS_H

#include "study/run/sim_world.h"
#include "sim/sim.h"
#include "tune/loop.h"
#include "tune/tuning_history.h"

#include <stdint.h>

struct slots;

struct slots_row {               /* one queue in a completed slot */
    uint64_t                 start_ps, slot_ps;
    uint32_t                 port;
    const struct queue_slot *seen;
    struct ecn               ecn;            /* from then on */
    bool                     is_changed;     /* the thresholds changed during the slot or at its end */
};

/* The first slot begins at start_ps. After every slot, calls 'row' for each queue that held or sent packets,
 * or whose setting changed, in the order of queues. Returns NULL without a tuner that uses slots.
 * slots_next_ps() and slots_free() accept NULL. */
struct slots *slots_new(struct sim *, struct loop *, uint64_t start_ps,
                        void (*row)(void *arg, const struct slots_row *), void *arg);
void          slots_free(struct slots *);

/* Time of the next sample, or NEVER. */
uint64_t slots_next_ps(const struct slots *);

/* Takes the sample. */
void slots_look(struct slots *);

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
