/* src/study/twin/advise_choose_test.c - which setting is advised. The card claims nothing that the rows do
 * not show. */
#include "study/twin/advise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* Sets a row's slowdowns of mice, middle messages and elephants at a load. They vary by 'noise' from seed
 * to seed. */
static void did(struct advise_row *row, uint32_t load, double mice, double middle, double elephants,
                double noise)
{
    const double slowdown[] = { mice, middle, elephants };

    row->seeds[load] = ADVISE_SEEDS;
    for (uint32_t seed = 0; seed < ADVISE_SEEDS; seed++)
        for (int i = 0; i < PREDICT_CLASSES; i++) {
            row->found[load][seed].all.messages[i] = 100;
            row->found[load][seed].all.slowdowns[i] = 100 * slowdown[i] * (1 + noise * ((double)seed - 2));
        }
}

static void at_all_loads(struct advise_row *row, double mice, double middle, double elephants, double noise)
{
    for (uint32_t load = 0; load < ADVISE_LOADS; load++)
        did(row, load, mice, middle, elephants, noise);
}

/* The user's setting, a preset of one knob, a preset of four, and the result of a search, with eight. */
static struct advice *fixture(struct advise_request *request)
{
    static const char *const names[] = { "yours", "small", "large", "searched" };
    static struct advice     a;

    *request = (struct advise_request){ .budget = 180000000 };
    memset(&a, 0, sizeof a);                     /* no compound literal: it may not fit the stack */
    a.request = request;
    a.goal = *goal_find("balanced");
    a.rows = 4;
    a.load[0] = 1;
    a.load[1] = 0.5;
    a.load[2] = 1.5;
    a.has_load = true;
    for (uint32_t i = 0; i < 4; i++) {
        a.row[i].name = names[i];
        a.row[i].is_preset = i == 1 || i == 2;
        for (uint32_t k = 0; k < i * i - (i == 3); k++)
            a.row[i].knobs.value[k] = 1;
        at_all_loads(&a.row[i], 2, 2, 2, 0);
    }
    return &a;
}

static uint32_t advised_row(struct advice *a)
{
    uint32_t which[ADVISE_SETTINGS], count = advise_candidates(a, which);

    a->choice = advise_choose(a, which, count);
    return a->choice;
}

static void choose__a_preset_that_ties_goes_before_the_search(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);

    (void)state;
    at_all_loads(&a->row[1], 1.50, 1.9, 1.9, 0.02);
    at_all_loads(&a->row[3], 1.49, 1.9, 1.9, -0.02);     /* 1 % better in one class, which is within chance */
    assert_int_equal(advised_row(a), 1);
}

static void choose__the_search_wins_if_it_is_clearly_better(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);

    (void)state;
    at_all_loads(&a->row[1], 1.9, 1.9, 1.9, 0.001);
    at_all_loads(&a->row[3], 1.2, 1.4, 1.5, -0.001);
    assert_int_equal(advised_row(a), 3);
}

static void choose__of_two_presets_the_one_with_fewer_knobs(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);

    (void)state;
    at_all_loads(&a->row[1], 1.5, 1.8, 1.8, 0.01);
    at_all_loads(&a->row[2], 1.5, 1.8, 1.79, -0.01);
    assert_int_equal(advised_row(a), 1);
}

static void choose__yours_stays_unless_another_is_clearly_better(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);

    (void)state;
    at_all_loads(&a->row[3], 1.97, 1.97, 1.97, 0.05);
    assert_int_equal(advised_row(a), 0);
}

/* The preset is far better by the goal, but slows large messages by 6 % at one of the loads. */
static void choose__nothing_that_harms_a_class_beyond_the_bound(void **state)
{
    for (uint32_t load = 0; load < ADVISE_LOADS; load++) {
        struct advise_request q;
        struct advice        *a = fixture(&q);

        (void)state;
        at_all_loads(&a->row[1], 0.9, 1.9, 1.9, 0.001);
        did(&a->row[1], load, 0.9, 1.9, 2.12, 0.001);
        assert_int_equal(advised_row(a), 0);
        at_all_loads(&a->row[3], 1.9, 1.9, 1.9, -0.001);         /* the search found something harmless */
        assert_int_equal(advised_row(a), 3);
        a->goal.class_bound = 0.07;
        assert_int_equal(advised_row(a), 1);
    }
}

