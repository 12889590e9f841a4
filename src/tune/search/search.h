/* src/tune/search/search.h - searching on a running network: one setting after another, each for a while.
 *
 * All searches share what is around them (search.c and its parts): when one begins, how a setting is
 * measured, what is kept in the end. What differs, how the next point is chosen, is a struct search_algo:
 * ask, run the network with that setting, tell. Names of options are in brackets.
 *
 *   watch     flow sizes are compared with those of the interval before, or with those for which the setting
 *             in force was chosen [against]; when they differ for long enough [persist], a search begins.
 *             Where one has ended for such flows before, what it found is in force again instead [remember]
 *   search    settings that have a name come first [known]: those made for the flows that prevail, then the
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
    { "trigger", OPTION_CHOICE, 0, 0, 0, search_trigger_names, NULL, \
      "change: a search begins when flow sizes change; always: at the start, and whenever one has ended; " \
      "once: at the start" }, \
    { "theta", OPTION_REAL, 0.05, 1e-9, 1e9, NULL, NULL, "divergence of flow sizes that is a change" }, \
    { "epsilon", OPTION_REAL, 0.05, 0, 1, NULL, NULL, \
      "added to every share before the divergence; 0: an empty bin is infinite" }, \
    { "bins", OPTION_CHOICE, 0, 0, 0, search_bins_names, NULL, \
      "two: elephants and mice; log: sizes that double" }, \
    { "weights", OPTION_CHOICE, 2, 0, 0, search_weights_names, NULL, \
      "dominant: 0.5, 0.2, 0.3 where elephants prevail and 0.2, 0.5, 0.3 where mice do; fixed: the next " \
      "three; share: from 0.2, 0.5, 0.3 for mice alone to 0.8, 0, 0.2 for elephants alone" }, \
    { "weight_throughput", OPTION_REAL, 0.2, 0, 1, NULL, NULL, "of the busy share of active uplinks" }, \
    { "weight_rtt", OPTION_REAL, 0.5, 0, 1, NULL, NULL, "of the empty round trip over the measured one" }, \
    { "weight_pfc", OPTION_REAL, 0.3, 0, 1, NULL, NULL, "of the share of time without a pause" }, \
    { "metrics", OPTION_CHOICE, 0, 0, 0, search_metrics_names, NULL, \
      "corrected: round trips over round trips, pause time of all ports, intervals in which nothing is " \
      "sent do not count; artifact: as PARALEON's scripts compute them; published: as corrected, but one way over " \
      "round trips, as the paper has it" }, \
    { "utility_scale", OPTION_REAL, 100, 1e-3, 1e6, NULL, NULL, \
      "utility is multiplied by it before it meets a temperature" }, \
    { "space", OPTION_CHOICE, 0, 0, 0, space_names, NULL, \
      "safe: narrow bounds, ECN marks before PFC pauses; plus: ParaleonPlus' bounds; " \
      "artifact: PARALEON's; paper: these and the two more that the paper names; effective: the seven of the " \
      "artifact's that its simulator heeds; wide: beyond safe what pays on many networks, for people who watch" }, \
    { "directions", OPTION_CHOICE, 0, 0, 0, search_directions_names, NULL, \
      "which way favours throughput: physical; or artifact, rpg_min_dec_fac the wrong way round" }, \
    { "start_from", OPTION_CHOICE, 0, 0, 0, search_start_names, NULL, \
      "running: a search begins at the setting in force; default: at the default setting" }, \
    { "reread", OPTION_YES, 1, 0, 1, NULL, NULL, \
      "which flows prevail is looked at in every interval, not only when a search begins" }, \
    { "known", OPTION_YES, 0, 0, 1, NULL, NULL, \
      "a search first tries settings that have a name, those made for the flows that prevail before " \
      "others, and begins at the best of them" }, \
    { "confirm", OPTION_COUNT, 3, 0, 100, NULL, NULL, \
      "times that the best setting and the one at which the search began are measured again before one is " \
      "kept; 0: what was measured best is kept" }, \
    { "budget", OPTION_COUNT, 280, 1, 1e6, NULL, NULL, \
      "settings that a search may measure, known ones included, those of confirm not" }, \
    { "rest", OPTION_COUNT, 0, 0, 1e6, NULL, NULL, "intervals after a search in which no other begins" }, \
    { "against", OPTION_CHOICE, 1, 0, 0, search_against_names, NULL, \
      "what flow sizes are compared with: previous, those of the interval before; settled, those for " \
      "which the setting in force was chosen" }, \
    { "persist", OPTION_COUNT, 3, 1, SEARCH_PERSIST_MAX, NULL, NULL, \
      "intervals that are taken together, and so many times in a row must they differ before it is a " \
      "change" }, \
    { "remember", OPTION_YES, 0, 0, 1, NULL, NULL, \
      "what a search has found is in force again, without a search, when such flows come back" }, \
    { "settle", OPTION_COUNT, 1, 0, 1000, NULL, NULL, \
      "intervals after a change that say nothing of the new setting: queues and rates are still the old " \
      "one's" }, \
    { "measure", OPTION_COUNT, 3, 1, 1000, NULL, NULL, "intervals over which a setting is measured" }, \
    { "abandon", OPTION_REAL, 0.05, 0, 1, NULL, NULL, \
      "a setting that in its intervals so far falls short of the best by more than this is not measured " \
      "to the end; 0: all are" }, \
    { "give_up", OPTION_COUNT, 0, 0, 1e6, NULL, NULL, \
      "a search is over after so many settings in a row of which none was the best so far; 0: not for " \
      "that" }, \
    { "restart", OPTION_YES, 1, 0, 1, NULL, NULL, \
      "when flow sizes change during a search, another begins in its place" }, \
    { "summary", OPTION_CHOICE, 0, 0, 0, search_summary_names, NULL, \
      "what the intervals of a setting come to: mean; median; trend, where their straight line ends" }, \
    { "filter", OPTION_REAL, 0, 0, 1000, NULL, NULL, \
      "intervals of a setting whose utility is further from the median than so many times the median distance, at " \
      "least once, do not count; 0: all do" }, \
    { "goal", OPTION_REAL, 0, 0, 1, NULL, NULL, \
      "utility with which the operator is content: a search is over with a setting that has it; 0: with none" }, \
    { "interleave", OPTION_COUNT, 0, 0, 1000, NULL, NULL, \
      "above 0: every setting and the incumbent take turns, for settle and measure intervals each, in an order that a coin " \
      "decides, and their difference counts; in the end the best must be better for sure within so many such pairs. Instead of " \
      "confirm and abandon. Turns must be long against what queues and rates keep of the one before; 0: one after the other" }, \
    { "fingerprint", OPTION_CHOICE, 0, 0, 0, search_fingerprint_names, NULL, \
      "which traffic is the same, for remember and for changes: elephants, their share of flows; whole: load, kinds of messages, " \
      "fan-in, asymmetry and phases as well" }, \
    { "objective", OPTION_CHOICE, 0, 0, 0, search_objective_names, NULL, \
      "what is made large: utility, of throughput, round trips and pauses; or how fast messages are, waiting ones included, where hosts tell of them: " \
      "balanced, latency, throughput, see docs/advise.md" }

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
