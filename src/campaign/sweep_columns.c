/* src/campaign/sweep_columns.c */
#include "campaign/sweep_columns.h"
#include "base/json.h"
#include "base/text.h"
#include "core/knobs.h"
#include "core/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 5000          /* on the page: what a picture can show */

/* What a key is set to, by its own unit; NAN: it is a text. */
static double read_as(const char *unit, const char *key, const char *text)
{
    enum knob knob = knob_find(key);
    uint64_t n;
    double value;

    if (knob != KNOB_COUNT)
        return knob_parse(knob, text, &value, NULL) ? NAN : value;
    if (strcmp(unit, "us") == 0)
        return text_to_time(text, &n, NULL) ? NAN : (double)n / (double)PS_PER_US;
    if (strcmp(unit, "bps") == 0)
        return text_to_rate(text, &n, NULL) ? NAN : (double)n;
    if (strcmp(unit, "bytes") == 0)
        return text_to_bytes(text, &n, NULL) ? NAN : (double)n;
    return text_to_real(text, &value, NULL) ? NAN : value;
}

static const char *knob_unit(enum knob knob)
{
    switch (knob_info[knob].unit) {
    case KNOB_US:      return "us";
    case KNOB_KB:      return "kb";
    case KNOB_MBPS:    return "mbps";
    case KNOB_BLOCKS:  return "blocks";
    default:           return "";
    }
}

/* A plain number is read as one before it is taken for bytes. */
static const char *unit_of(const char *key, const char *text)
{
    static const char *const units[] = { "", "us", "bps", "bytes" };
    enum knob knob = knob_find(key);

    if (knob != KNOB_COUNT)
        return knob_unit(knob);
    for (int i = 0; i < 4; i++)
        if (!isnan(read_as(units[i], key, text)))
            return units[i];
    return "";
}

double sweep_column_value(const struct sweep_column *c, const char *text)
{
    return read_as(c->unit, c->key, text);
}

void sweep_column(const struct sweep_results *r, uint32_t i, struct sweep_column *c)
{
    const struct variant *first = &r->variants->list[r->order[0]];
    const char *text = first->set[first->sets - first->own + i];

    *c = (struct sweep_column){ .is_number = true };
    snprintf(c->key, sizeof(c->key), "%.*s", (int)strcspn(text, "="), text);
    snprintf(c->unit, sizeof(c->unit), "%s", unit_of(c->key, sweep_value(first, i)));
    for (uint32_t k = 0; k < r->count && c->is_number; k++)
        c->is_number = !isnan(sweep_column_value(c, sweep_value(&r->variants->list[r->order[k]], i)));
    if (!c->is_number)
        c->unit[0] = '\0';
    snprintf(c->name, sizeof(c->name), "%s%s%s", c->key, *c->unit ? "_" : "", c->unit);
}

/* ---- for the page ---- */

static bool is_told(const struct sweep_results *r, uint32_t figure)
{
    return figure == r->best || r->figures.list[figure].is_shown;
}

static json_t *figures_json(const struct sweep_results *r)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->figures.count; i++) {
        const struct metric *m = &r->figures.list[i].metric;

        if (is_told(r, i))
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", m->name, "label", m->label, "unit",
                                                  metric_unit_name(m->unit), "better",
                                                  metric_better_name(m->better)));
    }
    return list;
}

static json_t *point_json(const struct sweep_results *r, const struct sweep_column *column, uint32_t variant)
{
    const struct variant *v = &r->variants->list[variant];
    json_t *values = json_array(), *figures = json_array(), *o = json_object();

    for (uint32_t i = 0; i < v->own; i++)
        json_array_append_new(values, column[i].is_number
                                          ? json_real(sweep_column_value(&column[i], sweep_value(v, i)))
                                          : json_of_text(sweep_value(v, i)));
    for (uint32_t i = 0; i < r->figures.count; i++)
        if (is_told(r, i))
            json_array_append_new(figures, json_of_number(figures_mean(&r->figures.list[i], variant, r->seeds)));
    json_put_text(o, "name", v->name);
    json_object_set_new(o, "values", values);
    json_object_set_new(o, "figures", figures);
    return o;
}

json_t *sweep_page(const struct sweep_results *r)
{
    uint32_t own = r->variants->list[r->order[0]].own, count = r->count < POINTS_MAX ? r->count : POINTS_MAX;
    struct sweep_column *column = xcalloc(own + 1ul, sizeof(*column));
    json_t *o = json_object(), *keys = json_array(), *points = json_array();

    for (uint32_t i = 0; i < own; i++) {
        sweep_column(r, i, &column[i]);
        json_array_append_new(keys, json_pack("{s:s, s:s, s:b}", "name", column[i].key, "unit", column[i].unit,
                                              "is_number", column[i].is_number));
    }
    for (uint32_t k = 0; k < count; k++)
        json_array_append_new(points, point_json(r, column, r->order[k]));
    json_put_text(o, "best", r->figures.list[r->best].metric.name);
    json_put_count(o, "settings", r->count);
    json_put_count(o, "seeds", r->seeds);
    json_object_set_new(o, "keys", keys);
    json_object_set_new(o, "figures", figures_json(r));
    json_object_set_new(o, "points", points);
    free(column);
    return o;
}
