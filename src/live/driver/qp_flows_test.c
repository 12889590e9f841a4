/* src/live/driver/qp_flows_test.c - the kernel's answers, one after another, written by
 * tests/live/qp_answer.py. */
#include "live/driver/qp_flows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MB 1000000

static char root[64];

static int set_up(void **unused)
{
    char path[96];

    (void)unused;
    snprintf(root, sizeof root, "/tmp/anole-qp-XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "mkdir %s/rdma", root);
    return system(path);
}

static int tear_down(void **unused)
{
    char command[96];

    (void)unused;
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

/* What the queue pairs have sent so far, as "QPN:BYTES ...". */
static void counters(const char *pairs)
{
    char command[256];

    snprintf(command, sizeof command, "/usr/bin/python3 tests/live/qp_answer.py %s >%s/rdma/mlx5_0",
             pairs, root);
    assert_int_equal(system(command), 0);
}

static struct fsd must_read(struct qp_flows *q)
{
    struct fsd f = { 0 };

    assert_true(qp_flows_read(q, &f));
    return f;
}

static void read__flows_by_what_counters_have_grown(void **unused)
{
    struct qp_flows *q = qp_flows_new(root, "mlx5_0");
    struct fsd       f = { 0 };

    (void)unused;
    assert_false(qp_flows_read(q, &f));          /* no counter */
    counters("7:9000000000 8:500 9:4000");
    assert_false(qp_flows_read(q, &f));          /* the first: since when is not known */
    counters("7:9000001000 8:500 9:2004000 10:300");
    f = must_read(q);
    assert_int_equal(f.elephants, FSD_ONE);      /* 9: 2 MB */
    assert_int_equal(f.mice, 2 * FSD_ONE);       /* 7: 1,000 bytes; 10: new, 300 */
    assert_int_equal(f.bin[fsd_bin(2 * MB)], 1);
    assert_int_equal(f.bin[fsd_bin(1000)], 1);
    assert_int_equal(f.bin[fsd_bin(300)], 1);
    f = must_read(q);                            /* nothing was sent */
    assert_int_equal(f.elephants + f.mice, 0);
    qp_flows_free(q);
}

static void read__a_flow_that_was_silent_begins_anew(void **unused)
{
    struct qp_flows *q = qp_flows_new(root, "mlx5_0");
    struct fsd       f = { 0 };

    (void)unused;
    counters("7:0");
    assert_false(qp_flows_read(q, &f));
    counters("7:5000000");
    assert_int_equal(must_read(q).elephants, FSD_ONE);
    for (int i = 0; i < 3; i++)
        must_read(q);
    counters("7:5000100");
    f = must_read(q);
    assert_int_equal(f.elephants, 0);
    assert_int_equal(f.mice, FSD_ONE);
    qp_flows_free(q);
}

/* Queue pairs that are gone are forgotten; a set that another has got is another flow, though its counter
 * goes on or back. */
static void read__queue_pairs_come_and_go(void **unused)
{
    struct qp_flows *q = qp_flows_new(root, "mlx5_0");
    struct fsd       f = { 0 };

    (void)unused;
    counters("7:0 8:0");
    assert_false(qp_flows_read(q, &f));
    counters("7:3000000 8:3000000");
    assert_int_equal(must_read(q).elephants, 2 * FSD_ONE);
    counters("9:200");
    f = must_read(q);
    assert_int_equal(f.elephants, 0);
    assert_int_equal(f.mice, FSD_ONE);
    counters("9:100");                           /* it went back: counted anew */
    assert_int_equal(must_read(q).mice, FSD_ONE);
    qp_flows_free(q);
}

static void read__half_an_answer_is_none(void **unused)
{
    struct qp_flows *q = qp_flows_new(root, "mlx5_0");
    struct fsd       f = { 0 };
    char             path[96];

    (void)unused;
    counters("7:0 8:0");
    assert_false(qp_flows_read(q, &f));
    snprintf(path, sizeof path, "%s/rdma/mlx5_0", root);
    assert_int_equal(truncate(path, 100), 0);
    assert_false(qp_flows_read(q, &f));
    counters("7:10 8:10");
    assert_false(qp_flows_read(q, &f));          /* the first again */
    counters("7:20 8:10");
    assert_int_equal(must_read(q).mice, FSD_ONE);
    qp_flows_free(q);
}

/* This machine has no such NIC, and perhaps a kernel without RDMA: nothing is known, and that is all. */
static void read__a_kernel_that_cannot_tell(void **unused)
{
    struct qp_flows *q = qp_flows_new("/", "mlx5_none");
    struct fsd       f = { 0 };

    (void)unused;
    assert_false(qp_flows_read(q, &f));
    assert_false(qp_flows_read(q, &f));
    qp_flows_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(read__flows_by_what_counters_have_grown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__a_flow_that_was_silent_begins_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__queue_pairs_come_and_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__half_an_answer_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__a_kernel_that_cannot_tell, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
