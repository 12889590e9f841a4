#include "study/run/spread.h"
#include "base/bootstrap.h"
#include "base/err.h"
#include "core/units.h"

#include <math.h>
#include <stdlib.h>

void exposed_us(const struct traffic_about *t, const struct ops_cell *c, double us[EXPOSED_COUNT])
{
    double work_us = t->has_work && c->count ? (double)t->work_ps / (double)PS_PER_US : NAN;

    us[EXPOSED_MEAN] = ops_us_stats(c).mean - work_us;
    us[EXPOSED_COLD] = (double)c->first_took_ps / (double)PS_PER_US - work_us;
    us[EXPOSED_WARM] = ops_later_us_mean(c) - work_us;
}

#define EVENT_COST 2u        /* of skipping, in events of a run of all packets */

uint32_t spread_seeds(uint64_t hops, uint64_t events)
{
    uint64_t all = hops / EVENT_COST < SPREAD_EVENTS ? hops / EVENT_COST : SPREAD_EVENTS;
    uint64_t seeds = events ? all / events : SPREAD_SEEDS;

    return seeds < SPREAD_SEEDS ? (uint32_t)seeds : SPREAD_SEEDS;
}

static double half_width(const double *sample, uint32_t count)
{
    double mean = mean_of(sample, count), squares = 0;

    for (uint32_t i = 0; i < count; i++)
        squares += (sample[i] - mean) * (sample[i] - mean);
    return count > 1 ? student_quantile(count - 1) * sqrt(squares / (count - 1) * (1 + 1.0 / count)) : 0;
}

struct expected spread_interval(const double *sample, uint32_t count, double share)
{
    double mean = mean_of(sample, count), more = share * fabs(mean), half = half_width(sample, count);
    double least = INFINITY, *log_of, middle, factor;

    if (isnan(mean))             /* a seed without a finished iteration */
        return (struct expected){ NAN, NAN, NAN };
    for (uint32_t i = 0; i < count; i++)
        least = fmin(least, sample[i]);
    if (!(least > 0))
        return (struct expected){ mean, fmax(mean - half - more, 0), mean + half + more };
    log_of = xcalloc(count, sizeof *log_of);
    for (uint32_t i = 0; i < count; i++)
        log_of[i] = log(sample[i]);
    middle = exp(mean_of(log_of, count));
    factor = exp(half_width(log_of, count));
    free(log_of);
    return (struct expected){ mean, fmax(middle / factor - more, 0), middle * factor + more };
}

void spread_fini(struct spread *s)
{
    free(s->us);
    *s = (struct spread){ 0 };
}
