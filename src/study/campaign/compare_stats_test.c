#include "base/bootstrap.h"
#include "study/campaign/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 6

static const uint64_t seeds[SEEDS] = { 1, 2, 3, 4, 5, 6 };
static struct variant list[] = { { .name = (char *)"base" },
                                 { .name = (char *)"same" },
                                 { .name = (char *)"other" } };
static const struct variants variants = { list, 3 };

/* Three variants and one figure with these values: [variant][seed]. */
static struct comparison judged_as(const char *name, enum metric_better better, const double value[3][SEEDS],
                                   uint32_t count)
{
    struct comparison c = { .variants = &variants, .seed = seeds, .seeds = count, .title = "s.yaml" };
    struct metric metric = { .label = "figure", .unit = UNIT_NONE, .better = better };

    snprintf(metric.name, sizeof(metric.name), "%s", name);
    comparison_add_metrics(&c, &metric, 1);
    for (uint32_t v = 0; v < 3; v++)
        for (uint32_t s = 0; s < count; s++)
            c.figures.list[0].value[v * count + s] = value[v][s];
    c.figures.list[0].is_shown = true;
    comparison_judge(&c);
    return c;
}

static struct comparison judged(enum metric_better better, const double value[3][SEEDS], uint32_t count)
{
    return judged_as("m", better, value, count);
}

static const double values[3][SEEDS] = {
    { 10, 20, 30, 40, 50, 60 }, { 10, 20, 30, 40, 50, 60 }, { 11, 22, 31, 42, 51, 62 },
};

static void judge__finds_no_difference_between_equals(void **unused)
{
    struct comparison c = judged(BETTER_LOWER, values, SEEDS);
    const struct compared_cell *same = comparison_cell(&c, 0, 1);

    (void)unused;
    assert_true(same->mean == 35);
    assert_true(same->difference == 0 && same->difference_low == 0 && same->difference_high == 0);
    assert_true(same->change == 0);
    assert_false(same->is_significant);
    assert_false(same->is_better);
    comparison_fini(&c);
}

static void judge__sees_a_small_difference_in_a_wide_spread(void **unused)
{
    /* The differences are 1, 2, 1, 2, 1, 2: clearly not 0, although the intervals of the means overlap
     * widely. */
    const double differences[SEEDS] = { 1, 2, 1, 2, 1, 2 };
    struct comparison c = judged(BETTER_LOWER, values, SEEDS);
    const struct compared_cell *other = comparison_cell(&c, 0, 2);
    struct bootstrap b;
    struct interval want;

    (void)unused;
    bootstrap_init(&b, SEEDS);
    want = bootstrap_mean(&b, differences);
    bootstrap_fini(&b);
    assert_true(other->difference == 1.5);
    assert_true(other->difference_low == want.low && other->difference_high == want.high);
    assert_true(fabs(other->change - 1.5 / 35) < 1e-15);
    assert_true(fabs(other->change_low - want.low / 35) < 1e-15);
    assert_true(other->low < 35 && other->high > 36.5);
    assert_true(other->is_significant);
    assert_false(other->is_better);
    assert_int_equal(SEEDS, other->seeds);
    comparison_fini(&c);
}

/* The third variant has about a third of the baseline's slowdown, on seeds of which one is far busier than
 * the others. By ratios the difference is clear. The interval of the differences would hold a mean below 0,
 * so another figure with these values is judged by ratios, too. */