/* Iterations of the only job take 3 % longer, although messages are faster. */
static void choose__nothing_that_harms_a_job_beyond_the_bound(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);

    (void)state;
    at_all_loads(&a->row[1], 1.5, 1.5, 1.5, 0.001);
    assert_int_equal(advised_row(a), 1);
    for (uint32_t i = 0; i < a->rows; i++)
        for (uint32_t seed = 0; seed < ADVISE_SEEDS; seed++)
            a->row[i].found[0][seed].all.job[0] = (struct outcome_job){ 1, 10, i == 1 ? 0.0103 : 0.01 };
    assert_int_equal(advised_row(a), 0);
    a->goal.job_bound = 0.04;
    assert_int_equal(advised_row(a), 1);
    a->goal = *goal_default;             /* if iterations are the goal, longer ones are a loss */
    assert_int_equal(advised_row(a), 0);
}

/* A proof needs a clear gain, and intervals that end below the bound. */
static void judge__asks_for_more_seeds_until_it_is_clear(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);
    struct advise_row    *x = &a->row[1];

    (void)state;
    did(&a->row[0], ADVISE_PROOF, 2, 2, 2, 0);
    did(x, ADVISE_PROOF, 1.5, 1.9, 2.02, 0.001);                 /* +1 % */
    assert_int_equal(advise_judge(a, x), PROOF_HOLDS);
    did(x, ADVISE_PROOF, 1.5, 1.9, 2.02, 0.03);                  /* +1 %, but 6 % are not excluded */
    assert_int_equal(advise_judge(a, x), PROOF_OPEN);
    did(x, ADVISE_PROOF, 1.9, 1.99, 1.99, 0.05);                 /* hardly better */
    assert_int_equal(advise_judge(a, x), PROOF_OPEN);
    did(x, ADVISE_PROOF, 1.5, 1.9, 2.12, 0.001);                 /* +6 % */
    assert_int_equal(advise_judge(a, x), PROOF_FAILS);
    did(x, ADVISE_PROOF, 2.1, 2, 2, 0.001);
    assert_int_equal(advise_judge(a, x), PROOF_FAILS);
    assert_int_equal(advised_row(a), 0);         /* it is not proposed again */
}

static void choose__a_gain_at_another_load_alone_is_not_enough(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);

    (void)state;
    at_all_loads(&a->row[3], 1.97, 1.97, 1.97, 0.05);
    did(&a->row[3], 2, 1.5, 1.5, 1.5, 0.001);
    assert_int_equal(advised_row(a), 0);
}

static void choose__a_tie_that_slows_a_class_is_no_tie(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);

    (void)state;
    at_all_loads(&a->row[1], 1.0, 1.9, 2.2, 0.01);       /* 10 % slower for elephants */
    at_all_loads(&a->row[3], 1.3, 1.6, 1.65, -0.01);
    assert_int_equal(advised_row(a), 3);
}

static void choose__a_tie_at_the_expected_load_must_hold_at_the_others(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);

    (void)state;
    at_all_loads(&a->row[1], 1.5, 1.8, 1.8, 0.001);
    at_all_loads(&a->row[3], 1.5, 1.8, 1.8, -0.001);
    did(&a->row[1], 2, 1.9, 1.9, 1.9, 0.001);
    assert_int_equal(advised_row(a), 3);
}

static void choose__never_a_stuck_setting(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);

    (void)state;
    at_all_loads(&a->row[1], 1.2, 1.2, 1.2, 0.001);
    assert_int_equal(advised_row(a), 1);
    a->row[1].found[0][3].is_stuck = true;
    assert_int_equal(advised_row(a), 0);
}

/* Five equal trials of two settings are one observation. If one of both differs by seed, they are five. */
static void choose__trials_that_all_seeds_repeat_are_no_evidence(void **state)
{
    static char          *argv[] = { "anole", "advise", "s.yaml" };
    struct advise_request q;
    struct advice        *a = fixture(&q);
    struct card           c;

    (void)state;
    q.argc = 3;
    q.argv = argv;
    at_all_loads(&a->row[1], 1.2, 1.2, 1.2, 0);
    did(&a->row[0], ADVISE_PROOF, 2, 2, 2, 0);
    did(&a->row[1], ADVISE_PROOF, 1.2, 1.2, 1.2, 0);
    assert_int_equal(advised_row(a), 0);
    assert_int_equal(advise_judge(a, &a->row[1]), PROOF_FAILS);
    assert_true(advise_gain(a, &a->row[1], &a->row[0], 0).mean < -0.4);
    advise_answer(a, &c);
    assert_non_null(strstr(card_text(&c, CARD_FINDING), "all 5 seeds gave the same trials"));
    assert_null(strstr(card_text(&c, CARD_SURE), "95 % interval"));
    assert_non_null(strstr(card_text(&c, CARD_SURE), "All 5 gave the same trials, and count as one."));
    assert_string_equal(card_text(&c, CARD_NEXT), "");
    card_fini(&c);
    a->row[1].found[0][4].all.slowdowns[PREDICT_MICE] += 1;
    a->row[1].found[ADVISE_PROOF][4].all.slowdowns[PREDICT_MICE] += 1;
    assert_int_equal(advised_row(a), 1);
    assert_int_equal(advise_judge(a, &a->row[1]), PROOF_HOLDS);
}

