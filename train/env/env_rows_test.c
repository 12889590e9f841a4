/* train/env/env_rows_test.c - rows contain states of the policy's flows, and its actions in them. */
#include "train/env/env_world.h"

#include "base/nets/policy/test_teacher.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void add_rows__matches_the_net(void **unused)
{
    struct tree_rows rows;
    struct policy p;
    uint32_t near = 0;

    (void)unused;
    test_teacher_init(&p);
    tree_rows_init(&rows);
    assert_int_equal(0, env_add_rows(&rows, &p, "many_to_one:4_1", 5000, 3, NULL));
    assert_int_equal(5000, rows.rows);
    for (uint32_t i = 0; i < rows.rows; i++) {
        const int16_t *f = rows.row[i].feature;
        float x[4] = { 1 + f[0] / 4096.0f, f[1] / 256.0f, 1 + f[2] / 4096.0f, f[3] / 256.0f };
        float away = policy_try(&p, x) - (float)rows.row[i].target / TREE_TARGET_ONE;

        assert_true(away > -0.02f && away < 0.02f);      /* features are rounded, and deltas above 128 are
                                                          * clipped */
        near += f[3] > -256 && f[3] < 256;
    }
    assert_true(near > 2500);                    /* flows reach their target */
    assert_int_equal(0, env_add_rows(&rows, &p, "many_to_one:2_1", 100, 3, NULL));
    assert_int_equal(5100, rows.rows);
    tree_rows_fini(&rows);
    policy_fini(&p);
}

static void add_rows__refuses(void **unused)
{
    struct tree_rows rows;
    struct policy p, int8;
    struct err err;

    (void)unused;
    test_teacher_init(&p);
    tree_rows_init(&rows);
    assert_int_equal(0, policy_init_int8(&int8, &p, NULL));
    assert_true(env_add_rows(&rows, &int8, "many_to_one:4_1", 100, 3, &err) < 0);
    assert_string_equal("flows of a world are controlled by an mlp or an lstm, not by int8", err.text);
    assert_true(env_add_rows(&rows, &p, "nowhere:4_1", 100, 3, &err) < 0);
    assert_int_equal(0, rows.rows);
    policy_fini(&int8);
    policy_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_rows__matches_the_net),
        cmocka_unit_test(add_rows__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