static void judge__slowdowns_by_their_ratios(void **unused)
{
    static const double slow[3][SEEDS] = { { 12.1, 30.5, 100.2 }, { 12.1, 30.5, 100.2 }, { 4, 9.9, 33.9 } };
    const double logs[3] = { log(4 / 12.1), log(9.9 / 30.5), log(33.9 / 100.2) };
    struct comparison c = judged_as("mice.slowdown_mean", BETTER_LOWER, slow, 3),
                      other = judged(BETTER_LOWER, slow, 3);
    const struct compared_cell *cell = comparison_cell(&c, 0, 2);
    struct bootstrap b;
    struct interval want;

    (void)unused;
    bootstrap_init(&b, 3);
    want = bootstrap_mean(&b, logs);
    bootstrap_fini(&b);
    assert_true(fabs(cell->change - expm1((logs[0] + logs[1] + logs[2]) / 3)) < 1e-12);
    assert_true(fabs(cell->change_low - expm1(want.low)) < 1e-12 &&
                fabs(cell->change_high - expm1(want.high)) < 1e-12);
    assert_true(cell->is_significant && cell->is_better);
    assert_true(comparison_cell(&c, 0, 1)->change == 0 && !comparison_cell(&c, 0, 1)->is_significant);
    assert_true(cell->difference == comparison_cell(&other, 0, 2)->difference);
    assert_true(cell->change_low == comparison_cell(&other, 0, 2)->change_low &&
                cell->change_high == comparison_cell(&other, 0, 2)->change_high);
    assert_true(comparison_cell(&other, 0, 2)->is_significant);
    comparison_fini(&c);
    comparison_fini(&other);
}

static void judge__knows_which_direction_is_better(void **unused)
{
    static const struct { enum metric_better better; bool want; } row[] = {
        { BETTER_LOWER, false }, { BETTER_HIGHER, true }, { BETTER_NEITHER, false },
    };

    (void)unused;
    for (int i = 0; i < 3; i++) {
        struct comparison c = judged(row[i].better, values, SEEDS);

        assert_true(comparison_cell(&c, 0, 2)->is_significant);
        assert_int_equal(row[i].want, comparison_cell(&c, 0, 2)->is_better);
        comparison_fini(&c);
    }
}

static void judge__of_one_seed_has_no_interval(void **unused)
{
    struct comparison c = judged(BETTER_LOWER, values, 1);
    const struct compared_cell *other = comparison_cell(&c, 0, 2);

    (void)unused;
    assert_true(other->mean == 11 && other->difference == 1);
    assert_true(isnan(other->low) && isnan(other->difference_low) && isnan(other->change_high));
    assert_false(other->is_significant);
    comparison_fini(&c);
}

/* Runs that no seed changes are one observation, whatever their number. Another value in one run is enough
 * for them to count. */
static void judge__counts_runs_that_all_seeds_repeat_as_one(void **unused)
{
    double repeated[3][SEEDS] = { { 4, 4, 4, 4, 4, 4 }, { NAN, NAN, NAN, NAN, NAN, NAN }, { 3, 3, 3, 3, 3, 3 } };
    struct comparison c = judged(BETTER_LOWER, repeated, SEEDS);

    (void)unused;
    assert_int_equal(1, c.counted);
    assert_true(comparison_cell(&c, 0, 2)->difference == -1 && comparison_cell(&c, 0, 2)->change == -0.25);
    assert_true(isnan(comparison_cell(&c, 0, 2)->change_low));
    assert_int_equal(0, c.tested);
    assert_false(comparison_cell(&c, 0, 2)->is_significant);
    comparison_fini(&c);
    repeated[0][5] = 4.5;
    c = judged(BETTER_LOWER, repeated, SEEDS);
    assert_int_equal(SEEDS, c.counted);
    assert_true(comparison_cell(&c, 0, 2)->is_significant);
    comparison_fini(&c);
}

static void judge__uses_only_complete_pairs(void **unused)
{
    /* Seed 1 has no value in the baseline, seed 2 has none in 'other'. */
    static const double holes[3][SEEDS] = {
        { NAN, 20, 30, 40, 50, 60 }, { NAN, NAN, NAN, NAN, NAN, NAN }, { 1000, NAN, 31, 41, 51, 61 },
    };
    struct comparison c = judged(BETTER_LOWER, holes, SEEDS);

    (void)unused;
    assert_int_equal(4, comparison_cell(&c, 0, 2)->seeds);
    assert_true(comparison_cell(&c, 0, 2)->difference == 1);
    assert_true(fabs(comparison_cell(&c, 0, 2)->change - 1.0 / 45) < 1e-15);
    assert_true(comparison_cell(&c, 0, 0)->mean == 40);
    assert_int_equal(0, comparison_cell(&c, 0, 1)->seeds);
    assert_true(isnan(comparison_cell(&c, 0, 1)->mean) && isnan(comparison_cell(&c, 0, 1)->difference));
    assert_false(comparison_cell(&c, 0, 1)->is_significant);
    comparison_fini(&c);
}

