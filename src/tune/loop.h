/* src/tune/loop.h - the loop around a tuner: a report comes, the tuner decides, somebody sets it and says what came of it.
 *
 * It knows neither a simulator nor a device. Whoever has a network calls it: run/ does so for a simulated one, a
 * controller for a real one. What is to be set comes back as a struct decision; what became of it is told with
 * loop_on_applied(), at once or later, and the tuner is shown it with the next report.
 *
 *   loop_open       which tuner with which options, from what people wrote
 *   loop_start      a network is there: what is it to begin with?
 *   loop_on_report  an interval has ended
 *   loop_on_slot    a slot has ended, for a tuner that sets queues one by one
 *   loop_on_change  somebody else turns knobs
 *   loop_on_applied a decision has been carried out, or not
 *
 * Whose word counts: a tuner's is what it changes. A knob that it leaves as it was shown it, or gives as it gave it last,
 * stays as it is in force. So a knob that somebody else has turned stays turned until the tuner wants another value
 * there, and the same holds of the thresholds of queues.
 */
#ifndef TUNE_LOOP_H
#define TUNE_LOOP_H

#include "core/decision.h"
#include "core/option.h"
#include "core/world.h"
#include "tune/history.h"
#include "tune/tuner.h"

#include <stdbool.h>
#include <stdint.h>

struct loop_request {            /* a tuner, as it is written */
    const char               *kind, *place;      /* "paraleon", "expert", "acc:FILE"; place: for messages */
    const struct option_text *option;
    uint32_t                  options;
    const char               *beside;            /* files that options name are beside this one */
};

struct loop_setting {            /* of the fabric, over it of parts, over that of queues */
    struct knobs       knobs;
    struct scoped_set *part;
    uint32_t           parts;
    struct ecn        *queue;
    bool               has_queues;               /* queue holds; false: the rest decides on them */
};

struct loop {
    struct tuner        tuner;   /* its algo is NULL: there is none */
    struct tuning       tuning;  /* what it did */

    struct loop_setting in_force;                /* as far as is known: what the tuner is shown */
    struct loop_setting target;                  /* what is to be, once the last decision is carried out */
    struct loop_setting asked;                   /* by the tuner: what it last gave another value */
    struct ecn         *wanted;                  /* of queues, for a call */
    uint32_t            queues;

    struct knob_set     changed;                 /* by somebody else, at changed_ps */
    struct knobs        unchanged;               /* in force before */
    uint64_t            changed_ps;

    struct outcome      outcome; /* of what the tuner decided last; number 0: it decided nothing yet */
    uint32_t            outcome_step;            /* the step in which it did, from 1; 0: outside of one */
    uint64_t            decisions;
    bool                has_started;
};

/* Makes the tuner that is asked for; what is wrong is told with its place. The world need not outlive the call. On
 * failure nothing is held. */
int loop_open(struct loop *, const struct world *, const struct loop_request *, struct err *);

/* The same with a tuner and values that are known. They are copied. */
int loop_open_with(struct loop *, const struct world *, const struct tuner_algo *, const struct option_values *,
                   struct err *);

void loop_close(struct loop *);

/* Of what it did only so many steps, or up to twice as many, are kept: see tuning_forget(). */
void loop_forget(struct loop *, uint32_t keep);

/* A network begins, with this setting in force; or the loop goes on in another network that begins with it. The first time
 * the tuner may want another one. A loop without a tuner, all of it 0, may be started too: it keeps what is in force. */
void loop_start(struct loop *, const struct knobs *in_force, struct decision *);

/* The report is that of a whole interval. Remembers the step. */
void loop_on_report(struct loop *, const struct report *, struct decision *);

/* How long slots are; 0: the tuner has none. */
uint64_t loop_slot_ps(const struct loop *);
void     loop_on_slot(struct loop *, uint64_t end_ps, const struct queue_slot *, struct decision *);

/* Somebody else turns the knobs that are named, everywhere, for all that happens at this instant and later. To be told before
 * a report or slot that ends at the same instant: that covers what was in force before, and what the tuner decides
 * upon it does not take the change back. */
void loop_on_change(struct loop *, uint64_t at_ps, const struct knob_set *, struct decision *);

/* What became of a decision. */
void loop_on_applied(struct loop *, const struct outcome *);

#endif
