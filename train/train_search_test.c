/* train/train_search_test.c - candidates of the search. docs/acc.md documents its results. */
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
    option_values_init(tuner_acc.option, &t->values);
    if (option_values_set(tuner_acc.option, tuner_acc.name, &t->values, "actions", actions, &err))
        fail_msg("%s", err.text);
}

/* The template has 20 actions, each of which fills a rule. Of the 630 actions of the paper's text, 20 are
 * sampled, 31.5 apart. */
static void candidate__first_generation_has_every_action(void **state)
{
    static const struct {
        const char *actions;
        double apart;
    } rows[] = { { "template", 1 }, { "text", 31.5 } };

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

/* At most three cells change; all cells and actions occur eventually. Half of the changes move by one or two
 * actions. Half are random: of these 1 in 20 changes nothing, and 4 are near too. So 61.5 % of the real
 * changes are near. */
static void candidate__later_generations_vary_the_best(void **state)
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
    /* 4,000 rules with 1.75 changes each, of which 1 in 40 has no effect, and some hit the same cell. */
    assert_true(changes > 6300 && changes < 7000);
    assert_true(near > 0.57 * changes && near < 0.66 * changes);
    option_values_fini(&t.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidate__first_generation_has_every_action),
        cmocka_unit_test(candidate__later_generations_vary_the_best),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
