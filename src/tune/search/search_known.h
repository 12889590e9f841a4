/* src/tune/search/search_known.h - presets, which a search may try before it searches.
 *
 * They are numbered: first those made for the dominant flows, then the setting from before, then those made for neither.
 * Where elephants are most of the flows but mice matter, none is made for the dominant flows. There is always one.
 */
#ifndef TUNE_SEARCH_SEARCH_KNOWN_H
#define TUNE_SEARCH_SEARCH_KNOWN_H

#include "tune/search/search_state.h"

/* Sets the next that was not tried in this search; false: there is none, or the budget is used up. */
bool search_set_known(struct search *, struct knobs *);

/* The name of the one that runs now. */
const char *search_known_name(const struct search *);

/* The best of those measured. Those made for such flows were tried first: to be preferred, one that was tried
 * later must have been better by more than chance will make it. */
const struct search_sample *search_best_known(const struct search *);

#endif