static void judge__bounds_relative_changes(void **unused)
{
    static const double zeros[3][SEEDS] = { { 0 }, { 0 }, { 1, 2, 3, 1, 2, 3 } };
    static const double fall[3][SEEDS] = { { 1, 1, 1, 1, 1, 100 },
                                           { 1, 1, 1, 1, 1, 100 },
                                           { 0, 0, 0, 0, 0, 1 } };
    struct comparison c = judged(BETTER_LOWER, zeros, SEEDS);

    (void)unused;
    assert_true(comparison_cell(&c, 0, 2)->difference == 2 && isnan(comparison_cell(&c, 0, 2)->change));
    assert_true(comparison_cell(&c, 0, 2)->is_significant);
    comparison_fini(&c);
    c = judged(BETTER_LOWER, fall, SEEDS);
    assert_true(comparison_cell(&c, 0, 2)->difference_low == -17.5);     /* the whole mean of the baseline */
    assert_true(comparison_cell(&c, 0, 2)->change_low == -1);
    comparison_fini(&c);
}

static void add_metrics__makes_one_row_per_name(void **unused)
{
    const struct metric a[] = { { .name = "x" }, { .name = "y" } },
                        b[] = { { .name = "z" }, { .name = "y" } };
    struct comparison c = { .variants = &variants, .seed = seeds, .seeds = 2 };

    (void)unused;
    comparison_add_metrics(&c, a, 2);
    comparison_add_metrics(&c, b, 2);
    assert_int_equal(3, c.figures.count);
    assert_string_equal("z", c.figures.list[2].metric.name);
    comparison_fini(&c);
}

static void load__reads_stored_runs(void **unused)
{
    struct variant two[] = { { .name = (char *)"a" }, { .name = (char *)"b" } };
    const struct variants pair = { two, 2 };
    const struct metric metric[] = { { .name = "x" }, { .name = "y" } };
    struct comparison c = { .variants = &pair, .seed = seeds, .seeds = 2 };
    struct campaign *store;
    char key[DIGEST_TEXT_SIZE], text[64];

    (void)unused;
    digest_init(&two[0].digest);
    digest_init(&two[1].digest);
    digest_add(&two[1].digest, "b", 1);
    comparison_add_metrics(&c, metric, 2);
    assert_int_equal(0, campaign_open(&store, NULL, NULL));
    for (uint32_t i = 0; i < 4; i++) {
        struct err err;

        assert_int_equal(-ENOENT, comparison_load(&c, store, &err));
        variant_key(key, &two[i / 2], seeds[i % 2]);
        snprintf(text, sizeof(text), "{\"x\": %u.5, \"y\": null}", i);
        assert_int_equal(
            0, campaign_add(store, &(struct campaign_run){ key, "", seeds[i % 2], text, "null" }, NULL));
    }
    assert_int_equal(0, comparison_load(&c, store, NULL));
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(c.figures.list[0].value[i] == i + 0.5);
        assert_true(isnan(c.figures.list[1].value[i]));
    }
    campaign_close(store);
    comparison_fini(&c);
}

/* ---- printing ---- */

static char *printed(const struct comparison *c, void (*print)(const struct comparison *, FILE *, bool),
                     bool flag)
{
    char *text;
    size_t length;
    FILE *f = open_memstream(&text, &length);

    print(c, f, flag);
    fclose(f);
    return text;
}

