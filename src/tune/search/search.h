/* src/tune/search/search.h - searching on a running network: one setting after another, each for a while.
 *
 * All searches share what is around them (search.c and its parts): when one begins, how a setting is
 * measured, what is kept in the end. What differs, how the next point is chosen, is a struct search_algo:
 * ask, run the network with that setting, tell. Names of options are in brackets.
 *
 *   watch     flow sizes are compared with those of the interval before, or with those for which the setting
 *             in force was chosen [against]; when they differ for long enough [persist], a search begins.
 *             Where one has ended for such flows before, what it found is in force again instead [remember]
 *   search    presets come first [known]: those made for the flows that prevail, then the
 *             running one, then those made for neither; the search goes on at the best of them. Without
 *             that it begins at the running setting, or at the default one [start_from]. Ask, measure, tell,
 *             until the searcher is through, the budget is used up, too many were in vain [give_up], or one is good
 *             enough [goal]
 *   confirm   the best and the setting at which the search began are measured again, in turn, and the better
 *             is kept; where it began at the default setting, the one in force before takes that one's part
 *   hold      watch again, with the setting that was kept
 *
 * With [interleave] all that is measured is measured in turns with the setting that was in force before, and that comes back unless the
 * best is better for sure (search_pair.h). With [fingerprint] other traffic is told by more than flow sizes (fingerprint.h).
 *
 * A setting is measured over some intervals [measure], after those that still show the one before it
 * [settle]; over fewer if it falls far behind the best [abandon]; what they come to is their mean or something else
 * [summary], some of them left out [filter]. When flow sizes change in the course of
 * search or confirm, what is known was measured of other flows: another search begins, with the best so far
 * in force [restart].
 *
 * A note's phase and numbers are those of the interval that has ended; a setting is judged by all in which it was
 * measured. With metrics=corrected an interval in which no uplink was active says
 * nothing about a setting: it is not counted. What is best is decided by the terms of utility under the
 * weights of now, which may change during a search. With [objective] utility is how fast hosts see their messages, 1 in an empty
 * network; then there are no weights and no terms.
 */
#ifndef TUNE_SEARCH_SEARCH_H
#define TUNE_SEARCH_SEARCH_H

#include "tune/search/search_algo.h"

extern const char *const search_trigger_names[], *const search_bins_names[], *const search_weights_names[],
                  *const search_metrics_names[], *const search_directions_names[],
                  *const search_start_names[], *const search_against_names[], *const search_summary_names[],
                  *const search_fingerprint_names[], *const search_objective_names[];

/* For the table of a tuner that searches: its own rows, then these, then the empty one. The order is that of
 * enum search_option. */
