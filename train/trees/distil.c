#include "train/trees/distil.h"

#include "base/err.h"

#include <math.h>
#include <stdlib.h>

#define ASIDE_SHARE   0.2
#define MEND_STEPS    100000
#define ROWS_MIN      2

const struct distil_cfg distil_initial = {
    .tree = { .trees = 10, .depth = TREE_DEPTH_MAX, .sweeps = 20 },
    .grid = { .actions = 5, .deltas = 100 },
    .seed = 1,
};

static float ask_teacher(const void *teacher, const float x[TREE_FEATURES])
{
    return policy_try(teacher, x);
}

static void collect_rows(struct tree_rows *rows, struct tree_rows *aside, const struct distil_cfg *cfg,
                         const struct policy *teacher, const struct tree_rows *seen)
{
    tree_rows_init(rows);
    tree_rows_init(aside);
    if (!cfg->is_gridless)
        tree_rows_add_grid(rows, &cfg->grid, ask_teacher, teacher);
    if (seen)
        tree_rows_append(rows, seen);
    tree_rows_set_aside(rows, aside, ASIDE_SHARE, cfg->seed);
}

static void measure_gap(struct policy_gap *gap, const struct tree_rows *rows, const struct forest *f)
{
    for (uint32_t i = 0; i < rows->rows; i++) {
        const int16_t *feature = rows->row[i].feature;
        float x[POLICY_FEATURES] = {
            1 + (float)feature[TREE_ACTION_OLDER] / TREE_ACTION_ONE,
            (float)feature[TREE_DELTA_OLDER] / TREE_DELTA_ONE,
            1 + (float)feature[TREE_ACTION] / TREE_ACTION_ONE,
            (float)feature[TREE_DELTA] / TREE_DELTA_ONE,
        };

        policy_gap_add(gap, x, (float)rows->row[i].target / TREE_TARGET_ONE,
                       (float)forest_multiplier(f, feature) / TREE_ONE);
    }
}

static void repair_forest(struct forest *f, const struct tree_rows *rows, struct distil_report *report)
{
    uint32_t (*weight)[TREE_LEAVES_MAX] = xcalloc(TREE_TREES_MAX, sizeof(*weight));

    tree_rows_count(rows, f, weight);
    int64_t states = certify_mend(f, (const uint32_t (*)[TREE_LEAVES_MAX])weight, MEND_STEPS);
    report->states = states < 0 || report->states < 0 ? -1 : report->states + states;
    free(weight);
}

/* The delta at which rates settle, in units of 1 / TREE_DELTA_ONE. */
static int find_rest_delta(const struct policy *p)
{
    struct policy_story story;

    policy_story_tell(&story, p);
    return (int)lroundf(story.rest * TREE_DELTA_ONE);
}

static void center_forest(struct forest *f, const struct policy *teacher)
{
    struct policy trees;

    policy_init_trees(&trees, f);
    /* Shifts all thresholds of deltas: trees act at a delta as before at the delta minus the shift. */
    int by = find_rest_delta(teacher) - find_rest_delta(&trees);
    for (uint32_t t = 0; t < f->trees; t++)
        for (uint32_t i = 0; i < f->tree[t].depth; i++) {
            struct tree_split *split = &f->tree[t].split[i];
            int threshold = split->threshold + by;
            if (split->feature == TREE_DELTA || split->feature == TREE_DELTA_OLDER)
                split->threshold = (int16_t)(threshold < INT16_MIN   ? INT16_MIN
                                             : threshold > INT16_MAX ? INT16_MAX
                                                                     : threshold);
        }
}

static int grow_forest(struct forest *f, const struct policy *teacher, const struct distil_cfg *cfg,
                       const struct tree_rows *rows, const struct tree_rows *aside,
                       struct distil_report *report, struct err *err)
{
    struct rule_params params;
    int rc = rule_params_make(&params, &(struct rule_cfg){ 0 }, err);

    if (rc)
        return rc;
    forest_grow(f, &cfg->tree, rows);
    /* Gives trees the same range of actions as the teacher. */
    const struct policy *p = teacher;
    if (!policy_is_float(p)) {
        f->multiplier_min = p->body == POLICY_TREES ? p->trees.multiplier_min : p->int8->table[0];
        f->multiplier_max =
            p->body == POLICY_TREES ? p->trees.multiplier_max : p->int8->table[QUANT_TABLE_SIZE - 1];
    } else {
        f->multiplier_min = (int32_t)(TREE_ONE / (1 + (double)p->range));
        f->multiplier_max = (int32_t)(TREE_ONE * (1 + (double)p->range));
    }
    if (forest_flaw(f))
        return err_set(err, EINVAL, "the teacher's range of actions does not fit: the forest %s",
                       forest_flaw(f));
    measure_gap(&report->grown, aside, f);
    if (!cfg->is_unmended)
        repair_forest(f, rows, report);
    if (cfg->is_centred) {
        center_forest(f, teacher);
        if (!cfg->is_unmended)
            repair_forest(f, rows, report);
    }
    measure_gap(&report->mended, aside, f);
    certify_rule(&report->certificate, f, &params);
    if (report->states < 0)
        return err_set(err, EPERM,
                       "the trees could not be mended so that their rate never goes up when the RTT is "
                       "above its target and rising");
    return 0;
}

int distil_trees(struct policy *trees, const struct policy *teacher, const struct distil_cfg *cfg,
                 const struct tree_rows *seen, struct distil_report *report, struct err *err)
{
    struct tree_rows rows, aside;
    struct forest f;
    int rc;

    collect_rows(&rows, &aside, cfg, teacher, seen);
    *report = (struct distil_report){ .rows = rows.rows, .aside = aside.rows };
    if (rows.rows < ROWS_MIN || aside.rows < 1)
        rc = err_set(err, EINVAL, "%u states are too few to grow trees from", rows.rows + aside.rows);
    else
        rc = grow_forest(&f, teacher, cfg, &rows, &aside, report, err);
    if (!rc)
        policy_init_trees(trees, &f);
    tree_rows_fini(&rows);
    tree_rows_fini(&aside);
    return rc;
}

void distil_print(FILE *out, const struct distil_report *r, const struct forest *f)
{
    fprintf(out, "%u trees, grown from %u states, measured on %u others\n", f->trees, r->rows, r->aside);
    const struct policy_gap *g = &r->mended;
    fprintf(out, "  root mean square against the teacher %.5f, mean %.5f, largest %.5f\n", policy_gap_rms(g),
            policy_gap_mean(g), g->largest);
    fprintf(out,
            "    largest at actions %.3f, %.3f and deltas %.3f, %.3f, the older one first: ", (double)g->x[0],
            (double)g->x[2], (double)g->x[1], (double)g->x[3]);
    fprintf(out, "teacher %.4f, trees %.4f\n", (double)g->a, (double)g->b);
    if (r->states > 0)
        fprintf(out, "  %lld states were repaired; before, the root mean square was %.5f\n",
                (long long)r->states, policy_gap_rms(&r->grown));
    certify_print(out, &r->certificate);
}
