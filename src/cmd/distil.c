/* src/cmd/distil.c - anole distil: a learned rate control made small enough for a NIC. */
#include "learn/policy/distil.h"
#include "base/file/interrupt.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/json/cmd_json.h"
#include "cmd/json/policy_json.h"
#include "env/env_rows.h"
#include "env/env_world.h"
#include "learn/policy/policy_file.h"
#include "learn/tree/tree_export.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GRID_PLACES_MAX 4096     /* actions times deltas: 17 million states */
#define WORLDS_MAX      16

enum to { TO_INT8, TO_TREES, TO_NOTHING };

static const char *const to_names[] = { "int8", "trees", NULL };

struct options {
    const char       *model, *data, *out;
    const char       *world[WORLDS_MAX];
    uint32_t          worlds, flow_states;
    enum to           to;
    struct distil_cfg cfg;
    bool              is_quiet, is_json;
};

enum { KEY_TO = 't', KEY_OUT = 'o', KEY_QUIET = 'q', KEY_DATA = 'd', KEY_FORMAT = 'f', KEY_TREES = 256, KEY_DEPTH, KEY_SWEEPS,
       KEY_ACTIONS, KEY_DELTAS, KEY_NO_GRID, KEY_NO_MEND, KEY_CENTRE, KEY_SEED, KEY_WORLD,
       KEY_FLOW_STATES };

static const struct argp_option option_rows[] = {
    { "to", KEY_TO, "int8|trees", 0, "What to make: the same net with weights of 8 bits, from an mlp; or trees", 0 },
    { "out", KEY_OUT, "FILE", 0, "Write the model into FILE. It is there whole in the end, or not at all", 0 },
    { "trees", KEY_TREES, "N", 0, "Trees (default: 10; at most 16)", 0 },
    { "depth", KEY_DEPTH, "N", 0, "Questions of a tree (default: 4, which is the most)", 0 },
    { "sweeps", KEY_SWEEPS, "N", 0, "Times that each tree is grown anew beside the others (default: 20)", 0 },
    { "actions", KEY_ACTIONS, "N", 0, "Places of each action on the grid of states (default: 5)", 0 },
    { "deltas", KEY_DELTAS, "N", 0, "Places of each delta on that grid (default: 100); it has (actions deltas)^2 "
      "states", 0 },
    { "data", KEY_DATA, "FILE", 0, "Grow from recorded flows, too: CSV with columns flow and delta", 0 },
    { "world", KEY_WORLD, "NAME", 0, "Let MODEL control the flows of this world, as in anole gym, and grow from what they "
      "see, too. May be given more than once", 0 },
    { "flow-states", KEY_FLOW_STATES, "N", 0, "States to take of each such world (default: 200000)", 0 },
    { "no-grid", KEY_NO_GRID, NULL, 0, "From flows alone", 0 },
    { "no-mend", KEY_NO_MEND, NULL, 0, "Leave the trees as they have grown, certified or not", 0 },
    { "centre", KEY_CENTRE, NULL, 0, "Shift what trees ask about deltas until flows come to rest where MODEL's do", 0 },
    { "seed", KEY_SEED, "N", 0, "Which states are set aside to measure on (default: 1)", 0 },
    CMD_JSON_OPTION(KEY_FORMAT),
    { "quiet", KEY_QUIET, NULL, 0, "Print nothing but what is wrong", 0 },
    { 0 },
};

static void check_options(const struct options *o)
{
    uint64_t actions = o->cfg.grid.actions, deltas = o->cfg.grid.deltas;

    if (o->to == TO_NOTHING)
        cmd_usage("into what? say --to int8 or --to trees");
    if (!o->out)
        cmd_usage("where is the model to be written? Give --out FILE");
    if (actions * deltas > GRID_PLACES_MAX)
        cmd_usage("--actions times --deltas is %" PRIu64 "; it may be %d", actions * deltas, GRID_PLACES_MAX);
    if (o->cfg.is_gridless && !o->data && o->worlds == 0)
        cmd_usage("--no-grid: then there is nothing to grow from; give --data FILE or --world NAME");
}

