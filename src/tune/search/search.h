/* src/tune/search/search.h - searching on a running network: one setting after another, each for a while.
 *
 * All searches share one engine (search.c and its parts): when a search begins, how a setting is measured,
 * what is kept in the end. Only the choice of the next point differs. It is a struct search_algo: ask for a
 * point, run the network with it, tell the result. Names of options are in brackets.
 *
 *   watch     Compares flow sizes with those of the previous interval, or with those for which the current
 *             setting was chosen [against]. If they differ for long enough [persist], a search begins. If an
 *             earlier search ended for such flows, its result is restored instead [remember].
 *   known     Tries presets first [known]: those made for the dominant flows, the current setting, then those
 *             made for neither. The search goes on at the best of them. Without presets it begins at the
 *             current setting or at the default one [start_from].
 *   search    Ask, measure, tell, until the searcher is done, the budget is used, or too many settings in a
 *             row were not the best [give_up].
 *   confirm   The best setting and another are measured again, alternately; the better is kept. The other
 *             is the setting from the start [floor]. Without a floor it is the one at which the search began;
 *             if that was the default setting, the setting before the search. With a floor and hosts that
 *             report messages, it is a contest (tune/contest.h).
 *   hold      Watches again with the kept setting.
 *
 * A setting that starves flows is dropped, and a search that costs too much traffic ends [guard]:
 * search_engine.h.
 *
 * A setting is measured over some intervals [measure], after those that still show the previous setting
 * [settle], and over fewer if it falls far behind the best [abandon]. The result is the mean of the
 * intervals without outliers [filter]. If flow sizes change during search or confirm, earlier
 * measurements are of other flows, and another search begins [restart].
 *
 * A note's phase and numbers are those of the interval that has ended. With metrics=corrected an interval
 * without an active uplink does not count. Settings are compared by the terms of utility with the current
 * weights, which may change during a search. With [objective] or [metric], utility is one figure instead, and
 * weights have no effect.
 */
#ifndef TUNE_SEARCH_SEARCH_H
#define TUNE_SEARCH_SEARCH_H

#include "tune/search/search_algo.h"

extern const char *const search_trigger_names[], *const search_weights_names[], *const search_metrics_names[],
                  *const search_directions_names[], *const search_start_names[],
                  *const search_against_names[], *const search_objective_names[],
                  *const search_metric_names[];

/* Rows for the table of a tuner that searches. Options without a row have the value of search_defaults. */
#define SEARCH_OPTIONS \
    { "trigger", KEY_NAME, "change", \
      "start of a search. change: when flow sizes change; always: at once and repeatedly; once: at the " \
      "start", .choices = search_trigger_names }, \
    { "theta", KEY_REAL, "0.05", "divergence of flow sizes that counts as a change", .min = 1e-9, \
      .max = 1e9 }, \
    { "weights", KEY_NAME, "share", \
      "dominant: 0.5, 0.2, 0.3 if elephants prevail and 0.2, 0.5, 0.3 if mice do; fixed: the next " \
      "three; share: from 0.2, 0.5, 0.3 for mice only to 0.8, 0, 0.2 for elephants only", \
      .choices = search_weights_names }, \
    { "weight_throughput", KEY_REAL, "0.2", "weight of the utilization of active uplinks", \
      .min = 0, .max = 1 }, \
    { "weight_rtt", KEY_REAL, "0.5", "weight of empty over measured round trip", .min = 0, .max = 1 }, \
    { "weight_pfc", KEY_REAL, "0.3", "weight of the time without pauses", .min = 0, .max = 1 }, \
    { "space", KEY_NAME, "safe", \
      "bounds. safe: narrow, ECN before PFC; artifact: PARALEON's; paper: these and two more knobs; " \
      "poster: the ten that CHAMELEON's poster names", \
      .choices = space_names }, \
    { "known", KEY_YES, "no", \
      "try presets first, those for the dominant flows before others, and start at the best" }, \
    { "confirm", KEY_COUNT, "3", \
      "repeated measurements of the best and the first setting before one is kept; 0: keep the best " \
      "measured", .min = 0, .max = 100 }, \
    { "budget", KEY_COUNT, "280", \
      "settings per search, presets included, confirmation not", .min = 1, .max = 1e6 }, \
    { "remember", KEY_YES, "no", "restore a found setting when such flows return" }, \
    { "settle", KEY_COUNT, "1", "intervals after a change that do not count", .min = 0, .max = 1000 }, \
    { "measure", KEY_COUNT, "3", "intervals per measurement", .min = 1, .max = 1000 }, \
    { "abandon", KEY_REAL, "0.05", \
      "stop measuring a setting that is behind the best by more; 0: never", .min = 0, .max = 1 }, \
    { "restart", KEY_YES, "yes", "restart a search when flow sizes change" }, \
    { "guard", KEY_REAL, "2", \
      "traffic that a search may cost, in intervals of earlier traffic; then the previous setting returns. " \
      "0: no limit", .min = 0, .max = 1e6 }, \
    { "floor", KEY_YES, "no", \
      "return to the setting from the start unless the result of a search is better for messages, where " \
      "hosts report them; elsewhere by utility" }, \
    { "objective", KEY_NAME, "utility", \
      "objective: utility, or slowdowns of messages where hosts report them (balanced, latency, " \
      "throughput: docs/advise.md)", .choices = search_objective_names }

