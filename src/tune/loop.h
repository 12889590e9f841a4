/* src/tune/loop.h - the control loop that connects a tuner to a network.
 *
 * The loop passes reports to a tuner, turns the tuner's answers into decisions, and tracks which decisions
 * were applied. It works the same for simulated and real networks: study/run/ drives it for a simulation, a
 * controller for live devices.
 *
 *   loop_open        create the tuner from its configuration
 *   loop_start       a network starts; returns the initial decision
 *   loop_on_report   a monitor interval ended; returns the next decision
 *   loop_on_slot     a slot ended, for tuners that set each queue separately
 *   loop_on_change   someone other than the tuner changed knobs
 *   loop_on_applied  a decision was applied, partly applied, or refused
 *
 * The tuner owns only the values that it changes. If it returns a knob unchanged, or repeats its last value,
 * the current value stays. An operator's change therefore persists until the tuner asks for a different
 * value. The same rule applies to thresholds of queues.
 */
#ifndef TUNE_LOOP_H
#define TUNE_LOOP_H

#include "core/decision.h"
#include "core/option.h"
#include "core/world.h"
#include "tune/tuning_history.h"
#include "tune/tuner.h"

struct loop_request {            /* a tuner as configured */
    const char *kind;            /* "paraleon", "expert", "acc:FILE" */
    const char *place;           /* in the configuration, for messages */
    const struct option_text *option;
    uint32_t    options;
    const char *beside;          /* paths in options are relative to this file */
};

struct loop_setting {
    struct knobs knobs;
    struct ecn  *queue;          /* on top, for single queues; valid if has_queues */
    bool         has_queues;
};

struct loop {
    struct tuner        tuner;   /* tuner.algo is NULL: no tuner */
    struct tuning       tuning;  /* history of its steps */

    struct loop_setting in_force;    /* current setting, as far as known; shown to the tuner */
    struct loop_setting target;      /* setting once the pending decision is applied */
    struct loop_setting asked;       /* last values that the tuner itself requested */
    struct ecn         *wanted;      /* scratch memory: thresholds of queues */
    uint32_t            queues;

    struct knob_set     changed;     /* external change at changed_ps */
    struct knobs        unchanged;   /* setting before that change */
    uint64_t            changed_ps;

    struct outcome      outcome;     /* of the tuner's last decision; number 0: none yet */
    uint32_t            outcome_step;    /* step that made it, from 1; 0: made outside a step */
    uint64_t            decisions;
    bool                has_started;
};

/* Creates the tuner of the request. Errors name their place in the configuration. Copies what it needs
 * from the world. On failure, nothing needs to be closed. */
int loop_open(struct loop *, const struct world *, const struct loop_request *, struct err *);

/* Like loop_open(), with a known algorithm and option values, which are copied. */
int loop_open_with(struct loop *, const struct world *, const struct tuner_algo *,
                   const struct option_values *, struct err *);

void loop_close(struct loop *);

/* Keeps only recent history: between 'keep' and twice as many steps. See tuning_forget(). */
void loop_forget(struct loop *, uint32_t keep);

/* Starts the loop on a network whose current setting is 'in_force', or moves it to another one. On the first
 * call the tuner may request another setting. A zeroed loop has no tuner and keeps the setting. */
void loop_start(struct loop *, const struct knobs *in_force, struct decision *);

/* Processes the report of a complete interval and records the step. */
void loop_on_report(struct loop *, const struct report *, struct decision *);

/* Returns the length of a slot, or 0 if the tuner does not use slots. */
uint64_t loop_slot_ps(const struct loop *);
void     loop_on_slot(struct loop *, uint64_t end_ps, const struct queue_slot *, struct decision *);

/* Records that someone else changed these knobs on all devices at at_ps. Call it before a report or slot that
 * ends at that instant: its answer is about the time before, and must not undo the change. */
void loop_on_change(struct loop *, uint64_t at_ps, const struct knob_set *, struct decision *);

/* Records the outcome of a decision. The tuner sees it with the next report. */
void loop_on_applied(struct loop *, const struct outcome *);

/* ---- delays of reports and decisions ----
 *
 * A report reaches the tuner some time after its interval (monitor delay), and a decision takes effect some
 * time after it was made (dispatch delay). Intervals in between show the previous setting and would mislead
 * the tuner. It therefore sees next the first interval that began with its decision in effect. Simulated and
 * real networks use the same rule. */

struct lag {
    uint64_t       monitor_ps;   /* delay of reports */
    uint64_t       settled_ps;   /* when the last decision took effect; NEVER: pending */
    struct report *waiting;      /* oldest first */
    uint32_t       count, room;
    struct report  shown;        /* the last report returned; empty at first */
};

void lag_init(struct lag *, uint64_t monitor_ps);
void lag_fini(struct lag *);

/* Adds a copy of the report. */
void lag_add(struct lag *, const struct report *);

/* Returns when the next report is due; NEVER: none. */
uint64_t lag_next_ps(const struct lag *);

/* Returns the next due report that may be seen, or NULL. Valid until the next call. */
const struct report *lag_next(struct lag *, uint64_t now_ps);

/* A decision takes effect at at_ps; NEVER: not yet known. */
void lag_settle(struct lag *, uint64_t at_ps);

#endif
