#include "meter/scores.h"

#include <math.h>
#include <string.h>

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
