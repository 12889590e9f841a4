/* src/cmd/explain_rlcc.c - anole explain rlcc: explains a learned rate control and what is proven about
 * it. */
#include "base/json.h"
#include "base/print/safe.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "core/units.h"
#include "base/nets/policy/policy_file.h"
#include "base/nets/policy/policy_story.h"
#include "base/nets/tree/tree_certify.h"

#include <inttypes.h>

#define MODELS_MAX  2
#define STATES      1000000
#define STATES_LSTM 100000       /* 6 us each */

struct options {
    const char     *path[MODELS_MAX];
    uint32_t        paths;
    uint64_t        states;      /* 0: depends on the kind of model */
    struct rule_cfg rule;
    bool            is_json;
};

static void add_path(void *options, const char *path)
{
    struct options *o = options;

    if (o->paths == MODELS_MAX)
        cmd_usage("two models at most; '%s' is one too many", path);
    o->path[o->paths++] = path;
}

static const struct cmd_option option_rows[] = {
    { "states", 'n', "N", "States to compare or search (default: 1000000; with an LSTM 100000)",
      KEY_AT(struct options, states), KEY_COUNT, 1, 1e9 },
    CMD_FORMAT(struct options, is_json),
    { .help = "The rule around the policy:" },
    CMD_RULE(struct options, rule),
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "model", .add = add_path },
    .missing = "which model? anole explain rlcc MODEL; see anole explain rlcc --help",
    .args = "MODEL [MODEL]",
    .help = "Explains a model of RL-CC: its decisions in characteristic states; two tables next to the "
            "published ones; the cost of a decision; and for trees what is proven for every input, or a "
            "state that violates it. With two models also prints how much they differ, and in which state "
            "most."
            "\v"
            "Examples:\n"
            "  anole explain rlcc trees.rlcc\n"
            "  anole explain rlcc net.rlcc trees.rlcc\n"
            "      Both, and where they differ.",
};

static uint64_t states_for(const struct options *o, const struct policy *p, int n)
{
    bool is_slow = false;

    for (int i = 0; i < n; i++)
        is_slow = is_slow || p[i].body == POLICY_LSTM || p[i].body == POLICY_INT8_LSTM;
    return o->states ? o->states : is_slow ? STATES_LSTM : STATES;
}

/* ---- one model */

/* What is proven, or what a search has found. */
static void print_proof(const struct options *o, const struct policy *p, const struct rule_params *params,
                        json_t *json)
{
    if (p->body == POLICY_TREES) {
        struct certificate c;

        certify_rule(&c, &p->trees, params);
        if (json)
            json_object_set_new(json, "certificate", certificate_json(&c));
        else
            certify_print(stdout, &c);
    } else {
        struct policy_rising r;

        policy_story_look_for_rising(&r, p, states_for(o, p, 1), 1);
        if (json)
            json_object_set_new(json, "rising", policy_rising_json(&r));
        else
            policy_story_print_rising(stdout, &r);
    }
}

static void explain(const struct options *o, const char *path, const struct policy *p)
{
    struct policy_story story;
    policy_table        table;

    policy_story_tell(&story, p);
    policy_table_fill(table, p);
    safe_printf(stdout, "%s: %s", path, policy_body_name[p->body]);
    printf("\n");
    policy_story_print_body(stdout, p);
    printf("\nWhat it does when\n");
    policy_story_print(stdout, &story, &o->rule);
    printf("\nMultipliers by the delta before and now, both actions before 1:\n");
    policy_table_print(stdout, table);
    printf("at most %.3f from the net that RL-CC's authors have released\n",
           (double)policy_table_distance(table, policy_table_released));
    policy_table_print_paper(stdout, p);
    printf("\n");
}

/* ---- two models */

static void print_table_gap(const struct policy p[MODELS_MAX])
{
    policy_table a, b;

    policy_table_fill(a, &p[0]);
    policy_table_fill(b, &p[1]);
    printf("\nThe second's multipliers less the first's:\n");
    for (int i = 0; i < POLICY_TABLE_SIDE; i++)
        for (int j = 0; j < POLICY_TABLE_SIDE; j++)
            a[i][j] = b[i][j] - a[i][j];
    policy_table_print(stdout, a);
}

/* ---- all of it, in words or as JSON ---- */

/* In the states of a network, and in all of the grid. */
static void compare(const struct options *o, const struct policy p[MODELS_MAX], json_t *gaps)
{
    static const struct { float delta_max; const char *where; } ranges[] = {
        { POLICY_GAP_NEAR, "what a network is seen with" }, { POLICY_GAP_FAR, "all of the grid" },
    };
    bool is_same = p[0].body == p[1].body;

    if (!o->is_json)
        print_table_gap(p);
    for (int i = 0; i < 2; i++) {
        struct policy_gap_cfg cfg = { .states = states_for(o, p, MODELS_MAX),
                                      .delta_max = ranges[i].delta_max };
        struct policy_gap     gap = { 0 };

        policy_gap_draw(&gap, &p[0], &p[1], &cfg);
        json_array_append_new(gaps, policy_gap_json(&gap, cfg.delta_max));
        if (o->is_json)
            continue;
        printf("\nThe first and the second in %" PRIu64 " states, deltas up to %g (%s):\n", gap.states,
               (double)cfg.delta_max, ranges[i].where);
        policy_gap_print(stdout, &gap, is_same ? "the first" : policy_body_name[p[0].body],
                         is_same ? "the second" : policy_body_name[p[1].body]);
    }
}

static void print(const struct options *o, const struct policy *p, const struct rule_params *params)
{
    json_t *models = json_array(), *gaps = json_array();
    json_t *all = JSON_OF({ "models", models }, { "gaps", gaps });

    for (uint32_t i = 0; i < o->paths; i++) {
        json_t *model = o->is_json ? policy_json(&p[i], &o->rule) : NULL;

        if (model) {
            json_put_text(model, "model", o->path[i]);
            json_array_append_new(models, model);
        } else {
            printf("%s", i ? "\n\n" : "");
            explain(o, o->path[i], &p[i]);
        }
        print_proof(o, &p[i], params, model);
    }
    if (o->paths == MODELS_MAX)
        compare(o, p, gaps);
    if (o->is_json)
        cmd_print_json(json_incref(all));
    json_decref(all);
}

static int load_all(struct options *o, struct policy *p, struct err *err)
{
    for (uint32_t i = 0; i < o->paths; i++) {
        int rc = policy_load(&p[i], o->path[i], err);

        if (rc) {
            while (i-- > 0)
                policy_fini(&p[i]);
            return rc;
        }
    }
    return 0;
}

static int explain_rlcc(int argc, char **argv)
{
    struct options     o = { 0 };
    struct policy      p[MODELS_MAX];
    struct rule_params params;
    struct err         err;

    cmd_parse(&line, argc, argv, &o);
    int rc = rule_params_make(&params, &o.rule, &err);
    rc = rc ? rc : load_all(&o, p, &err);
    if (rc)
        return cmd_end(rc, &err);
    print(&o, p, &params);
    for (uint32_t i = 0; i < o.paths; i++)
        policy_fini(&p[i]);
    return cmd_end(0, &err);
}

const struct command command_explain_rlcc = { "rlcc", "anole explain rlcc", explain_rlcc };
