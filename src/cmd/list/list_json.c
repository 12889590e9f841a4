/* src/cmd/list/list_json.c - the lists of anole list as JSON: plain numbers in the named unit. */
#include "base/json.h"
#include "cc/cc.h"
#include "cmd/list/list.h"
#include "core/catalog.h"
#include "core/knobs.h"
#include "lb/lb.h"
#include "meter/monitor/monitor.h"
#include "scenario/examples.h"
#include "scenario/reference.h"
#include "scenario/topology.h"
#include "traffic/cdf.h"
#include "traffic/kind.h"
#include "tune/tuner.h"

#include <stdio.h>
#include <string.h>

/* Appends an object with a name and, unless NULL, a description. */
static json_t *add_entry(json_t *list, const char *name, const char *about)
{
    json_t *entry = json_object();

    json_put_text(entry, "name", name);
    if (about)
        json_put_text(entry, "about", about);
    json_array_append_new(list, entry);
    return entry;
}

static void add_ccs(json_t *list)
{
    for (int i = 0; cc_all[i]; i++) {
        json_t *entry = add_entry(list, cc_all[i]->name, cc_all[i]->about), *knobs = json_array();

        for (const enum knob *k = cc_all[i]->knobs; k && *k != KNOB_COUNT; k++)
            json_array_append_new(knobs, json_of_text(knob_info[*k].name));
        json_object_set_new(entry, "knobs", knobs);
    }
}

static void add_nics(json_t *list)
{
    for (const struct nic_profile *p = nic_profile_all; p->name; p++) {
        json_t *values = json_array();

        for (const struct nic_value *v = p->value; v->knob != KNOB_COUNT; v++) {
            json_t *value = add_entry(values, knob_info[v->knob].name, NULL);

            json_put_number(value, "value", v->value);
            json_put_text(value, "unit", v->unit == NIC_OF_LINE ? "of line rate"
                          : knob_unit_name(knob_info[v->knob].unit));
            json_object_set_new(value, "is_per_25_gbps", json_boolean(v->unit == NIC_PER_25G));
        }
        json_object_set_new(add_entry(list, p->name, p->about), "knobs", values);
    }
}

static void add_asics(json_t *list)
{
    for (const struct asic *a = asic_all; a->name; a++) {
        json_t *entry = add_entry(list, a->name, a->about);

        json_put_number(entry, "capacity_bps", (double)a->capacity_bps);
        json_put_number(entry, "buffer_bytes", (double)a->buffer_bytes);
        json_object_set_new(entry, "alpha", a->pfc_shift == ASIC_NO_SHIFT ? json_null()
                            : json_real(1.0 / (1 << a->pfc_shift)));
        json_object_set_new(entry, "cell_bytes", a->cell_bytes ? json_integer(a->cell_bytes) : json_null());
        json_object_set_new(entry, "latency_ns", a->latency_ns ? json_integer(a->latency_ns) : json_null());
        json_put_text(entry, "source", a->source);
    }
}

static void add_lbs(json_t *list)
{
    for (int i = 0; lb_all[i]; i++)
        add_entry(list, lb_all[i]->name, lb_all[i]->about);
}

static void add_topologies(json_t *list)
{
    for (const struct topology_kind *k = topology_kinds; k->name; k++)
        add_entry(list, k->name, k->about);
}

static void add_traffics(json_t *list)
{
    for (int i = 0; traffic_all[i]; i++)
        add_entry(list, traffic_all[i]->name, traffic_all[i]->about);
}

static void add_sizes(json_t *list)
{
    for (int i = 0; cdf_names[i]; i++) {
        struct cdf c = { 0 };
        json_t    *entry;

        if (cdf_builtin(&c, cdf_names[i]))
            continue;
        entry = add_entry(list, cdf_names[i], NULL);
        json_put_number(entry, "mean_bytes", c.bytes_mean);
        json_put_number(entry, "median_bytes", (double)cdf_size(&c, 0.5));
        json_put_number(entry, "largest_bytes", c.bytes[c.count - 1]);
        cdf_fini(&c);
    }
}

