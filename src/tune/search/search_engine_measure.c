#include "tune/search/search_engine.h"
#include "base/minmax.h"
#include "core/units.h"
#include "tune/rehearse/search/tune_goal.h"

#include <math.h>
#include <stdlib.h>

#define ONE_WAY 0.5              /* one-way delay over RTT: the paper uses hops times link delay */

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

/* Weights add up to 1, so utility equals the figure. */
static struct utility_terms all_terms(double figure)
{
    return (struct utility_terms){ figure, figure, figure };
}

static double share_without(uint64_t packets, const struct report *r)
{
    return r->received_packets > packets ? 1 - (double)packets / (double)r->received_packets : 0;
}

/* The metrics of CHAMELEON's poster. An interval without traffic has 0. */
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
    struct outcomes    o = seen_outcomes(&r->seen);

    if (g)
        return all_terms(goal_speed(g, &o));
    if (!search_is(s, SEARCH_METRIC, METRIC_UTILITY))
        return all_terms(measure_metric(s, r));
    if (search_is(s, SEARCH_METRICS, METRICS_ARTIFACT))
        return (struct utility_terms){ utility_throughput(r, UTILITY_ACTIVE_SHARE),
                                       utility_rtt_of_last(r, s->world.base_rtt_ps),
                                       utility_pfc_of_frames(r) };
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

const struct search_sample *search_best_by(const struct search *s, double margin)
{
    struct utility_weights      w = search_weights(s);
    const struct search_sample *best = s->samples ? s->sample : NULL;

    for (uint32_t i = 1; i < s->samples; i++)
        if (utility(w, s->sample[i].terms) > utility(w, best->terms) + margin)
            best = &s->sample[i];
    return best;
}

bool search_record(struct search *s, const struct knobs *knobs, struct utility_terms terms, const char *name)
{
    s->sample = xgrow(s->sample, s->samples, &s->samples_max, 64, sizeof *s->sample);
    s->sample[s->samples++] = (struct search_sample){ *knobs, terms, name };
    if (search_best_by(s, 0) != &s->sample[s->samples - 1]) {
        s->in_vain++;
        return false;
    }
    s->in_vain = 0;
    return true;
}

/* ---- summaries of intervals ---- */

/* Sorts them. */
static double median(double *x, uint32_t count)
{
    qsort(x, count, sizeof *x, compare_reals);
    return count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2;
}

uint32_t summary_filter(struct utility_terms *seen, uint32_t count, double filter, struct utility_weights w)
{
    double   *x, middle, distance;
    uint32_t  left = 0;

    if (filter <= 0 || count < 3)            /* of two, neither is an outlier */
        return count;
    x = xcalloc(count, sizeof *x);
    for (uint32_t i = 0; i < count; i++)
        x[i] = utility(w, seen[i]);
    middle = median(x, count);
    for (uint32_t i = 0; i < count; i++)
        x[i] = fabs(utility(w, seen[i]) - middle);
    distance = median(x, count);
    free(x);
    for (uint32_t i = 0; i < count; i++)
        if (fabs(utility(w, seen[i]) - middle) <= fmax(filter, 1) * distance)
            seen[left++] = seen[i];
    return left;
}

struct utility_terms summary_of(const struct utility_terms *seen, uint32_t count)
{
    struct utility_terms sum = { 0 };

    for (uint32_t i = 0; i < count; i++)
        search_add_terms(&sum, seen[i]);
    return search_mean_of(sum, count);
}

/* ---- the setting under test ---- */

/* True if the setting is already too far behind to become the best. */
static bool is_lost(const struct search *s)
{
    struct utility_weights      w = search_weights(s);
    const struct search_sample *best = search_best_by(s, 0);
    double                      margin = s->option[SEARCH_ABANDON];

    if (margin <= 0 || s->phase == PHASE_CONFIRM || !best)
        return false;
    return utility(w, summary_of(s->seen, s->intervals)) < utility(w, best->terms) - margin;
}

bool search_add_up(struct search *s, struct search_now *now, struct tuner_note *note)
{
    uint32_t left;

    if (s->skip > 0) {
        s->skip--;
        tuner_say(note, "the setting is new: what is seen is still the old one's");
        return false;
    }
    s->seen[s->intervals++] = now->terms;
    if (s->intervals < search_count(s, SEARCH_MEASURE) && !is_lost(s)) {
        tuner_say(note, "interval %u of %u in which the setting is measured", s->intervals,
                   search_count(s, SEARCH_MEASURE));
        return false;
    }
    left = summary_filter(s->seen, s->intervals, s->option[SEARCH_FILTER], search_weights(s));
    *now = search_now_of(s, summary_of(s->seen, left));
    s->intervals = 0;
    return true;
}
