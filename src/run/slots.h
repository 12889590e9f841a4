/* src/run/slots.h - the clock of a tuner that sets queues one by one in a simulated network.
 *
 * Its slots are shorter than intervals, and have a clock of their own. The network stops at every sample, which
 * changes no result.
 */
#ifndef RUN_SLOTS_H
#define RUN_SLOTS_H

#include "run/apply.h"
#include "sim/sim.h"
#include "tune/loop.h"

#include <stdint.h>

struct slots;

struct slots_row {               /* a queue in a slot that has ended */
    uint64_t                 start_ps, slot_ps;
    const struct port       *port;
    const struct queue_slot *seen;
    struct ecn               ecn;            /* in force from then on */
    bool                     is_changed;     /* another came into force in the slot, or at its end */
};

/* The first slot begins at start_ps. NULL: there is no tuner, or it has no slots. The others take NULL. */
struct slots *slots_new(struct applier *, struct loop *, uint64_t start_ps);
void          slots_free(struct slots *);

/* From now on 'row' is called after every slot for each queue that held or sent something, or got another setting; in
 * the order of queues. */
void slots_record(struct slots *, void (*row)(void *arg, const struct slots_row *), void *arg);

/* When the network is to stop next; NEVER: not for this. */
uint64_t slots_next_ps(const struct slots *);

/* It has stopped then. */
void slots_look(struct slots *);

#endif
