#include "learn/policy/policy_table.h"

#include "learn/policy/test_teacher.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* Trees with a split on the previous or the current delta: rows or columns differ. */
static void fill__rows_are_previous_deltas(void **unused)
{
    policy_table table;
    struct forest f;
    struct policy p;

    (void)unused;
    forest_init(&f);
    f.trees = 1;
    for (int feature = TREE_DELTA_OLDER; feature <= TREE_DELTA; feature += 2) {
        f.tree[0] = (struct tree){ 1, { { 0, (uint8_t)feature } }, { 4096, -4096 } };
        policy_init_trees(&p, &f);
        policy_table_fill(table, &p);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                assert_true(table[i][j] == ((feature == TREE_DELTA ? j : i) > 2 ? 0.9375f : 1.0625f));
        policy_fini(&p);
    }
}

static void distance__is_the_largest(void **unused)
{
    policy_table a = { { 0 } }, b = { { 0 } };

    (void)unused;
    b[3][4] = -0.5f;
    b[7][7] = 0.25f;
    assert_true(policy_table_distance(a, b) == 0.5f);
    assert_true(policy_table_distance(b, b) == 0);
}

static void print__is_a_line_per_row(void **unused)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)unused;
    policy_table_print(out, policy_table_released);
    fclose(out);
    assert_int_equal(0, strncmp(text,
                                " before \\ now   -0.8   -0.4    0.0    0.4    0.8    2.0    5.0   20.0\n"
                                "         -0.8  1.051  0.984  0.926  0.902  0.887  0.854  0.834  0.833\n",
                                140));
    free(text);
}

/* The paper's table agrees with the released net in common cells; actions have little effect. */
static void fill_paper__has_the_states_of_the_paper(void **unused)
{
    float table[3][3];
    struct policy p;

    (void)unused;
    test_teacher_init(&p);
    policy_table_fill_paper(table, &p);
    for (int i = 0; i < 3; i++)
        for (int j = 1; j < 3; j++)
            assert_true(table[i][j] < table[i][j - 1]);      /* lower rates in a fuller network */
    for (int j = 0; j < 3; j++)
        assert_true(table[2][j] > table[0][j]);              /* higher rates when falling than when rising */
    policy_fini(&p);
}

/* The teacher of other tests approximates the released net. */
static void teacher__approximates_the_released_net(void **unused)
{
    policy_table table;
    struct policy p;

    (void)unused;
    test_teacher_init(&p);
    policy_table_fill(table, &p);
    assert_true(policy_table_distance(table, policy_table_released) < 0.03f);
    policy_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill__rows_are_previous_deltas),
        cmocka_unit_test(distance__is_the_largest),
        cmocka_unit_test(print__is_a_line_per_row),
        cmocka_unit_test(fill_paper__has_the_states_of_the_paper),
        cmocka_unit_test(teacher__approximates_the_released_net),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
