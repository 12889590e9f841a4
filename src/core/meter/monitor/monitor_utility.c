#include "core/meter/monitor/monitor_utility.h"
#include "core/units.h"

#include <math.h>
#include <string.h>

#define FRAME_PS (5 * PS_PER_US)

const struct utility_weights utility_for_delay = { 0.2, 0.5, 0.3 };
const struct utility_weights utility_for_throughput = { 0.5, 0.2, 0.3 };

struct utility_weights utility_weights_for(const struct fsd *f)
{
    return f->elephants >= f->mice ? utility_for_throughput : utility_for_delay;
}

struct utility_weights utility_weights_at(double e)
{
    return (struct utility_weights){ 0.2 + 0.6 * e, 0.5 - 0.5 * e, 0.3 - 0.1 * e };
}

static double at_most_1(double x)
{
    return x < 1 ? x : 1;
}

static double busy_share(const struct report_port *p, uint64_t interval_ps)
{
    double most_bits = (double)p->rate_bps * (double)interval_ps / (double)PS_PER_S;

    return at_most_1((double)p->tx_bytes * 8 / most_bits);
}

double utility_throughput(const struct report *r, double active_share)
{
    double sum = 0;
    uint32_t active = 0;

    for (uint32_t i = 0; i < r->ports; i++) {
        double share = r->port[i].is_uplink ? busy_share(&r->port[i], r->end_ps - r->start_ps) : 0;

        if (share <= active_share)
            continue;
        sum += share;
        active++;
    }
    return active ? sum / active : 0;
}

static double rtt_ratio(uint64_t base_ps, uint64_t sum_ps, uint64_t samples)
{
    return sum_ps ? at_most_1((double)base_ps * (double)samples / (double)sum_ps) : 1;
}

double utility_rtt(const struct report *r)
{
    double sum = 0;
    uint32_t counted = 0;

    for (uint32_t i = 0; i < r->pairs; i++) {
        const struct report_pair *p = &r->pair[i];

        if (p->rtt_samples == 0)
            continue;
        sum += rtt_ratio(p->base_rtt_ps, p->rtt_ps_sum, p->rtt_samples);
        counted++;
    }
    return counted ? sum / counted : 1;
}

double utility_rtt_of_last(const struct report *r, uint64_t base_rtt_ps)
{
    uint64_t sum_ps = 0, counted = 0;

    for (uint32_t i = 0; i < r->pairs; i++) {
        sum_ps += r->pair[i].rtt_samples ? r->pair[i].rtt_ps_last : 0;
        counted += r->pair[i].rtt_samples > 0;
    }
    return sum_ps ? (double)base_rtt_ps * (double)counted / (double)sum_ps : 1;
}

double utility_pfc(const struct report *r, bool paused_only)
{
    uint64_t paused_ps = 0;
    uint32_t counted = 0;

    for (uint32_t i = 0; i < r->ports; i++) {
        if (!report_knows_pauses(r, i))
            continue;
        paused_ps += r->port[i].paused_ps;
        counted += !paused_only || r->port[i].paused_ps > 0;
    }
    if (counted == 0)
        return 1;
    return 1 - at_most_1((double)paused_ps / ((double)counted * (double)(r->end_ps - r->start_ps)));
}

double utility_pfc_of_frames(const struct report *r)
{
    uint64_t frames = 0, counted = 0;

    for (uint32_t i = 0; i < r->ports; i++) {
        frames += r->port[i].pauses;
        counted += r->port[i].pauses > 0;
    }
    if (counted == 0)
        return 1;
    return 1 - (double)(frames * FRAME_PS) / ((double)counted * (double)(r->end_ps - r->start_ps));
}

double utility(struct utility_weights w, struct utility_terms t)
{
    return w.throughput * t.throughput + w.rtt * t.rtt + w.pfc * t.pfc;
}

/* ---- over a whole run ---- */

struct score score_of(const struct report *r)
{
    struct score s = { .terms = { utility_throughput(r, UTILITY_ACTIVE_SHARE), utility_rtt(r),
                                  utility_pfc(r, false) } };

    s.is_active = s.terms.throughput > 0;
    s.utility = utility(utility_weights_for(&r->fsd), s.terms);
    return s;
}

static const struct fsd *truth_of(const struct report *r)
{
    for (uint32_t i = 0; i < r->monitors; i++)
        if (strcmp(r->monitor[i].name, "exact") == 0)
            return &r->monitor[i].fsd;
    return NULL;
}

double score_accuracy(const struct report *r, uint32_t monitor)
{
    const struct fsd *truth = truth_of(r);

    if (!truth || truth->elephants + truth->mice == 0)
        return NAN;
    return fsd_accuracy(&r->monitor[monitor].fsd, truth);
}

void scores_add(struct scores *s, const struct report *r)
{
    struct score now = score_of(r);

    if (now.is_active) {
        s->active++;
        s->utility_sum += now.utility;
        s->terms_sum.throughput += now.terms.throughput;
        s->terms_sum.rtt += now.terms.rtt;
        s->terms_sum.pfc += now.terms.pfc;
    }
    if (r->monitors == 0 || isnan(score_accuracy(r, 0)))
        return;
    s->compared++;
    for (uint32_t i = 0; i < r->monitors && i < REPORT_MONITORS_MAX; i++)
        s->accuracy_sum[i] += score_accuracy(r, i);
}
