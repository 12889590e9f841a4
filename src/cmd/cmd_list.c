/* src/cmd/cmd_list.c - anole list: lists the choices for a scenario file. */
#include "base/json.h"
#include "base/text.h"
#include "cc/cc.h"
#include "cc/rlcc/rlcc.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "cmd/list_figures.h"
#include "core/catalog.h"
#include "core/knob_text.h"
#include "scenario/reference.h"
#include "traffic/cdf.h"
#include "tune/search/search.h"
#include "tune/tuner.h"
#include "core/knobs.h"
#include "lb/lb.h"
#include "meter/monitor/monitor.h"
#include "scenario/examples.h"
#include "scenario/topology.h"
#include "traffic/kind.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- as JSON ---- */

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

static void put_knobs(json_t *list)
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
        JSON_PUT(entry, { "initial", json_of_number(option_initial(o)) }, { "min", json_of_number(o->min) },
                        { "max", json_of_number(o->max) });
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

static void put_key(void *list, const char *section, const struct key_row *k)
{
    json_t *entry = add_entry(list, k->name, k->about);

    JSON_PUT(entry, { "section", json_of_text(section) }, { "unit", json_of_text(key_unit_name(k->unit)) },
                    { "initial", json_of_text(k->initial) });
}

static void add_keys(json_t *list)
{
    scenario_each_key(put_key, list);
}

static void add_examples(json_t *list)
{
    struct example *examples;
    uint32_t        count = examples_list(&examples);

    for (uint32_t i = 0; i < count; i++)
        add_entry(list, examples[i].name, examples[i].about);
    examples_free(examples, count);
}

/* ---- knobs ---- */

static const char *toward_text(const struct knob_info *k)
{
    return k->toward > 0 ? "throughput" : k->toward < 0 ? "low delay" : "-";
}

static void print_knobs(void)
{
    struct table *t = table_new("llrrll");

    table_cells(t, "name", "where", "initial", "range", "more favours", "what it is", NULL);
    for (int i = 0; i < KNOB_COUNT; i++) {
        const struct knob_info *k = &knob_info[i];
        char text[KNOB_TEXT_MAX];

        table_cells(t, k->name, knob_where_name(k->where), knob_text(text, (enum knob)i, k->initial), NULL);
        table_cell(t, "%.10g..%s", k->min, knob_text(text, (enum knob)i, k->max));
        table_cells(t, toward_text(k), k->about, NULL);
    }
    list_print_fitted(t, 110, "000890");
}

/* One heading per knob, so that other pages can link to it: knobs.md#kmin. */
static void print_knobs_markdown(void)
{
    char initial[KNOB_TEXT_MAX], max[KNOB_TEXT_MAX];

    puts("# Knobs\n\n"
         "Set a knob in a scenario under `knobs:`, or with `--set NAME=VALUE`. A value is a number in the "
         "unit shown,\n"
         "or has its own unit: `kmin=200KB`, `rpg_time_reset=0.3ms`, `pmax=20%`. Each entry has the "
         "meaning, the device,\n"
         "the initial value, the range, and what a higher value favors. `anole list knob` prints a table.\n\n"
         "<!-- Printed by `anole list knob --markdown` from src/core/knobs.def. -->");
    for (int i = 0; i < KNOB_COUNT; i++) {
        const struct knob_info *k = &knob_info[i];

        printf("\n### %s\n\n%s. *%s, %s, %.10g..%s%s%s*\n", k->name, k->about, knob_where_name(k->where),
               knob_text(initial, (enum knob)i, k->initial), k->min, knob_text(max, (enum knob)i, k->max),
               k->toward ? ", " : "", k->toward ? toward_text(k) : "");
    }
}

/* ---- tuners ---- */

/* Options that all searches share; listed once. */
static const struct key_row shared[] = { SEARCH_OPTIONS, { 0 } };

static bool is_shared(const struct key_row *o)
{
    for (const struct key_row *s = shared; s->name; s++)
        if (strcmp(s->name, o->name) == 0 && strcmp(s->about, o->about) == 0)
            return true;
    return false;
}

