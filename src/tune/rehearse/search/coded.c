#include "tune/rehearse/search/coded.h"
#include "base/rng.h"
#include "core/units.h"
#include "tune/exp.h"
#include "tune/search/space.h"

#include <assert.h>
#include <math.h>

#define LOG_FROM 8               /* a range with this ratio of its ends is logarithmic */

static void add(struct coded *c, enum knob knob, bool is_log, double min, double max, double automatic)
{
    assert(c->dims < CODED_DIMS_MAX && min < max && (!is_log || min > 0));
    c->dim[c->dims++] = (struct coded_dim){ knob, min, max, is_log, automatic };
}

static void add_log(struct coded *c, enum knob knob, double min, double max)
{
    add(c, knob, true, min, max, 0);
}

/* Bounds allow queues of 1/50 to 8 bandwidth-delay products, and timers from half a round trip to dozens. */
static void add_dcqcn(struct coded *c, const struct world *w)
{
    double rtt_us = fmax(1, (double)w->base_rtt_ps / (double)PS_PER_US);
    double line_mbps = (double)w->host_bps / 1e6;
    /* kmin and width fit */
    double bdp_kb = fmin(fmax(8, line_mbps * rtt_us / 8e3), knob_info[KNOB_kmax].max / 24);

    add_log(c, KNOB_kmin, fmax(1, bdp_kb / 50), 8 * bdp_kb);
    add_log(c, KNOB_kmax, fmax(1, bdp_kb / 50), 16 * bdp_kb);
    add_log(c, KNOB_pmax, 0.002, 1);
    add_log(c, KNOB_rpg_time_reset, fmax(1, rtt_us / 2), 60 * rtt_us);
    add_log(c, KNOB_rpg_byte_reset, 16, 32767);
    add(c, KNOB_rpg_threshold, false, 1, 5, 0);
    add_log(c, KNOB_rpg_ai_rate, fmax(1, line_mbps / 50000), fmax(2, line_mbps / 20));
    add_log(c, KNOB_rpg_hai_rate, 1, 50);
    add(c, KNOB_rpg_min_dec_fac, false, 10, 95, 0);
    add(c, KNOB_rate_to_set_on_first_cnp, true, fmax(1, 0.02 * line_mbps), line_mbps, 0.85 * line_mbps);
    add_log(c, KNOB_rate_reduce_monitor_period, 1, 20 * rtt_us);
    add_log(c, KNOB_dce_tcp_g, 1, 256);
    add_log(c, KNOB_dce_tcp_rtt, 1, 10 * rtt_us);
    add_log(c, KNOB_initial_alpha_value, 16, 1023);
    add(c, KNOB_min_time_between_cnps, true, 1, 20 * rtt_us, 1);
    add_log(c, KNOB_rpg_min_rate, 1, fmax(2, line_mbps / 100));
}

static bool speeds_differ(const struct world *w)
{
    for (uint32_t i = 1; i < w->ports; i++)
        if (w->port[i].rate_bps != w->port[0].rate_bps)
            return true;
    return false;
}

/* Another control's, within the bounds that searches have for it. */
static void add_others(struct coded *c, const struct world *w)
{
    struct space space;

    space_init(&space, SPACE_SAFE, true, w);
    for (uint32_t i = 0; i < space.dims && i < CODED_DIMS_MAX; i++) {
        const struct space_dim *d = &space.dim[i];

        if (d->max > d->min)
            add(c, d->knob, d->min > 0 && d->max >= LOG_FROM * d->min, d->min, d->max, d->automatic);
    }
}

void coded_init(struct coded *c, const struct world *w)
{
    *c = (struct coded){ 0 };
    if (w->control)
        add_others(c, w);
    else
        add_dcqcn(c, w);
    if (!w->control && speeds_differ(w))
        add(c, KNOB_by_speed, false, 0, 1, 0);
}

static double from_unit(const struct coded_dim *d, double u)
{
    u = fmin(1, fmax(0, u));
    return d->is_log ? d->min * exp_of(u * rng_log(d->max / d->min)) : d->min + u * (d->max - d->min);
}

static double to_unit(const struct coded_dim *d, double value)
{
    value = fmin(d->max, fmax(d->min, value));
    return d->is_log ? rng_log(value / d->min) / rng_log(d->max / d->min) :
           (value - d->min) / (d->max - d->min);
}

/* As a device takes it: whole numbers, except for fractions and knobs with smaller steps. */
static double rounded(enum knob knob, double value)
{
    double per_unit = knob_info[knob].unit == KNOB_RATIO ? 1e4 : fmax(1, 1 / knob_info[knob].step);

    return floor(value * per_unit + 0.5) / per_unit;
}

void coded_to_knobs(const struct coded *c, const double *unit, struct knobs *k)
{
    for (uint32_t i = 0; i < c->dims; i++) {
        const struct coded_dim *d = &c->dim[i];
        double                  value = from_unit(d, unit[i]);

        if (d->knob == KNOB_kmax)
            value += k->value[KNOB_kmin];
        else if (d->knob == KNOB_rpg_hai_rate)
            value *= k->value[KNOB_rpg_ai_rate];
        else if (d->knob == KNOB_dce_tcp_g)
            value = 1024 - value;
        k->value[d->knob] = rounded(d->knob, value);
    }
    knobs_clamp(k);
}

/* Returns a setting's value on the axis of a knob. */
static double shown(const struct coded_dim *d, const struct knobs *k)
{
    double value = k->value[d->knob];

    if (d->knob == KNOB_kmax)
        return value - k->value[KNOB_kmin];
    if (d->knob == KNOB_rpg_hai_rate)
        return value / fmax(1, k->value[KNOB_rpg_ai_rate]);
    if (d->knob == KNOB_dce_tcp_g)
        return 1024 - value;
    return value == 0 && d->automatic > 0 ? d->automatic : value;
}

void coded_from_knobs(const struct coded *c, const struct knobs *k, double *unit)
{
    for (uint32_t i = 0; i < c->dims; i++)
        unit[i] = to_unit(&c->dim[i], shown(&c->dim[i], k));
}
