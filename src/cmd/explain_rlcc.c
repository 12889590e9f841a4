/* src/cmd/explain_rlcc.c - anole explain rlcc: explains a learned rate control and what is proven about
 * it. */
#include "base/json.h"
#include "base/print/safe.h"
#include "cmd/cmd.h"
#include "cmd/cmd_json.h"
#include "core/units.h"
#include "learn/policy/policy_file.h"
#include "learn/policy/policy_story.h"
#include "learn/tree/tree_certify.h"

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

static void print_paper_table(const struct policy *p)
{
    static const char *const state[3] = { "under-utilised", "on target", "congested" };
    float table[3][3];

    policy_table_fill_paper(table, p);
    printf("\nTable VI of the RL-CC paper, in brackets what it prints:\n%16s", "before \\ now");
    for (int i = 0; i < 3; i++)
        printf("  %14s", state[i]);
    for (int before = 0; before < 3; before++) {
        printf("\n%16s", state[before]);
        for (int now = 0; now < 3; now++)
            printf("    %.3f (%.2f)", (double)table[before][now], (double)policy_table_paper[before][now]);
    }
    printf("\n");
}

static void print_certificate(const struct options *o, const struct policy *p,
                              const struct rule_params *params)
{
    printf("\n");
    if (p->body == POLICY_TREES) {
        struct certificate c;

        certify_rule(&c, &p->trees, params);
        certify_print(stdout, &c);
    } else {
        struct policy_rising r;

        policy_story_look_for_rising(&r, p, states_for(o, p, 1), 1);
        policy_story_print_rising(stdout, &r);
    }
}

static void explain(const struct options *o, const char *path, const struct policy *p,
                    const struct rule_params *params)
{
    struct policy_story story;
    policy_table table;

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
    print_paper_table(p);
    print_certificate(o, p, params);
}

/* ---- two models */

static void print_gap(const struct options *o, const struct policy p[MODELS_MAX], float delta_max,
                      const char *where)
{
    struct policy_gap gap = { 0 };
    const char *a = policy_body_name[p[0].body], *b = policy_body_name[p[1].body];

    policy_gap_draw(&gap, &p[0], &p[1],
                    &(struct policy_gap_cfg){ .states = states_for(o, p, MODELS_MAX),
                                              .delta_max = delta_max });
    printf("\nThe first and the second in %" PRIu64 " states, deltas up to %g (%s):\n", gap.states,
           (double)delta_max, where);
    policy_gap_print(stdout, &gap, p[0].body == p[1].body ? "the first" : a, p[0].body == p[1].body
                     ? "the second" : b);
}

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

/* ---- as JSON ---- */

static json_t *model_json(const struct options *o, const char *path, const struct policy *p,
                          const struct rule_params *params)
{
    json_t *made = policy_json(p, &o->rule);

    json_put_text(made, "model", path);
    if (p->body == POLICY_TREES) {
        struct certificate c;

        certify_rule(&c, &p->trees, params);
        json_object_set_new(made, "certificate", certificate_json(&c));
    } else {
        struct policy_rising r;

        policy_story_look_for_rising(&r, p, states_for(o, p, 1), 1);
        json_object_set_new(made, "rising", policy_rising_json(&r));
    }
    return made;
}

static json_t *gap_json(const struct options *o, const struct policy p[MODELS_MAX], float delta_max)
{
    struct policy_gap gap = { 0 };
    json_t           *made;

    policy_gap_draw(&gap, &p[0], &p[1], &(struct policy_gap_cfg){ .states = states_for(o, p, MODELS_MAX),
                                                                  .delta_max = delta_max });
    made = policy_gap_json(&gap);
    json_put_number(made, "delta_max", (double)delta_max);
    return made;
}

static void print_json(const struct options *o, const struct policy *p, const struct rule_params *params)
{
    json_t *all = json_object(), *models = json_array(), *gaps = json_array();

    for (uint32_t i = 0; i < o->paths; i++)
        json_array_append_new(models, model_json(o, o->path[i], &p[i], params));
    json_object_set_new(all, "models", models);
    if (o->paths == MODELS_MAX) {
        json_array_append_new(gaps, gap_json(o, p, POLICY_GAP_NEAR));
        json_array_append_new(gaps, gap_json(o, p, POLICY_GAP_FAR));
    }
    json_object_set_new(all, "gaps", gaps);
    cmd_print_json(all);
}

/* ---- in words ---- */

static void print_words(const struct options *o, const struct policy *p, const struct rule_params *params)
{
    for (uint32_t i = 0; i < o->paths; i++) {
        printf("%s", i ? "\n\n" : "");
        explain(o, o->path[i], &p[i], params);
    }
    if (o->paths == MODELS_MAX) {
        print_table_gap(p);
        print_gap(o, p, POLICY_GAP_NEAR, "what a network is seen with");
        print_gap(o, p, POLICY_GAP_FAR, "all of the grid");
    }
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
    int                rc;

    cmd_parse(&line, argc, argv, &o);
    rc = rule_params_make(&params, &o.rule, &err);
    rc = rc ? rc : load_all(&o, p, &err);
    if (rc)
        return cmd_end(rc, &err);
    (o.is_json ? print_json : print_words)(&o, p, &params);
    for (uint32_t i = 0; i < o.paths; i++)
        policy_fini(&p[i]);
    return cmd_end(0, &err);
}

const struct command command_explain_rlcc = { "rlcc", "anole explain rlcc", explain_rlcc };
