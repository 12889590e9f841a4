/* src/tune/search/search_measure.c - see search_measure.h. */
#include "tune/search/search_measure.h"
#include "core/units.h"
#include "tune/rehearse/search/goal.h"
#include "tune/search/search_summary.h"

#include <stdlib.h>

#define ONE_WAY 0.5              /* of a round trip: the paper's hops times link delay */

struct utility_weights search_weights(const struct search *s)
{
    const double *w = &s->option[SEARCH_WEIGHT_THROUGHPUT];

    if (search_is(s, SEARCH_WEIGHTS, WEIGHTS_FIXED))
        return (struct utility_weights){ w[0], w[1], w[2] };
    if (search_is(s, SEARCH_WEIGHTS, WEIGHTS_SHARE))
        return utility_weights_at(s->is_known ? s->elephants : 0);
    return s->is_known && s->elephants >= 0.5 ? utility_for_throughput : utility_for_delay;
}

const struct goal *search_goal(const struct search *s, const struct report *r)
{
    if (search_is(s, SEARCH_OBJECTIVE, OBJECTIVE_UTILITY) || !r->has_seen)
        return NULL;
    return &goal_all[search_count(s, SEARCH_OBJECTIVE) - 1];
}

/* Weights add up to 1, so utility is that figure whatever they are. */
static struct utility_terms all_terms(double figure)
{
    return (struct utility_terms){ figure, figure, figure };
}

static struct utility_terms measure_messages(const struct goal *g, const struct report *r)
{
    struct outcomes o = seen_outcomes(&r->seen);

    return all_terms(goal_speed(g, &o));
}

static double share_without(uint64_t packets, const struct report *r)
{
    return r->received_packets > packets ? 1 - (double)packets / (double)r->received_packets : 0;
}

/* What CHAMELEON collects. An interval in which nothing was sent has 0. */
static double measure_metric(const struct search *s, const struct report *r)
{
    double throughput = utility_throughput(r, UTILITY_ACTIVE_SHARE);
    double bdp_bytes = (double)s->world.host_bps / 8 * (double)s->world.base_rtt_ps / (double)PS_PER_S;

    if (throughput <= 0)
        return 0;
    switch (search_count(s, SEARCH_METRIC)) {
    case METRIC_RTT:   return utility_rtt(r);
    case METRIC_PFC:   return utility_pfc(r, false);
    case METRIC_CNPS:  return share_without(r->cnps_received, r);
    case METRIC_MARKS: return share_without(r->marked_packets, r);
    case METRIC_QUEUE: return bdp_bytes / (bdp_bytes + (double)r->queue_bytes_max);
    default:           return throughput;
    }
}

struct utility_terms search_measure(const struct search *s, const struct report *r)
{
    const struct goal *g = search_goal(s, r);

    if (g)
        return measure_messages(g, r);
    if (!search_is(s, SEARCH_METRIC, METRIC_UTILITY))
        return all_terms(measure_metric(s, r));
    if (search_is(s, SEARCH_METRICS, METRICS_ARTIFACT))
        return (struct utility_terms){
            .throughput = utility_throughput(r, UTILITY_ACTIVE_SHARE),
            .rtt = utility_rtt_of_last(r, s->world.base_rtt_ps),
            .pfc = utility_pfc_of_frames(r),
        };
    return (struct utility_terms){
        .throughput = utility_throughput(r, UTILITY_ACTIVE_SHARE),
        .rtt = utility_rtt(r) * (search_is(s, SEARCH_METRICS, METRICS_PUBLISHED) ? ONE_WAY : 1),
        .pfc = utility_pfc(r, false),
    };
}

void search_add_terms(struct utility_terms *sum, struct utility_terms t)
{
    sum->throughput += t.throughput;
    sum->rtt += t.rtt;
    sum->pfc += t.pfc;
}

struct utility_terms search_mean_of(struct utility_terms sum, uint32_t count)
{
    return (struct utility_terms){ sum.throughput / count, sum.rtt / count, sum.pfc / count };
}

struct search_now search_now_of(const struct search *s, struct utility_terms terms)
{
    struct search_now now = {
        .terms = terms, .weights = search_weights(s),
        .elephants = s->elephants, .is_known = s->is_known,
    };

    now.utility = utility(now.weights, terms) * s->option[SEARCH_UTILITY_SCALE];
    return now;
}

bool search_is_silent(const struct search *s, const struct search_now *now)
{
    return !search_is(s, SEARCH_METRICS, METRICS_ARTIFACT) && now->terms.throughput <= 0;
}

const struct search_sample *search_best_sample(const struct search *s)
{
    struct utility_weights w = search_weights(s);
    const struct search_sample   *best = s->samples ? s->sample : NULL;

    for (uint32_t i = 1; i < s->samples; i++)
        if (utility(w, s->sample[i].terms) > utility(w, best->terms))
            best = &s->sample[i];
    return best;
}

bool search_take(struct search *s, const struct knobs *knobs, struct utility_terms terms, const char *name)
{
    if (s->samples == s->samples_max) {
        s->samples_max = s->samples_max ? 2 * s->samples_max : 64;
        s->sample = xrealloc(s->sample, s->samples_max * sizeof *s->sample);
    }
    s->sample[s->samples++] = (struct search_sample){ *knobs, terms, name };
    if (search_best_sample(s) != &s->sample[s->samples - 1]) {
        s->in_vain++;
        return false;
    }
    s->in_vain = 0;
    return true;
}

/* Is it clear already that the setting under test will not be the best? */
static bool is_lost(const struct search *s)
{
    struct utility_weights w = search_weights(s);
    const struct search_sample   *best = search_best_sample(s);
    double                 margin = s->option[SEARCH_ABANDON];

    if (margin <= 0 || s->phase == PHASE_CONFIRM || !best)
        return false;
    return utility(w, summary_of(s->seen, s->intervals, SUMMARY_MEAN)) < utility(w, best->terms) - margin;
}

/* All intervals of the setting under test as one. */
static struct utility_terms search_summary(struct search *s)
{
    uint32_t left = summary_filter(s->seen, s->intervals, s->option[SEARCH_FILTER], search_weights(s));

    return summary_of(s->seen, left, (enum summary_kind)search_count(s, SEARCH_SUMMARY));
}

bool search_add_up(struct search *s, struct search_now *now, struct tuner_note *note)
{
    if (s->skip > 0) {
        s->skip--;
        search_say(note, "the setting is new: what is seen is still the old one's");
        return false;
    }
    s->seen[s->intervals++] = now->terms;
    if (s->intervals < search_count(s, SEARCH_MEASURE) && !is_lost(s)) {
        search_say(note, "interval %u of %u in which the setting is measured", s->intervals,
                   search_count(s, SEARCH_MEASURE));
        return false;
    }
    *now = search_now_of(s, search_summary(s));
    s->intervals = 0;
    return true;
}
