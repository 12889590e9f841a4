/* src/tune/search/search_measure.h - what intervals say of a setting, and the settings that were measured.
 *
 * Utility is a sum of terms, weighted by the flows that prevail. Weights may change within a search, so all
 * that was measured is kept as terms and weighed anew whenever two settings are compared.
 */
#ifndef TUNE_SEARCH_SEARCH_MEASURE_H
#define TUNE_SEARCH_SEARCH_MEASURE_H

#include "tune/search/search_state.h"

/* The weights by the flows that prevail now, or fixed ones. */
struct utility_weights search_weights(const struct search *);

/* What messages are judged by; NULL: utility is, as nobody wants it otherwise or hosts do not tell. */
const struct goal *search_goal(const struct search *, const struct report *);

/* The terms of an interval. */
struct utility_terms search_measure(const struct search *, const struct report *);

void                 search_add_terms(struct utility_terms *sum, struct utility_terms);
struct utility_terms search_mean_of(struct utility_terms sum, uint32_t count);

/* What a searcher is shown of a setting with these terms. */
struct search_now search_now_of(const struct search *, struct utility_terms);

/* Was nothing sent in the interval? Its utility is that of an empty network then, whatever the setting. */
bool search_is_silent(const struct search *, const struct search_now *);

/* Adds an interval to what is known of the setting under test; false: it takes more of them. Writes the
 * summary into 'now'. */
bool search_add_up(struct search *, struct search_now *now, struct tuner_note *);

/* The best that was measured in this search, by the weights of now; NULL: nothing was. */
const struct search_sample *search_best_sample(const struct search *);

/* Writes down what came of a setting, under the name of a known one or NULL. Returns whether it is best. */
bool search_take(struct search *, const struct knobs *, struct utility_terms, const char *name);

#endif
