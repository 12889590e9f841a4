#include "study/campaign/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VARIANTS 5
#define SEEDS    2

static const uint64_t seeds[SEEDS] = { 1, 2 };
static const char *sets[VARIANTS][2] = { { "pmax=1", "k=a" }, { "pmax=1", "k=b" }, { "pmax=1", "k=c,\"d\"" },
                                         { "pmax=1", "k=e" }, { "pmax=1", "k=f" } };
static struct variant list[VARIANTS];
static const struct variants variants = { list, VARIANTS };

/* Variant 3 is left out, like one with conflicting knobs. */
static struct sweep_results start(void)
{
    static const struct metric metrics[] = {
        { "low", "what is low", UNIT_NONE, BETTER_LOWER, 0 },
        { "high", "what is high", UNIT_NONE, BETTER_HIGHER, 0 },
    };
    struct sweep_results r = { .variants = &variants, .seed = seeds, .seeds = SEEDS };

    for (uint32_t i = 0; i < VARIANTS; i++) {
        list[i] = (struct variant){ .name = "v", .set = sets[i], .sets = 2, .own = 1 };
        digest_init(&list[i].digest);
        digest_add(&list[i].digest, &i, sizeof(i));
    }
    figures_add(&r.figures, VARIANTS * SEEDS, metrics, 2);
    figures_add(&r.figures, VARIANTS * SEEDS, metrics, 1);               /* exists already */
    r.order = xcalloc(VARIANTS, sizeof(*r.order));
    for (uint32_t i = 0; i < VARIANTS; i++)
        if (i != 3)
            r.order[r.count++] = i;
    return r;
}

static void add(struct campaign *c, uint32_t variant, uint32_t seed, const char *metrics)
{
    char key[DIGEST_TEXT_SIZE];
    const struct campaign_run run = { variant_key(key, &list[variant], seeds[seed]), "v", seeds[seed],
                                      metrics, NULL };

    assert_int_equal(0, campaign_add(c, &run, NULL));
}

/* Means of "low": 3, 1, 3, left out, none. Of "high": 5, 7, none, left out, 9. */
static struct sweep_results load(void)
{
    static const struct campaign_run foreign = { "00ff", "v", 1, "{\"low\": -100, \"high\": 100}", NULL };
    struct sweep_results r = start();
    struct campaign *c;

    assert_int_equal(0, campaign_open(&c, NULL, NULL));
    add(c, 4, 1, "{\"low\": null, \"high\": 9}");
    add(c, 4, 0, "{}");
    add(c, 0, 0, "{\"low\": 2, \"high\": 5}");
    add(c, 0, 1, "{\"low\": 4, \"high\": 5}");
    add(c, 1, 0, "{\"low\": 1, \"high\": 6}");
    add(c, 1, 1, "{\"low\": 1, \"high\": 8}");
    add(c, 2, 0, "{\"low\": 3}");
    add(c, 2, 1, "{\"low\": null}");
    add(c, 3, 0, "{\"low\": -7, \"high\": 70}");     /* of another campaign, like the next one */
    assert_int_equal(0, campaign_add(c, &foreign, NULL));
    assert_int_equal(0, figures_load(&r.figures,
                                     &(struct figures_runs){ &variants, r.order, r.count, seeds, SEEDS }, c,
                                     NULL));
    campaign_close(c);
    return r;
}

static void load__takes_only_runs_of_the_sweep(void **state)
{
    struct sweep_results r = load();

    (void)state;
    assert_int_equal(2, r.figures.count);
    assert_true(figures_mean(&r.figures.list[0], 0, SEEDS) == 3);
    assert_true(figures_mean(&r.figures.list[0], 1, SEEDS) == 1);
    assert_true(figures_mean(&r.figures.list[0], 2, SEEDS) == 3);       /* of the only seed with a value */
    assert_true(isnan(figures_mean(&r.figures.list[0], 3, SEEDS)));
    assert_true(isnan(figures_mean(&r.figures.list[0], 4, SEEDS)));
    assert_true(figures_mean(&r.figures.list[1], 1, SEEDS) == 7);
    assert_true(r.figures.list[1].value[1 * SEEDS + 1] == 8);
    sweep_fini(&r);
}

static void rank__puts_the_best_first_and_missing_values_last(void **state)
{
    static const uint32_t low[] = { 1, 0, 2, 4 }, high[] = { 4, 1, 0, 2 };
    struct sweep_results r = load();

    (void)state;
    sweep_rank(&r);
    assert_memory_equal(low, r.order, sizeof(low));
    r.best = 1;
    sweep_rank(&r);
    assert_memory_equal(high, r.order, sizeof(high));
    sweep_fini(&r);
}

static void is_same__compares_every_figure_of_every_seed(void **state)
{
    struct sweep_results r = load();
    double *low = r.figures.list[0].value, *high = r.figures.list[1].value;

    (void)state;
    assert_true(sweep_is_same(&r, 2, 2));                /* missing values are equal */
    assert_false(sweep_is_same(&r, 0, 1));
    memcpy(&low[1 * SEEDS], &low[0 * SEEDS], SEEDS * sizeof(*low));
    assert_false(sweep_is_same(&r, 0, 1));               /* the other figure differs */
    memcpy(&high[1 * SEEDS], &high[0 * SEEDS], SEEDS * sizeof(*high));
    assert_true(sweep_is_same(&r, 0, 1));
    low[1 * SEEDS + 1] += 1;
    assert_false(sweep_is_same(&r, 0, 1));               /* only the second seed differs */
    low[1 * SEEDS + 1] = NAN;
    assert_false(sweep_is_same(&r, 0, 1));
    sweep_fini(&r);
}

static void print__csv_has_a_line_per_setting_and_per_run(void **state)
{
    struct sweep_results r = load();
    size_t length;
    char *text;
    FILE *f = open_memstream(&text, &length);

    (void)state;
    sweep_rank(&r);
    sweep_print_csv(&r, f);
    fputs("-\n", f);
    sweep_print_runs(&r, f);
    fclose(f);
    assert_string_equal("rank,\"k\",\"low\",\"high\"\n"
                        "1,\"b\",1,7\n"
                        "2,\"a\",3,5\n"
                        "3,\"c,\"\"d\"\"\",3,\n"
                        "4,\"f\",,9\n"
                        "-\n"
                        "\"k\",seed,\"low\",\"high\"\n"
                        "\"a\",1,2,5\n"
                        "\"a\",2,4,5\n"
                        "\"b\",1,1,6\n"
                        "\"b\",2,1,8\n"
                        "\"c,\"\"d\"\"\",1,3,\n"
                        "\"c,\"\"d\"\"\",2,,\n"
                        "\"f\",1,,\n"
                        "\"f\",2,,9\n",
                        text);
    free(text);
    sweep_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load__takes_only_runs_of_the_sweep),
        cmocka_unit_test(rank__puts_the_best_first_and_missing_values_last),
        cmocka_unit_test(is_same__compares_every_figure_of_every_seed),
        cmocka_unit_test(print__csv_has_a_line_per_setting_and_per_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
