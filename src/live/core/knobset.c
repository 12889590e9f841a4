#include "live/core/knobset.h"

#include <math.h>
#include <stdio.h>

bool knobset_is_equal_value(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b));
}

bool knobset_has(const struct knob_set *all, const struct knob_set *some)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        if (some->is_named[i] &&
            (!all->is_named[i] || !knobset_is_equal_value(all->knobs.value[i], some->knobs.value[i])))
            return false;
    return true;
}

bool knobset_is_empty(const struct knob_set *s)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        if (s->is_named[i])
            return false;
    return true;
}

bool knobset_is_same(const struct knob_set *a, const struct knob_set *b)
{
    return knobset_has(a, b) && knobset_has(b, a);
}

void knobset_put(struct knob_set *all, const struct knob_set *some)
{
    for (int i = 0; i < KNOB_COUNT; i++)
        if (some->is_named[i])
            knob_set_add(all, (enum knob)i, some->knobs.value[i]);
}

static struct knob_set named_by(const struct knob_set *all, const struct knob_set *some, bool is_named)
{
    struct knob_set part = { 0 };

    for (int i = 0; i < KNOB_COUNT; i++)
        if (all->is_named[i] && some->is_named[i] == is_named)
            knob_set_add(&part, (enum knob)i, all->knobs.value[i]);
    return part;
}

struct knob_set knobset_part(const struct knob_set *all, const struct knob_set *some)
{
    return named_by(all, some, true);
}

struct knob_set knobset_without(const struct knob_set *all, const struct knob_set *some)
{
    return named_by(all, some, false);
}

struct knob_set knobset_changed(const struct knob_set *is, const struct knob_set *was)
{
    struct knob_set changed = knobset_part(is, was);

    for (int i = 0; i < KNOB_COUNT; i++)
        changed.is_named[i] &= !knobset_is_equal_value(is->knobs.value[i], was->knobs.value[i]);
    return changed;
}

json_t *knobset_json(const struct knob_set *s)
{
    json_t *object = json_object();

    for (int i = 0; i < KNOB_COUNT; i++)
        if (s->is_named[i])
            json_put_number(object, knob_info[i].name, s->knobs.value[i]);
    return object;
}

int knobset_from_json(struct knob_set *s, const json_t *object)
{
    struct knob_set read = { 0 };
    const char     *name;
    json_t         *value;

    if (!json_is_object(object))
        return -EINVAL;
    json_object_foreach((json_t *)object, name, value) {
        enum knob knob = knob_find(name);

        if (knob == KNOB_COUNT || !json_is_number(value) || !isfinite(json_number_value(value)))
            return -EINVAL;
        knob_set_add(&read, knob, json_number_value(value));
    }
    *s = read;
    return 0;
}

char *knobset_text(char *buf, size_t size, const struct knob_set *s)
{
    size_t used = 0;

    snprintf(buf, size, "nothing");
    for (int i = 0; i < KNOB_COUNT && used < size; i++)
        if (s->is_named[i])
            used += (size_t)snprintf(buf + used, size - used, "%s%s %.10g%s", used ? ", " : "",
                                     knob_info[i].name, s->knobs.value[i], knob_unit_name(knob_info[i].unit));
    return buf;
}
