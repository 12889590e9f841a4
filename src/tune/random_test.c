#include "tune/search/test_search.h"

#include <string.h>

#define DIMS 4
#define ASKS 4000

extern const struct search_algo random_search;
extern const struct tuner_algo  tuner_random;

static void ask__same_seed_same_points(void **state)
{
    double one[50 * DIMS] = { 0 }, two[50 * DIMS] = { 0 }, other[50 * DIMS] = { 0 };

    (void)state;
    test_climb(&random_search, NULL, DIMS, 50, 7, one);
    test_climb(&random_search, NULL, DIMS, 50, 7, two);
    test_climb(&random_search, NULL, DIMS, 50, 8, other);
    assert_memory_equal(one, two, sizeof(one));
    assert_memory_not_equal(one, other, sizeof(one));
}

/* Each tenth of the range holds 400 of 4000 numbers, with a standard deviation of 19: five of those are
 * 95. */
static void ask__is_uniform_in_every_dimension(void **state)
{
    static double trace[ASKS * DIMS];

    (void)state;
    test_climb(&random_search, NULL, DIMS, ASKS, 1, trace);
    for (uint32_t i = 0; i < DIMS; i++) {
        int tenth[10] = { 0 };

        for (uint32_t k = 0; k < ASKS; k++) {
            assert_true(trace[k * DIMS + i] >= -5 && trace[k * DIMS + i] < 5);
            tenth[(int)(trace[k * DIMS + i] + 5)]++;
        }
        for (int j = 0; j < 10; j++)
            assert_in_range(tenth[j], 305, 495);
    }
}

/* The mean product of two dimensions, each of variance 100/12, is 0 with a standard error of 0.13. */
static void ask__dimensions_are_independent(void **state)
{
    static double trace[ASKS * DIMS];

    (void)state;
    test_climb(&random_search, NULL, DIMS, ASKS, 2, trace);
    for (uint32_t i = 0; i < DIMS; i++)
        for (uint32_t j = 0; j < i; j++) {
            double sum = 0;

            for (uint32_t k = 0; k < ASKS; k++)
                sum += trace[k * DIMS + i] * trace[k * DIMS + j];
            assert_true(fabs(sum / ASKS) < 0.66);
        }
}

static void ask__gets_nearer_to_the_top(void **state)
{
    double origin[DIMS] = { 0 };

    (void)state;
    assert_true(test_climb(&random_search, NULL, DIMS, 280, 1, NULL) > test_hill(origin, DIMS));
}

static void tell__says_which_is_the_best(void **state)
{
    static const struct { double utility; enum tuner_verdict verdict; const char *why; } rows[] = {
        { 0.4, TUNER_REJECTED, "setting 1, drawn at random: not the best so far" },
        { 0.6, TUNER_BEST,     "setting 2, drawn at random: the best so far" },
        { 0.6, TUNER_REJECTED, "setting 3, drawn at random: not the best so far" },
        { 0.7, TUNER_BEST,     "setting 4, drawn at random: the best so far" },
    };
    struct space space = test_space(DIMS);
    double point[DIMS] = { 0 };
    struct search_now now = test_now(0.5);
    void *r = random_search.create(&space, NULL, 1);

    (void)state;
    random_search.begin(r, point, &now);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct tuner_note note = { 0 };

        assert_true(random_search.ask(r, &now, point));
        now = test_now(rows[i].utility);
        random_search.tell(r, &now, &note);
        assert_int_equal(rows[i].verdict, note.verdict);
        assert_string_equal(rows[i].why, note.why);
    }
    random_search.destroy(r);
}

/* If other flows dominate, weights change. The old best is judged under the new weights. */
static void tell__compares_under_current_weights(void **state)
{
    struct space space = test_space(DIMS);
    double point[DIMS] = { 0 };
    struct search_now fast = { .terms = { 0.9, 0.1, 0 }, .weights = { 1, 0, 0 } };
    struct search_now prompt = { .terms = { 0.2, 0.3, 0 }, .weights = { 0, 1, 0 } };
    struct tuner_note note = { 0 };
    void *r = random_search.create(&space, NULL, 1);

    (void)state;
    random_search.begin(r, point, &fast);
    assert_true(random_search.ask(r, &fast, point));
    random_search.tell(r, &prompt, &note);
    assert_int_equal(TUNER_BEST, note.verdict);
    random_search.destroy(r);
}

static void options__are_its_own_and_those_of_all_searches(void **state)
{
    (void)state;
    test_options(&tuner_random, &random_search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ask__same_seed_same_points),
        cmocka_unit_test(ask__is_uniform_in_every_dimension),
        cmocka_unit_test(ask__dimensions_are_independent),
        cmocka_unit_test(ask__gets_nearer_to_the_top),
        cmocka_unit_test(tell__says_which_is_the_best),
        cmocka_unit_test(tell__compares_under_current_weights),
        cmocka_unit_test(options__are_its_own_and_those_of_all_searches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
