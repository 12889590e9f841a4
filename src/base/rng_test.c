#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reference implementation, written from the definition: x_{n+1} is a linear map of four words. It shares no
 * code with ours, only the paper (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators"). */
static uint64_t rotate(uint64_t x, unsigned by)
{
    return (x << by) | (x >> (64 - by));
}

static uint64_t reference_next(uint64_t s[4])
{
    uint64_t a = s[0], b = s[1], c = s[2], d = s[3];

    s[0] = a ^ b ^ d;
    s[1] = a ^ b ^ c;
    s[2] = a ^ c ^ (b << 17);
    s[3] = rotate(b ^ d, 45);
    return rotate(b * 5, 7) * 9;
}

static void next__matches_the_published_numbers(void **unused)
{
    /* The first ten numbers of the reference implementation from state 1, 2, 3, 4. Other libraries test
     * against them, too. */
    static const uint64_t want[] = {
        11520u, 0u, 1509978240u, 1215971899390074240u, 1216172134540287360u, 607988272756665600u,
        16172922978634559625u, 8476171486693032832u, 10595114339597558777u, 2904607092377533576u,
    };
    struct rng r = { { 1, 2, 3, 4 } };

    (void)unused;
    for (int i = 0; i < 10; i++)
        assert_true(want[i] == rng_next(&r));
}

static void next__follows_the_definition(void **unused)
{
    struct rng r;
    uint64_t s[4];

    (void)unused;
    rng_init(&r, 99, 5);
    memcpy(s, r.s, sizeof(s));
    for (int i = 0; i < 100000; i++)
        assert_true(reference_next(s) == rng_next(&r));
}

static void init__is_splitmix64_of_seed_and_stream(void **unused)
{
    /* Computed with arbitrary-precision integers from Vigna's splitmix64.c. */
    static const struct { uint64_t seed, stream, s[4]; } row[] = {
        { 0, 0, { 0x568a9b0b1a2c05ec, 0x44e5b8b147ef718b, 0x458563ab55521133, 0x7aec644539b6c0f9 } },
        { 1, 0, { 0x6ec85f1f8547bc0c, 0x6cf63afcc21a470a, 0x8a27b94cff7526aa, 0xd13756f65520a1ec } },
        { 1, 1, { 0xbd17853175c4f325, 0x72c343e604ca3af6, 0x89031c5807505184, 0x194e1193d0092aa6 } },
        { 42, 7, { 0xe0658b4d384c699a, 0x75d21f9a73205bd7, 0xe11059bbc5e4fa47, 0xa37b87cfbe356033 } },
    };

    (void)unused;
    for (int i = 0; i < 4; i++) {
        struct rng r;

        rng_init(&r, row[i].seed, row[i].stream);
        assert_memory_equal(row[i].s, r.s, sizeof(r.s));
    }
}

/* Of n pairs of 64 random bits, the number of differing bits is 32 n, with a standard deviation of 4
 * sqrt(n). */
static void init__neighbouring_streams_are_unrelated(void **unused)
{
    enum { STREAMS = 1000, DRAWS = 20 };
    uint64_t last[DRAWS] = { 0 };
    long differ = 0;

    (void)unused;
    for (uint64_t stream = 0; stream <= STREAMS; stream++) {
        struct rng r;

        rng_init(&r, 1, stream);
        for (int i = 0; i < DRAWS; i++) {
            uint64_t x = rng_next(&r);

            differ += stream ? __builtin_popcountll(x ^ last[i]) : 0;
            last[i] = x;
        }
    }
    assert_true(fabs((double)differ - 32.0 * STREAMS * DRAWS) < 5 * 4 * sqrt(STREAMS * DRAWS));
}

static void init__seed_and_stream_are_not_exchangeable(void **unused)
{
    struct rng a, b;

    (void)unused;
    rng_init(&a, 1, 2);
    rng_init(&b, 2, 1);
    assert_memory_not_equal(a.s, b.s, sizeof(a.s));
}

static void real__is_uniform_in_0_1(void **unused)
{
    enum { N = 100000 };
    struct rng r;
    double sum = 0, squares = 0;

    (void)unused;
    rng_init(&r, 3, 0);
    for (int i = 0; i < N; i++) {
        double u = rng_real(&r);

        assert_true(u >= 0 && u < 1);
        sum += u;
        squares += u * u;
    }
    assert_true(fabs(sum / N - 1.0 / 2) < 5 * sqrt(1.0 / 12 / N));
    assert_true(fabs(squares / N - 1.0 / 3) < 5 * sqrt(4.0 / 45 / N));
}

static void below__stays_below(void **unused)
{
    static const uint64_t n[] = { 1, 2, 3, 1000, 1ull << 32, (1ull << 63) + 1, UINT64_MAX };
    struct rng r;

    (void)unused;
    rng_init(&r, 4, 0);
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 1000; k++)
            assert_true(rng_below(&r, n[i]) < n[i]);
}

