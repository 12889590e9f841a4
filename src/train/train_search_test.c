/* src/train/train_search_test.c - which rules are tried. That a search comes to something is seen in docs/acc.md. */
#include "train/train.h"
#include "tune/acc/acc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void open_train(struct train *t, const char *actions)
{
    struct err err;

    *t = (struct train){ .request.seed = 1 };
    tuner_values_init(&tuner_acc, &t->values);
    if (tuner_values_set(&tuner_acc, &t->values, "actions", actions, &err))
        fail_msg("%s", err.text);
}

/* The template has 20 actions, each of which fills a rule; of the 630 of the text there are 20, 31.5 apart. */
static void candidate__first_every_action_for_itself(void **state)
{
    static const struct { const char *actions; double apart; } rows[] = { { "template", 1 }, { "text", 31.5 } };

    (void)state;
    for (int row = 0; row < 2; row++) {
        struct train t;

        open_train(&t, rows[row].actions);
        assert_int_equal(train_candidates(&t), 20);
        for (uint32_t i = 0; i < 20; i++) {
            struct acc_rule rule = train_candidate(&t, i);

            for (int cell = 0; cell < ACC_RULE_CELLS; cell++)
                assert_int_equal(rule.action[cell], (uint32_t)(i * rows[row].apart));
        }
        option_values_fini(&t.values);
    }
}

static uint32_t differences(const struct acc_rule *a, const struct acc_rule *b)
{
    uint32_t n = 0;

    for (int cell = 0; cell < ACC_RULE_CELLS; cell++)
        n += a->action[cell] != b->action[cell];
    return n;
}

/* Three cells at most, all of which and all actions come up in time. Half of the changes are to an action that is one or two
 * away, half to any, of which 1 in 20 is none and 4 are near, too: 61.5 % of those that are one. */
static void candidate__then_the_best_with_some_cells_changed(void **state)
{
    bool         is_cell[ACC_RULE_CELLS] = { false }, is_action[20] = { false };
    uint32_t     changes = 0, near = 0;
    struct train t;

    (void)state;
    open_train(&t, "template");
    for (int cell = 0; cell < ACC_RULE_CELLS; cell++)
        t.state.rule.action[cell] = 10;
    for (t.state.generations = 1; t.state.generations <= 500; t.state.generations++) {
        assert_int_equal(train_candidates(&t), 8);
        for (uint32_t i = 0; i < 8; i++) {
            struct acc_rule rule = train_candidate(&t, i), again = train_candidate(&t, i);

            assert_memory_equal(&rule, &again, sizeof rule);
            assert_true(differences(&rule, &t.state.rule) <= 3);
            for (int cell = 0; cell < ACC_RULE_CELLS; cell++) {
                uint16_t action = rule.action[cell];

                assert_true(action < 20);
                if (action == 10)
                    continue;
                is_cell[cell] = is_action[action] = true;
                changes++;
                near += action >= 8 && action <= 12;
            }
        }
    }
    for (int cell = 0; cell < ACC_RULE_CELLS; cell++)
        assert_true(is_cell[cell]);
    for (int action = 0; action < 20; action++)
        assert_true(is_action[action] || action == 10);
    /* 4,000 rules with 1.75 changes each, of which 1 in 40 is none, and some are in the same cell. */
    assert_true(changes > 6300 && changes < 7000);
    assert_true(near > 0.57 * changes && near < 0.66 * changes);
    option_values_fini(&t.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidate__first_every_action_for_itself),
        cmocka_unit_test(candidate__then_the_best_with_some_cells_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
