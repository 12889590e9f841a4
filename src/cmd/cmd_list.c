/* src/cmd/cmd_list.c - anole list: lists the choices for a scenario file. */
#include "base/json.h"
#include "base/print/terminal.h"
#include "base/text.h"
#include "sim/cc/cc.h"
#include "sim/cc/rlcc/rlcc.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "cmd/list_figures.h"
#include "core/catalog.h"
#include "core/knob_text.h"
#include "study/scenario/reference.h"
#include "work/traffic/cdf.h"
#include "tune/search/search.h"
#include "tune/tuner.h"
#include "core/knobs.h"
#include "sim/lb/lb.h"
#include "core/meter/monitor/monitor.h"
#include "study/scenario/examples.h"
#include "study/scenario/topology.h"
#include "work/traffic/kind.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends an object with a name and, unless NULL, a description. */
static json_t *add_entry(json_t *array, const char *name, const char *about)
{
    json_t *entry = JSON_OF({ "name", JSON(name) });

    if (about)
        json_put_text(entry, "about", about);
    json_array_append_new(array, entry);
    return entry;
}

/* Adds an entry to the array and to a table of names and descriptions. */
static json_t *add(struct list *l, const char *name, const char *about)
{
    table_cells(l->table, name, about, NULL);
    return add_entry(l->array, name, about);
}

/* ---- algorithms and devices ---- */

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

static void list_ccs(struct list *l)
{
    for (int i = 0; cc_all[i]; i++) {
        const struct cc_algo *cc = cc_all[i];
        json_t               *knobs = json_array();      /* that a tuner may set */
        char                  text[400] = "";
        size_t                used = 0;

        for (int k = 0; k < KNOB_COUNT && used < sizeof(text); k++) {
            if (!knob_is_read_by((enum knob)k, cc->name))
                continue;
            json_array_append_new(knobs, JSON(knob_info[k].name));
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "",
                                     knob_info[k].name);
        }
        json_object_set_new(add(l, cc->name, cc->about), "knobs", knobs);
        add_bytes(l->table, cc);
        table_cell(l->table, "%s", used ? text : "-");
    }
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

static void list_nics(struct list *l)
{
    for (const struct nic_profile *p = nic_profile_all; p->name; p++) {
        json_t *values = json_array();
        char   *text;
        FILE   *out = text_stream(&text);

        for (const struct nic_value *v = p->value; v->knob != KNOB_COUNT; v++) {
            const char *unit = v->unit == NIC_OF_LINE ? "of line rate"
                                                      : knob_unit_name(knob_info[v->knob].unit);

            JSON_PUT(add_entry(values, knob_info[v->knob].name, NULL), JSON_FIELD(v, value),
                     { "unit", JSON(unit) }, { "is_per_25_gbps", json_boolean(v->unit == NIC_PER_25G) });
            fputs(v == p->value ? "" : ", ", out);
            print_nic_value(out, v);
        }
        fclose(out);
        json_object_set_new(add(l, p->name, p->about), "knobs", values);
        table_cell(l->table, "%s", *text ? text : "-");
        free(text);
    }
}

static void list_asics(struct list *l)
{
    for (const struct asic *a = asic_all; a->name; a++) {
        double alpha = a->pfc_shift == ASIC_NO_SHIFT ? NAN : 1.0 / (1 << a->pfc_shift);
        char   text[32];

        JSON_PUT(add(l, a->name, a->about), { "capacity_bps", JSON((double)a->capacity_bps) },
                 { "buffer_bytes", JSON((double)a->buffer_bytes) }, { "alpha", JSON(alpha) },
                 { "cell_bytes", a->cell_bytes ? json_integer(a->cell_bytes) : json_null() },
                 { "latency_ns", a->latency_ns ? json_integer(a->latency_ns) : json_null() },
                 JSON_FIELD(a, source));
        table_cell(l->table, "%s", text_from_bytes(text, sizeof(text), (double)a->buffer_bytes));
        table_cell(l->table, isnan(alpha) ? "-" : "%.10g", alpha);
        table_cell(l->table, a->cell_bytes ? "%u B" : "-", a->cell_bytes);
        table_cell(l->table, a->latency_ns ? "%u ns" : "-", a->latency_ns);
        table_cell(l->table, "%s", a->source);
    }
}