/* ---- the card ---- */

static void answer__names_a_class_that_is_slower_at_another_load_only(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);
    struct card           c;

    (void)state;
    at_all_loads(&a->row[3], 1.2, 1.4, 1.5, 0.001);
    did(&a->row[3], 2, 1.2, 1.4, 2.09, 0.001);
    advised_row(a);
    advise_answer(a, &c);
    assert_non_null(strstr(card_text(&c, CARD_FINDING),
                           "messages of 1 MB and more take 4.5 % longer at 1.5 times the load"));
    assert_non_null(strstr(card_text(&c, CARD_COST), "Slower: messages of 1 MB and more, 4.5 % slower"));
    assert_null(strstr(card_text(&c, CARD_COST), "No class"));
    card_fini(&c);
}

static void answer__claims_nothing_from_an_interval_with_0(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);
    struct card           c;

    (void)state;
    at_all_loads(&a->row[3], 1.2, 1.4, 1.5, 0.001);
    did(&a->row[3], 2, 1.2, 1.4, 2.09, 0.05);
    did(&a->row[0], 2, 2, 2, 2, -0.05);
    did(&a->row[1], 0, 1.21, 1.42, 1.5, 0.04);           /* not clearly different from the search */
    advised_row(a);
    a->choice = 3;
    a->best_preset = 1;
    advise_answer(a, &c);
    assert_null(strstr(card_text(&c, CARD_FINDING), "longer"));
    assert_non_null(strstr(card_text(&c, CARD_COST), "No class of messages is clearly slower"));
    assert_non_null(strstr(card_text(&c, CARD_COST), "Not clear: messages of 1 MB and more, 4"));
    assert_null(strstr(card_text(&c, CARD_DETAIL), "clearly worse"));
    card_fini(&c);
}

/* The finding, and every row of the evidence for it, have one figure: the change of the score. */
static void answer__gives_one_figure_and_says_which_way_is_better(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);
    struct card           c;

    (void)state;
    at_all_loads(&a->row[3], 1.2, 1.4, 1.5, 0.01);
    advised_row(a);
    did(&a->row[0], ADVISE_PROOF, 2, 2, 2, 0.001);
    did(&a->row[3], ADVISE_PROOF, 1.5, 1.5, 1.5, 0.002);
    advise_answer(a, &c);
    assert_string_equal(card_text(&c, CARD_FINDING), "Use the searched setting: 25 % better (95 % interval "
                        "24.9 to 25.1 %) than yours by the goal 'balanced'.");
    card_fini(&c);
}

/* A setting that may be much better is no reason to keep yours; one that may be a little better is none to
 * doubt it. */
static void verdict__is_open_if_the_evidence_allows_both(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);
    struct card           c;

    (void)state;
    at_all_loads(&a->row[0], 2, 2, 2, 0.001);
    at_all_loads(&a->row[1], 1.99, 1.99, 1.99, 0.01);
    assert_int_equal(advised_row(a), 0);
    assert_int_equal(advise_verdict(a), ADVISE_KEEP);
    at_all_loads(&a->row[3], 1.9, 1.9, 1.9, 0.1);
    assert_int_equal(advised_row(a), 0);
    assert_int_equal(advise_verdict(a), ADVISE_OPEN);
    advise_answer(a, &c);
    assert_int_equal(strncmp(card_text(&c, CARD_FINDING), "Cannot tell", 11), 0);
    assert_non_null(strstr(card_text(&c, CARD_FINDING), "the searched setting may be up to "));
    card_fini(&c);
    at_all_loads(&a->row[3], 1.5, 1.5, 3, 0.1);          /* it may be better, and harms elephants */
    assert_int_equal(advised_row(a), 0);
    assert_int_equal(advise_verdict(a), ADVISE_KEEP);
    a->is_short = true;
    assert_int_equal(advise_verdict(a), ADVISE_OPEN);
}

