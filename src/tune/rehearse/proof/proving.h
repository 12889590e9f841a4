/* src/tune/rehearse/proof/proving.h - compares settings on the network: a winner, or the floor. */
#ifndef TUNE_REHEARSE_PROOF_PROVING_H
#define TUNE_REHEARSE_PROOF_PROVING_H

#include "tune/rehearse/rehearse_state.h"

/* Checks a full window: messages must be as much faster as predicted. */
void proving_window(struct rehearser *, struct knobs *, struct tuner_note *);

/* Drops a kept setting that is worse in two consecutive windows. Windows with more load do not count. */
bool proving_is_regretted(struct rehearser *, const struct traffic_model *now, double *gain);

/* Checks every interval. Returns true if it is much worse and the previous setting is restored. */
bool proving_interval(struct rehearser *, const struct report *, struct knobs *, struct tuner_note *);

/* The setting from before comes back; 'how' says where that was seen. */
void proving_go_back(struct rehearser *, double gain, const char *how, struct knobs *, struct tuner_note *);

/* ---- a duel of formulas ----
 *
 * Compares the floor with a formula on the network itself, where no twin can. Blocks with the floor and with
 * the formula alternate (tune/contest.h). The formula replaces the floor only if it is surely better. Where
 * there are jobs, the comparison begins as soon as they can afford it, and ends in the interval in which it
 * has cost one of them more than 1 % of the time so far. */

/* Begins, unless this traffic has had its comparison, or none is possible or wanted. */
void duel_begin(struct rehearser *, struct knobs *, struct tuner_note *);

/* An interval with one of the two settings. */
void duel_step(struct rehearser *, const struct report *, struct knobs *, struct tuner_note *);

#endif