static void add_world(struct options *o, const char *name)
{
    struct env_world world;
    struct err err;

    if (env_world_parse(&world, name, &err))
        cmd_usage("--world: %s", err.text);
    if (o->worlds == WORLDS_MAX)
        cmd_usage("--world: there may be %d", WORLDS_MAX);
    o->world[o->worlds++] = name;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_TO:       o->to = (enum to)cmd_choice("--to", "not what can be made", arg, to_names);             break;
    case KEY_OUT:      o->out = arg;                                                                           break;
    case KEY_DATA:     cmd_take_one(&o->data, arg, "file of flows");                                           break;
    case KEY_TREES:    o->cfg.tree.trees = (uint32_t)cmd_count("--trees", arg, 1, TREE_TREES_MAX);             break;
    case KEY_DEPTH:    o->cfg.tree.depth = (uint32_t)cmd_count("--depth", arg, 1, TREE_DEPTH_MAX);             break;
    case KEY_SWEEPS:   o->cfg.tree.sweeps = (uint32_t)cmd_count("--sweeps", arg, 0, 10000);                    break;
    case KEY_ACTIONS:  o->cfg.grid.actions = (uint32_t)cmd_count("--actions", arg, 2, 64);                     break;
    case KEY_DELTAS:   o->cfg.grid.deltas = (uint32_t)cmd_count("--deltas", arg, 4, 2048);                     break;
    case KEY_WORLD:    add_world(o, arg);                                                                      break;
    case KEY_FLOW_STATES: o->flow_states = (uint32_t)cmd_count("--flow-states", arg, 100, 10000000);           break;
    case KEY_NO_GRID:  o->cfg.is_gridless = true;                                                              break;
    case KEY_NO_MEND:  o->cfg.is_unmended = true;                                                              break;
    case KEY_CENTRE:   o->cfg.is_centred = true;                                                               break;
    case KEY_SEED:     o->cfg.seed = cmd_count("--seed", arg, 1, UINT64_MAX);                                  break;
    case KEY_FORMAT:   o->is_json = cmd_is_json(arg);                                                          break;
    case KEY_QUIET:    o->is_quiet = true;                                                                     break;
    case ARGP_KEY_ARG: cmd_take_one(&o->model, arg, "model");                                                  break;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which model? anole distil MODEL --to trees --out FILE; see anole distil --help");
    case ARGP_KEY_END:
        check_options(o);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "MODEL",
    .doc = "Makes a model of RL-CC small: a net with weights of 8 bits, or boosted trees in integers, as anole export "
           "writes them for a NIC. Trees are grown from what MODEL does in the states of a grid and of recorded flows, "
           "and then mended until it is proven that they never raise the rate when the RTT is above its target and "
           "rising. Tells how far the small one is from MODEL, and in which state most."
           "\v"
           "Examples:\n"
           "  anole distil net.rlcc --to trees --out trees.rlcc\n"
           "      Ten trees of depth 4.\n"
           "  anole distil net.rlcc --to int8 --out int8.rlcc\n"
           "      The net in integers, and its error in a million states.\n"
           "  anole distil net.rlcc --to trees --world many_to_one:8_1 --world all_to_all:4_8 --out trees.rlcc\n"
           "      Trees that are nearer to the net where its own flows go.\n"
           "  anole distil net.rlcc --to trees --data flows.csv --no-grid --out trees.rlcc\n"
           "      Trees of what recorded flows have seen.\n"
           "\n"
           "The same model and options give the same file on every machine.",
};

static void note_command(const struct options *o, struct model *m)
{
    struct distil_cfg c = o->cfg;
    char text[1024];
    int used;

    if (o->to == TO_INT8)
        snprintf(text, sizeof(text), "anole distil --to int8");
    else {
        used = snprintf(text, sizeof(text), "anole distil --to trees --trees %u --depth %u --sweeps %u --actions %u --deltas "
                 "%u --seed %" PRIu64 "%s%s%s%s", c.tree.trees, c.tree.depth, c.tree.sweeps, c.grid.actions, c.grid.deltas,
                 c.seed, o->data ? " --data" : "", c.is_gridless ? " --no-grid" : "",
                 c.is_unmended ? " --no-mend" : "", c.is_centred ? " --centre" : "");
        for (uint32_t i = 0; i < o->worlds; i++)
            used += snprintf(text + used, sizeof(text) - (size_t)used, " --world %s", o->world[i]);
        if (o->worlds > 0)
            snprintf(text + used, sizeof(text) - (size_t)used, " --flow-states %u", o->flow_states);
    }
    model_put(m, "command", text);
}

/* What the teacher's file tells of it stays true of its pupil; how the teacher was made is told as the teacher's. Nothing is
 * told of the program's version, here or in training: the next one makes the same bytes. */
static void copy_notes(struct model *to, const struct model *from)
{
    for (uint32_t i = 0; i < from->notes; i++) {
        const char *key = from->note[i].key;

        if (strcmp(key, "command") == 0)
            model_put(to, "teacher", from->note[i].value);
        else if (strcmp(key, "range") != 0 && strcmp(key, "version") != 0 && !model_get(to, key))
            model_put(to, key, from->note[i].value);
    }
}

static int write_model(const struct options *o, const struct policy *p, const struct model *teacher, struct err *err)
{
    struct model m;
    int rc;

    policy_to_model(p, &m);
    note_command(o, &m);
    copy_notes(&m, teacher);
    rc = model_save(&m, o->out, err);
    model_fini(&m);
    return rc;
}

