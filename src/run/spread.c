#include "run/spread.h"
#include "base/bootstrap.h"
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

struct expected spread_interval(const double *sample, uint32_t count, double share)
{
    double mean = mean_of(sample, count), squares = 0, half;

    for (uint32_t i = 0; i < count; i++)
        squares += (sample[i] - mean) * (sample[i] - mean);
    half = share * fabs(mean);
    if (count > 1)
        half += student_quantile(count - 1) * sqrt(squares / (count - 1) * (1 + 1.0 / count));
    return (struct expected){ mean, fmax(mean - half, 0), mean + half };
}

void spread_fini(struct spread *s)
{
    free(s->us);
    *s = (struct spread){ 0 };
}
