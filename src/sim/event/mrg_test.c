#include "sim/event/mrg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* MRG32k3a as L'Ecuyer published it (Operations Research 47, 1999): in doubles, component by component. */
struct published { double s10, s11, s12, s20, s21, s22; };

static double published_next(struct published *g)
{
    const double m1 = 4294967087.0, m2 = 4294944443.0;
    double       p1 = 1403580.0 * g->s11 - 810728.0 * g->s10, p2 = 527612.0 * g->s22 - 1370589.0 * g->s20;

    p1 -= floor(p1 / m1) * m1;
    p2 -= floor(p2 / m2) * m2;
    g->s10 = g->s11, g->s11 = g->s12, g->s12 = p1;
    g->s20 = g->s21, g->s21 = g->s22, g->s22 = p2;
    return (p1 <= p2 ? p1 - p2 + m1 : p1 - p2) * (1.0 / (m1 + 1));
}

/* Jumps without matrices. A step is multiplication by x in polynomials modulo the characteristic
 * polynomial x^3 = c1 x + c0 (or c2 x^2 + c0), and x^n = a + b x + c x^2 means that state n is a s(0) + b
 * s(1) + c s(2). */
struct poly { uint64_t c[3]; };
struct field { uint64_t m, x3[3]; };             /* x^3 as a polynomial */

static struct poly times(const struct field *f, struct poly a, struct poly b)
{
    uint64_t r[5] = { 0 };

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i + j] = (r[i + j] + a.c[i] * b.c[j] % f->m) % f->m;
    for (int i = 4; i >= 3; i--)
        for (int j = 0; j < 3; j++)
            r[i - 3 + j] = (r[i - 3 + j] + r[i] * f->x3[j] % f->m) % f->m;
    return (struct poly){ { r[0], r[1], r[2] } };
}

/* x^(n * 2^power) */
static struct poly power_of_x(const struct field *f, uint64_t n, int power)
{
    struct poly x = { { 0, 1, 0 } }, r = { { 1, 0, 0 } };

    while (power-- > 0)
        x = times(f, x, x);
    for (; n; n >>= 1, x = times(f, x, x))
        if (n & 1)
            r = times(f, r, x);
    return r;
}

static const struct field first = { 4294967087u, { 4294967087u - 810728, 1403580, 0 } };
static const struct field second = { 4294944443u, { 4294944443u - 1370589, 0, 527612 } };

/* The three words of a component after x^e, starting from words of 1: the sequence follows its recurrence. */
static void tokens_at(const struct field *f, struct poly e, uint64_t out[3])
{
    const struct poly x = { { 0, 1, 0 } };

    for (int i = 0; i < 3; i++, e = times(f, e, x))
        out[i] = (e.c[0] + e.c[1] + e.c[2]) % f->m;
}

static double first_of_stream(uint64_t stream, uint64_t run)
{
    uint64_t         a[3], b[3];
    struct published g;

    tokens_at(&first, times(&first, power_of_x(&first, stream, 127), power_of_x(&first, run, 76)), a);
    tokens_at(&second, times(&second, power_of_x(&second, stream, 127), power_of_x(&second, run, 76)), b);
    g = (struct published){
        (double)a[0], (double)a[1], (double)a[2], (double)b[0], (double)b[1], (double)b[2]
    };
    return published_next(&g);
}

/* The published generator, seeded with 12345 in every word, begins with well-known numbers. */
static void published__starts_with_the_published_numbers(void **unused)
{
    static const double known[] = { 0.127011, 0.318528, 0.309186, 0.825847, 0.221630 };
    struct published    g = { 12345, 12345, 12345, 12345, 12345, 12345 };

    (void)unused;
    for (int i = 0; i < 5; i++)
        assert_true(fabs(published_next(&g) - known[i]) < 1e-6);
}

static void mrg_next__takes_the_first_of_each_stream(void **unused)
{
    static const uint64_t runs[] = { 0, 1, 2, 3, 1000, 123456789, 0xffffffffu };

    (void)unused;
    for (uint32_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct mrg g;

        mrg_init(&g, 1, 2 + 6 * i, runs[i]);
        for (uint64_t n = 0; n < 50; n++) {
            double got = mrg_next(&g), expected = first_of_stream(2 + 6 * i + n, runs[i]);

            assert_memory_equal(&got, &expected, sizeof got);
            assert_true(got > 0 && got < 1);
        }
    }
}

static void mrg_init__jumps_to_far_streams(void **unused)
{
    (void)unused;
    for (uint64_t stream = 1; stream < 1ull << 60; stream = stream * 9 + 1) {
        double     got, expected = first_of_stream(stream, 5);
        struct mrg g;

        mrg_init(&g, 1, stream, 5);
        got = mrg_next(&g);
        assert_memory_equal(&got, &expected, sizeof got);
    }
}

/* The numbers of one stream, from any seed: the published generator in another notation. */
static void mrg_step__stays_in_its_stream(void **unused)
{
    const uint32_t seeds[] = { 1, 12345, 0x7fffffff };

    (void)unused;
    for (int s = 0; s < 3; s++) {
        struct published p = { seeds[s], seeds[s], seeds[s], seeds[s], seeds[s], seeds[s] };
        struct mrg       g;

        mrg_init(&g, seeds[s], 0, 0);
        for (int i = 0; i < 1000; i++) {
            double got = mrg_step(&g), expected = published_next(&p);

            assert_memory_equal(&got, &expected, sizeof got);
        }
    }
}

/* The stream that the ConWeave fork's switches use. */
static void mrg_step__starts_where_next_does(void **unused)
{
    double     expected = first_of_stream(1ull << 63, 1);
    struct mrg a, b;

    (void)unused;
    mrg_init(&a, 1, 1ull << 63, 1);
    b = a;
    assert_true(mrg_step(&(struct mrg){ { a.s1[0], a.s1[1], a.s1[2] },
                                        { a.s2[0], a.s2[1], a.s2[2] } }) == expected);
    assert_true(mrg_step(&a) == mrg_next(&b));
    assert_true(mrg_step(&a) != mrg_next(&b));       /* one continues the stream, the other starts the next */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published__starts_with_the_published_numbers),
        cmocka_unit_test(mrg_next__takes_the_first_of_each_stream),
        cmocka_unit_test(mrg_init__jumps_to_far_streams),
        cmocka_unit_test(mrg_step__stays_in_its_stream),
        cmocka_unit_test(mrg_step__starts_where_next_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
