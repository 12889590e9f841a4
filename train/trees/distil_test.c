/* train/trees/distil_test.c - distillation of a net into certified trees. */
#include "train/trees/distil.h"

#include "base/nets/policy/policy_file.h"
#include "base/nets/policy/policy_story.h"
#include "base/nets/policy/test_teacher.h"
#include "base/nets/tree/tree_export.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A small grid that behaves like the authors' grid; see docs/rlcc.md for the latter. */
static const struct distil_cfg small = { .tree.sweeps = 8, .grid = { .actions = 3, .deltas = 60 },
                                         .seed = 1 };

static void trees__approximate_the_net_and_are_certified(void **unused)
{
    struct distil_report report;
    struct policy teacher, p;

    (void)unused;
    test_teacher_init(&teacher);
    assert_int_equal(0, distil_trees(&p, &teacher, &small, NULL, &report, NULL));
    assert_int_equal(10, p.trees.trees);
    assert_true(policy_gap_rms(&report.mended) < 0.035);
    assert_true(policy_gap_rms(&report.grown) < policy_gap_rms(&report.mended));
    assert_int_equal(180 * 180, report.rows + report.aside);
    assert_int_equal(report.aside, report.mended.states);
    assert_true(report.states > 0);
    assert_true(report.certificate.holds[CERTIFY_RISING]);
    assert_true(tree_export_cost(&p.trees).operations <= 100);
    policy_fini(&teacher);
}

/* The reported worst state has the reported actions of both. Held-out states are rounded to tree features. */
static void trees__worst_state_is_reproducible(void **unused)
{
    struct distil_report report;
    struct policy teacher, p;

    (void)unused;
    test_teacher_init(&teacher);
    assert_int_equal(0, distil_trees(&p, &teacher, &small, NULL, &report, NULL));
    assert_true(policy_try(&p, report.mended.x) == report.mended.b);
    assert_float_equal((double)policy_try(&teacher, report.mended.x), (double)report.mended.a, 0.005);
    assert_float_equal(fabs((double)report.mended.a - (double)report.mended.b), report.mended.largest, 1e-7);
    policy_fini(&teacher);
}

/* Within 1/256 of delta, the resolution of trees. */
static void trees__centered_settle_like_the_teacher(void **unused)
{
    struct distil_cfg cfg = small;
    struct distil_report report;
    struct policy_story of_teacher, of_trees, of_centred;
    struct policy teacher, p;

    (void)unused;
    test_teacher_init(&teacher);
    policy_story_tell(&of_teacher, &teacher);
    cfg.is_unmended = true;
    assert_int_equal(0, distil_trees(&p, &teacher, &cfg, NULL, &report, NULL));
    policy_story_tell(&of_trees, &p);
    assert_true(fabsf(of_trees.rest - of_teacher.rest) > 2.0f / TREE_DELTA_ONE);
    cfg.is_centred = true;
    assert_int_equal(0, distil_trees(&p, &teacher, &cfg, NULL, &report, NULL));
    policy_story_tell(&of_centred, &p);
    assert_true(fabsf(of_centred.rest - of_teacher.rest) <= 1.0f / TREE_DELTA_ONE);
    cfg.is_unmended = false;
    assert_int_equal(0, distil_trees(&p, &teacher, &cfg, NULL, &report, NULL));
    assert_true(report.certificate.holds[CERTIFY_RISING]);
    policy_fini(&teacher);
}

static void trees__without_repair_are_unchanged(void **unused)
{
    struct distil_cfg cfg = small;
    struct distil_report report;
    struct policy teacher, p;

    (void)unused;
    cfg.is_unmended = true;
    test_teacher_init(&teacher);
    assert_int_equal(0, distil_trees(&p, &teacher, &cfg, NULL, &report, NULL));
    assert_false(report.certificate.holds[CERTIFY_RISING]);
    assert_true(policy_gap_rms(&report.grown) == policy_gap_rms(&report.mended));
    policy_fini(&teacher);
}

static void trees__of_too_few_states_are_refused(void **unused)
{
    struct distil_cfg cfg = { .is_gridless = true, .seed = 1 };
    struct distil_report report;
    struct tree_rows rows;
    struct policy teacher, p;
    struct err err;

    (void)unused;
    test_teacher_init(&teacher);
    tree_rows_init(&rows);
    tree_rows_add(&rows, (float[]){ 1, 0.5f, 1, 0.5f }, 1);
    assert_int_equal(-EINVAL, distil_trees(&p, &teacher, &cfg, &rows, &report, &err));
    assert_string_equal("1 states are too few to grow trees from", err.text);
    tree_rows_fini(&rows);
    policy_fini(&teacher);
}

/* A PD controller despite all losses: lower rates in a fuller network, never up above the target while
 * rising, up when empty. */
static void trees__behave_like_the_net(void **unused)
{
    struct distil_report report;
    policy_table table;
    struct policy teacher, p;

    (void)unused;
    test_teacher_init(&teacher);
    assert_int_equal(0, distil_trees(&p, &teacher, &small, NULL, &report, NULL));
    policy_table_fill(table, &p);
    for (int before = 0; before < POLICY_TABLE_SIDE; before++) {
        assert_true(table[before][0] > 1);
        assert_true(table[before][7] < 0.9f);
        for (int now = 3; now < POLICY_TABLE_SIDE; now++)
            assert_true(now <= before || table[before][now] <= 1);
    }
    policy_fini(&p);
    policy_fini(&teacher);
}

static void check_file(const struct policy *p, const char *made, const char *path)
{
    char *bytes, *file;
    size_t length;
    struct model m;
    FILE *in = fopen(path, "rb");

    assert_non_null(in);
    policy_to_model(p, &m);
    model_put(&m, "command", made);
    assert_int_equal(0, model_encode(&m, "x", &bytes, &length, NULL));
    file = malloc(length + 1);
    assert_int_equal(length, fread(file, 1, length + 1, in));
    assert_memory_equal(bytes, file, length);
    fclose(in);
    free(file);
    free(bytes);
    model_fini(&m);
}

/* The model files of the command-line tests are reproducible. */
static void files__are_reproducible(void **unused)
{
    struct policy p;
    struct rng rng;

    (void)unused;
    test_teacher_init(&p);
    check_file(&p, "fitted to the table of RL-CC's released net", "tests/data/rlcc/mlp.rlcc");
    policy_fini(&p);
    rng_init(&rng, 1, 0);
    policy_init_lstm(&p, &rng);
    check_file(&p, "as an LSTM begins, seed 1", "tests/data/rlcc/lstm.rlcc");
    policy_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees__approximate_the_net_and_are_certified),
        cmocka_unit_test(trees__worst_state_is_reproducible),
        cmocka_unit_test(trees__centered_settle_like_the_teacher),
        cmocka_unit_test(trees__without_repair_are_unchanged),
        cmocka_unit_test(trees__of_too_few_states_are_refused),
        cmocka_unit_test(trees__behave_like_the_net),
        cmocka_unit_test(files__are_reproducible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