static void list_lbs(struct list *l)
{
    for (int i = 0; lb_all[i]; i++)
        add(l, lb_all[i]->name, lb_all[i]->about);
}

static void list_topologies(struct list *l)
{
    for (const struct topology_kind *k = topology_kinds; k->name; k++)
        add(l, k->name, k->about);
}

static void list_traffics(struct list *l)
{
    for (int i = 0; traffic_all[i]; i++)
        add(l, traffic_all[i]->name, traffic_all[i]->about);
}

static void list_sizes(struct list *l)
{
    for (int i = 0; cdf_names[i]; i++) {
        struct cdf c = { 0 };
        char       text[32];

        if (cdf_builtin(&c, cdf_names[i]))
            continue;
        const struct { const char *key; double bytes; } sizes[] = {
            { "mean_bytes", c.bytes_mean }, { "median_bytes", (double)cdf_size(&c, 0.5) },
            { "largest_bytes", c.bytes[c.count - 1] },
        };
        json_t *entry = add_entry(l->array, cdf_names[i], NULL);
        table_cell(l->table, "%s", cdf_names[i]);
        for (int n = 0; n < 3; n++) {
            json_put_number(entry, sizes[n].key, sizes[n].bytes);
            table_cell(l->table, "%s", text_from_bytes(text, sizeof(text), sizes[n].bytes));
        }
        cdf_fini(&c);
    }
}

static void list_monitors(struct list *l)
{
    for (int i = 0; monitor_all[i]; i++)
        add(l, monitor_all[i]->name, monitor_all[i]->about);
}

static void list_examples(struct list *l)
{
    struct example *examples;
    uint32_t        count = examples_list(&examples);

    for (uint32_t i = 0; i < count; i++)
        add(l, examples[i].name, examples[i].about);
    examples_free(examples, count);
}

/* ---- knobs and keys ---- */

static const char *toward_text(const struct knob_info *k)
{
    return k->toward > 0 ? "throughput" : k->toward < 0 ? "low delay" : NULL;
}

static void list_knobs(struct list *l)
{
    for (enum knob i = 0; i < KNOB_COUNT; i++) {
        const struct knob_info *k = &knob_info[i];
        const char             *toward = toward_text(k);
        char                    text[KNOB_TEXT_MAX];

        JSON_PUT(add_entry(l->array, k->name, k->about), { "where", JSON(knob_where_name(k->where)) }, { "readers", JSON(k->readers) },
                 { "unit", JSON(knob_unit_name(k->unit)) }, JSON_FIELD(k, initial), JSON_FIELD(k, min),
                 JSON_FIELD(k, max), { "more_favours", toward ? JSON(toward) : json_null() },
                 { "scales_with", k->law ? JSON(knob_law_name(k->law)) : json_null() });
        table_cells(l->table, k->name, knob_where_name(k->where), knob_text(text, i, k->initial), NULL);
        table_cell(l->table, "%.10g..%s", k->min, knob_text(text, i, k->max));
        table_cells(l->table, toward ? toward : "-", k->about, NULL);
    }
}

/* One heading per knob, so that other pages can link to it: knobs.md#kmin. */
static void print_knobs_markdown(FILE *out)
{
    char initial[KNOB_TEXT_MAX], max[KNOB_TEXT_MAX];

    fputs("# Knobs\n\n"
          "Set a knob in a scenario under `knobs:`, or with `--set NAME=VALUE`. A value is a number in the "
          "unit shown,\n"
          "or has its own unit: `kmin=200KB`, `rpg_time_reset=0.3ms`, `pmax=20%`. Each entry has the "
          "meaning, the device,\n"
          "the initial value, the range, what a higher value favors, and what the value scales with from "
          "network to\n"
          "network. `anole list knob` prints a table.\n\n"
          "<!-- Printed by `anole list knob --markdown` from src/core/knobs.def. -->\n", out);
    for (enum knob i = 0; i < KNOB_COUNT; i++) {
        const struct knob_info *k = &knob_info[i];
        const char             *toward = toward_text(k);

        fprintf(out, "\n### %s\n\n%s. *%s, %s, %.10g..%s%s%s%s%s*\n", k->name, k->about,
                knob_where_name(k->where), knob_text(initial, i, k->initial), k->min,
                knob_text(max, i, k->max), toward ? ", " : "", toward ? toward : "",
                k->law ? "; scales with " : "", k->law ? knob_law_name(k->law) : "");
    }
}

