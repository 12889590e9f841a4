/* src/tune/rehearse/search/tried.h - the entries of a race on a twin, for a tuner's log: each with its
 * predicted gain. */
#ifndef TUNE_REHEARSE_SEARCH_TRIED_H
#define TUNE_REHEARSE_SEARCH_TRIED_H

#include "tune/rehearse/search/race.h"
#include "tune/tuner.h"

/* Against 'now' or, if it did not run, the baseline; the best first. Returns how many. */
uint32_t tried_of_race(const struct race *, const struct knobs *now, struct tuner_tried tried[RACE_RUNNERS]);

#endif