static void print_table__states_the_verdict(void **unused)
{
    struct comparison c = judged(BETTER_LOWER, values, SEEDS);
    char *text = printed(&c, comparison_print_table, false),
         *colour = printed(&c, comparison_print_table, true);

    (void)unused;
    /* Draws of 1, 2, 1, 2, 1, 2 have the mean 1 + Binomial(6, 1/2) / 6, whose 2.5 % quantile is 1 + 1/6.
     * Widened by sqrt(6/5) * 2.5706 / 1.96: 1.5 +- 0.4789, which is 2.92 % .. 5.65 % of 35. */
    assert_non_null(
        strstr(text, "\nfigure  35.0   36.5  +4.3 %   [+2.9, +5.7]  worse\n"));
    assert_non_null(strstr(text, "\nfigure  35.0  35.0     0 %         [0, 0]\n"));
    assert_true(strncmp(text, "Keep base: no other variant is clearly better in any of 1 main figures.\n"
                              "same: no clear "
                        "difference in any of 1 figures. other is worse in figure +4.3 %.\n\n", 150) == 0);
    assert_non_null(strstr(text, "Means over 6 seeds; changes to 'base'"));
    assert_null(strstr(text, "\033"));
    assert_non_null(strstr(colour, "  \033[31mworse\033[0m\n"));
    free(text);
    free(colour);
    comparison_fini(&c);
}

static void print_table__warns_of_few_seeds(void **unused)
{
    static const struct { uint32_t seeds; const char *says, *says_not; } row[] = {
        { 1, "One seed cannot tell a difference from chance", "unreliable" },
        { 4, "Fewer than 5 seeds: intervals are unreliable", "One seed" },
        { 5, "Means over 5 seeds", "unreliable" },
    };

    (void)unused;
    for (int i = 0; i < 3; i++) {
        struct comparison c = judged(BETTER_LOWER, values, row[i].seeds);
        char *text = printed(&c, comparison_print_table, false);

        assert_non_null(strstr(text, row[i].says));
        assert_null(strstr(text, row[i].says_not));
        free(text);
        comparison_fini(&c);
    }
}

static void print_csv__loses_no_digit(void **unused)
{
    static const double third[3][SEEDS] = { { 1.0 / 3, 1.0 / 3 }, { 0.1, 0.2 }, { NAN, NAN } };
    struct comparison c = judged(BETTER_NEITHER, third, 2);
    char *text = printed(&c, comparison_print_csv, true), want[64];

    (void)unused;
    snprintf(want, sizeof(want), "\"m\",,neither,\"base\",2,%.17g,", 1.0 / 3);
    assert_non_null(strstr(text, want));
    assert_non_null(strstr(text, "\"m\",,neither,\"other\",0,,,,,,,,,,\n"));
    free(text);
    c.figures.list[0].is_shown = false;
    text = printed(&c, comparison_print_csv, false);
    assert_null(strstr(text, "\"m\""));
    free(text);
    comparison_fini(&c);
}

static void json__is_what_the_page_expects(void **unused)
{
    struct comparison c = judged(BETTER_HIGHER, values, SEEDS);
    json_t *json = comparison_json(&c, true, NULL),
           *metric = json_array_get(json_object_get(json, "metrics"), 0);
    const json_t *other = json_array_get(json_object_get(metric, "variants"), 2);

    (void)unused;
    assert_string_equal("base", json_string_value(json_object_get(json, "baseline")));
    assert_int_equal(SEEDS, json_integer_value(json_object_get(json, "seeds")));
    assert_true(json_real_value(json_object_get(json, "confidence")) == 0.95);
    assert_string_equal("higher", json_string_value(json_object_get(metric, "better")));
    assert_string_equal("other", json_string_value(json_object_get(other, "name")));
    assert_true(json_real_value(json_object_get(other, "mean")) == 36.5);
    assert_true(json_is_true(json_object_get(other, "is_better")));
    json_decref(json);
    comparison_fini(&c);
}

