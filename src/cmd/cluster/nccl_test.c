/* src/cmd/cluster/nccl_test.c - NCCL's choice of algorithm and protocol: its formula by hand, and its known
 * pattern. */
#include "cmd/cluster/nccl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

static const struct nccl_cluster h100 = { .ranks = 32, .servers = 4, .channels = 8, .nic_gbytes_per_s = 50 };

static void time_us__by_hand(void **state)
{
    /* Ring, Simple: 1.4 (8.4 + 56 steps of 3.4 us within servers + 6 of 14 us between them) + 64 MB
     * / (400 GB/s x 32 / 62). */
    double ring = 1.4 * (8.4 + 56 * 3.4 + 6 * 14.0) + 64e6 / (400e3 * 32 / 62);
    /* Tree, LL: 6.8 + 2 (7 x 0.6 + 2 x 5.0) + 1 KB / (min(8 x 36 / 3.8, 20.4) / 2 GB/s). */
    double tree = 6.8 + 2 * (7 * 0.6 + 2 * 5.0) + 1024 / (20.4e3 / 2 * 0.9);

    (void)state;
    assert_true(fabs(nccl_time_us(&h100, true, 64000000, (struct nccl_choice){ NCCL_RING, NCCL_SIMPLE }) - ring) < 1e-9);
    assert_true(fabs(nccl_time_us(&h100, true, 1024, (struct nccl_choice){ NCCL_TREE, NCCL_LL }) - tree) < 1e-9);
}

static void choose__small_tree_ll_large_ring_simple(void **state)
{
    struct nccl_choice small = nccl_choose(&h100, true, true, 1024),
                       large = nccl_choose(&h100, true, true, 1ull << 30);
    enum nccl_protocol last = NCCL_LL;

    (void)state;
    assert_true(small.algorithm == NCCL_TREE && small.protocol == NCCL_LL);
    assert_true(large.algorithm == NCCL_RING && large.protocol == NCCL_SIMPLE);
    /* With larger messages, rings go from LL to LL128 to Simple, and never back. */
    for (uint64_t bytes = 256; bytes <= 1ull << 32; bytes *= 2) {
        enum nccl_protocol p = nccl_choose(&h100, true, false, bytes).protocol;

        assert_true(p >= last);
        last = p;
    }
    assert_int_equal(last, NCCL_SIMPLE);
}

static void choose__gathers_have_no_trees(void **state)
{
    (void)state;
    for (uint64_t bytes = 256; bytes <= 1ull << 32; bytes *= 4)
        assert_int_equal(nccl_choose(&h100, false, true, bytes).algorithm, NCCL_RING);
}

static void wire_factor__flags(void **state)
{
    (void)state;
    assert_true(nccl_wire_factor(NCCL_LL) == 2 && nccl_wire_factor(NCCL_SIMPLE) == 1);
    assert_true(fabs(nccl_wire_factor(NCCL_LL128) - 1 / 0.9375) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_us__by_hand),
        cmocka_unit_test(choose__small_tree_ll_large_ring_simple),
        cmocka_unit_test(choose__gathers_have_no_trees),
        cmocka_unit_test(wire_factor__flags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
