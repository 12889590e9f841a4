/* src/cmd/cmd_list.c - anole list: lists the choices for a scenario file. */
#include "base/json.h"
#include "base/text.h"
#include "cc/cc.h"
#include "cc/rlcc/rlcc.h"
#include "cmd/cmd.h"
#include "cmd/json/cmd_json.h"
#include "cmd/list/list.h"
#include "cmd/options.h"
#include "core/catalog.h"
#include "core/knob_text.h"
#include "scenario/reference.h"
#include "traffic/cdf.h"

#include <stdlib.h>
#include <string.h>

static void print_and_free(struct table *t)
{
    table_end(t, stdout, 0);
}

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
    print_and_free(t);
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
    print_and_free(t);
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
    print_and_free(t);
}

/* Prints names and descriptions. */
static void print_names(const char *subject)
{
    struct table *t = table_new("ll");
    json_t       *list = list_json(subject), *entry;
    size_t        i;

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
    print_and_free(t);
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
    print_and_free(t);
}

static void print_scenario_markdown(void)
{
    scenario_print_reference(stdout);
}

/* ---- the command ---- */

static const struct subject {
    const char *name, *about;
    void (*print)(void);                     /* NULL: names and descriptions */
    void (*print_markdown)(void);            /* NULL: there is no such page */
} subjects[] = {
    { "cc",       "Congestion controls: cc: NAME",                    print_cc,     NULL },
    { "nic",      "NICs by name: nic: NAME, or --set nic=NAME",       print_nics,   NULL },
    { "asic",     "Switch chips by name: switch: {asic: NAME}",       print_asics,  NULL },
    { "lb",       "Load balancers: lb: NAME",                         NULL,         NULL },
    { "topology", "Topologies: topology: {kind: NAME}",               NULL,         NULL },
    { "traffic",  "Traffic: traffic: [{kind: NAME}]",                 NULL,         NULL },
    { "sizes",    "Built-in flow size distributions: sizes: NAME",    print_sizes,  NULL },
    { "knob",     "Knobs: knobs: {NAME: VALUE}, or --set NAME=VALUE", list_knobs,   list_knobs_markdown },
    { "figure",   "Counters and figures of results: --metrics NAME",  list_figures, list_figures_markdown },
    { "tuner",    "Tuners: tuner: NAME, or tuner: {kind: NAME, OPTION: VALUE}", list_tuners,
      NULL },
    { "monitor",  "Monitors of flow sizes: monitor: NAME",            NULL,         NULL },
    { "key",      "Keys of a scenario file",                          print_keys,   print_scenario_markdown },
    { "scenario", "Scenarios that ship with Anole: anole run NAME",   NULL,         NULL },
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

static void print(const struct subject *s)
{
    if (s->print)
        s->print();
    else
        print_names(s->name);
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
        cmd_print_json(list_json(o.subject ? o.subject->name : NULL));
    else if (o.subject)
        print(o.subject);
    else
        print_all();
    return cmd_close_stdout();
}

const struct command command_list = {
    "list", "list algorithms, topologies, knobs and other choices", list_main,
};
