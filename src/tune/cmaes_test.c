#include "tune/search/test_search.h"

#include <string.h>

#define DIMS  10
#define SEEDS 10

extern const struct search_algo cmaes_search;
extern const struct tuner_algo  tuner_cmaes;

static const double initial[] = { 0, 0.2, 0.001 };   /* population, sigma, tolerance */

/* ---- functions to be minimised ---- */

typedef double function(const double *x);

static double sphere(const double *x)
{
    double sum = 0;

    for (int i = 0; i < DIMS; i++)
        sum += x[i] * x[i];
    return sum;
}

/* Axes of lengths 1 to 1000: condition number 1e6. */
static double ellipsoid(const double *x)
{
    double sum = 0;

    for (int i = 0; i < DIMS; i++)
        sum += pow(1e6, i / (DIMS - 1.0)) * x[i] * x[i];
    return sum;
}

/* The same, mirrored at a plane at an angle to all axes. */
static double ellipsoid_askew(const double *x)
{
    double sum = 0, y[DIMS];

    for (int i = 0; i < DIMS; i++)
        sum += x[i];
    for (int i = 0; i < DIMS; i++)
        y[i] = x[i] - 2 * sum / DIMS;
    return ellipsoid(y);
}

static double rosenbrock(const double *x)
{
    double sum = 0;

    for (int i = 0; i + 1 < DIMS; i++) {
        double bend = x[i + 1] - x[i] * x[i];

        sum += 100 * bend * bend + (1 - x[i]) * (1 - x[i]);
    }
    return sum;
}

static double left_of_corner(const double *x)
{
    double sum = 0;

    for (int i = 0; i < DIMS; i++)
        sum += 5 - x[i];
    return sum;
}

struct climbed { uint32_t asks; double least; };

/* Minimises from (start, start, ...) within -wall .. wall, with an initial width of 2. Stops below 1e-9 or
 * after asks_max. */
static struct climbed minimise(function *f, double wall, double start, uint32_t asks_max, uint64_t seed)
{
    const double endless[] = { 0, 1 / wall, 0 };
    struct space space = test_space(DIMS);
    double from[SPACE_DIMS_MAX], point[SPACE_DIMS_MAX] = { 0 };
    struct climbed out = { 0, HUGE_VAL };
    void *state;

    for (int i = 0; i < DIMS; i++) {
        space.dim[i].min = -wall;
        space.dim[i].max = wall;
        from[i] = start;
    }
    state = cmaes_search.create(&space, endless, seed);
    cmaes_search.begin(state, from, NULL);
    while (out.asks < asks_max && out.least >= 1e-9 && cmaes_search.ask(state, NULL, point)) {
        double y = f(point);
        struct search_now now = test_now(-y);
        struct tuner_note note = { 0 };

        for (int i = 0; i < DIMS; i++)
            assert_true(point[i] >= -wall && point[i] <= wall);
        cmaes_search.tell(state, &now, &note);
        out.least = fmin(out.least, y);
        out.asks++;
    }
    cmaes_search.destroy(state);
    return out;
}

/* Mean number of asks to 1e-9, over seeds. */
static double asks_of(function *f, double wall)
{
    double sum = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct climbed out = minimise(f, wall, 3, 20000, seed);

        assert_true(out.least < 1e-9);
        sum += out.asks;
    }
    return sum / SEEDS;
}

/* Reference: python3-cmaes 0.9.1 of Debian (CyberAgent), its negative weights set to 0, without bounds,
 * with the same functions, start and initial width. It takes 1631 asks in the mean of 10 seeds, with a
 * standard deviation of 73, and 6046 and 139 for the ellipsoid. The ranges are 4 standard errors of the
 * mean around that. */
static void ask__takes_as_long_as_another_program(void **state)
{
    (void)state;
    assert_in_range((int)asks_of(sphere, 5), 1539, 1723);
    assert_in_range((int)asks_of(ellipsoid, 5), 5870, 6222);
}