/* Chi-squared over n cells has mean n - 1 and variance 2 (n - 1). */
static void below__is_even(void **unused)
{
    enum { N = 100000, CELLS = 37 };
    uint32_t seen[CELLS] = { 0 };
    struct rng r;
    double chi = 0;

    (void)unused;
    rng_init(&r, 5, 0);
    for (int i = 0; i < N; i++)
        seen[rng_below(&r, CELLS)]++;
    for (int i = 0; i < CELLS; i++)
        chi += (seen[i] - (double)N / CELLS) * (seen[i] - (double)N / CELLS) / ((double)N / CELLS);
    assert_true(fabs(chi - (CELLS - 1)) < 5 * sqrt(2.0 * (CELLS - 1)));
}

/* With n = 3/4 of 2^64, taking x * n >> 64 alone would hit every third number twice as often. */
static void below__is_even_where_rejection_matters(void **unused)
{
    enum { N = 30000 };
    uint32_t seen[3] = { 0 };
    struct rng r;

    (void)unused;
    rng_init(&r, 6, 0);
    for (int i = 0; i < N; i++)
        seen[rng_below(&r, 3ull << 62) % 3]++;
    for (int i = 0; i < 3; i++)
        assert_true(fabs(seen[i] - N / 3.0) < 5 * sqrt(N * 2.0 / 9));
}

static void exp__has_mean_and_variance_1(void **unused)
{
    enum { N = 100000 };
    struct rng r;
    double sum = 0, squares = 0;

    (void)unused;
    rng_init(&r, 7, 0);
    for (int i = 0; i < N; i++) {
        double x = rng_exp(&r);

        assert_true(x >= 0 && x < 37);       /* 53 log 2 = 36.7 */
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / N - 1) < 5 * sqrt(1.0 / N));
    assert_true(fabs(squares / N - 2) < 5 * sqrt(20.0 / N));     /* E x^4 - (E x^2)^2 = 24 - 4 */
}

/* Returns the error of 'got' in units in the last place. 'want' is more precise. */
static double ulps(double got, long double want)
{
    double at = fabs((double)want);

    return (double)(fabsl((long double)got - want) / (nextafter(at, INFINITY) - at));
}

static void log__agrees_with_libm_everywhere(void **unused)
{
    struct rng r;

    (void)unused;
    rng_init(&r, 8, 0);
    for (int i = 0; i < 1000000; i++) {
        uint64_t bits = rng_below(&r, 0x7ff0000000000000ull - 1) + 1;    /* every positive double is equally
                                                                          * likely */
        double x;

        memcpy(&x, &bits, sizeof(x));
        assert_true(ulps(rng_log(x), logl(x)) <= 2);
    }
}

static void log__agrees_with_libm_where_it_is_used(void **unused)
{
    struct rng r;

    (void)unused;
    rng_init(&r, 9, 0);
    for (int i = 0; i < 1000000; i++) {
        double u = 1 - rng_real(&r), near = 1 + (u - 0.5) * 1e-3;

        assert_true(u == 1 || ulps(rng_log(u), logl(u)) <= 2);
        assert_true(near == 1 || ulps(rng_log(near), logl(near)) <= 2);
    }
}

static void log__is_accurate_at_the_edges(void **unused)
{
    static const double x[] = {
        DBL_MIN, DBL_MAX, DBL_TRUE_MIN, DBL_MIN / 3, 0x1.6a09e667f3bccp0, 0x1.6a09e667f3bcdp0, 2, 0.5,
        1 + DBL_EPSILON, 1 - DBL_EPSILON / 2,
    };

    (void)unused;
    assert_true(rng_log(1) == 0);
    for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++)
        assert_true(ulps(rng_log(x[i]), logl(x[i])) <= 2);
}

/* Exact values, so that a difference on another machine or compiler is detected. */
static void log__is_the_same_on_every_machine(void **unused)
{
    (void)unused;
    assert_true(rng_log(2) == 0x1.62e42fefa39efp-1);
    assert_true(rng_log(10) == 0x1.26bb1bbb55516p+1);
    assert_true(rng_log(0.75) == -0x1.269621134db92p-2);
}

static void pow__multiplies(void **unused)
{
    static const double base[] = { 0, 1, 0.5, 3, 1.0 - 1.0 / 256 };

    (void)unused;
    for (int b = 0; b < 5; b++) {
        double product = 1;

        for (uint64_t n = 0; n < 30; n++, product *= base[b])
            assert_true(fabs(rng_pow(base[b], n) - product) <= product * 1e-14);
    }
    assert_true(rng_pow(2, 1000) == 0x1p1000);
    assert_true(rng_pow(0.5, UINT64_MAX) == 0);
    assert_true(rng_pow(1, UINT64_MAX) == 1);
}