/* Changes of 1000 % and more have no exponent. */
static void answer__writes_large_changes_in_full(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);
    struct card           c;

    (void)state;
    at_all_loads(&a->row[3], 40, 40, 40, 0.01);
    advised_row(a);
    advise_answer(a, &c);
    assert_non_null(strstr(card_text(&c, CARD_DETAIL), "The searched setting slows "));
    assert_non_null(strstr(card_text(&c, CARD_DETAIL), " slower (95 % interval 18"));
    assert_null(strstr(card_text(&c, CARD_DETAIL), "e+"));
    card_fini(&c);
}

/* Another control is advised only if every setting of the current one is clearly worse. The card says what
 * it needs. */
static void answer__names_what_a_change_needs(void **state)
{
    static const struct advise_change swift = { ALLOW_CONTROL, "cc=swift", "NICs that run Swift" };
    static char                      *argv[] = { "anole", "advise", "s.yaml", "--allow", "control" };
    struct advise_request             q;
    struct advice                    *a = fixture(&q);
    struct card                       c;

    (void)state;
    q.argc = 5;
    q.argv = argv;
    a->row[3] = (struct advise_row){ .name = "cc=swift", .changes = 1, .change = { &swift },
                                     .control = "hpcc" };
    at_all_loads(&a->row[1], 1.5, 1.9, 1.9, 0.02);
    at_all_loads(&a->row[3], 1.49, 1.9, 1.9, -0.02);
    assert_int_equal(advised_row(a), 1);
    at_all_loads(&a->row[3], 1.2, 1.4, 1.5, -0.001);
    assert_int_equal(advised_row(a), 3);
    advise_answer(a, &c);
    assert_int_equal(strncmp(card_text(&c, CARD_FINDING), "Use cc=swift:", 13), 0);
    assert_int_equal(strncmp(card_text(&c, CARD_COST), "cc=swift needs NICs that run Swift.", 35), 0);
    assert_null(strstr(card_text(&c, CARD_COST), "knobs change"));
    assert_string_equal(card_text(&c, CARD_COMMAND), "anole advise s.yaml --set cc=swift");
    card_fini(&c);
}

static void answer__names_the_origin_of_the_setting(void **state)
{
    struct advise_request q;
    struct advice        *a = fixture(&q);
    struct card           c;

    (void)state;
    knobs_init(&a->row[0].knobs);
    advise_answer(a, &c);
    assert_non_null(strstr(card_text(&c, CARD_SETTING),
                           "NVIDIA's default, because no other setting was given"));
    card_fini(&c);
    a->row[0].knobs.value[KNOB_kmin] = 17;
    advise_answer(a, &c);
    assert_null(strstr(card_text(&c, CARD_SETTING), "NVIDIA"));
    card_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choose__a_preset_that_ties_goes_before_the_search),
        cmocka_unit_test(choose__the_search_wins_if_it_is_clearly_better),
        cmocka_unit_test(choose__of_two_presets_the_one_with_fewer_knobs),
        cmocka_unit_test(choose__yours_stays_unless_another_is_clearly_better),
        cmocka_unit_test(choose__nothing_that_harms_a_class_beyond_the_bound),
        cmocka_unit_test(choose__nothing_that_harms_a_job_beyond_the_bound),
        cmocka_unit_test(judge__asks_for_more_seeds_until_it_is_clear),
        cmocka_unit_test(choose__a_gain_at_another_load_alone_is_not_enough),
        cmocka_unit_test(choose__a_tie_that_slows_a_class_is_no_tie),
        cmocka_unit_test(choose__a_tie_at_the_expected_load_must_hold_at_the_others),
        cmocka_unit_test(choose__never_a_stuck_setting),
        cmocka_unit_test(choose__trials_that_all_seeds_repeat_are_no_evidence),
        cmocka_unit_test(answer__names_a_class_that_is_slower_at_another_load_only),
        cmocka_unit_test(answer__claims_nothing_from_an_interval_with_0),
        cmocka_unit_test(answer__gives_one_figure_and_says_which_way_is_better),
        cmocka_unit_test(verdict__is_open_if_the_evidence_allows_both),
        cmocka_unit_test(answer__writes_large_changes_in_full),
        cmocka_unit_test(answer__names_what_a_change_needs),
        cmocka_unit_test(answer__names_the_origin_of_the_setting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
