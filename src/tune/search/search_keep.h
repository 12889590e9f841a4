/* src/tune/search/search_keep.h - the end of a search: what is kept, and the measurements that decide it. */
#ifndef TUNE_SEARCH_SEARCH_KEEP_H
#define TUNE_SEARCH_SEARCH_KEEP_H

#include "tune/search/search_state.h"

/* Holds 'kept' from now on: it is chosen for the flows of now. */
void search_settle(struct search *, const struct knobs *kept, struct knobs *knobs);

/* Holds 'kept', which a search has found, and remembers it. */
void search_keep(struct search *, const struct knobs *kept, struct knobs *knobs);

/* The search is over. The best is kept, or is measured again first, in turn with where it began. */
void search_finish(struct search *, struct knobs *knobs, struct tuner_note *);

/* One of those measurements has ended. */
void search_confirm(struct search *, const struct search_now *, struct knobs *knobs, struct tuner_note *);

#endif