/* The bounds are far away: they lie along the axes, unlike the function. */
static void ask__is_invariant_to_rotation(void **state)
{
    (void)state;
    assert_in_range((int)asks_of(ellipsoid_askew, 5000), 5870, 6222);
}

/* python3-cmaes took 5407 to 7445 asks. In 2 of 40 runs it ended in the minimum near (-1, 1, 1, ...). */
static void ask__finds_a_minimum_of_rosenbrock(void **state)
{
    int found = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct climbed out = minimise(rosenbrock, 5, -1, 12000, seed);

        if (out.least < 1e-9) {
            assert_in_range(out.asks, 4500, 10000);
            found++;
        } else {
            assert_true(fabs(out.least - 3.98662) < 1e-4);
        }
    }
    assert_in_range(found, 7, SEEDS);
}

static void ask__finds_a_corner(void **state)
{
    (void)state;
    assert_true(minimise(left_of_corner, 5, -3, 2000, 1).least < 0.01);
}

static void record(double (*bend)(double), double *trace, uint32_t asks)
{
    struct space space = test_space(DIMS);
    double from[SPACE_DIMS_MAX] = { 0 };
    void *state = cmaes_search.create(&space, (const double[]){ 0, 0.2, 0 }, 3);

    cmaes_search.begin(state, from, NULL);
    for (uint32_t k = 0; k < asks; k++) {
        struct tuner_note note = { 0 };
        double point[SPACE_DIMS_MAX] = { 0 };
        struct search_now now;

        assert_true(cmaes_search.ask(state, NULL, point));
        now = test_now(bend(-rosenbrock(point)));
        cmaes_search.tell(state, &now, &note);
        memcpy(trace + k * DIMS, point, DIMS * sizeof(double));
    }
    cmaes_search.destroy(state);
}

static double straight(double u) { return u; }
static double cubed(double u)    { return u * u * u - 7; }
static double flat(double u)     { return u / (1 - u); }

/* Only the order of utilities counts: on another scale, the same order gives exactly the same points. */
static void tell__uses_ranks_alone(void **state)
{
    enum { ASKS = 500 };
    static double one[ASKS * DIMS], two[ASKS * DIMS], three[ASKS * DIMS];

    (void)state;
    record(straight, one, ASKS);
    record(cubed, two, ASKS);
    record(flat, three, ASKS);
    assert_memory_equal(one, two, sizeof(one));
    assert_memory_equal(one, three, sizeof(one));
}

/* 16 x 128 numbers of the first generation have the moments of the normal distribution, within 4 standard
 * errors. */
static void ask__draws_normal_numbers(void **state)
{
    enum { COUNT = SPACE_DIMS_MAX * 128 };
    static const double large[] = { 128, 0.05, 0 };
    struct space space = test_space(SPACE_DIMS_MAX);
    double from[SPACE_DIMS_MAX] = { 0 }, point[SPACE_DIMS_MAX], sum = 0, square = 0, fourth = 0;
    void *c = cmaes_search.create(&space, large, 1);

    (void)state;
    cmaes_search.begin(c, from, NULL);
    for (int k = 0; k < 128; k++) {
        struct search_now now = test_now(0);
        struct tuner_note note = { 0 };

        assert_true(cmaes_search.ask(c, NULL, point));
        cmaes_search.tell(c, &now, &note);
        for (int i = 0; i < SPACE_DIMS_MAX; i++) {
            double z = point[i] / 0.5;       /* 0.05 of a range of 10 */

            sum += z, square += z * z, fourth += z * z * z * z;
        }
    }
    cmaes_search.destroy(c);
    assert_true(fabs(sum / COUNT) < 4 * sqrt(1.0 / COUNT));
    assert_true(fabs(square / COUNT - 1) < 4 * sqrt(2.0 / COUNT));
    assert_true(fabs(fourth / COUNT - 3) < 4 * sqrt(96.0 / COUNT));
}

