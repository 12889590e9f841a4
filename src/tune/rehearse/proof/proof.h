/* src/tune/rehearse/proof/proof.h - combines a prediction with measurements, weighted by their precision.
 *
 * The twin has predicted a gain, with an assumed error of half of it. Hosts measure the gain as a difference
 * before and after, with a noise that the twin has shown as well. The estimate is the mean of both, weighted
 * by precision (as for normal distributions). So a window of bad luck does not undo a good setting, and a
 * clear one undoes a bad setting.
 */
#ifndef TUNE_REHEARSE_PROOF_PROOF_H
#define TUNE_REHEARSE_PROOF_PROOF_H

#include "core/seen/seen.h"
#include "tune/rehearse/search/race.h"

#define PROOF_WINDOWS 4          /* at most taken together: old ones must not hide a recent change */

struct proof {
    double      expected, error; /* log gain by the race, below 0 is better; its standard error */
    double      noise;           /* standard deviation of the goal's logarithm in what hosts saw before */
    struct seen before, after;   /* what hosts saw with the setting before, and with the new one */
    uint32_t    windows;         /* of the latter */
};

void proof_begin(struct proof *, struct race_gain expected, double noise, const struct seen *before);

/* A window with the new setting. */
void proof_add(struct proof *, const struct seen *window);

/* How much faster messages are than before: a log ratio, below 0 is faster. */
double proof_gain(const struct proof *, const struct goal *);

/* Estimated log gain of the new setting, from both. */
double proof_worth(const struct proof *, const struct goal *);

/* The worth is negative, or messages are slower by more than chance explains. */
bool proof_is_worse(const struct proof *, const struct goal *);

/* ---- is the twin right? ---- */

/* A twin must reproduce the slowdowns that hosts saw with the current setting, within noise: a few large
 * messages that meet make a window several times as slow as the next. */
struct twin_check {
    /* log ratio of mean slowdowns, above 0 if messages of the twin are slower: of all messages or of
     * elephants, whichever is further beyond chance. Those of which there are too few do not count */
    double off;
    double chance;               /* error of a right twin in 1 of 20 windows */
    double noise;                /* of the goal in what hosts saw: standard deviation of its logarithm */
};

/* Runs the twin with a setting, on several draws of messages. */
int check_twin(struct twin_check *, const struct predictor *, const struct goal *, const struct knobs *,
               uint64_t seed, const struct outcomes *saw, struct err *);

/* The error is at most 'trust', plus what chance explains of it. */
bool check_is_right(const struct twin_check *, double trust);

#endif