/* The intervals of a share stay within 0 .. 1, and those of a slowdown at or above 1. */
static void judge__keeps_intervals_within_possible_values(void **unused)
{
    static const struct metric metric[] = {
        { .name = "paused_share", .label = "time paused", .unit = UNIT_SHARE },
        { .name = "slowdown_p99", .label = "p99 slowdown", .unit = UNIT_NONE },
        { .name = "queue_bytes_max", .label = "queue", .unit = UNIT_BYTES },
    };
    static const double low[SEEDS] = { 1.01, 1.02, 1.01, 1.03, 1.02, 40 },
                        share[SEEDS] = { 0.99, 0.98, 0.99, 1, 0.99, 0.1 };
    struct comparison c = { .variants = &variants, .seed = seeds, .seeds = SEEDS, .title = "s.yaml" };

    (void)unused;
    comparison_add_metrics(&c, metric, 3);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t v = 0; v < 3; v++)
            for (uint32_t s = 0; s < SEEDS; s++)
                c.figures.list[i].value[v * SEEDS + s] = i == 0 ? (v == 1 ? 0.01 * s : share[s]) :
                                                         low[(s + v) % SEEDS];
    comparison_judge(&c);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t v = 0; v < 3; v++) {
            const struct compared_cell *cell = comparison_cell(&c, i, v), *base = comparison_cell(&c, i, 0);
            double least = i == 1 ? 1 : 0, most = i == 0 ? 1 : INFINITY;

            assert_true(cell->low >= least && cell->low <= cell->mean && cell->high >= cell->mean &&
                        cell->high <= most);
            assert_true(base->mean + cell->difference_low >= least - 1e-9);
            assert_true(base->mean + cell->difference_high <= most + 1e-9);
        }
    comparison_fini(&c);
}

static void verdict__is_one_sentence(void **unused)
{
    static const struct metric metric[] = {
        { .name = "slowdown_p99", .label = "p99 slowdown", .better = BETTER_LOWER },
        { .name = "during.goodput_bps", .label = "goodput, during", .unit = UNIT_BPS,
          .better = BETTER_HIGHER },
        { .name = "queue_bytes_max", .label = "longest queue", .unit = UNIT_BYTES, .better = BETTER_LOWER },
        { .name = "hidden", .label = "hidden", .better = BETTER_LOWER },
    };
    static const double times[] = { 0.5, 0.9, 3, 0.1 };
    struct comparison c = { .variants = &variants, .seed = seeds, .seeds = SEEDS, .title = "s.yaml" };
    char text[500];

    (void)unused;
    comparison_add_metrics(&c, metric, 4);
    for (uint32_t i = 0; i < 4; i++) {
        c.figures.list[i].is_shown = i < 3;
        for (uint32_t v = 0; v < 3; v++)
            for (uint32_t s = 0; s < SEEDS; s++)
                c.figures.list[i].value[v * SEEDS + s] = (100 + s) * (v == 2 ? times[i] : 1);
    }
    comparison_judge(&c);
    assert_string_equal(comparison_verdict(text, sizeof(text), &c, 0), "base is the baseline.");
    assert_string_equal(comparison_verdict(text, sizeof(text), &c, 1),
                        "same: no clear difference in any of 3 figures.");
    assert_string_equal(comparison_verdict(text, sizeof(text), &c, 2),
                        "other is better in p99 slowdown -50 %; worse in goodput (during) -10 % and longest "
                        "queue 3 times "
                        "as much.");
    assert_string_equal(comparison_verdict(text, 20, &c, 2), "other is better in ");
    c.counted = 1;
    assert_string_equal(comparison_verdict(text, sizeof(text), &c, 2),
                        "other: one run that all seeds repeat cannot tell a difference from chance.");
    c.seeds = 1;
    assert_string_equal(comparison_verdict(text, sizeof(text), &c, 2),
                        "other: one seed cannot tell a difference from chance.");
    c.seeds = SEEDS;
    comparison_fini(&c);
}

/* Of 400 figures that do not differ, 5 % have an interval that excludes 0. Hardly any of these is called
 * clear. */
