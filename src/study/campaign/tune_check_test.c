/* src/study/campaign/tune_check_test.c - when a setting is better, when it is worse, and when neither is
 * clear. */
#include "study/campaign/tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define SEEDS 5

struct row { const char *name; enum metric_better better; double before, after, noise; };

/* Values of seeds differ by 'noise', in the same way before and after except for a tenth of it. */
static void judge(struct tune_check *c, const struct row *row, uint32_t rows)
{
    static const double shift[SEEDS] = { -1, -0.5, 0, 0.5, 1 }, apart[SEEDS] = { 0.6, -1, 0.9, 0.2, -0.7 };

    *c = (struct tune_check){ .seeds = SEEDS, .variants = { .count = 2 } };
    c->comparison = (struct comparison){ .variants = &c->variants, .seeds = SEEDS };
    for (uint32_t i = 0; i < rows; i++) {
        struct metric m = { .better = row[i].better };

        snprintf(m.name, sizeof(m.name), "%s", row[i].name);
        snprintf(m.label, sizeof(m.label), "%s", row[i].name);
        comparison_add_metrics(&c->comparison, &m, 1);
        for (uint32_t s = 0; s < SEEDS; s++) {
            c->comparison.figures.list[i].value[s] = row[i].before + row[i].noise * shift[s];
            c->comparison.figures.list[i].value[SEEDS + s] = row[i].after + row[i].noise *
                                                             (shift[s] + 0.1 * apart[s]);
        }
    }
    tune_check_judge(c);
}

static void judge__by_figures(void **state)
{
    static const struct { struct row row[3]; enum tune_verdict verdict; const char *text; } cases[] = {
        /* A clear gain; the rest is unchanged. */
        { { { "slowdown_mean", BETTER_LOWER, 3, 2.5, 0.1 }, { "slowdown_p99", BETTER_LOWER, 9, 9, 0.1 },
            { "goodput_bps", BETTER_HIGHER, 1e9, 1e9, 1e6 } }, TUNE_BETTER, "better: slowdown_mean" },
        /* A clear loss: a higher slowdown and a lower goodput. */
        { { { "slowdown_mean", BETTER_LOWER, 3, 3.5, 0.1 }, { "slowdown_p99", BETTER_LOWER, 9, 9, 0.1 },
            { "goodput_bps", BETTER_HIGHER, 1e9, 0.9e9, 1e6 } }, TUNE_WORSE,
          "worse: slowdown_mean, goodput_bps; the starting setting is kept" },
        /* Certain, but too small to matter. */
        { { { "slowdown_mean", BETTER_LOWER, 3, 2.99, 0.001 }, { "slowdown_p99", BETTER_LOWER, 9, 9, 0.1 },
            { "goodput_bps", BETTER_HIGHER, 1e9, 1e9, 1e6 } }, TUNE_UNCLEAR,
          "no clear difference: neither slowdown nor goodput changes by 1 % or more" },
        /* A large change on average that the seeds do not prove: it must not be called small. */
        { { { "slowdown_mean", BETTER_LOWER, 3, 2.7, 30 }, { "slowdown_p99", BETTER_LOWER, 9, 9, 0.1 },
            { "goodput_bps", BETTER_HIGHER, 1e9, 1e9, 1e6 } }, TUNE_UNCLEAR,
          "no clear difference: slowdown_mean changes by -10.0 % on average, but 5 seeds do not show it for "
          "certain; check more" },
        /* A gain and a loss. */
        { { { "slowdown_mean", BETTER_LOWER, 3, 2.5, 0.1 }, { "slowdown_p99", BETTER_LOWER, 9, 10, 0.1 },
            { "goodput_bps", BETTER_HIGHER, 1e9, 1e9, 1e6 } }, TUNE_UNCLEAR,
          "no clear difference: better in slowdown_mean, worse in slowdown_p99" },
        /* On average a tenth worse, but the seeds differ by much more: the loss is not proven, and the
         * setting is not kept. */
        { { { "slowdown_mean", BETTER_LOWER, 3, 3.3, 30 }, { "slowdown_p99", BETTER_LOWER, 9, 9, 0.1 },
            { "goodput_bps", BETTER_HIGHER, 1e9, 1e9, 1e6 } }, TUNE_WORSE,
          "worse on average: slowdown_mean; the starting setting is kept" },
        /* Round trips and pauses do not decide. */
        { { { "slowdown_mean", BETTER_LOWER, 3, 3, 0.1 }, { "rtt_us_mean", BETTER_LOWER, 20, 10, 0.1 },
            { "paused_share", BETTER_LOWER, 0.1, 0.5, 0.01 } }, TUNE_UNCLEAR,
          "no clear difference: neither slowdown nor goodput changes by 1 % or more" },
        /* Runs that all seeds repeat are one run, however large the difference. */
        { { { "slowdown_mean", BETTER_LOWER, 3, 2.5, 0 }, { "slowdown_p99", BETTER_LOWER, 9, 5, 0 },
            { "goodput_bps", BETTER_HIGHER, 1e9, 2e9, 0 } }, TUNE_UNCLEAR,
          "no clear difference: all 5 seeds gave the same runs, which count as one" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct tune_check c;
        char              text[700];

        judge(&c, cases[i].row, 3);
        assert_string_equal(tune_verdict_text(text, sizeof(text), &c, false), cases[i].text);
        assert_int_equal(c.verdict, cases[i].verdict);
        tune_check_fini(&c);
    }
}

static void verdict_text__a_worse_setting_may_be_kept(void **state)
{
    static const struct row row = { "slowdown_mean", BETTER_LOWER, 3, 3.5, 0.1 };
    struct tune_check       c;
    char                    text[700];

    (void)state;
    judge(&c, &row, 1);
    assert_string_equal(tune_verdict_text(text, sizeof(text), &c, true),
                        "worse: slowdown_mean; the new setting is kept all the same");
    tune_check_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judge__by_figures),
        cmocka_unit_test(verdict_text__a_worse_setting_may_be_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