#define SEARCH_OPTIONS \
    { "trigger", KEY_NAME, "change", \
      "start of a search. change: when flow sizes change; always: at once and repeatedly; once: at the start", .choices = search_trigger_names }, \
    { "theta", KEY_REAL, "0.05", "divergence of flow sizes that counts as a change", .min = 1e-9, .max = 1e9 }, \
    { "epsilon", KEY_REAL, "0.05", \
      "added to every share first; 0: an empty bin is infinite", .min = 0, .max = 1 }, \
    { "bins", KEY_NAME, "two", \
      "two: elephants and mice; log: 32 sizes", .choices = search_bins_names }, \
    { "weights", KEY_NAME, "share", \
      "dominant: 0.5, 0.2, 0.3 where elephants prevail and 0.2, 0.5, 0.3 where mice do; fixed: the next " \
      "three; share: from 0.2, 0.5, 0.3 for mice alone to 0.8, 0, 0.2 for elephants alone", .choices = search_weights_names }, \
    { "weight_throughput", KEY_REAL, "0.2", "weight of the utilization of active uplinks", .min = 0, .max = 1 }, \
    { "weight_rtt", KEY_REAL, "0.5", "weight of empty over measured round trip", .min = 0, .max = 1 }, \
    { "weight_pfc", KEY_REAL, "0.3", "weight of the time without pauses", .min = 0, .max = 1 }, \
    { "metrics", KEY_NAME, "corrected", \
      "corrected: RTT ratio, pause time of all ports, idle intervals ignored; artifact: as PARALEON's " \
      "scripts; published: as corrected, with one-way delay over RTT", .choices = search_metrics_names }, \
    { "utility_scale", KEY_REAL, "100", \
      "factor of utility before it is compared with a temperature", .min = 1e-3, .max = 1e6 }, \
    { "space", KEY_NAME, "safe", \
      "bounds. safe: narrow, ECN before PFC; plus: ParaleonPlus'; artifact: PARALEON's; paper: these and " \
      "two more knobs; effective: the seven knobs that its simulator uses; wide: wider than safe", .choices = space_names }, \
    { "directions", KEY_NAME, "physical", \
      "throughput-friendly directions: physical; artifact: rpg_min_dec_fac reversed", .choices = search_directions_names }, \
    { "start_from", KEY_NAME, "running", \
      "a search starts at the current setting (running) or the default one", .choices = search_start_names }, \
    { "reread", KEY_YES, "yes", \
      "re-evaluate the dominant flows in every interval" }, \
    { "known", KEY_YES, "no", \
      "try presets first, those for the dominant flows before others, and start at the best" }, \
    { "confirm", KEY_COUNT, "3", \
      "repeated measurements of the best and the first setting before one is kept; 0: keep the best measured", .min = 0, .max = 100 }, \
    { "budget", KEY_COUNT, "280", \
      "settings per search, presets included, confirmation not", .min = 1, .max = 1e6 }, \
    { "rest", KEY_COUNT, "0", "pause after a search, in intervals", .min = 0, .max = 1e6 }, \
    { "against", KEY_NAME, "settled", \
      "reference of flow sizes: the previous interval, or those the current setting was chosen for (settled)", .choices = search_against_names }, \
    { "persist", KEY_COUNT, "3", \
      "intervals merged, and repetitions, before a difference is a change", .min = 1, .max = SEARCH_PERSIST_MAX }, \
    { "remember", KEY_YES, "no", \
      "restore a found setting when such flows return" }, \
    { "settle", KEY_COUNT, "1", \
      "intervals after a change that do not count", .min = 0, .max = 1000 }, \
    { "measure", KEY_COUNT, "3", "intervals per measurement", .min = 1, .max = 1000 }, \
    { "abandon", KEY_REAL, "0.05", \
      "stop measuring a setting that is behind the best by more; 0: never", .min = 0, .max = 1 }, \
    { "give_up", KEY_COUNT, "0", \
      "end a search after so many settings in a row without a new best; 0: never", .min = 0, .max = 1e6 }, \
    { "restart", KEY_YES, "yes", \
      "restart a search when flow sizes change" }, \
    { "summary", KEY_NAME, "mean", \
      "summary of a setting's intervals: mean, median, or trend (end of a linear fit)", .choices = search_summary_names }, \
    { "filter", KEY_REAL, "0", \
      "ignore intervals whose utility is further from the median than so many median distances; 0: none", .min = 0, .max = 1000 }, \
    { "goal", KEY_REAL, "0", \
      "utility that ends a search; 0: none", .min = 0, .max = 1 }, \
    { "interleave", KEY_COUNT, "0", \
      "above 0: alternate each setting with the incumbent in random order and compare pairs; the best must " \
      "be significantly better within so many pairs. Replaces confirm and abandon. Blocks must be long compared with queues and rates", .min = 0, .max = 1000 }, \
    { "fingerprint", KEY_NAME, "elephants", \
      "what identifies traffic: the share of elephants; or whole: also load, kinds of messages, fan-in, asymmetry and phases", .choices = search_fingerprint_names }, \
    { "objective", KEY_NAME, "utility", \
      "objective: utility, or slowdowns of messages where hosts report them (balanced, latency, throughput: docs/advise.md)", .choices = search_objective_names }

/* The hooks of a tuner that searches with 'algo', all but create. search_is_idle() is false before the first
 * search. */
#define SEARCH_HOOKS \
    .destroy = search_destroy, .step = search_step, .best = search_best, .is_idle = search_is_idle, \
    .wants_messages = search_wants_messages

int  search_create(void **state, const struct search_algo *, const struct world *,
                   const struct option_values *, struct err *);
void search_destroy(void *state);
void search_step(void *state, const struct report *, struct knobs *, struct tuner_note *);
void search_best(const void *state, struct knobs *);
bool search_is_idle(const void *state);
bool search_wants_messages(const void *state);

#endif
