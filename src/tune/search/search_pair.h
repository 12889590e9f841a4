/* src/tune/search/search_pair.h - settings that are measured in turns with the one in force before the search [interleave].
 *
 * Measured one after the other, a setting that is tried in a storm loses to one that is tried in the calm after it. Here every
 * setting gets a block of intervals, and so does the incumbent, right before or right after it, as a coin decides (base/evidence): only the
 * difference counts. What a searcher is told is what the incumbent was worth at the beginning, and that difference.
 *
 * In the end the best meets the incumbent in pair after pair, until the e-value tells that it is better, or that it is worse; if after as many
 * pairs as there may be neither is sure, the incumbent stays.
 */
#ifndef TUNE_SEARCH_SEARCH_PAIR_H
#define TUNE_SEARCH_SEARCH_PAIR_H

#include "tune/search/search_state.h"

/* A search begins. 'measured' is what came of the incumbent, or NULL. */
void search_pair_init(struct search *, const struct search_now *measured);

/* '*knobs' is to be measured next; writes which of both is in force first. */
void search_pair_begin(struct search *, struct knobs *);

/* Adds an interval; false: the pair takes more of them, and *knobs is who is in force in the next. True: *knobs is who was measured, and
 * 'now' what came of it. */
bool search_pair_add(struct search *, struct search_now *now, struct knobs *, struct tuner_note *);

/* A pair of the best and the incumbent has ended: one of them is kept, or there is another pair. */
void search_pair_confirm(struct search *, struct knobs *, struct tuner_note *);

#endif
