/* src/cmd/cmd_distil.c - anole distil: reduces a learned rate control until it fits a NIC. */
#include "train/trees/distil.h"
#include "base/file/interrupt.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "train/env/env_world.h"
#include "base/nets/policy/policy_file.h"
#include "base/nets/tree/tree_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GRID_PLACES_MAX 4096     /* actions times deltas: 17 million states */
#define WORLDS_MAX      16
#define STATES_LSTM     100000   /* to measure an LSTM in integers, which is slow */

enum to { TO_INT8, TO_TREES, TO_NOTHING };

static const char *const to_names[] = { "int8", "trees", NULL };

struct options {
    const char       *model, *out;
    const char       *world[WORLDS_MAX];
    uint32_t          worlds, flow_states;
    enum to           to;
    struct distil_cfg cfg;
    bool              is_quiet, is_json;
};

static void add_world(void *options, const char *name)
{
    struct options  *o = options;
    struct env_world world;
    struct err       err;

    if (env_world_parse(&world, name, &err))
        cmd_usage("--world: %s", err.text);
    if (o->worlds == WORLDS_MAX)
        cmd_usage("--world: at most %d", WORLDS_MAX);
    o->world[o->worlds++] = name;
}

static const struct cmd_option option_rows[] = {
    { "to", 't', "int8|trees", "Kind of small model: the same net with 8-bit weights, or trees",
      KEY_AT(struct options, to), .choices = to_names },
    { "out", 'o', "FILE", "Write the model to FILE, atomically", KEY_AT(struct options, out) },
    { "trees", 0, "N", "Trees (default: 10; at most 16)",
      KEY_AT(struct options, cfg.tree.trees), KEY_COUNT, 1, TREE_TREES_MAX },
    { "depth", 0, "N", "Depth of a tree (default: 4, which is the maximum)",
      KEY_AT(struct options, cfg.tree.depth), KEY_COUNT, 1, TREE_DEPTH_MAX },
    { "sweeps", 0, "N", "Times that each tree is regrown given the others (default: 20)",
      KEY_AT(struct options, cfg.tree.sweeps), KEY_COUNT, 0, 10000 },
    { "actions", 0, "N", "Grid points of each action (default: 5)",
      KEY_AT(struct options, cfg.grid.actions), KEY_COUNT, 2, 64 },
    { "deltas", 0, "N", "Grid points of each delta (default: 100); the grid has (actions deltas)^2 states",
      KEY_AT(struct options, cfg.grid.deltas), KEY_COUNT, 4, 2048 },
    { "world", 0, "NAME", "Let MODEL control the flows of this world, as in anole gym, and also grow from "
      "what they see. May be given more than once", .add = add_world },
    { "flow-states", 0, "N", "States to take from each such world (default: 200000)",
      KEY_AT(struct options, flow_states), KEY_COUNT, 100, 10000000 },
    { "no-grid", 0, NULL, "Grow from flows alone", KEY_AT(struct options, cfg.is_gridless) },
    { "no-mend", 0, NULL, "Do not repair the trees, whether certified or not",
      KEY_AT(struct options, cfg.is_unmended) },
    { "centre", 0, NULL, "Shift the trees' thresholds of deltas until flows settle where MODEL's do",
      KEY_AT(struct options, cfg.is_centred) },
    { "seed", 0, "N", "Selects the states that are held out for measurement (default: 1)",
      KEY_AT(struct options, cfg.seed), KEY_COUNT, 1, 1e18 },
    CMD_FORMAT(struct options, is_json),
    { "quiet", 'q', NULL, "Print errors only", KEY_AT(struct options, is_quiet) },
    { 0 },
};

static void check_options(const struct options *o)
{
    uint64_t actions = o->cfg.grid.actions, deltas = o->cfg.grid.deltas;

    if (o->to == TO_NOTHING)
        cmd_usage("--to is missing: --to int8 or --to trees");
    if (!o->out)
        cmd_usage("--out FILE is missing: the file for the model");
    if (actions * deltas > GRID_PLACES_MAX)
        cmd_usage("--actions times --deltas is %" PRIu64 "; at most %d", actions * deltas, GRID_PLACES_MAX);
    if (o->cfg.is_gridless && o->worlds == 0)
        cmd_usage("--no-grid needs --world NAME");
}

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "model", KEY_AT(struct options, model) },
    .missing = "which model? anole distil MODEL --to trees --out FILE; see anole distil --help",
    .args = "MODEL",
    .help = "Reduces a model of RL-CC: to a net with 8-bit weights, or to boosted integer trees, which "
            "anole export writes as C for a NIC. Trees are fitted to MODEL's decisions on a grid of states "
            "and in flows that it controls. They are then repaired until it is proven that they never raise "
            "the rate while the RTT is above its target and rising. Prints how much the result differs from "
            "MODEL, and in which state most."
            "\v"
            "Examples:\n"
            "  anole distil net.rlcc --to trees --out trees.rlcc\n"
            "      Ten trees of depth 4.\n"
            "  anole distil net.rlcc --to int8 --out int8.rlcc\n"
            "      The net in integers, and its error in up to a million states.\n"
            "  anole distil net.rlcc --to trees --world many_to_one:8_1 --out trees.rlcc\n"
            "      Trees that are closer to the net in the states that its own flows reach.\n"
            "\n"
            "The same model and options give the same file on every machine.",
};

