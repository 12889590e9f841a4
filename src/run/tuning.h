/* src/run/tuning.h - where a tuner and a simulated network meet. */
#ifndef RUN_TUNING_H
#define RUN_TUNING_H

#include "scenario/scenario.h"
#include "sim/sim.h"
#include "tune/tuner.h"

#include <jansson.h>
#include <stdio.h>

struct tuning_step {             /* an interval that has ended, and what a tuner made of it */
    uint64_t          start_ps, end_ps;
    double            goodput_bps, rtt_us;       /* rtt_us is NAN: nothing was acknowledged */
    uint64_t          paused_ps;
    struct tuner_note note;
    struct knobs      was, is;                   /* in force in the interval, and from then on */
};

struct tuning {                  /* the history of one run */
    const struct tuner_algo *algo;               /* NULL: there was no tuner */
    struct option_values     values;             /* those in force, given or not */
    struct knobs             first;              /* in force at the start */
    struct tuning_step      *step;
    uint32_t                 steps, steps_max;
};

/* Makes the tuner that a scenario asks for; what is wrong with it is told with its place in the file. 'path' is the
 * scenario's: files that options name are relative to its folder. On failure nothing is held. */
int tuning_open(struct tuning *, struct tuner *, const struct scenario_tuner *, const char *path,
                const struct world *, struct err *);
void tuning_fini(struct tuning *);

/* Does the tuner look at flows by size, not only at elephants and mice? */
bool tuning_needs_bins(const struct tuning *);

/* Shows the tuner a report; 'knobs' holds what was in force and what will be. Remembers it. Returns whether
 * something has changed. */
bool tuning_step(struct tuning *, struct tuner *, const struct report *, struct knobs *);

/* The value of one of its tuner's options as people write it: a text, or a number. */
json_t *tuning_option(const struct tuning *, uint32_t option);

/* tuning.jsonl: a line of JSON for the start, with the tuner and all knobs, then one for each step. */
void tuning_print(const struct tuning *, FILE *);

#endif
