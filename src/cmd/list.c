/* src/cmd/list.c - anole list: what there is to choose from. */
#include "base/print/table.h"
#include "base/text.h"
#include "cc/cc.h"
#include "cc/rlcc/rlcc.h"
#include "cmd/cmd.h"
#include "cmd/json/cmd_json.h"
#include "cmd/list/list_figures.h"
#include "cmd/list/list_json.h"
#include "cmd/list/list_knobs.h"
#include "cmd/list/list_tuners.h"
#include "core/asic.h"
#include "core/knob_text.h"
#include "core/nic_profile.h"
#include "lb/lb.h"
#include "meter/monitor/monitor.h"
#include "run/examples.h"
#include "scenario/reference.h"
#include "scenario/topology.h"
#include "traffic/cdf.h"
#include "traffic/kind.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

static struct table *new_name_table(void)
{
    struct table *t = table_new("ll");

    table_cell(t, "name");
    table_cell(t, "what it is");
    return t;
}

static void add_name(struct table *t, const char *name, const char *about)
{
    table_cell(t, "%s", name);
    table_cell(t, "%s", about);
}

static void print_and_free(struct table *t)
{
    table_print(t, stdout, 0);
    table_free(t);
}

/* What a tuner may tune of it. */
static void add_knobs(struct table *t, const struct cc_algo *cc)
{
    char   text[400] = "";
    size_t used = 0;

    if (!cc->knobs) {
        table_cell(t, "%s", cc->on_cnp ? "those of DCQCN and ECN" : "-");
        return;
    }
    for (const enum knob *k = cc->knobs; *k != KNOB_COUNT && used < sizeof(text); k++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "", knob_info[*k].name);
    table_cell(t, "%s", text);
}

/* What a flow remembers; of RL-CC that is by its model. */
static void add_bytes(struct table *t, const struct cc_algo *cc)
{
    if (cc->state_bytes)
        table_cell(t, "%zu trees, %zu mlp, %zu lstm", rlcc_flow_bytes(POLICY_TREES), rlcc_flow_bytes(POLICY_MLP),
                   rlcc_flow_bytes(POLICY_LSTM));
    else
        table_cell(t, "%zu", cc->state_size);
}

