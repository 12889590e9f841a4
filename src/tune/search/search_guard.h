/* src/tune/search/search_guard.h - bounds what a search may cost the traffic [guard].
 *
 * Utility can miss that flows starve: an uplink that is hardly used does not count, and flows that send nothing are not
 * seen. What hosts send cannot be missed. While a search tries settings, the rate of all uplinks is compared with the
 * mean of the last intervals before the search. What is missing adds up to the debt of the search, in intervals of
 * traffic:
 *
 *   - a setting that has cost TRIAL_MAX intervals is dropped. Its utility counts in proportion to what was sent, and the
 *     setting from before is in force until the rate is back;
 *   - when the debt exceeds [guard] intervals, the search ends and the setting from before stays;
 *   - the debt decreases by REPAY per interval, and the next search begins when half of it is gone;
 *   - a setting is kept only if it does not send less than the one before it, by more than KEEP_LOSS and chance.
 *
 * So a search costs at most [guard] intervals of traffic, the recovery from its last setting and SLACK of the rest, and
 * all searches together at most REPAY of the time beyond that. Differences below SLACK are noise and do not count.
 */
#ifndef TUNE_SEARCH_SEARCH_GUARD_H
#define TUNE_SEARCH_SEARCH_GUARD_H

#include "tune/search/search_state.h"

/* Did hosts send anything? If not, the network is idle. A setting that starves flows leaves a trickle. */
bool guard_has_traffic(const struct report *);

/* Takes in an interval without a search. */
void guard_watch(struct search *, const struct report *);

/* May a search begin? */
bool guard_allows(const struct search *);

/* Takes in an interval of a search in which 'knobs' were in force. */
void guard_add(struct search *, const struct report *, const struct knobs *);

/* Has the setting that is tried cost too much? */
bool guard_is_trial_over(const struct search *);

/* Has the search? */
bool guard_is_search_over(const struct search *);

/* Is less sent than before the search, so that flow sizes say little about the traffic? */
bool guard_is_starved(const struct search *);

/* Drops the setting that is tried: 'knobs', the next to try, waits until the rate is back. */
void guard_recover(struct search *, struct knobs *);

/* Was the interval part of a recovery? Then *knobs is the setting for the next one: that from before, or, if the rate is
 * back, the one that waited. */
bool guard_is_recovering(struct search *, struct knobs *);

/* What was sent in the last interval over what was sent before the search, at most 1. */
double guard_ratio(const struct search *);

/* By what was sent in a confirmation: is the finalist worse than the setting at which the search began? */
bool guard_refuses(const struct search *);

#endif