/* "0.5..1", "yes, no", "two, log" */
static const char *range_text(char buf[160], const struct key_row *o)
{
    size_t used = 0;

    if (o->unit == KEY_YES)
        return "yes, no";
    if (o->unit == KEY_FILE)
        return "a name or a file";
    if (!o->choices) {
        snprintf(buf, 160, "%.10g..%.10g", o->min, o->max);
        return buf;
    }
    buf[0] = '\0';
    for (int i = 0; o->choices[i] && used < 160; i++)
        used += (size_t)snprintf(buf + used, 160 - used, "%s%s", i ? ", " : "", o->choices[i]);
    return buf;
}

static void print_tuner_names(void)
{
    struct table *t = table_new("ll");

    table_cells(t, "name", "what it is", NULL);
    for (int i = 0; tuner_all[i]; i++)
        table_cells(t, tuner_all[i]->name, tuner_all[i]->about, NULL);
    for (const struct tuner_alias *a = tuner_aliases; a->name; a++) {
        table_cell(t, "%s", a->name);
        table_cell(t, "%s: %s with %s=%s", a->about, a->tuner, a->option, a->value);
    }
    table_end(t, stdout, 0);
}

static void add_options(struct table *t, const char *tuner, const struct key_row *option, bool has_shared)
{
    char range[160];

    for (const struct key_row *o = option; o->name; o++)
        if (has_shared || !is_shared(o))
            table_cells(t, tuner, o->name, o->initial, range_text(range, o), o->about, NULL);
}

/* Names with the short forms, then all options. */
static void print_tuners(void)
{
    struct table *t = table_new("lllll");

    print_tuner_names();
    putchar('\n');
    table_cells(t, "tuner", "option", "initial", "range", "what it is", NULL);
    for (int i = 0; tuner_all[i]; i++)
        add_options(t, tuner_all[i]->name, tuner_all[i]->option, false);
    add_options(t, "all searches", shared, true);
    table_end(t, stdout, 0);
}

/* ---- other lists ---- */

/* The knobs that a tuner may set. */
static void add_knobs(struct table *t, const struct cc_algo *cc)
{
    char   text[400] = "";
    size_t used = 0;

    if (!cc->knobs) {
        table_cell(t, "%s", cc->on_cnp ? "those of DCQCN and ECN" : "-");
        return;
    }
    for (const enum knob *k = cc->knobs; *k != KNOB_COUNT && used < sizeof(text); k++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
                                 knob_info[*k].name);
    table_cell(t, "%s", text);
}

/* State per flow in model nic; RL-CC's depends on its model. */
static void add_bytes(struct table *t, const struct cc_algo *cc)
{
    static const struct cc_link link = { 0 };

    if (strcmp(cc->name, "rlcc") == 0)
        table_cell(t, "%zu trees, %zu mlp, %zu lstm", rlcc_flow_bytes(POLICY_TREES),
                   rlcc_flow_bytes(POLICY_MLP), rlcc_flow_bytes(POLICY_LSTM));
    else
        table_cell(t, "%zu", cc->state_bytes ? cc->state_bytes(&link) : cc->state_size);
}

static void print_cc(void)
{
    struct table *t = table_new("llll");

    table_cells(t, "name", "what it is", "bytes per flow", "its knobs", NULL);
    for (int i = 0; cc_all[i]; i++) {
        table_cells(t, cc_all[i]->name, cc_all[i]->about, NULL);
        add_bytes(t, cc_all[i]);
        add_knobs(t, cc_all[i]);
    }
    table_end(t, stdout, 0);
}

/* "rpg_ai_rate=5Mbps per 25 Gb/s": a value as one would set it. */
static void print_nic_value(FILE *out, const struct nic_value *v)
{
    char text[KNOB_TEXT_MAX];

    if (v->unit == NIC_OF_LINE)
        fprintf(out, "%s=%.10g %% of line rate", knob_info[v->knob].name, 100 * v->value);
    else
        fprintf(out, "%s=%s%s", knob_info[v->knob].name, knob_text(text, v->knob, v->value),
                v->unit == NIC_PER_25G ? " per 25 Gb/s" : "");
}