static void print_cc(void)
{
    struct table *t = table_new("llll");

    table_cell(t, "name");
    table_cell(t, "what it is");
    table_cell(t, "bytes per flow");
    table_cell(t, "its knobs");
    for (int i = 0; cc_all[i]; i++) {
        add_name(t, cc_all[i]->name, cc_all[i]->about);
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

    table_cell(t, "name");
    table_cell(t, "what it is");
    table_cell(t, "where it is not NVIDIA's");
    for (const struct nic_profile *p = nic_profile_all; p->name; p++) {
        char  *text = NULL;
        size_t length;
        FILE  *out = open_memstream(&text, &length);

        if (!out)
            die("out of memory");
        for (const struct nic_value *v = p->value; v->knob != KNOB_COUNT; v++) {
            fputs(v == p->value ? "" : ", ", out);
            print_nic_value(out, v);
        }
        fclose(out);
        table_cell(t, "%s", p->name);
        table_cell(t, "%s", p->about);
        table_cell(t, "%s", *text ? text : "-");
        free(text);
    }
    print_and_free(t);
}

static void print_asics(void)
{
    static const char *const heads[] = { "name", "what it is", "buffer", "alpha", "source" };
    struct table            *t = table_new("llrrl");
    char                     text[32];

    for (int i = 0; i < 5; i++)
        table_cell(t, "%s", heads[i]);
    for (const struct asic *a = asic_all; a->name; a++) {
        table_cell(t, "%s", a->name);
        table_cell(t, "%s", a->about);
        table_cell(t, "%s", text_from_bytes(text, sizeof(text), (double)a->buffer_bytes));
        if (a->pfc_shift == ASIC_NO_SHIFT)
            table_cell(t, "-");
        else
            table_cell(t, "%.10g", 1.0 / (1 << a->pfc_shift));
        table_cell(t, "%s", a->source);
    }
    print_and_free(t);
}

static void print_lb(void)
{
    struct table *t = new_name_table();

    for (int i = 0; lb_all[i]; i++)
        add_name(t, lb_all[i]->name, lb_all[i]->about);
    print_and_free(t);
}

static void print_monitors(void)
{
    struct table *t = new_name_table();

    for (int i = 0; monitor_all[i]; i++)
        add_name(t, monitor_all[i]->name, monitor_all[i]->about);
    print_and_free(t);
}

static void print_topologies(void)
{
    struct table *t = new_name_table();

    for (const struct topology_kind *k = topology_kinds; k->name; k++)
        add_name(t, k->name, k->about);
    print_and_free(t);
}

static void print_traffics(void)
{
    struct table *t = new_name_table();

    for (int i = 0; traffic_all[i]; i++)
        add_name(t, traffic_all[i]->name, traffic_all[i]->about);
    print_and_free(t);
}

static void print_sizes(void)
{
    struct table *t = table_new("lrrr");
    static const char *const heads[] = { "name", "mean", "median", "largest" };

    for (int i = 0; i < 4; i++)
        table_cell(t, "%s", heads[i]);
    for (int i = 0; cdf_names[i]; i++) {
        struct cdf c = { 0 };
        char text[32];

        if (cdf_builtin(&c, cdf_names[i]))
            continue;
        table_cell(t, "%s", cdf_names[i]);
        table_cell(t, "%s", text_from_bytes(text, sizeof(text), c.bytes_mean));
        table_cell(t, "%s", text_from_bytes(text, sizeof(text), (double)cdf_size(&c, 0.5)));
        table_cell(t, "%s", text_from_bytes(text, sizeof(text), c.bytes[c.count - 1]));
        cdf_fini(&c);
    }
    print_and_free(t);
}

/* ---- the scenario file ---- */

static void add_key(void *table, const char *section, const struct key_row *k)
{
    table_cell(table, "%s", *section ? section : "-");
    table_cell(table, "%s", k->name);
    table_cell(table, "%s", key_unit_name(k->unit));
    table_cell(table, "%s", k->initial);
    table_cell(table, "%s", k->about);
}

static void print_keys(void)
{
    static const char *const heads[] = { "section", "key", "unit", "initial", "what it is" };
    struct table *t = table_new("lllll");

    for (int i = 0; i < 5; i++)
        table_cell(t, "%s", heads[i]);
    scenario_each_key(add_key, t);
    print_and_free(t);
}

static void print_scenario_markdown(void)
{
    scenario_print_reference(stdout);
}

/* ---- the command ---- */

static void print_examples(void)
{
    struct table *t = table_new("ll");
    struct example *list;
    uint32_t count = examples_list(&list);

    table_cell(t, "name");
    table_cell(t, "what it shows");
    for (uint32_t i = 0; i < count; i++) {
        table_cell(t, "%s", list[i].name);
        table_cell(t, "%s", list[i].about);
    }
    if (count)
        table_print(t, stdout, 0);
    else
        puts("None is installed here; ANOLE_SCENARIOS may name a folder of them.");
    table_free(t);
    examples_free(list, count);
}

static const struct subject {
    const char *name, *about;
    void (*print)(void);
    void (*print_markdown)(void);            /* NULL: there is no such page */
} subjects[] = {
    { "cc",       "Congestion controls: cc: NAME",                       print_cc,         NULL },
    { "nic",      "NICs by name: nic: NAME, or --set nic=NAME", print_nics,       NULL },
    { "asic",     "Switch chips by name: switch: {asic: NAME}", print_asics,      NULL },
    { "lb",       "Load balancers: lb: NAME",                            print_lb,         NULL },
    { "topology", "Topologies: topology: {kind: NAME}",                  print_topologies, NULL },
    { "traffic",  "Traffic: traffic: [{kind: NAME}]",                    print_traffics,   NULL },
    { "sizes",    "Built-in tables of flow sizes: sizes: NAME",          print_sizes,      NULL },
    { "knob",     "Knobs: knobs: {NAME: VALUE}, or --set NAME=VALUE",    list_knobs,       list_knobs_markdown },
    { "figure",   "Counters and figures of results: --metrics NAME",     list_figures,     list_figures_markdown },
    { "tuner",    "Tuners: tuner: NAME, or tuner: {kind: NAME, OPTION: VALUE}", list_tuners, list_tuners_markdown },
    { "monitor",  "How flow sizes are seen: monitor: NAME",              print_monitors,   NULL },
    { "key",      "Keys of a scenario file",                             print_keys,       print_scenario_markdown },
    { "scenario", "Scenarios that come with Anole: anole run NAME",      print_examples,   NULL },
};

#define SUBJECTS (sizeof(subjects) / sizeof(*subjects))

struct options { const struct subject *subject; bool is_markdown, is_json; };

static const struct subject *subject_of(const char *word)
{
    const char *names[SUBJECTS + 1] = { 0 };
    char hint[200];

    for (unsigned i = 0; i < SUBJECTS; i++) {
        if (strcmp(subjects[i].name, word) == 0)
            return &subjects[i];
        names[i] = subjects[i].name;
    }
    cmd_usage("'%s' cannot be listed%s", word, text_names(hint, sizeof(hint), word, names));
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'm':
        o->is_markdown = true;
        break;
    case 'f':
        o->is_json = cmd_is_json(arg);
        break;
    case ARGP_KEY_ARG:
        if (o->subject)
            cmd_usage("one list at a time: '%s' and '%s'", o->subject->name, arg);
        o->subject = subject_of(arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option option_rows[] = {
    { "format", 'f', "table|json", 0, "How it is printed (default: table). json has numbers as numbers, and is one "
      "array, or without an argument an object of all of them", 0 },
    { "markdown", 'm', NULL, 0, "Print the page of the manual: of knob (docs/knobs.md), figure "
      "(docs/figures.md), tuner (docs/tuners.md) and key (docs/scenario.md)", 0 },
    { 0 },
};

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "[cc|nic|asic|lb|topology|traffic|sizes|knob|figure|tuner|monitor|key|scenario]",
    .doc = "Prints what there is to choose from in a scenario file, with one line on each. Without an argument: "
           "everything."
           "\v"
           "Examples:\n"
           "  anole list cc\n"
           "      The congestion controls.\n"
           "  anole list knob\n"
           "      Everything that can be set: where, initial value, range, and what raising it is good for.\n"
           "  anole list knob --format json\n"
           "      The same for a program.",
};

static void print_all(void)
{
    bool has_colour = cmd_has_colour(stdout);

    for (unsigned i = 0; i < SUBJECTS; i++) {
        printf("%s%s%s%s\n\n", i ? "\n" : "", has_colour ? "\033[1m" : "", subjects[i].about,
               has_colour ? "\033[0m" : "");
        subjects[i].print();
    }
}

static int list_main(int argc, char **argv)
{
    struct options o = { 0 };

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (o.is_markdown && !(o.subject && o.subject->print_markdown))
        cmd_usage("--markdown goes with knob, figure, tuner or key");
    if (o.is_markdown && o.is_json)
        cmd_usage("--markdown and --format json: one of them");
    if (o.is_markdown)
        o.subject->print_markdown();
    else if (o.is_json)
        list_print_json(o.subject ? o.subject->name : NULL);
    else if (o.subject)
        o.subject->print();
    else
        print_all();
    return cmd_close_stdout();
}

const struct command command_list = {
    "list", "print what there is to choose from: algorithms, topologies, knobs", list_main,
};
