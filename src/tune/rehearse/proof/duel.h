/* src/tune/rehearse/proof/duel.h - compares the floor with a formula on the network itself, where no twin
 * can.
 *
 * Blocks with the floor and with the formula alternate (tune/contest.h). The latter replaces the floor only
 * if it is surely better. Where there are jobs, the comparison begins as soon as they can afford it, and ends
 * in the interval in which it has cost one of them more than 1 % of the time so far.
 */
#ifndef TUNE_REHEARSE_PROOF_DUEL_H
#define TUNE_REHEARSE_PROOF_DUEL_H

#include "tune/rehearse/rehearse_state.h"

/* Begins, unless this traffic has had its comparison, or none is possible or wanted. */
void duel_begin(struct rehearser *, struct knobs *, struct tuner_note *);

/* An interval with one of the two settings. */
void duel_step(struct rehearser *, const struct report *, struct knobs *, struct tuner_note *);

#endif
