/* src/tune/rehearse/proof/duel.h - compares the two formulas on the network itself, where no twin can.
 *
 * Blocks of intervals with the floor and with the other formula alternate in random order (base/evidence).
 * The other one replaces the floor only if it is better with an e-value of 20. It ends without a change
 * when the pairs are used up, or when the other one has not been better in the mean of four pairs.
 *
 * A message that was posted in one block and ends in the next is counted for the wrong setting. So the part
 * of a block that does not count is twice as long as messages take, by Little's law. Where that is too long,
 * there is no comparison.
 */
#ifndef TUNE_REHEARSE_PROOF_DUEL_H
#define TUNE_REHEARSE_PROOF_DUEL_H

#include "tune/rehearse/rehearse_state.h"

/* Begins, unless this traffic has had its comparison, or none is possible or wanted. */
void duel_begin(struct rehearser *, struct knobs *, struct tuner_note *);

/* An interval with one of the two settings. */
void duel_step(struct rehearser *, const struct report *, struct knobs *, struct tuner_note *);

#endif
