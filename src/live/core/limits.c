#include "live/core/limits.h"
#include "live/core/knobset.h"

#include <math.h>

#define DAY_US    86400e6
#define STEPS_MAX 20             /* of the table of knobs, at once */

void limits_init(struct limits *l)
{
    *l = (struct limits){ .factor_max = 2, .range_share_max = 0.25 };
    for (int i = 0; i < KNOB_COUNT; i++) {
        const struct knob_info *k = &knob_info[i];

        l->may_set[i] = k->live.is_allowed;
        l->min[i] = k->live.is_not_0 ? k->step : k->min;
        l->max[i] = k->max;
        l->step_max[i] = k->live.step > 0 ? k->live.step : STEPS_MAX * k->step;
    }
}

void limits_lift(struct limits *l)
{
    l->factor_max = INFINITY;
    for (int i = 0; i < KNOB_COUNT; i++) {
        l->may_set[i] = true;
        l->min[i] = knob_info[i].min;
    }
}

static bool is_step_too_large(const struct limits *l, int knob, double from, double to)
{
    double low = fmin(from, to), high = fmax(from, to);

    return high > low * l->factor_max &&
           high - low > fmin(l->step_max[knob], (l->max[knob] - l->min[knob]) * l->range_share_max);
}

static int check_knob(const struct limits *l, int knob, double from, double to, struct err *err)
{
    const char *name = knob_info[knob].name, *unit = knob_unit_name(knob_info[knob].unit);

    if (knobset_is_equal_value(from, to))
        return 0;
    if (!l->may_set[knob])
        return err_set(err, EPERM, "%s is not on the list of what may be set", name);
    if (!(to >= l->min[knob] && to <= l->max[knob]))
        return err_set(err, ERANGE, "%s %.10g%s is outside %.10g .. %.10g", name, to, unit, l->min[knob],
                       l->max[knob]);
    if (is_step_too_large(l, knob, from, to))
        return err_set(err, ERANGE, "%s from %.10g to %.10g%s is too large a step", name, from, to, unit);
    return 0;
}

int limits_check(const struct limits *l, const struct knob_set *from, const struct knob_set *to,
                 struct err *err)
{
    struct knob_set is = *from;
    int             rc = 0;

    for (int i = 0; i < KNOB_COUNT && !rc; i++)
        if (to->is_named[i] && !from->is_named[i])
            rc = err_set(err, ENOENT, "the device has no %s", knob_info[i].name);
        else if (to->is_named[i])
            rc = check_knob(l, i, from->knobs.value[i], to->knobs.value[i], err);
    knobset_put(&is, to);
    if (!rc && is.is_named[KNOB_kmin] && is.is_named[KNOB_kmax] &&
        is.knobs.value[KNOB_kmin] > is.knobs.value[KNOB_kmax])
        rc = err_set(err, EINVAL, "kmin would be above kmax");
    return rc;
}

static void refill(struct budget *b, uint64_t now_us)
{
    b->left = fmin(b->per_day, b->left + b->per_day * (double)(now_us - b->at_us) / DAY_US);
    b->at_us = now_us;
}

bool budget_has(struct budget *b, uint64_t now_us)
{
    refill(b, now_us);
    return b->left >= 1;
}

void budget_take(struct budget *b, uint64_t now_us)
{
    refill(b, now_us);
    b->left -= 1;
}