/* The words that a key takes, alone or instead of a number. */
static json_t *key_choices(const struct key_row *k)
{
    json_t *choices = json_array();

    for (const char *const *c = k->choices; c && *c; c++)
        json_array_append_new(choices, JSON(*c));
    for (const struct key_word *w = k->words; w && w->word; w++)
        json_array_append_new(choices, JSON(w->word));
    return choices;
}

/* Bounds are in ps, bits per second or bytes. */
static void add_key(void *list, const char *section, const struct key_row *k)
{
    struct list *l = list;
    bool         is_bounded = k->min || k->max;

    JSON_PUT(add_entry(l->array, k->name, k->about), { "section", JSON(section) },
             { "unit", JSON(key_unit_name(k->unit)) }, JSON_FIELD(k, initial),
             { "min", is_bounded ? JSON(k->min) : json_null() },
             { "max", is_bounded ? JSON(k->max) : json_null() }, { "choices", key_choices(k) });
    table_cells(l->table, *section ? section : "-", k->name, key_unit_name(k->unit), k->initial, k->about,
                NULL);
}

static void list_keys(struct list *l)
{
    scenario_each_key(add_key, l);
}

/* ---- tuners: names with the short forms, and all options ---- */

static void put_initial(json_t *entry, const struct key_row *o)
{
    if (o->unit == KEY_YES)
        json_object_set_new(entry, "initial", json_boolean(option_initial(o) != 0));
    else if (o->unit == KEY_REAL || o->unit == KEY_COUNT)
        JSON_PUT(entry, { "initial", JSON(option_initial(o)) }, JSON_FIELD(o, min), JSON_FIELD(o, max));
    else
        json_put_text(entry, "initial", o->initial);
}

static json_t *options_json(const struct tuner_algo *a)
{
    json_t *list = json_array();

    for (const struct key_row *o = a->option; o->name; o++) {
        json_t *entry = add_entry(list, o->name, o->about);

        put_initial(entry, o);
        if (o->unit == KEY_NAME)
            json_object_set_new(entry, "choices", json_of_texts(o->choices, UINT32_MAX));
    }
    return list;
}

/* "0.5..1", "yes, no", "two, log" */
static const char *range_text(char buf[160], const struct key_row *o)
{
    size_t used = 0;

    if (o->unit == KEY_YES)
        return "yes, no";
    if (o->unit == KEY_FILE)
        return "a name or a file";
    snprintf(buf, 160, "%.10g..%.10g", o->min, o->max);
    for (int i = 0; o->choices && o->choices[i] && used < 160; i++)
        used += (size_t)snprintf(buf + used, 160 - used, "%s%s", i ? ", " : "", o->choices[i]);
    return buf;
}

/* Options that all searches share; listed once. */
static const struct key_row shared[] = { SEARCH_OPTIONS, { 0 } };

static bool is_shared(const struct key_row *o)
{
    for (const struct key_row *s = shared; s->name; s++)
        if (strcmp(s->name, o->name) == 0 && strcmp(s->about, o->about) == 0)
            return true;
    return false;
}

static void add_options(struct table *t, const char *tuner, const struct key_row *option)
{
    char range[160];

    for (const struct key_row *o = option; o->name; o++)
        if (option == shared || !is_shared(o))
            table_cells(t, tuner, o->name, o->initial, range_text(range, o), o->about, NULL);
}

static void list_tuners(struct list *l)
{
    l->more = table_new("lllll");
    table_cells(l->more, "tuner", "option", "initial", "range", "what it is", NULL);
    for (int i = 0; tuner_all[i]; i++) {
        json_object_set_new(add(l, tuner_all[i]->name, tuner_all[i]->about), "options",
                            options_json(tuner_all[i]));
        add_options(l->more, tuner_all[i]->name, tuner_all[i]->option);
    }
    add_options(l->more, "all searches", shared);
    for (const struct tuner_alias *a = tuner_aliases; a->name; a++) {
        JSON_PUT(add_entry(l->array, a->name, a->about),
                 { "stands_for", JSON_OF({ "kind", JSON(a->tuner) }, { a->option, JSON(a->value) }) });
        table_cell(l->table, "%s", a->name);
        table_cell(l->table, "%s: %s with %s=%s", a->about, a->tuner, a->option, a->value);
    }
}

