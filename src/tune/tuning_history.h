/* src/tune/tuning_history.h - what a tuner did, step by step: kept while it runs, written to a file
 * (tuning.jsonl), read again.
 *
 * The file is a line of JSON for the start, with the tuner, its options and all knobs, then one for each
 * monitor interval that has ended. Keys that are not known are passed over: a later version may tell more.
 */
#ifndef TUNE_TUNING_HISTORY_H
#define TUNE_TUNING_HISTORY_H

#include "base/err.h"
#include "core/decision.h"
#include "core/knobs.h"
#include "tune/tuned_queues.h"
#include "tune/tuner.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- as it is kept ---- */

struct tuning_step {             /* an interval that has ended, and what a tuner made of it */
    uint64_t          start_ps, end_ps;
    double            goodput_bps, rtt_us;       /* rtt_us is NAN: nothing was acknowledged */
    double            paused_us;         /* of all ports; NAN: no port counts it */
    struct tuner_note note;
    struct knobs      was, is;                   /* in force in the interval, and as the tuner set them for
                                                  * the next */
    enum outcome_kind outcome;                   /* of what it set; APPLIED if that was nothing */
    char             *outcome_why;               /* PARTLY, REFUSED; else NULL */
};

struct tuning {                  /* of one run */
    const struct tuner_algo *algo;               /* NULL: there was no tuner */
    struct option_values     values;             /* those in force, given or not */
    struct knobs             first;              /* in force at the start */
    struct tuning_step      *step;
    uint32_t                 steps, steps_max;
    struct tuned_queues      queues;             /* of a tuner that sets queues one by one; .queues is 0:
                                                  * it is none */
};

/* 'values' may be NULL; they are copied. */
void tuning_init(struct tuning *, const struct tuner_algo *, const struct option_values *,
                 const struct knobs *first);
void tuning_fini(struct tuning *);

/* A step more, with what the report tells; note and 'is' are for the caller to fill. Good until the next. */
struct tuning_step *tuning_add(struct tuning *, const struct report *, const struct knobs *was);

/* For who runs for months: when there are twice as many steps as 'keep', the oldest are forgotten, and
 * 'first' is what they left. Returns how many. */
uint32_t tuning_forget(struct tuning *, uint32_t keep);

/* Makes a copy of what its note points to: the tuner's is good for one step. */
void tuning_step_own(struct tuning_step *);

/* What became of what was set in a step. */
void tuning_step_judge(struct tuning_step *, const struct outcome *);

/* The value of one of its tuner's options as people write it: a text, or a number. */
json_t *tuning_option(const struct tuning *, uint32_t option);

/* Writes the file. */
void tuning_print(const struct tuning *, FILE *);

/* ---- as it is read ---- */

struct history_option { char *name, *text; };    /* as people write it: "0.85", "yes", "corrected" */

struct history_step {
    double             start_us, end_us;
    char              *phase, *why;              /* never NULL */
    double             goodput_gbps, rtt_us, paused_us;          /* NAN: not told. So below */
    double             utility, utility_throughput, utility_rtt, utility_pfc;
    double             divergence, elephants, temperature;
    enum tuner_verdict verdict;
    struct knobs       was, is;                  /* in force in the interval, and as the tuner set them for
                                                  * the next */
    enum outcome_kind  outcome;                  /* APPLIED, unless the file says something else */
    char              *outcome_why;              /* NULL: it does not say why */
};

struct history {
    char                  *tuner;
    struct history_option *option;
    uint32_t               options;
    struct knobs           first;                /* in force at the start */
    struct history_step   *step;
    uint32_t               steps;
    struct tuned_queues    queues;               /* .queues is 0: nothing is said of queues */
};

/* Reads the text of such a file. What is wrong is refused with "name:line:column: ...": JSON that is none, a
 * line without what it must have, unknown knobs, values out of their range, times that go back. On failure
 * nothing is held. */
int  history_parse(struct history *, const char *name, const char *text, size_t length, struct err *);
void history_fini(struct history *);

#endif