static void note_command(const struct options *o, struct model *m)
{
    const struct distil_cfg *c = &o->cfg;
    char                    *text;
    FILE                    *out = text_stream(&text);

    fprintf(out, "anole distil --to %s", to_names[o->to]);
    if (o->to == TO_TREES)
        fprintf(out, " --trees %u --depth %u --sweeps %u --actions %u --deltas %u --seed %" PRIu64 "%s%s%s",
                c->tree.trees, c->tree.depth, c->tree.sweeps, c->grid.actions, c->grid.deltas, c->seed,
                c->is_gridless ? " --no-grid" : "", c->is_unmended ? " --no-mend" : "",
                c->is_centred ? " --centre" : "");
    for (uint32_t i = 0; i < o->worlds && o->to == TO_TREES; i++)
        fprintf(out, " --world %s", o->world[i]);
    if (o->worlds > 0 && o->to == TO_TREES)
        fprintf(out, " --flow-states %u", o->flow_states);
    fclose(out);
    model_put(m, "command", text);
    free(text);
}

/* Copies the notes of the teacher's file; its command becomes the note 'teacher'. No note depends on the
 * program's version, so the next version writes the same bytes. */
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

static int write_model(const struct options *o, const struct policy *p, const struct model *teacher,
                       struct err *err)
{
    struct model m;

    policy_to_model(p, &m);
    note_command(o, &m);
    copy_notes(&m, teacher);
    int rc = model_save(&m, o->out, err);
    model_fini(&m);
    return rc;
}

/* The result in words, or as 'more' fields of a JSON object. */
static void print_json(const struct options *o, json_t *more)
{
    json_t *all = JSON_OF(JSON_FIELD(o, model), { "to", JSON(to_names[o->to]) }, JSON_FIELD(o, out));

    json_object_update(all, more);
    json_decref(more);
    cmd_print_json(all);
}

static void print_int8(const struct options *o, const struct policy *int8, const struct policy *teacher)
{
    static const float delta_max[] = { POLICY_GAP_NEAR, POLICY_GAP_FAR };
    json_t            *gaps = json_array();
    uint32_t           bytes = quant_bytes(int8->int8);

    if (!o->is_json)
        printf("int8: %u bytes of weights, scales and tables\n", bytes);
    for (int i = 0; i < 2; i++) {
        struct policy_gap_cfg cfg = { .delta_max = delta_max[i],
                                      .states = teacher->body == POLICY_LSTM ? STATES_LSTM : 0 };
        struct policy_gap     gap = { 0 };

        policy_gap_draw(&gap, teacher, int8, &cfg);
        json_array_append_new(gaps, policy_gap_json(&gap, delta_max[i]));
        if (o->is_json)
            continue;
        printf("against the net in %" PRIu64 " states, deltas up to %g:\n", gap.states, (double)delta_max[i]);
        policy_gap_print(stdout, &gap, "net", "int8");
    }
    if (o->is_json)
        print_json(o, JSON_OF({ "bytes", JSON(bytes) }, { "gaps", json_incref(gaps) }));
    json_decref(gaps);
}

static void print_trees(const struct options *o, const struct policy *trees, const struct distil_report *r)
{
    if (o->is_json) {
        print_json(o, JSON_OF({ "distilled", distil_json(r) }, { "cost", forest_cost_json(&trees->trees) }));
    } else {
        distil_print(stdout, r, &trees->trees);
        tree_export_print_cost(stdout, &trees->trees);
    }
}

static int make_int8(const struct options *o, struct policy *made, const struct policy *teacher,
                     struct err *err)
{
    if (teacher->body == POLICY_INT8 || teacher->body == POLICY_INT8_LSTM)
        return err_set(err, EINVAL, "the model is already int8");
    int rc = policy_init_int8(made, teacher, err);
    if (!rc && !o->is_quiet)
        print_int8(o, made, teacher);
    return rc;
}

static int make_trees(const struct options *o, struct policy *made, const struct policy *teacher,
                      const struct tree_rows *seen, struct err *err)
{
    struct distil_report report;
    int                  rc = distil_trees(made, teacher, &o->cfg, seen, &report, err);

    if (!rc && !o->is_quiet)
        print_trees(o, made, &report);
    return rc;
}

static int make(const struct options *o, struct policy *made, const struct policy *teacher, struct err *err)
{
    struct tree_rows seen;
    struct err       why;
    int              rc = 0;

    tree_rows_init(&seen);
    for (uint32_t i = 0; !rc && i < o->worlds && o->to == TO_TREES; i++)
        rc = env_add_rows(&seen, teacher, o->world[i], o->flow_states, o->cfg.seed, err);
    if (!rc) {
        rc = o->to == TO_INT8 ? make_int8(o, made, teacher, &why) : make_trees(o, made, teacher, &seen, &why);
        if (rc)
            rc = err_set(err, -rc, "%s: %s", o->model, why.text);
    }
    tree_rows_fini(&seen);
    return rc;
}

static int distil(const struct options *o, struct err *err)
{
    struct policy teacher, made;
    struct model  m;
    int           rc = policy_model_load(&m, o->model, err);

    if (rc)
        return rc;
    rc = policy_from_model(&teacher, &m, o->model, err);
    if (!rc) {
        rc = make(o, &made, &teacher, err);
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

    cmd_parse(&line, argc, argv, &o);
    check_options(&o);
    interrupt_catch();
    return cmd_end(distil(&o, &err), &err);
}

const struct command command_distil = { "distil", "compress a learned rate control to int8 or to trees",
                                        distil_main };
