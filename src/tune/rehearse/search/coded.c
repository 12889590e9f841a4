#include "tune/rehearse/search/coded.h"
#include "base/rng.h"
#include "core/units.h"
#include "tune/exp.h"
#include "tune/search/space.h"

#include <assert.h>
#include <math.h>

#define LOG_FROM 8               /* a range with this ratio of its ends is logarithmic, but not of percents */
#define HAI_MAX  50              /* times the additive increase */

static void add(struct coded *c, enum knob knob, double min, double max, double automatic)
{
    bool is_log = min > 0 && max >= LOG_FROM * min && knob_info[knob].unit != KNOB_PERCENT;

    assert(c->dims < CODED_DIMS_MAX && min < max);
    c->dim[c->dims++] = (struct coded_dim){ knob, min, max, is_log, automatic };
}

/* Round trips are at least 1 us; kmin and its width fit into their range. */
static double measure_of(enum knob knob, const struct world *w)
{
    double rtt_us = fmax(1, world_measure(w, KNOB_BY_RTT)), line_mbps = world_measure(w, KNOB_BY_RATE);

    if (knob_info[knob].law == KNOB_BY_BDP)
        return fmin(fmax(8, line_mbps * rtt_us / 8e3), knob_info[KNOB_kmax].max / 24);
    return knob_info[knob].law == KNOB_BY_RTT ? rtt_us : line_mbps;
}

/* Shares below 1 are one n-th; 0.02 is not exactly a fiftieth. */
static double part_of(double measure, double share)
{
    return share > 0 && share < 1 ? measure / floor(1 / share + 0.5) : measure * share;
}

static bool has(const struct coded *c, enum knob knob)
{
    for (uint32_t i = 0; i < c->dims; i++)
        if (c->dim[i].knob == knob)
            return true;
    return false;
}

static void add_row(struct coded *c, enum knob knob, const struct world *w)
{
    static const struct world reference = { .host_bps = (uint64_t)(KNOB_REFERENCE_MBPS * 1e6),
                                            .base_rtt_ps = KNOB_REFERENCE_RTT_US * PS_PER_US };
    const struct knob_info   *k = &knob_info[knob];
    double                    measure = measure_of(knob, w);

    if (knob == KNOB_rpg_hai_rate)
        add(c, knob, 1, HAI_MAX, 0);
    else if (knob == KNOB_dce_tcp_g)
        add(c, knob, 1024 - k->wide.max, 1024 - k->wide.min, 0);
    else if (k->law == KNOB_FIXED)
        add(c, knob, k->wide.min, k->wide.max, 0);
    else
        add(c, knob, fmax(1, part_of(measure, k->wide.min)), fmax(2, part_of(measure, k->wide.max)),
            k->automatic / world_measure(&reference, k->law) * measure);
}

/* Starting points name the axes in this order; others follow in that of rows. */
static void add_dcqcn(struct coded *c, const struct world *w)
{
    static const enum knob first[CODED_DCQCN] = {
        KNOB_kmin, KNOB_kmax, KNOB_pmax, KNOB_rpg_time_reset, KNOB_rpg_byte_reset, KNOB_rpg_threshold,
        KNOB_rpg_ai_rate, KNOB_rpg_hai_rate, KNOB_rpg_min_dec_fac, KNOB_rate_to_set_on_first_cnp,
        KNOB_rate_reduce_monitor_period, KNOB_dce_tcp_g, KNOB_dce_tcp_rtt, KNOB_initial_alpha_value,
        KNOB_min_time_between_cnps, KNOB_rpg_min_rate,
    };

    for (int i = 0; i < CODED_DCQCN; i++)
        add_row(c, first[i], w);
    for (enum knob k = 0; k < KNOB_COUNT; k++)
        if (knob_info[k].wide.max > 0 && world_reads(w, k) && !has(c, k))
            add_row(c, k, w);
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
            add(c, d->knob, d->min, d->max, d->automatic);
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
        add(c, KNOB_by_speed, 0, 1, 0);
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
