#include "core/meter/fct.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void add(struct ops *o, enum op_kind kind, uint32_t traffic, uint64_t bytes, uint64_t start_ps,
                uint64_t took_ps)
{
    const struct op_result r = { kind, traffic, bytes, start_ps, took_ps };

    ops_add(o, &r);
}

static void ops_add__keeps_entries_and_kinds_apart(void **unused)
{
    struct ops             o;
    const struct ops_cell *c;

    (void)unused;
    ops_init(&o, 2);
    add(&o, OP_READ, 0, 10, 5, 100);
    add(&o, OP_WRITE, 0, 20, 6, 200);
    add(&o, OP_READ, 1, 40, 7, 400);
    add(&o, OP_READ, 1, 80, 3, 800);
    for (uint32_t entry = 0; entry < 2; entry++) {
        assert_int_equal(ops_cell(&o, entry, OP_CALL)->count, 0);
        assert_int_equal(ops_cell(&o, entry, OP_ITERATION)->count, 0);
        assert_null(ops_cell(&o, entry, OP_CALL)->took_ns);
    }
    assert_int_equal(ops_cell(&o, 0, OP_READ)->bytes, 10);
    assert_int_equal(ops_cell(&o, 0, OP_WRITE)->bytes, 20);
    assert_int_equal(ops_cell(&o, 1, OP_WRITE)->count, 0);
    c = ops_cell(&o, 1, OP_READ);
    assert_int_equal(c->count, 2);
    assert_int_equal(c->bytes, 120);
    assert_true(c->took_ps_sum == 1200);
    assert_int_equal(c->first_ps, 3);
    assert_int_equal(c->first_took_ps, 800);
    assert_true(ops_later_us_mean(c) == 400e-6);
    assert_true(isnan(ops_later_us_mean(ops_cell(&o, 0, OP_READ))));
    assert_int_equal(c->last_ps, 803);
    ops_fini(&o);
    assert_null(o.cell);
}

static int by_value(const void *a, const void *b)
{
    return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

/* The sample with index floor(n p) in sorted order, to within half a bucket: 0.05 %. */
static void expect_quantile(double got, const double *sorted_us, uint32_t n, double p)
{
    assert_true(fabs(got / sorted_us[(uint32_t)(n * p)] - 1) < 0.0005);
}

static void ops_us_stats__against_the_sorted_samples(void **unused)
{
    enum { N = 20000 };
    static double    us[N];
    struct fct_stats s;
    struct ops       o;
    double           sum = 0;
    uint32_t         state = 12345;

    (void)unused;
    ops_init(&o, 1);
    for (uint32_t i = 0; i < N; i++) {
        uint64_t took_ps;

        state = state * 1664525 + 1013904223;
        took_ps = 1000000 + (uint64_t)(state >> 8) * (state >> 24);      /* 1 us .. 4.3 ms */
        add(&o, OP_CALL, 0, 1, i, took_ps);
        us[i] = (double)took_ps / 1e6;
        sum += us[i];
    }
    qsort(us, N, sizeof *us, by_value);
    s = ops_us_stats(ops_cell(&o, 0, OP_CALL));
    assert_true(fabs(s.mean / (sum / N) - 1) < 1e-12);
    expect_quantile(s.p50, us, N, 0.5);
    expect_quantile(s.p95, us, N, 0.95);
    expect_quantile(s.p99, us, N, 0.99);
    expect_quantile(s.p999, us, N, 0.999);
    assert_true(fabs(s.max / us[N - 1] - 1) < 1e-12);
    ops_fini(&o);
}

static void ops_us_stats__without_operations(void **unused)
{
    struct ops       o;
    struct fct_stats s;

    (void)unused;
    ops_init(&o, 1);
    s = ops_us_stats(ops_cell(&o, 0, OP_WRITE));
    assert_true(s.mean == 0 && s.p50 == 0 && s.p999 == 0 && s.max == 0);
    ops_fini(&o);
}

/* More than 64 bits of picoseconds. */
static void ops_add__sums_do_not_overflow(void **unused)
{
    struct ops o;

    (void)unused;
    ops_init(&o, 1);
    for (int i = 0; i < 4; i++)
        add(&o, OP_ITERATION, 0, 1, 0, 1ull << 63);
    assert_true(ops_cell(&o, 0, OP_ITERATION)->took_ps_sum == (unsigned __int128)1 << 65);
    assert_true(ops_us_stats(ops_cell(&o, 0, OP_ITERATION)).mean == 0x1p63 / 1e6);
    ops_fini(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_add__keeps_entries_and_kinds_apart),
        cmocka_unit_test(ops_add__sums_do_not_overflow),
        cmocka_unit_test(ops_us_stats__against_the_sorted_samples),
        cmocka_unit_test(ops_us_stats__without_operations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