static void judge__keeps_the_false_discovery_rate(void **unused)
{
    struct comparison c = { .variants = &variants, .seed = seeds, .seeds = SEEDS, .title = "s.yaml" };
    uint32_t alone = 0, clear = 0;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 3, 0);
    for (uint32_t i = 0; i < 400; i++) {
        struct metric m = { .better = BETTER_LOWER };

        snprintf(m.name, sizeof(m.name), "figure_%u", i);
        comparison_add_metrics(&c, &m, 1);
        for (uint32_t run = 0; run < 3 * SEEDS; run++)
            c.figures.list[i].value[run] = 100 + rng_real(&rng);
    }
    comparison_judge(&c);
    for (uint32_t i = 0; i < 400; i++)
        for (uint32_t v = 1; v < 3; v++) {
            const struct compared_cell *cell = comparison_cell(&c, i, v);

            alone += cell->difference_low > 0 || cell->difference_high < 0;
            clear += cell->is_significant;
        }
    assert_int_equal(c.tested, 800);
    assert_true(alone > 20);
    assert_true(clear <= 1);
    comparison_fini(&c);
}

/* The variants send different messages, so nothing can be said about the setting. */
static void judge__gives_no_verdict_on_different_traffic(void **unused)
{
    static const struct metric metric = { .name = "slowdown_mean", .label = "mean slowdown",
                                          .better = BETTER_LOWER };
    struct comparison c = { .variants = &variants, .seed = seeds, .seeds = SEEDS, .title = "a.yaml, b.yaml" };
    struct card card;
    char *text, verdict[300];
    size_t length;
    FILE *out;

    (void)unused;
    comparison_add_metrics(&c, &metric, 1);
    c.figures.list[0].is_shown = true;
    for (uint32_t run = 0; run < 3 * SEEDS; run++)
        c.figures.list[0].value[run] = run < SEEDS ? 10 + run : 2 + 0.1 * run;
    variants.list[1].flows.state = variants.list[2].flows.state = 1;
    comparison_judge(&c);
    assert_true(isnan(comparison_cell(&c, 0, 1)->difference) && !comparison_cell(&c, 0, 1)->is_significant);
    comparison_answer(&c, &card);
    assert_string_equal(card_text(&card, CARD_FINDING),
                        "The variants send different traffic: they are shown side by side, without a "
                        "verdict.");
    assert_string_equal(card_text(&card, CARD_COST), "");
    assert_non_null(strstr(comparison_verdict(verdict, sizeof(verdict), &c, 1),
                           "has other traffic than base: no verdict"));
    out = open_memstream(&text, &length);
    comparison_print_table(&c, out, false);
    fclose(out);
    assert_null(strstr(text, "same flows"));
    assert_null(strstr(text, "better"));
    assert_null(strstr(text, "change"));
    variants.list[1].flows.state = variants.list[2].flows.state = 0;
    card_fini(&card);
    free(text);
    comparison_fini(&c);
}

/* A gain with a cost is a choice, and a gain alone is advice. Without a gain the baseline stays. */
static void answer__weighs_gain_and_cost(void **unused)
{
    static const struct metric metric[] = {
        { .name = "slowdown_mean", .label = "mean slowdown", .better = BETTER_LOWER },
        { .name = "elephants.slowdown_mean", .label = "mean slowdown, flows >=1MB", .better = BETTER_LOWER },
        { .name = "goodput_bps", .label = "goodput", .unit = UNIT_BPS, .better = BETTER_HIGHER },
    };
    static const struct { double times[3]; const char *says; } row[] = {
        { { 0.5, 1, 1 },
          "Use other: it is better than base in mean slowdown, and no main figure is clearly worse." },
        { { 0.5, 1.7, 1 }, "Use other if the average message matters most. Keep base if large messages do." },
        { { 1, 1, 0.9 }, "Keep base: no other variant is clearly better in any of 3 main figures." },
        { { 1, 1.7, 1.1 }, "Use other if throughput matters most. Keep base if large messages do." },
    };

    (void)unused;
    for (unsigned k = 0; k < sizeof(row) / sizeof(*row); k++) {
        struct comparison c = { .variants = &variants, .seed = seeds, .seeds = SEEDS, .title = "s.yaml" };
        struct card card;

        comparison_add_metrics(&c, metric, 3);
        for (uint32_t i = 0; i < 3; i++) {
            c.figures.list[i].is_shown = true;
            for (uint32_t run = 0; run < 3 * SEEDS; run++)
                c.figures.list[i].value[run] = (4 + run % SEEDS) * (run / SEEDS == 2 ? row[k].times[i] : 1);
        }
        comparison_judge(&c);
        comparison_answer(&c, &card);
        assert_string_equal(card_text(&card, CARD_FINDING), row[k].says);
        card_fini(&card);
        comparison_fini(&c);
    }
}

