/* src/cmd/convert.c - anole convert: other simulators' files and ours, one into the other. */
#include "convert/convert.h"
#include "cmd/cmd.h"
#include "cmd/json/cmd_json.h"
#include "base/file/interrupt.h"
#include "base/json.h"

#include <argp.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define INPUTS_MAX 2

/* ---- options ---- */

enum format { TO_SCENARIO, TO_HPCC, TO_HTSIM, TO_NOTHING };

static const char *const format_names[] = { "scenario", "hpcc", "htsim", NULL };

struct options {
    const char  *path[INPUTS_MAX];
    uint32_t     paths;
    const char **set;
    uint32_t     sets;
    uint64_t     seed;
    bool         has_seed;
    const char  *out;
    enum format  to;
    bool         is_json;
};

enum { KEY_OUT = 'o', KEY_TO = 't', KEY_SET = 's', KEY_FORMAT = 'f', KEY_SEED = 256 };

static const struct argp_option option_rows[] = {
    { "to", KEY_TO, "scenario|hpcc|htsim", 0, "What to write", 0 },
    { "out", KEY_OUT, "DIR", 0, "The folder to write into. It is there whole in the end, or not at all", 0 },
    { "set", KEY_SET, "KEY=VALUE", 0, "Change a scenario before it is converted, as for anole run", 0 },
    { "seed", KEY_SEED, "N", 0, "Start of the random numbers of a scenario's traffic, in place of its own",
      0 },
    { "format", KEY_FORMAT, "table|json", 0, "json: tell what was written. Without: nothing is told but notes", 0 },
    { 0 },
};

static void add_path(struct options *o, const char *path)
{
    if (o->paths == INPUTS_MAX)
        cmd_usage("two files at most, a network and its flows; '%s' is one too many", path);
    o->path[o->paths++] = path;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_TO:       o->to = (enum format)cmd_choice("--to", "not a format", arg, format_names); break;
    case KEY_OUT:      o->out = arg;                                  break;
    case KEY_SET:      cmd_add_set(&o->set, &o->sets, arg); break;
    case KEY_SEED:     o->seed = cmd_seed("--seed", arg); o->has_seed = true; break;
    case KEY_FORMAT:   o->is_json = cmd_is_json(arg);                 break;
    case ARGP_KEY_ARG: add_path(o, arg);                              break;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which file? anole convert FILE... --to hpcc -o DIR; see anole convert --help");
    case ARGP_KEY_END:
        if (o->to == TO_NOTHING)
            cmd_usage("into what? say --to scenario, --to hpcc or --to htsim");
        if (!o->out)
            cmd_usage("where to? say -o DIR");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "FILE...",
    .doc =
        "Turns the files of other simulators into a scenario, and a scenario into theirs."
        "\v"
        "FILE is one of these, told apart by name or content:\n"
        "  a config of the HPCC or ConWeave ns-3 forks\n"
        "  one of their topologies and a list of flows: two files\n"
        "  a topology (.topo) and a connection matrix (.cm) of htsim: two files\n"
        "  a scenario\n"
        "\n"
        "What is written into DIR:\n"
        "  --to scenario   scenario.yaml, and flows.txt or traffic.cm beside it\n"
        "  --to hpcc       config.txt, topology.txt, flow.txt, trace.txt\n"
        "  --to htsim      network.topo, traffic.cm\n"
        "\n"
        "The flows of a scenario are drawn with its seed, so that others run the very same. What a format "
        "cannot say is refused: traffic whose flows follow from other flows, a network that is no fat tree "
        "in a .topo. docs/formats.md has the details.\n"
        "\n"
        "Examples:\n"
        "  anole convert mix/config.txt --to scenario -o mine\n"
        "  anole run mine/scenario.yaml\n"
        "      The same network, flows and settings, now as a scenario.\n"
        "  anole convert websearch.yaml --to hpcc -o theirs\n"
        "      Our flows for the ns-3 program.\n"
        "  anole convert fat_tree.topo perm.cm --to scenario -o mine\n",
};

/* ---- from options to exit status ---- */

static int write_all(const struct convert_source *source, enum format to, struct outdir *dir, struct err *err)
{
    switch (to) {
    case TO_SCENARIO: return convert_write_scenario(source, dir, err);
    case TO_HPCC:     return convert_write_hpcc(source, dir, err);
    case TO_HTSIM:    return convert_write_htsim(source, dir, err);
    case TO_NOTHING:  break;
    }
    return 0;
}

static void tell(const struct options *o, const struct convert_source *source)
{
    static const char *const files[][5] = { [TO_SCENARIO] = { "scenario.yaml", "flows.txt", "traffic.cm", "topology.txt" },
                                            [TO_HPCC] = { "config.txt", "topology.txt", "flow.txt", "trace.txt" }, [TO_HTSIM] = { "network.topo", "traffic.cm" } };
    const struct graph      *g = &source->scenario.graph;
    json_t                  *all = json_object(), *list = json_array();

    assert(o->to < TO_NOTHING);
    for (int i = 0; files[o->to][i]; i++) {
        char *path = NULL;

        if (asprintf(&path, "%s/%s", o->out, files[o->to][i]) < 0)
            die("out of memory");
        if (access(path, F_OK) == 0)
            json_array_append_new(list, json_of_text(path));
        free(path);
    }
    json_put_text(all, "to", format_names[o->to]);
    json_put_text(all, "out", o->out);
    json_object_set_new(all, "files", list);
    json_put_count(all, "hosts", g->hosts);
    json_put_count(all, "switches", g->nodes - g->hosts);
    json_put_count(all, "links", g->links);
    json_put_count(all, "flows", source->flows ? source->flows : source->cm.conns);
    cmd_print_json(all);
}

static int convert(const struct options *o, struct err *err)
{
    struct convert_source source;
    struct outdir        *dir = NULL;
    int rc = convert_read(&source, o->path, o->paths, o->set, o->sets, o->has_seed ? &o->seed : NULL, err);

    if (rc)
        return rc;
    rc = outdir_open(&dir, o->out, "anole convert", err);
    if (!rc)
        rc = write_all(&source, o->to, dir, err);
    if (!rc) {
        interrupt_hold();
        rc = outdir_commit(dir, err);
        interrupt_end();
        dir = NULL;
    }
    if (!rc && o->is_json)
        tell(o, &source);
    outdir_abort(dir);
    convert_fini(&source);
    return rc;
}

static int convert_main(int argc, char **argv)
{
    struct options o = { .to = TO_NOTHING };
    struct err     err;
    int            rc;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    interrupt_catch();
    rc = convert(&o, &err);
    free(o.set);
    return cmd_end(rc, &err);
}

const struct command command_convert = { "convert", "turn other simulators' files into scenarios, and back",
                                         convert_main };