/* ---- crand ---- */

/* The first numbers of seed 1 are well known: every program that forgets srand() prints them. */
static void crand_next__known_numbers(void **unused)
{
    const uint32_t known[] = { 1804289383, 846930886, 1681692777, 1714636915, 1957747793 };
    struct crand   r;

    (void)unused;
    crand_init(&r, 1);
    for (int i = 0; i < 5; i++)
        assert_int_equal(crand_next(&r), known[i]);
}

#ifdef __GLIBC__
static void crand_next__matches_rand(void **unused)
{
    const uint32_t seeds[] = { 0, 1, 2, 12345, 0x7fffffff, 0x80000000, 0xffffffff };

    (void)unused;
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++) {
        struct crand r;

        srand(seeds[s]);
        crand_init(&r, seeds[s]);
        for (int i = 0; i < 10000; i++)
            assert_int_equal(crand_next(&r), rand());        /* NOLINT(cert-msc30-c,cert-msc50-cpp) */
    }
}
#endif

/* ---- sobol ---- */

/* Values of scipy 1.10 (scipy.stats.qmc.Sobol, 40 dimensions, no scrambling, 32 bits). */
static void at__matches_scipy(void **state)
{
    static const struct { uint32_t index, dimension, at; } rows[] = {
        { 0, 7, 0 },            { 1, 0, 2147483648 },    { 2, 1, 1073741824 },   { 3, 2, 3221225472 },
        { 5, 3, 1610612736 },   { 7, 9, 3758096384 },    { 100, 20, 3254779904 }, { 1000, 39, 2059403264 },
        { 1023, 39, 2998927360 }, { 513, 30, 2671771648 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_int_equal(rows[i].at, sobol_at(rows[i].dimension, rows[i].index));
}

/* The definition of a Sobol sequence: of the first 2^k points, exactly one is in each of 2^k equal parts of
 * every axis. */
static void at__has_one_point_in_every_part_of_every_axis(void **state)
{
    (void)state;
    for (uint32_t d = 0; d < SOBOL_DIMENSIONS; d++)
        for (uint32_t k = 0; k <= 10; k++) {
            unsigned char seen[1024] = { 0 };

            for (uint32_t i = 0; i < 1u << k; i++)
                seen[k ? sobol_at(d, i) >> (32 - k) : 0]++;
            for (uint32_t i = 0; i < 1u << k; i++)
                assert_int_equal(1, seen[i]);
        }
}

/* The first two dimensions together: one point in each of the 2^k boxes of every shape 2^-a by 2^-(k-a). */
static void at__fills_boxes_of_every_shape(void **state)
{
    (void)state;
    for (uint32_t a = 0; a <= 8; a++) {
        unsigned char seen[256] = { 0 };

        for (uint32_t i = 0; i < 256; i++) {
            uint32_t x = a ? sobol_at(0, i) >> (32 - a) : 0, y = a < 8 ? sobol_at(1, i) >> (24 + a) : 0;

            seen[x << (8 - a) | y]++;
        }
        for (uint32_t i = 0; i < 256; i++)
            assert_int_equal(1, seen[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next__matches_the_published_numbers),
        cmocka_unit_test(next__follows_the_definition),
        cmocka_unit_test(init__is_splitmix64_of_seed_and_stream),
        cmocka_unit_test(init__neighbouring_streams_are_unrelated),
        cmocka_unit_test(init__seed_and_stream_are_not_exchangeable),
        cmocka_unit_test(real__is_uniform_in_0_1),
        cmocka_unit_test(below__stays_below),
        cmocka_unit_test(below__is_even),
        cmocka_unit_test(below__is_even_where_rejection_matters),
        cmocka_unit_test(exp__has_mean_and_variance_1),
        cmocka_unit_test(log__agrees_with_libm_everywhere),
        cmocka_unit_test(log__agrees_with_libm_where_it_is_used),
        cmocka_unit_test(log__is_accurate_at_the_edges),
        cmocka_unit_test(log__is_the_same_on_every_machine),
        cmocka_unit_test(pow__multiplies),
        cmocka_unit_test(crand_next__known_numbers),
#ifdef __GLIBC__
        cmocka_unit_test(crand_next__matches_rand),
#endif
        cmocka_unit_test(at__matches_scipy),
        cmocka_unit_test(at__has_one_point_in_every_part_of_every_axis),
        cmocka_unit_test(at__fills_boxes_of_every_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