/* With many comparisons a loss may not be clear. If its interval excludes 0, the card names it
 * nevertheless. */
static void answer__names_a_loss_that_is_not_clear(void **unused)
{
    static const struct metric metric[] = {
        { .name = "slowdown_mean", .label = "mean slowdown", .better = BETTER_LOWER },
        { .name = "fct_us_p99", .label = "p99 FCT", .unit = UNIT_US, .better = BETTER_LOWER },
    };
    static const double base[3] = { 200, 230, 260 }, loss[3] = { 330, 420, 440 };
    struct comparison   c = { .variants = &variants, .seed = seeds, .seeds = 3, .title = "s.yaml" };
    struct card         card;
    struct rng          rng;

    (void)unused;
    rng_init(&rng, 3, 0);
    comparison_add_metrics(&c, metric, 2);
    for (uint32_t v = 0; v < 3; v++)
        for (uint32_t s = 0; s < 3; s++) {
            c.figures.list[0].value[v * 3 + s] = (4 + s) * (v == 2 ? 0.5 : 1);
            c.figures.list[1].value[v * 3 + s] = v == 2 ? loss[s] : base[s];
        }
    c.figures.list[0].is_shown = c.figures.list[1].is_shown = true;
    for (uint32_t i = 2; i < 100; i++) {
        struct metric m = { .better = BETTER_LOWER };

        snprintf(m.name, sizeof(m.name), "figure_%u", i);
        comparison_add_metrics(&c, &m, 1);
        for (uint32_t run = 0; run < 9; run++)
            c.figures.list[i].value[run] = 100 + rng_real(&rng);
    }
    comparison_judge(&c);
    assert_true(comparison_cell(&c, 0, 2)->is_better);
    assert_true(!comparison_cell(&c, 1, 2)->is_significant && comparison_cell(&c, 1, 2)->change_low > 0.01);
    assert_int_equal(comparison_harm(&c, 2), 1);
    assert_int_equal(comparison_harm(&c, 1), UINT32_MAX);
    comparison_answer(&c, &card);
    assert_non_null(strstr(card_text(&card, CARD_COST), "P99 FCT +72 %"));
    assert_non_null(strstr(card_text(&card, CARD_COST),
                           "which chance alone may explain: 198 comparisons were made."));
    card_fini(&card);
    comparison_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judge__finds_no_difference_between_equals),
        cmocka_unit_test(judge__sees_a_small_difference_in_a_wide_spread),
        cmocka_unit_test(judge__slowdowns_by_their_ratios),
        cmocka_unit_test(judge__knows_which_direction_is_better),
        cmocka_unit_test(judge__of_one_seed_has_no_interval),
        cmocka_unit_test(judge__counts_runs_that_all_seeds_repeat_as_one),
        cmocka_unit_test(judge__uses_only_complete_pairs),
        cmocka_unit_test(judge__bounds_relative_changes),
        cmocka_unit_test(judge__keeps_intervals_within_possible_values),
        cmocka_unit_test(judge__keeps_the_false_discovery_rate),
        cmocka_unit_test(judge__gives_no_verdict_on_different_traffic),
        cmocka_unit_test(answer__weighs_gain_and_cost),
        cmocka_unit_test(answer__names_a_loss_that_is_not_clear),
        cmocka_unit_test(verdict__is_one_sentence),
        cmocka_unit_test(add_metrics__makes_one_row_per_name),
        cmocka_unit_test(load__reads_stored_runs),
        cmocka_unit_test(print_table__states_the_verdict),
        cmocka_unit_test(print_table__warns_of_few_seeds),
        cmocka_unit_test(print_csv__loses_no_digit),
        cmocka_unit_test(json__is_what_the_page_expects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