static void print_nics(void)
{
    struct table *t = table_new("lll");

    table_cells(t, "name", "what it is", "differences from NVIDIA's", NULL);
    for (const struct nic_profile *p = nic_profile_all; p->name; p++) {
        char  *text;
        FILE  *out = text_stream(&text);

        for (const struct nic_value *v = p->value; v->knob != KNOB_COUNT; v++) {
            fputs(v == p->value ? "" : ", ", out);
            print_nic_value(out, v);
        }
        fclose(out);
        table_cells(t, p->name, p->about, *text ? text : "-", NULL);
        free(text);
    }
    table_end(t, stdout, 0);
}

static void print_asics(void)
{
    struct table *t = table_new("llrrrrl");
    char          text[32];

    table_cells(t, "name", "what it is", "buffer", "alpha", "cell", "latency", "source", NULL);
    for (const struct asic *a = asic_all; a->name; a++) {
        table_cells(t, a->name, a->about, text_from_bytes(text, sizeof(text), (double)a->buffer_bytes), NULL);
        if (a->pfc_shift == ASIC_NO_SHIFT)
            table_cell(t, "-");
        else
            table_cell(t, "%.10g", 1.0 / (1 << a->pfc_shift));
        table_cell(t, a->cell_bytes ? "%u B" : "-", a->cell_bytes);
        table_cell(t, a->latency_ns ? "%u ns" : "-", a->latency_ns);
        table_cell(t, "%s", a->source);
    }
    table_end(t, stdout, 0);
}

static void print_sizes(void)
{
    struct table *t = table_new("lrrr");

    table_cells(t, "name", "mean", "median", "largest", NULL);
    for (int i = 0; cdf_names[i]; i++) {
        struct cdf c = { 0 };
        char text[32];

        if (cdf_builtin(&c, cdf_names[i]))
            continue;
        table_cells(t, cdf_names[i], text_from_bytes(text, sizeof(text), c.bytes_mean), NULL);
        table_cell(t, "%s", text_from_bytes(text, sizeof(text), (double)cdf_size(&c, 0.5)));
        table_cell(t, "%s", text_from_bytes(text, sizeof(text), c.bytes[c.count - 1]));
        cdf_fini(&c);
    }
    table_end(t, stdout, 0);
}

/* ---- keys of a scenario file ---- */

static void add_key(void *table, const char *section, const struct key_row *k)
{
    table_cells(table, *section ? section : "-", k->name, key_unit_name(k->unit), k->initial, k->about, NULL);
}

static void print_keys(void)
{
    struct table *t = table_new("lllll");

    table_cells(t, "section", "key", "unit", "initial", "what it is", NULL);
    scenario_each_key(add_key, t);
    table_end(t, stdout, 0);
}

static void print_keys_markdown(void)
{
    scenario_print_reference(stdout);
}

/* ---- the command ---- */

static const struct subject {
    const char *name, *about;
    void (*add)(json_t *list);
    void (*print)(void);                     /* NULL: names and descriptions */
    void (*print_markdown)(void);            /* NULL: there is no such page */
} subjects[] = {
    { "cc",       "Congestion controls: cc: NAME",                    add_ccs,      print_cc,     NULL },
    { "nic",      "NICs by name: nic: NAME, or --set nic=NAME",       add_nics,     print_nics,   NULL },
    { "asic",     "Switch chips by name: switch: {asic: NAME}",       add_asics,    print_asics,  NULL },
    { "lb",       "Load balancers: lb: NAME",                         add_lbs,      NULL,         NULL },
    { "topology", "Topologies: topology: {kind: NAME}",               add_topologies, NULL,       NULL },
    { "traffic",  "Traffic: traffic: [{kind: NAME}]",                 add_traffics, NULL,         NULL },
    { "sizes",    "Built-in flow size distributions: sizes: NAME",    add_sizes,    print_sizes,  NULL },
    { "knob",     "Knobs: knobs: {NAME: VALUE}, or --set NAME=VALUE", put_knobs,    print_knobs,
      print_knobs_markdown },
    { "figure",   "Counters and figures of results: --metrics NAME",  list_figures_json, list_figures,
      list_figures_markdown },
    { "tuner",    "Tuners: tuner: NAME, or tuner: {kind: NAME, OPTION: VALUE}", add_tuners, print_tuners,
      NULL },
    { "monitor",  "Monitors of flow sizes: monitor: NAME",            add_monitors, NULL,         NULL },
    { "key",      "Keys of a scenario file",                          add_keys,     print_keys,
      print_keys_markdown },
    { "scenario", "Scenarios that ship with Anole: anole run NAME",   add_examples, NULL,         NULL },
};