static void add_knobs(json_t *list)
{
    for (int i = 0; i < KNOB_COUNT; i++) {
        const struct knob_info *k = &knob_info[i];
        json_t                 *entry = add_entry(list, k->name, k->about);

        json_put_text(entry, "where", knob_where_name(k->where));
        json_put_text(entry, "unit", knob_unit_name(k->unit));
        json_put_number(entry, "initial", k->initial);
        json_put_number(entry, "min", k->min);
        json_put_number(entry, "max", k->max);
        json_object_set_new(entry, "more_favours", k->toward > 0   ? json_string("throughput")
                                                   : k->toward < 0 ? json_string("low delay")
                                                                   : json_null());
    }
}

static void put_initial(json_t *entry, const struct key_row *o)
{
    if (o->unit == KEY_YES) {
        json_object_set_new(entry, "initial", json_boolean(option_initial(o) != 0));
    } else if (o->unit == KEY_REAL || o->unit == KEY_COUNT) {
        json_put_number(entry, "initial", option_initial(o));
        json_put_number(entry, "min", o->min);
        json_put_number(entry, "max", o->max);
    } else {
        json_put_text(entry, "initial", o->initial);
    }
}

static json_t *options_of(const struct tuner_algo *a)
{
    json_t *list = json_array();

    for (const struct key_row *o = a->option; o->name; o++) {
        json_t *entry = add_entry(list, o->name, o->about);

        put_initial(entry, o);
        if (o->unit == KEY_NAME) {
            json_t *choices = json_array();

            for (int i = 0; o->choices[i]; i++)
                json_array_append_new(choices, json_of_text(o->choices[i]));
            json_object_set_new(entry, "choices", choices);
        }
    }
    return list;
}

static void add_tuners(json_t *list)
{
    for (int i = 0; tuner_all[i]; i++)
        json_object_set_new(add_entry(list, tuner_all[i]->name, tuner_all[i]->about), "options",
                            options_of(tuner_all[i]));
    for (const struct tuner_alias *a = tuner_aliases; a->name; a++) {
        json_t *means = json_object();

        json_put_text(means, "kind", a->tuner);
        json_put_text(means, a->option, a->value);
        json_object_set_new(add_entry(list, a->name, a->about), "stands_for", means);
    }
}

static void add_monitors(json_t *list)
{
    for (int i = 0; monitor_all[i]; i++)
        add_entry(list, monitor_all[i]->name, monitor_all[i]->about);
}

static void add_key(void *list, const char *section, const struct key_row *k)
{
    json_t *entry = add_entry(list, k->name, k->about);

    json_put_text(entry, "section", section);
    json_put_text(entry, "unit", key_unit_name(k->unit));
    json_put_text(entry, "initial", k->initial);
}

static void add_keys(json_t *list)
{
    scenario_each_key(add_key, list);
}

static void add_examples(json_t *list)
{
    struct example *examples;
    uint32_t        count = examples_list(&examples);

    for (uint32_t i = 0; i < count; i++)
        add_entry(list, examples[i].name, examples[i].about);
    examples_free(examples, count);
}

static const struct { const char *name; void (*add)(json_t *list); } lists[] = {
    { "cc", add_ccs },           { "nic", add_nics },     { "asic", add_asics },
    { "lb", add_lbs },           { "topology", add_topologies }, { "traffic", add_traffics },
    { "sizes", add_sizes },      { "knob", add_knobs },   { "figure", list_figures_json },
    { "tuner", add_tuners },     { "monitor", add_monitors }, { "key", add_keys },
    { "scenario", add_examples },
};

json_t *list_json(const char *subject)
{
    json_t *all = json_object(), *made;

    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        if (!subject || strcmp(subject, lists[i].name) == 0) {
            json_t *list = json_array();

            lists[i].add(list);
            json_object_set_new(all, lists[i].name, list);
        }
    made = json_incref(subject ? json_object_get(all, subject) : all);
    json_decref(all);
    return made;
}
