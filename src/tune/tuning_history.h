/* src/tune/tuning_history.h - the decisions of a tuner, step by step: kept while it runs, written to a file
 * (tuning.jsonl), and read again.
 *
 * The file has a line of JSON for the start, with the tuner, its options and all knobs, then one for each
 * monitor interval. Unknown keys are skipped, so that a later version may add some.
 */
#ifndef TUNE_TUNING_HISTORY_H
#define TUNE_TUNING_HISTORY_H

#include "base/err.h"
#include "core/decision.h"
#include "core/knobs.h"
#include "core/queue.h"
#include "tune/tuner.h"

#include <jansson.h>
#include <stdio.h>

/* ---- queues ---- */

/* Summary of the settings of a tuner that sets each queue: part of the first line. The knobs do not show
 * them, because each queue has its own thresholds, which change often. */
#define TUNED_SETTINGS_MAX 8
#define TUNED_MOST_MAX     5

struct tuned_setting { struct ecn ecn; double share; };      /* share of the time of all queues */

struct tuned_queue {
    char       name[64];         /* "tor0:3 > spine1" */
    uint64_t   changes;
    struct ecn last;             /* at the end */
};

struct tuned_queues {
    uint64_t             queues, changed;    /* changed: number of queues that changed at least once */
    uint64_t             changes;
    struct tuned_setting setting[TUNED_SETTINGS_MAX];        /* longest in use first */
    struct tuned_queue   most[TUNED_MOST_MAX];               /* most often changed first */
    uint32_t             settings, mosts;
};

json_t *tuned_queues_json(const struct tuned_queues *);

/* ---- as it is kept ---- */

struct tuning_step {             /* an interval that has ended, and what a tuner made of it */
    uint64_t          start_ps, end_ps;
    double            goodput_bps, rtt_us;       /* rtt_us is NAN: nothing was acknowledged */
    double            paused_us;         /* of all ports; NAN: no port counts it */
    struct tuner_note note;
    struct knobs      was, is;                   /* in the interval, and as the tuner set them for the next */
    enum outcome_kind outcome;                   /* of the change; APPLIED if there was none */
    char             *outcome_why;               /* PARTLY, REFUSED; else NULL */
};

struct tuning {                  /* of one run */
    const struct tuner_algo *algo;               /* NULL: there was no tuner */
    struct option_values     values;             /* current values, given or not */
    struct knobs             first;              /* at the start */
    struct tuning_step      *step;
    uint32_t                 steps, steps_max;
    struct tuned_queues      queues;             /* .queues 0: the tuner does not set queues */
};

/* 'values' may be NULL; they are copied. */
void tuning_init(struct tuning *, const struct tuner_algo *, const struct option_values *,
                 const struct knobs *first);
void tuning_fini(struct tuning *);

/* Adds a step with the report's figures; the caller fills note and 'is'. Valid until the next call. */
struct tuning_step *tuning_add(struct tuning *, const struct report *, const struct knobs *was);

/* For long-running programs: when there are twice as many steps as 'keep', drops the oldest, and 'first'
 * becomes the setting they left. Returns how many. */
uint32_t tuning_forget(struct tuning *, uint32_t keep);

/* Makes a copy of what its note points to: the tuner's is good for one step. */
void tuning_step_own(struct tuning_step *);

/* The outcome of a step's setting. */
void tuning_step_judge(struct tuning_step *, const struct outcome *);

/* The value of one of its tuner's options as people write it: a text, or a number. */
json_t *tuning_option(const struct tuning *, uint32_t option);

/* Writes the file. */
void tuning_print(const struct tuning *, FILE *);

/* ---- as it is read ---- */

struct history_option { char *name, *text; };    /* as people write it: "0.85", "yes", "corrected" */

struct history_step {
    double             start_us, end_us;
    enum tuner_phase   phase;
    char              *why;      /* never NULL */
    double             goodput_gbps, rtt_us, paused_us;          /* NAN: not reported. So below */
    double             utility, divergence, elephants, temperature;
    enum tuner_verdict verdict;
    struct knobs       was, is;                  /* in the interval, and as the tuner set them for the next */
    enum outcome_kind  outcome;                  /* APPLIED, unless the file says something else */
    char              *outcome_why;              /* NULL: it does not say why */
};

struct history {
    char                  *tuner;
    struct history_option *option;
    uint32_t               options;
    struct knobs           first;                /* at the start */
    struct history_step   *step;
    uint32_t               steps;
    struct tuned_queues    queues;               /* .queues is 0: nothing is said of queues */
};

/* Parses such a file. Errors are "name:line:column: ...": malformed JSON, missing keys, unknown knobs, values
 * out of range, times that decrease. On failure nothing is allocated. */
int  history_parse(struct history *, const char *name, const char *text, size_t length, struct err *);
void history_fini(struct history *);

#endif
