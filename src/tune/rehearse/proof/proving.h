/* src/tune/rehearse/proof/proving.h - a new setting is in force: is it as good as was predicted? */
#ifndef TUNE_REHEARSE_PROOF_PROVING_H
#define TUNE_REHEARSE_PROOF_PROVING_H

#include "tune/rehearse/proof/twin_check.h"
#include "tune/rehearse/rehearse_state.h"

/* A window with the new setting is full: are messages as much faster as was predicted? */
void proving_window(struct rehearser *, struct knobs *, struct tuner_note *);

/* An interval in which one of both settings was in force, where they take turns. */
void proving_pair(struct rehearser *, const struct report *, struct knobs *, struct tuner_note *);

/* Nobody has to bear a setting that was kept and turns out to be worse: two windows in a row that say so, and
 * it goes. Those with more load say nothing of it. */
bool proving_is_regretted(struct rehearser *, const struct traffic_model *now, double *gain);

/* An interval, whatever is in force. True: what was set lately, or kept, has become worse by much, and the
 * setting from before is back. */
bool proving_interval(struct rehearser *, const struct report *, struct knobs *, struct tuner_note *);

/* What stays by the word of the twin alone, an opening or a guess, is watched as what was proved is: the
 * setting from the beginning takes its place if hosts become slower than they would be with that, as far as
 * the twin tells. */
void proving_watch(struct rehearser *, const struct traffic_model *, const struct race *,
                   const struct twin_check *, const struct knobs *);

/* The setting from before comes back; 'how' says where that was seen. */
void proving_go_back(struct rehearser *, double gain, const char *how, struct knobs *, struct tuner_note *);

#endif