/* What every kind of small model has; the rest is for the caller. */
static json_t *begin_json(const struct options *o, const char *to)
{
    json_t *all = json_object();

    json_put_text(all, "model", o->model);
    json_put_text(all, "to", to);
    json_put_text(all, "out", o->out);
    return all;
}

static const float delta_max[] = { POLICY_GAP_NEAR, POLICY_GAP_FAR };

static void print_int8_json(const struct options *o, const struct policy *int8, const struct policy *teacher)
{
    json_t *all = begin_json(o, "int8"), *gaps = json_array();

    json_put_count(all, "bytes", quant_bytes(int8->int8));
    for (int i = 0; i < 2; i++) {
        struct policy_gap gap = { 0 };
        json_t           *made;

        policy_gap_draw(&gap, teacher, int8, &(struct policy_gap_cfg){ .delta_max = delta_max[i] });
        made = policy_gap_json(&gap);
        json_put_number(made, "delta_max", (double)delta_max[i]);
        json_array_append_new(gaps, made);
    }
    json_object_set_new(all, "gaps", gaps);
    cmd_print_json(all);
}

static void print_trees_json(const struct options *o, const struct policy *made, const struct distil_report *report)
{
    json_t *all = begin_json(o, "trees");

    json_object_set_new(all, "distilled", distil_json(report));
    json_object_set_new(all, "cost", forest_cost_json(&made->trees));
    cmd_print_json(all);
}

static void tell_int8(const struct policy *int8, const struct policy *teacher)
{
    printf("int8: %u bytes of weights, scales and tables\n", quant_bytes(int8->int8));
    for (int i = 0; i < 2; i++) {
        struct policy_gap gap = { 0 };

        policy_gap_draw(&gap, teacher, int8, &(struct policy_gap_cfg){ .delta_max = delta_max[i] });
        printf("against the net in %" PRIu64 " states, deltas up to %g:\n", gap.states, (double)delta_max[i]);
        policy_gap_print(stdout, &gap, "net", "int8");
    }
}

static int make_int8(const struct options *o, struct policy *made, const struct policy *teacher, struct err *err)
{
    int rc;
    struct err why;

    if (teacher->body == POLICY_INT8)
        return err_set(err, EINVAL, "%s: is int8 already", o->model);
    rc = policy_init_int8(made, teacher, &why);
    if (rc)
        return err_set(err, -rc, "%s: %s", o->model, why.text);
    if (!o->is_quiet && o->is_json)
        print_int8_json(o, made, teacher);
    else if (!o->is_quiet)
        tell_int8(made, teacher);
    return 0;
}

/* What recorded flows and those of worlds see. */
static int gather(const struct options *o, struct tree_rows *rows, const struct policy *teacher, struct err *err)
{
    struct trajectories recorded;
    int rc = 0;

    if (o->data) {
        rc = trajectories_load(&recorded, o->data, err);
        if (rc)
            return rc;
        distil_add_trajectories(rows, teacher, &recorded);
        trajectories_fini(&recorded);
    }
    for (uint32_t i = 0; !rc && i < o->worlds; i++)
        rc = env_add_rows(rows, teacher, o->world[i], o->flow_states, o->cfg.seed, err);
    return rc;
}

static int make_trees(const struct options *o, struct policy *made, const struct policy *teacher, struct err *err)
{
    struct distil_report report;
    struct tree_rows seen;
    struct err why;
    int rc;

    tree_rows_init(&seen);
    rc = gather(o, &seen, teacher, err);
    if (!rc) {
        rc = distil_trees(made, teacher, &o->cfg, &seen, &report, &why);
        if (rc)
            rc = err_set(err, -rc, "%s: %s", o->model, why.text);
    }
    tree_rows_fini(&seen);
    if (!rc && !o->is_quiet && o->is_json) {
        print_trees_json(o, made, &report);
    } else if (!rc && !o->is_quiet) {
        distil_print(stdout, &report, &made->trees);
        tree_export_print_cost(stdout, &made->trees);
    }
    return rc;
}

static int distil(const struct options *o, struct err *err)
{
    struct policy teacher, made;
    struct model m;
    int rc = model_load(&m, o->model, err);

    if (rc)
        return rc;
    rc = policy_from_model(&teacher, &m, o->model, err);
    if (!rc) {
        rc = o->to == TO_INT8 ? make_int8(o, &made, &teacher, err) : make_trees(o, &made, &teacher, err);
        if (!rc) {
            rc = write_model(o, &made, &m, err);
            policy_fini(&made);
        }
        policy_fini(&teacher);
    }
    model_fini(&m);
    return rc;
}

static int distil_main(int argc, char **argv)
{
    struct options o = { .to = TO_NOTHING, .cfg = distil_initial, .flow_states = 200000 };
    struct err     err;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    interrupt_catch();
    return cmd_end(distil(&o, &err), &err);
}

const struct command command_distil = { "distil", "make a learned rate control small: int8, trees", distil_main };