static void ask__same_seed_same_points(void **state)
{
    double one[100 * 4] = { 0 }, two[100 * 4] = { 0 }, other[100 * 4] = { 0 };

    (void)state;
    test_climb(&cmaes_search, initial, 4, 100, 7, one);
    test_climb(&cmaes_search, initial, 4, 100, 7, two);
    test_climb(&cmaes_search, initial, 4, 100, 8, other);
    assert_memory_equal(one, two, sizeof(one));
    assert_memory_not_equal(one, other, sizeof(one));
}

static void ask__climbs_a_hill_and_ends(void **state)
{
    enum { ASKS = 2000 };
    static double trace[ASKS * 4];

    (void)state;
    assert_true(test_climb(&cmaes_search, initial, 4, ASKS, 1, trace) > 1 - 1e-6);
    assert_true(trace[ASKS * 4 - 1] == 0);   /* the search has ended before */
}

static void ask__works_in_one_dimension(void **state)
{
    (void)state;
    assert_true(test_climb(&cmaes_search, initial, 1, 200, 1, NULL) > 1 - 1e-6);
}

/* A second search starts around its own start, not where the first ended. */
static void begin__again_starts_afresh(void **state)
{
    struct space space = test_space(4);
    double low[4] = { -4, -4, -4, -4 }, high[4] = { 4, 4, 4, 4 }, point[4];
    struct search_now now = test_now(0);
    double sum = 0, squares = 0;
    void *c = cmaes_search.create(&space, (const double[]){ 0, 0.01, 0.001 }, 1);

    (void)state;
    cmaes_search.begin(c, low, &now);
    for (int k = 0; k < 1500; k++) {
        struct tuner_note note = { 0 };

        if (!cmaes_search.ask(c, &now, point))
            break;
        now = test_now(test_hill(point, 4));
        cmaes_search.tell(c, &now, &note);
    }
    assert_false(cmaes_search.ask(c, &now, point));
    cmaes_search.begin(c, high, NULL);
    for (int k = 0; k < 8; k++) {
        struct tuner_note note = { 0 };

        assert_true(cmaes_search.ask(c, &now, point));
        cmaes_search.tell(c, &now, &note);
        for (int i = 0; i < 4; i++) {
            sum += point[i] - 4;
            squares += (point[i] - 4) * (point[i] - 4);
        }
    }
    assert_true(fabs(sum / 32) < 4 * 0.1 / sqrt(32));
    assert_in_range((int)(squares / (0.1 * 0.1)), 15, 56);   /* chi-square of 32 draws, 99 % */
    cmaes_search.destroy(c);
}

static void create__refuses_a_population_of_two(void **state)
{
    struct world world = { .seed = 1 };
    struct option_values values = { .value = { 2, 0.2, 0.001 } };
    struct err err = { "" };
    void *tuner = NULL;

    (void)state;
    assert_int_equal(-EINVAL, tuner_cmaes.create(&tuner, &world, &values, &err));
    assert_string_equal("population: 2 is too few; it is 0 or at least 4", err.text);
    assert_null(tuner);
}

static void options__are_its_own_and_those_of_all_searches(void **state)
{
    (void)state;
    test_options(&tuner_cmaes, &cmaes_search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ask__takes_as_long_as_another_program),
        cmocka_unit_test(ask__is_invariant_to_rotation),
        cmocka_unit_test(ask__finds_a_minimum_of_rosenbrock),
        cmocka_unit_test(ask__finds_a_corner),
        cmocka_unit_test(tell__uses_ranks_alone),
        cmocka_unit_test(ask__draws_normal_numbers),
        cmocka_unit_test(ask__same_seed_same_points),
        cmocka_unit_test(ask__climbs_a_hill_and_ends),
        cmocka_unit_test(ask__works_in_one_dimension),
        cmocka_unit_test(begin__again_starts_afresh),
        cmocka_unit_test(create__refuses_a_population_of_two),
        cmocka_unit_test(options__are_its_own_and_those_of_all_searches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
