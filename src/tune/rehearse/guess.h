/* src/tune/rehearse/guess.h - the setting before there is a twin. A twin needs two windows that agree, and
 * meanwhile a bad setting fills queues that a good one has to drain. So as soon as the load is roughly known,
 * the surrogate is asked. A setting that it clearly prefers is applied until the twin can evaluate it like
 * any other. */
#ifndef TUNE_REHEARSE_GUESS_H
#define TUNE_REHEARSE_GUESS_H

#include "tune/rehearse/rehearse_state.h"

/* Has enough been seen in this window for a guess that has not been made yet? */
bool guess_is_due(const struct rehearser *);

/* Applies a setting that the surrogate expects to be clearly better than the initial one for this window's
 * traffic, and logs it. Returns false if there is none. */
bool guess_make(struct rehearser *, struct knobs *, struct tuner_note *);

/* Settings to try on a twin, from what the surrogate likes best on: how many, GUESS_STARTS at most. */
#define GUESS_STARTS 4
uint32_t guess_starts(const struct rehearser *, const struct traffic_model *, struct knobs *);

#endif
