/* src/tune/search/search_summary.h - many intervals as one: what hosts and switches make of what they saw before a tuner hears of it.
 *
 * CHAMELEON's monitor has two layers: every small period (10 ms) what was seen is filtered and summarised where it was
 * seen, "mean, sketches, gradient", and every long one (100 ms) uploaded. Here a small period is an interval, a
 * long one the intervals over which a setting is measured. The poster does not say what a filter takes for bad nor how the
 * three are used; these are ours:
 *
 *   filter     an interval does not count whose utility is further from the median than so many times the median distance
 *   mean       of each term
 *   median     of each term: the middle of what a sketch of quantiles has
 *   trend      of each term the straight line of least squares through the intervals, at its last: where the gradient leads
 */
#ifndef TUNE_SEARCH_SEARCH_SUMMARY_H
#define TUNE_SEARCH_SEARCH_SUMMARY_H

#include "meter/monitor/monitor_utility.h"

#include <stdint.h>

/* In the order of search_summary_names. */
enum summary_kind { SUMMARY_MEAN, SUMMARY_MEDIAN, SUMMARY_TREND };

/* Leaves in 'seen' those that count, in their order, and returns how many these are: at least half. A filter of 0 leaves all. */
uint32_t summary_filter(struct utility_terms *seen, uint32_t count, double filter, struct utility_weights);

/* Of at least one interval, oldest first. No term is below 0. */
struct utility_terms summary_of(const struct utility_terms *seen, uint32_t count, enum summary_kind);

#endif
