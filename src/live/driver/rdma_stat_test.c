/* src/live/driver/rdma_stat_test.c - against messages that another program has written,
 * tests/live/qp_answer.py, from the kernel's source. */
#include "live/driver/rdma_stat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

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
    /* of another question */
    assert_int_equal(rdma_stat_read(one_set, sizeof one_set, 8, visit, &s), 1);
    assert_int_equal(s.count, 1);
}

static void read__the_kernel_says_no(void **unused)
{
    /* -22 */
    unsigned char refused[36] = { 36, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0xea, 0xff, 0xff, 0xff };
    struct seen   s = { 0 };

    (void)unused;
    assert_int_equal(rdma_stat_read(refused, sizeof refused, 9, visit, &s), -EINVAL);
}

/* Cut anywhere, or with any length wrong, it is refused or says less; nothing is read beyond its end. */
static void read__what_is_broken(void **unused)
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

static void ask__as_the_kernel_wants_it(void **unused)
{
    static const unsigned char wanted[] = { 32, 0, 0, 0, 17, 20, 1, 3, 7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 1, 0, 3,
                                            0, 0, 0, 8, 0, 75, 0, 19, 0, 0, 0 };
    unsigned char              q[RDMA_STAT_QUESTION_MAX];

    (void)unused;
    assert_int_equal(rdma_stat_ask(q, 3, 7), sizeof wanted);
    assert_memory_equal(q, wanted, sizeof wanted);
    assert_int_equal(rdma_stat_ask_devices(q, 1), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__a_counter_set),
        cmocka_unit_test(read__the_kernel_says_no),
        cmocka_unit_test(read__what_is_broken),
        cmocka_unit_test(read_devices__index_and_name),
        cmocka_unit_test(ask__as_the_kernel_wants_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
