#include "live/view/agreement.h"
#include "live/core/knobset.h"

#include <stdlib.h>

#define VALUES_MAX 8

struct held { double value; uint32_t devices; const char *example; };
struct spread { struct held held[VALUES_MAX]; uint32_t values; };

static void count(struct spread *s, double value, const char *name)
{
    uint32_t i = 0;

    while (i < s->values && !knobset_is_equal_value(s->held[i].value, value))
        i++;
    if (i == VALUES_MAX)
        return;
    if (i == s->values)
        s->held[s->values++] = (struct held){ value, 0, name };
    s->held[i].devices++;
}

static int compare(const void *left, const void *right)
{
    const struct held *a = left, *b = right;

    return a->devices != b->devices ? (a->devices < b->devices) - (a->devices > b->devices) :
           (a->value > b->value) - (a->value < b->value);
}

static json_t *spread_json(struct spread *s, enum knob knob, enum knob_where where)
{
    json_t *o = json_object(), *list = json_array();

    qsort(s->held, s->values, sizeof *s->held, compare);
    for (uint32_t i = 0; i < s->values; i++) {
        json_t *v = json_object();

        json_put_number(v, "value", s->held[i].value);
        json_put_count(v, "devices", s->held[i].devices);
        json_put_text(v, "example", s->held[i].example);
        json_array_append_new(list, v);
    }
    json_put_text(o, "knob", knob_info[knob].name);
    json_put_text(o, "kind", where == KNOB_NIC ? "NIC" : "switch");
    json_object_set_new(o, "values", list);
    return o;
}

json_t *agreement_json(const struct controller *c)
{
    static struct spread spread[2][KNOB_COUNT];
    json_t              *list = json_array();

    for (int k = 0; k < KNOB_COUNT; k++)
        spread[0][k].values = spread[1][k].values = 0;
    for (uint32_t i = 0; i < c->peers; i++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (c->peer[i].device.is_named[k])
                count(&spread[c->peer[i].where != KNOB_NIC][k], c->peer[i].device.knobs.value[k],
                      c->peer[i].name);
    for (int where = 0; where < 2; where++)
        for (int k = 0; k < KNOB_COUNT; k++)
            if (spread[where][k].values > 1)
                json_array_append_new(list, spread_json(&spread[where][k], (enum knob)k,
                                                        where ? KNOB_SWITCH : KNOB_NIC));
    return list;
}
