/* src/live/driver/qp_flows_test.c - against answers of the kernel, which tests/live/qp_answer.py writes
 * after the kernel's source. */
#include "live/driver/qp_flows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MB 1000000

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the messages below are of a little-endian machine, as netlink has them"
#endif

/* A set with one queue pair: device 1 "mlx5_0", port 1, counter 4, queue pair 0x1b7, rdma_tx_bytes
 * 5,000,000,000 behind another counter. */
static const unsigned char one_set[] = {
    160, 0, 0, 0, 17, 20, 2, 0, 9, 0, 0, 0, 0, 0, 0, 0, 8, 0, 1, 0, 1, 0, 0, 0,
    11, 0, 2, 0, 109, 108, 120, 53, 95, 48, 0, 0, 124, 0, 77, 128, 120, 0, 78, 128, 8, 0, 3, 0,
    1, 0, 0, 0, 8, 0, 79, 0, 4, 0, 0, 0, 8, 0, 74, 0, 1, 0, 0, 0, 16, 0, 19, 128,
    12, 0, 20, 128, 8, 0, 21, 0, 183, 1, 0, 0, 76, 0, 80, 128, 36, 0, 81, 128, 20, 0, 82, 0,
    111, 117, 116, 95, 111, 102, 95, 115, 101, 113, 117, 101, 110, 99, 101, 0, 12, 0, 83, 0, 3, 0, 0, 0,
    0, 0, 0, 0, 36, 0, 81, 128, 18, 0, 82, 0, 114, 100, 109, 97, 95, 116, 120, 95, 98, 121, 116, 101,
    115, 0, 0, 0, 12, 0, 83, 0, 0, 242, 5, 42, 1, 0, 0, 0,
};

static const unsigned char done[] = { 20, 0, 0, 0, 3, 0, 2, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

struct seen { struct rdma_stat stat; unsigned count; char text[256]; };

static void visit(void *arg, const struct rdma_stat *s)
{
    struct seen *seen = arg;

    seen->stat = *s;
    seen->count++;
}

static void device(void *arg, uint32_t index, const char *name)
{
    struct seen *seen = arg;
    size_t       at = strlen(seen->text);

    snprintf(seen->text + at, sizeof seen->text - at, "%u %s;", index, name);
}

static void read__a_counter_set(void **unused)
{
    struct seen s = { 0 };

    (void)unused;
    assert_int_equal(rdma_stat_read(one_set, sizeof one_set, 9, visit, &s), 1);          /* more to come */
    assert_int_equal(s.count, 1);
    assert_int_equal(s.stat.port, 1);
    assert_int_equal(s.stat.id, 4);
    assert_int_equal(s.stat.qps, 1);
    assert_int_equal(s.stat.qpn, 0x1b7);
    assert_true(s.stat.has_bytes);
    assert_int_equal(s.stat.tx_bytes, 5000000000);
    assert_int_equal(rdma_stat_read(done, sizeof done, 9, visit, &s), 0);
    /* the answer to another request */
    assert_int_equal(rdma_stat_read(one_set, sizeof one_set, 8, visit, &s), 1);
    assert_int_equal(s.count, 1);
}

static void read__the_kernel_refuses(void **unused)
{
    /* -22 */
    unsigned char refused[36] = { 36, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0xea, 0xff, 0xff, 0xff };
    struct seen   s = { 0 };

    (void)unused;
    assert_int_equal(rdma_stat_read(refused, sizeof refused, 9, visit, &s), -EINVAL);
}

/* Cut anywhere, or with a wrong length, it is refused or yields less. No byte beyond its end is read. */
static void read__broken_answers(void **unused)
{
    unsigned char bytes[sizeof one_set];
    struct seen   s = { 0 };

    (void)unused;
    for (size_t n = 1; n < sizeof one_set; n++)
        assert_int_equal(rdma_stat_read(one_set, n, 9, visit, &s), -EBADMSG);
    assert_int_equal(s.count, 0);
    for (size_t i = 0; i < sizeof bytes; i++) {
        memcpy(bytes, one_set, sizeof bytes);
        bytes[i] ^= 0xff;
        rdma_stat_read(bytes, sizeof bytes, 9, visit, &s);
    }
}

static void read_devices__index_and_name(void **unused)
{
    static const unsigned char bytes[] = {
        36, 0, 0, 0, 1, 20, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 8, 0, 1, 0, 0, 0, 0, 0, 11, 0, 2, 0, 'm', 'l', 'x',
            '5', '_', '0', 0, 0,
        36, 0, 0, 0, 1, 20, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 8, 0, 1, 0, 3, 0, 0, 0, 11, 0, 2, 0, 'm', 'l', 'x',
        '5', '_', '1', 0, 0, 20, 0, 0, 0, 3, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    };
    struct seen s = { 0 };

    (void)unused;
    assert_int_equal(rdma_stat_read_devices(bytes, sizeof bytes, 2, device, &s), 0);
    assert_string_equal(s.text, "0 mlx5_0;3 mlx5_1;");
}

static void ask__has_the_format_of_the_kernel(void **unused)
{
    static const unsigned char wanted[] = { 32, 0, 0, 0, 17, 20, 1, 3, 7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 1, 0, 3,
                                            0, 0, 0, 8, 0, 75, 0, 19, 0, 0, 0 };
    unsigned char              q[RDMA_STAT_QUESTION_MAX];

    (void)unused;
    assert_int_equal(rdma_stat_ask(q, 3, 7), sizeof wanted);
    assert_memory_equal(q, wanted, sizeof wanted);
    assert_int_equal(rdma_stat_ask_devices(q, 1), 16);
}

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

/* Sets what the queue pairs have sent so far, as "QPN:BYTES ...". */
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

static void read__flows_by_growth_of_counters(void **unused)
{
    struct qp_flows *q = qp_flows_new(root, "mlx5_0");
    struct fsd       f = { 0 };

    (void)unused;
    assert_false(qp_flows_read(q, &f));          /* no counter */
    counters("7:9000000000 8:500 9:4000");
    assert_false(qp_flows_read(q, &f));          /* the first reading: no growth is known yet */
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

static void read__a_silent_flow_starts_over(void **unused)
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

/* Queue pairs that are gone are forgotten. If another one gets the same counter, it is another flow,
 * whether the counter grows or falls. */
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
    counters("9:100");                           /* the counter fell: another flow */
    assert_int_equal(must_read(q).mice, FSD_ONE);
    qp_flows_free(q);
}

static void read__half_an_answer_is_refused(void **unused)
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
    assert_false(qp_flows_read(q, &f));          /* the first reading again */
    counters("7:20 8:10");
    assert_int_equal(must_read(q).mice, FSD_ONE);
    qp_flows_free(q);
}

/* This machine has no such NIC, and perhaps a kernel without RDMA. Flows are unknown, which is not an
 * error. */
static void read__a_kernel_without_counters(void **unused)
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
        cmocka_unit_test(read__a_counter_set),
        cmocka_unit_test(read__the_kernel_refuses),
        cmocka_unit_test(read__broken_answers),
        cmocka_unit_test(read_devices__index_and_name),
        cmocka_unit_test(ask__has_the_format_of_the_kernel),
        cmocka_unit_test_setup_teardown(read__flows_by_growth_of_counters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__a_silent_flow_starts_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__queue_pairs_come_and_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__half_an_answer_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__a_kernel_without_counters, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