/* What differs between PARALEON as published, as its scripts do it, and as corrected. */
#define SEARCH_PUBLISHED_OPTIONS \
    { "epsilon", KEY_REAL, "0.05", \
      "added to every share before flow sizes are compared; 0: an empty bin is infinite", \
      .min = 0, .max = 1 }, \
    { "metrics", KEY_NAME, "corrected", \
      "corrected: RTT ratio, pause time of all ports, idle intervals ignored; artifact: as PARALEON's " \
      "scripts; published: as corrected, with one-way delay over RTT", .choices = search_metrics_names }, \
    { "directions", KEY_NAME, "physical", \
      "throughput-friendly directions: physical; artifact: rpg_min_dec_fac reversed", \
      .choices = search_directions_names }, \
    { "start_from", KEY_NAME, "running", \
      "a search starts at the current setting (running) or the default one", \
      .choices = search_start_names }, \
    { "reread", KEY_YES, "yes", "re-evaluate the dominant flows in every interval" }, \
    { "against", KEY_NAME, "settled", \
      "reference of flow sizes: the previous interval, or those the current setting was chosen for " \
      "(settled)", .choices = search_against_names }, \
    { "persist", KEY_COUNT, "3", \
      "intervals merged, and repetitions, before a difference is a change", .min = 1, \
      .max = SEARCH_PERSIST_MAX }, \
    { "give_up", KEY_COUNT, "0", \
      "end a search after this many settings in a row without a new best; 0: never", .min = 0, .max = 1e6 }

/* CHAMELEON's monitor and its metrics. */
#define SEARCH_SUMMARY_OPTIONS \
    { "filter", KEY_REAL, "0", \
      "ignore intervals whose utility is further from the median than this many median distances; 0: none", \
      .min = 0, .max = 1000 }, \
    { "metric", KEY_NAME, "utility", \
      "quantity to maximize: utility; or one figure alone, from 0 to 1: throughput, rtt, pfc (as in " \
      "utility), cnps or marks (1 - their share of data packets), queue (BDP over BDP plus the longest " \
      "queue)", .choices = search_metric_names }

/* The hooks of a tuner that searches, all but create. search_is_idle() is false before the first search. */
#define SEARCH_HOOKS \
    .destroy = search_destroy, .step = search_step, .best = search_best, .is_idle = search_is_idle, \
    .wants_messages = search_wants_messages, .uses_messages = search_uses_messages

int  search_create(void **state, const struct search_algo *, const struct world *,
                   const struct option_values *, struct err *);
void search_destroy(void *state);
void search_step(void *state, const struct report *, struct knobs *, struct tuner_note *);
void search_best(const void *state, struct knobs *);
bool search_is_idle(const void *state);
bool search_wants_messages(const void *state);
bool search_uses_messages(const void *state);

/* The value of an engine option: that of the tuner's table, or the default. */
double search_option(const struct search_algo *, const struct option_values *, enum search_option);

#endif