/* ---- the command ---- */

#define NAMES "ll", { "name", "what it is" }

static const struct subject {
    const char *name, *about, *align, *heads[8];         /* of the table */
    void      (*list)(struct list *);
    void      (*print_markdown)(FILE *);                 /* NULL: there is no such page */
    int         width_for_all;                           /* a narrower terminal drops columns; 0: it wraps */
    const char *order;                                   /* of dropping: see table_end_fitted() */
} subjects[] = {
    { "cc", "Congestion controls: cc: NAME", "llll", { "name", "what it is", "bytes per flow", "its knobs" },
      list_ccs },
    { "nic", "NICs by name: nic: NAME, or --set nic=NAME", "lll",
      { "name", "what it is", "differences from NVIDIA's" }, list_nics },
    { "asic", "Switch chips by name: switch: {asic: NAME}", "llrrrrl",
      { "name", "what it is", "buffer", "alpha", "cell", "latency", "source" }, list_asics },
    { "lb", "Load balancers: lb: NAME", NAMES, list_lbs },
    { "topology", "Topologies: topology: {kind: NAME}", NAMES, list_topologies },
    { "traffic", "Traffic: traffic: [{kind: NAME}]", NAMES, list_traffics },
    { "sizes", "Built-in flow size distributions: sizes: NAME", "lrrr",
      { "name", "mean", "median", "largest" }, list_sizes },
    { "knob", "Knobs: knobs: {NAME: VALUE}, or --set NAME=VALUE", "llrrll",
      { "name", "where", "initial", "range", "more favours", "what it is" }, list_knobs,
      print_knobs_markdown, 110, "000890" },
    { "figure", "Counters and figures of results: --metrics NAME", "lllllll",
      { "name", "of", "unit", "over time", "better", "shown in", "what it is" }, list_figures,
      list_figures_markdown, 200, "0236480" },
    { "tuner", "Tuners: tuner: NAME, or tuner: {kind: NAME, OPTION: VALUE}", NAMES, list_tuners },
    { "monitor", "Monitors of flow sizes: monitor: NAME", NAMES, list_monitors },
    { "key", "Keys of a scenario file", "lllll", { "section", "key", "unit", "initial", "what it is" },
      list_keys, scenario_print_reference },
    { "scenario", "Scenarios that ship with Anole: anole run NAME", NAMES, list_examples },
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

/* Its array belongs to the caller, its tables to print(). */
static struct list make(const struct subject *s)
{
    struct list l = { json_array(), table_new(s->align), NULL };

    for (int i = 0; s->heads[i]; i++)
        table_cell(l.table, "%s", s->heads[i]);
    s->list(&l);
    return l;
}

static void print(const struct subject *s)
{
    struct list l = make(s);
    int         width = terminal_width(stdout);

    if (json_array_size(l.array) == 0) {
        puts("None is installed; ANOLE_SCENARIOS may name a folder with scenarios.");
        table_free(l.table);
    } else if (s->order) {
        table_end_fitted(l.table, stdout, 0, width < s->width_for_all ? width : 0, s->order);
    } else {
        table_end(l.table, stdout, 0);
    }
    if (l.more) {
        putchar('\n');
        table_end(l.more, stdout, 0);
    }
    json_decref(l.array);
}

static json_t *array_of(const struct subject *s)
{
    struct list l = make(s);

    table_free(l.table);
    table_free(l.more);
    return l.array;
}

/* One list as an array of objects; without a subject, an object with all lists by name. */
static json_t *list_json(const struct subject *only)
{
    if (only)
        return array_of(only);
    json_t *all = json_object();
    for (unsigned i = 0; i < SUBJECTS; i++)
        json_object_set_new(all, subjects[i].name, array_of(&subjects[i]));
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
        o.subject->print_markdown(stdout);
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