#define SUBJECTS (sizeof(subjects) / sizeof(*subjects))

struct options { const struct subject *subject; bool is_markdown, is_json; };

static void set_subject(void *options, const char *word)
{
    const char     *names[SUBJECTS + 1] = { 0 };
    struct options *o = options;

    if (o->subject)
        cmd_usage("one list at a time: '%s' and '%s'", o->subject->name, word);
    for (unsigned i = 0; i < SUBJECTS; i++)
        names[i] = subjects[i].name;
    o->subject = &subjects[cmd_choice("list", word, names)];
}

static const struct cmd_option option_rows[] = {
    { "format", 'f', "table|json", "Format of the output (default: table). json is one array with plain "
      "numbers, or without an argument an object with all arrays", KEY_AT(struct options, is_json),
      .choices = cmd_table_or_json },
    { "markdown", 'm', NULL, "Print the manual page of knob (docs/knobs.md), figure (docs/figures.md) or key "
      "(docs/scenario.md)", KEY_AT(struct options, is_markdown) },
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "list", .add = set_subject },
    .args = "[cc|nic|asic|lb|topology|traffic|sizes|knob|figure|tuner|monitor|key|scenario]",
    .help = "Lists the choices for a scenario file, with one line on each. Without an argument: everything."
            "\v"
            "Examples:\n"
            "  anole list cc\n"
            "      Lists the congestion controls.\n"
            "  anole list knob\n"
            "      List all knobs: where they apply, default, range, and what a higher\n"
            "      value favors.\n"
            "  anole list knob --format json\n"
            "      Prints the same for a program.",
};

/* Prints names and descriptions. */
static void print_names(const struct subject *s)
{
    struct table *t = table_new("ll");
    json_t       *list = json_array(), *entry;
    size_t        i;

    s->add(list);
    table_cells(t, "name", "what it is", NULL);
    json_array_foreach(list, i, entry)
        table_cells(t, json_get_text(entry, "name"), json_get_text(entry, "about"), NULL);
    if (json_array_size(list))
        table_print(t, stdout, 0);
    else
        puts("None is installed; ANOLE_SCENARIOS may name a folder with scenarios.");
    table_free(t);
    json_decref(list);
}

static void print(const struct subject *s)
{
    if (s->print)
        s->print();
    else
        print_names(s);
}

/* One list as an array of objects; without a subject, an object with all lists by name. */
static json_t *list_json(const struct subject *only)
{
    json_t *all = only ? json_array() : json_object();

    if (only)
        only->add(all);
    for (unsigned i = 0; !only && i < SUBJECTS; i++) {
        json_t *list = json_array();

        subjects[i].add(list);
        json_object_set_new(all, subjects[i].name, list);
    }
    return all;
}

static void print_all(void)
{
    bool has_colour = cmd_has_colour(stdout);

    for (unsigned i = 0; i < SUBJECTS; i++) {
        printf("%s%s%s%s\n\n", i ? "\n" : "", has_colour ? "\033[1m" : "", subjects[i].about,
               has_colour ? "\033[0m" : "");
        print(&subjects[i]);
    }
}

static int list_main(int argc, char **argv)
{
    struct options o = { 0 };

    cmd_parse(&line, argc, argv, &o);
    if (o.is_markdown && !(o.subject && o.subject->print_markdown))
        cmd_usage("--markdown goes with knob, figure or key");
    if (o.is_markdown && o.is_json)
        cmd_usage("--markdown and --format json exclude each other");
    if (o.is_markdown)
        o.subject->print_markdown();
    else if (o.is_json)
        cmd_print_json(list_json(o.subject));
    else if (o.subject)
        print(o.subject);
    else
        print_all();
    return cmd_close_stdout();
}

const struct command command_list = {
    "list", "list algorithms, topologies, knobs and other choices", list_main,
};
