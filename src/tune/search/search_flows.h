/* src/tune/search/search_flows.h - which flows there are, whether they changed, and when a search begins.
 *
 * Flow sizes are compared with those of the interval before, or with those for which the setting in force was
 * chosen. As many intervals as must differ are taken together, since in one there may be only a few flows.
 */
#ifndef TUNE_SEARCH_SEARCH_FLOWS_H
#define TUNE_SEARCH_SEARCH_FLOWS_H

#include "tune/search/search_state.h"

bool search_has_flows(const struct fsd *);

/* Takes in which flows prevail. */
void search_look_at_flows(struct search *, const struct fsd *);

/* The flow sizes of the last intervals, added. */
struct fsd search_recent_flows(const struct search *);

/* Was nothing chosen for any flows yet? There are none to compare with, then. */
bool search_is_first(const struct search *);

/* Takes in the flow sizes of an interval. Have they changed, for so long that it counts? */
bool search_compare_flows(struct search *, const struct fsd *);

void search_say_change(const struct search *, struct tuner_note *);

/* Does a search begin now? 'measured' is what came of the setting in force, or NULL. */
bool search_is_due(const struct search *, bool has_changed, const struct search_now *measured);

/* Why none does. */
const char *search_why_not(const struct search *);

/* What was found for flows like these before, or NULL. */
const struct search_memory *search_recall(const struct search *);

#endif
