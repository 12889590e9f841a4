/* src/run/slots.h - time slots of a tuner that sets single queues in a simulated network.
 *
 * Slots are shorter than intervals and independent of them. The simulation pauses at every sample, which does
 * not change results.
 */
#ifndef RUN_SLOTS_H
#define RUN_SLOTS_H

#include "run/apply.h"
#include "sim/sim.h"
#include "tune/loop.h"

#include <stdint.h>

struct slots;

struct slots_row {               /* one queue in a completed slot */
    uint64_t                 start_ps, slot_ps;
    const struct port       *port;
    const struct queue_slot *seen;
    struct ecn               ecn;            /* from then on */
    bool                     is_changed;     /* the thresholds changed during the slot or at its end */
};

/* The first slot begins at start_ps. Returns NULL without a tuner that uses slots. The other functions accept
 * NULL. */
struct slots *slots_new(struct applier *, struct loop *, uint64_t start_ps);
void          slots_free(struct slots *);

/* Calls 'row' after every slot for each queue that held or sent packets, or whose setting changed, in the
 * order of queues. */
void slots_record(struct slots *, void (*row)(void *arg, const struct slots_row *), void *arg);

/* Time of the next sample, or NEVER. */
uint64_t slots_next_ps(const struct slots *);

/* Takes the sample. */
void slots_look(struct slots *);

#endif
