/* src/learn/policy/distil_test.c - from a net to trees that can be certified, all the way. */
#include "learn/policy/test_teacher.h"
#include "learn/tree/tree_certify.h"
#include "learn/tree/tree_export.h"
#include "learn/tree/tree_grow.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static float teach(const void *teacher, const float x[TREE_FEATURES])
{
    return policy_try(teacher, x);
}

/* As few rows as show the same as the grid of the authors does: see docs/rlcc.md for that. */
static double distil(struct forest *f, uint32_t sweeps, struct tree_rows *aside)
{
    const struct tree_grid grid = { .actions = 3, .deltas = 60 };
    const struct tree_cfg cfg = { .sweeps = sweeps };
    static certify_weights weight;
    struct tree_rows rows;
    struct policy teacher;

    test_teacher_init(&teacher);
    tree_rows_init(&rows);
    tree_rows_add_grid(&rows, &grid, teach, &teacher);
    tree_rows_set_aside(&rows, aside, 0.2, 1);
    forest_grow(f, &cfg, &rows);
    tree_rows_count(&rows, f, weight);
    assert_true(certify_mend(f, weight, 10000) >= 0);
    tree_rows_fini(&rows);
    policy_fini(&teacher);
    return tree_rows_rmse(aside, f);
}

static void trees__of_a_net_are_near_it_and_certified(void **unused)
{
    struct rule_params params;
    struct certificate c;
    struct tree_rows aside;
    struct forest f;

    (void)unused;
    tree_rows_init(&aside);
    assert_int_equal(0, rule_params_make(&params, &(struct rule_cfg){ 0 }, NULL));
    assert_true(distil(&f, 8, &aside) < 0.035);
    assert_int_equal(10, f.trees);
    assert_true(certify_rule(&c, &f, &params));
    assert_true(tree_export_cost(&f).operations <= 100);
    tree_rows_fini(&aside);
}

/* A PD controller, whatever is lost: the fuller now, the slower; above target and rising, never up; empty, up. */
static void trees__of_a_net_do_what_it_does(void **unused)
{
    struct tree_rows aside;
    policy_table table;
    struct policy p;
    struct forest f;

    (void)unused;
    tree_rows_init(&aside);
    distil(&f, 8, &aside);
    policy_init_trees(&p, &f);
    policy_table_fill(table, &p);
    for (int before = 0; before < POLICY_TABLE_SIDE; before++) {
        assert_true(table[before][0] > 1);
        assert_true(table[before][7] < 0.9f);
        for (int now = 3; now < POLICY_TABLE_SIDE; now++)
            assert_true(now <= before || table[before][now] <= 1);
    }
    policy_fini(&p);
    tree_rows_fini(&aside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees__of_a_net_are_near_it_and_certified),
        cmocka_unit_test(trees__of_a_net_do_what_it_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
