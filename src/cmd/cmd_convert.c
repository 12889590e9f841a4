/* src/cmd/cmd_convert.c - anole convert: converts between scenarios and files of other simulators. */
#include "peers/convert/convert.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "base/file/interrupt.h"
#include "base/json.h"
#include "base/print/safe.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define INPUTS_MAX 2

/* ---- options ---- */

enum format { TO_SCENARIO, TO_HPCC, TO_NOTHING };

static const char *const format_names[] = { "scenario", "hpcc", NULL };

struct options {
    const char  *path[INPUTS_MAX];
    uint32_t     paths;
    const char **set;
    uint32_t     sets;
    uint64_t     seed;
    bool         has_seed;
    const char  *out;
    uint32_t     to;             /* enum format */
    bool         is_json;
};

static void add_path(void *options, const char *path)
{
    struct options *o = options;

    if (o->paths == INPUTS_MAX)
        cmd_usage("two files at most, a network and its flows; '%s' is one too many", path);
    o->path[o->paths++] = path;
}

static const struct cmd_option option_rows[] = {
    { "to", 't', "scenario|hpcc", "What to write", KEY_AT(struct options, to), .choices = format_names },
    { "out", 'o', "DIR", "Folder to write to, atomically", KEY_AT(struct options, out) },
    CMD_SET(struct options, set, sets),
    CMD_SEED(struct options, seed, has_seed),
    { "format", 'f', "table|json", "json: print what was written (default: only warnings)",
      KEY_AT(struct options, is_json), .choices = cmd_table_or_json },
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "file", .add = add_path },
    .missing = "which file? anole convert FILE... --to hpcc -o DIR; see anole convert --help",
    .args = "FILE...",
    .help =
        "Converts files of other simulators to a scenario, and a scenario to files of the HPCC ns-3 fork."
            "\v"
        "FILE is one of these, recognized by name or content:\n"
        "  a config of the HPCC or ConWeave ns-3 forks\n"
        "  one of their topologies and a list of flows: two files\n"
        "  a topology (.topo) and a connection matrix (.cm) of htsim: two files\n"
        "  a command line of htsim_uec, which names its .cm and .topo: one file\n"
        "  a scenario\n"
        "\n"
        "Without --to, prints what a file is and the line of a scenario that uses it. That works for all "
        "of the above except scenarios and command lines, and for files that scenarios run as they are: "
        "GOAL and Chakra traces, workloads and topologies of SimAI, networks of ASTRA-sim.\n"
        "\n"
        "Files in DIR:\n"
        "  --to scenario   scenario.yaml, flows.txt, traffic.cm or network.topo\n"
        "  --to hpcc       config.txt, topology.txt, flow.txt, trace.txt\n"
        "\n"
        "The flows of a scenario are drawn with its seed, so that all simulators run the same flows. Anole "
        "refuses what a format cannot express, as traffic whose flows depend on other flows. docs/formats.md "
        "has the details.\n"
        "\n"
        "Examples:\n"
        "  anole convert mix/config.txt --to scenario -o mine\n"
        "  anole run mine/scenario.yaml\n"
        "      The same network, flows and settings, now as a scenario.\n"
        "  anole convert websearch.yaml --to hpcc -o theirs\n"
        "      Our flows for the ns-3 program.\n"
        "  anole convert fat_tree.topo perm.cm --to scenario -o mine\n"
        "  anole convert llama.goal\n"
        "      Prints: traffic: [{kind: goal, file: llama.goal}]\n",
};

/* ---- from options to exit status ---- */

static int write_all(const struct convert_source *source, enum format to, struct outdir *dir, struct err *err)
{
    if (to == TO_SCENARIO)
        return convert_write_scenario(source, dir, err);
    if (source->command.matrix)
        return err_set(err, ENOTSUP,
                       "%s: a command line of htsim_uec becomes a scenario alone: say --to scenario",
                       source->name);
    return convert_write_hpcc(source, dir, err);
}

static void print_json(const struct options *o, const struct convert_source *source)
{
    static const char *const files[][6] = {
        [TO_SCENARIO] = { "scenario.yaml", "flows.txt", "traffic.cm", "topology.txt", "network.topo" },
        [TO_HPCC] = { "config.txt", "topology.txt", "flow.txt", "trace.txt" },
    };
    const struct graph *g = &source->scenario.graph;
    json_t             *list = json_array();

    assert(o->to < TO_NOTHING);
    for (int i = 0; files[o->to][i]; i++) {
        char *path = xprintf("%s/%s", o->out, files[o->to][i]);

        if (access(path, F_OK) == 0)
            json_array_append_new(list, JSON(path));
        free(path);
    }
    cmd_print_json(JSON_OF({ "to", JSON(format_names[o->to]) }, JSON_FIELD(o, out), { "files", list },
                           JSON_FIELD(g, hosts), { "switches", JSON(g->nodes - g->hosts) },
                           JSON_FIELD(g, links),
                           { "flows", JSON(source->flows ? source->flows : source->cm.conns) }));
}

static int convert(const struct options *o, struct err *err)
{
    struct convert_source source;
    struct outdir        *dir = NULL;
    int rc = convert_read(&source, o->path, o->paths, o->set, o->sets, o->has_seed ? &o->seed : NULL, err);

    if (rc)
        return rc;
    cmd_print_warnings(source.scenario.warning);
    rc = outdir_open(&dir, o->out, "anole convert", err);
    rc = rc ? rc : write_all(&source, (enum format)o->to, dir, err);
    if (!rc) {
        interrupt_hold();
        rc = outdir_commit(dir, err);
        interrupt_end();
        dir = NULL;
    }
    if (!rc && o->is_json)
        print_json(o, &source);
    outdir_abort(dir);
    convert_fini(&source);
    return rc;
}

/* Without --to: says what each file is, and how a scenario uses it. */
static int recognize(const struct options *o, struct err *err)
{
    json_t *all = json_array();
    int     rc = 0;

    for (uint32_t i = 0; i < o->paths && !rc; i++) {
        enum convert_input input;

        rc = convert_detect(o->path[i], &input, err);
        if (rc)
            break;
        char *use = convert_line(input, o->path[i]);
        if (!use)
            cmd_usage("--to is missing: --to scenario or --to hpcc");
        JSON_ADD(all, { "file", JSON(o->path[i]) }, { "what", JSON(convert_what(input)) },
                 { "line", JSON(use) });
        if (!o->is_json)
            printf("%s: this is %s. To use it in a scenario:\n  %s\n", safe_name(o->path[i]).buf,
                   convert_what(input), safe_name(use).buf);
        free(use);
    }
    if (!rc && o->is_json)
        cmd_print_json(all);
    else
        json_decref(all);
    return rc;
}

static int convert_main(int argc, char **argv)
{
    struct options o = { .to = TO_NOTHING };
    struct err     err;

    cmd_parse(&line, argc, argv, &o);
    if (o.to == TO_NOTHING)
        return cmd_end(recognize(&o, &err), &err);
    if (!o.out)
        cmd_usage("-o DIR is missing: the folder to write to");
    interrupt_catch();
    int rc = convert(&o, &err);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_convert = { "convert", "convert scenarios from and to other simulators' formats",
                                         convert_main };
