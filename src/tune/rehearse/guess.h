/* src/tune/rehearse/guess.h - what is set before there is a twin: it takes two windows that agree until one
 * can be believed, and meanwhile a bad setting fills queues that a good one has to empty. So as soon as the
 * load is known by and by, the surrogate is asked; what it expects much of is set until the twin has been
 * asked, which then judges it as any other. */
#ifndef TUNE_REHEARSE_GUESS_H
#define TUNE_REHEARSE_GUESS_H

#include "tune/rehearse/rehearse_state.h"

/* Has enough been seen in this window for a guess that has not been made yet? */
bool guess_is_due(const struct rehearser *);

/* For what was seen in this window: sets what is expected to be clearly better than the setting from the
 * beginning, and says so. False: there is no such thing. */
bool guess_make(struct rehearser *, struct knobs *, struct tuner_note *);

/* Settings to try on a twin, from what the surrogate likes best on: how many, GUESS_STARTS at most. */
#define GUESS_STARTS 4
uint32_t guess_starts(const struct rehearser *, const struct traffic_model *, struct knobs *);

#endif
