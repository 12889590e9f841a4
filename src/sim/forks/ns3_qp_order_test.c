#include "sim/forks/ns3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

/* The order of a std::unordered_map of libstdc++ 12 for the same keys: 20 queue pairs to nodes 1, 2, 3, 1, ..
 * with source ports from 10000 on; number 4 is finished before number 13 starts. */
static const uint32_t expected[] = { 19, 18, 17, 16, 15, 14, 0, 1, 3, 2, 6, 5, 7, 9, 8, 10, 12, 11, 13 };

static void qp_order_add__matches_libstdcxx(void **state)
{
    struct sim  *s = xcalloc(1, sizeof *s);
    struct host  h = { 0 };

    (void)state;
    s->flows.flow = xcalloc(32, sizeof *s->flows.flow);
    s->net.hosts = 1;
    qp_order_build(s);
    for (uint32_t i = 0; i < 20; i++) {
        s->flows.flow[i] = (struct flow){ .dst = 1 + i % 3, .ports = (10000 + i / 3) | 100u << 16,
                                          .prio = 3 };
        if (i == 13)
            qp_order_list.remove(s, &h, &s->flows.flow[4]);
        qp_order_list.add(s, &h, &s->flows.flow[i]);
    }
    assert_int_equal(s->hosts.qp_order[0].count, sizeof expected / sizeof *expected);
    assert_memory_equal(s->hosts.qp_order[0].flow, expected, sizeof expected);
    qp_order_free(s);
    free(s->flows.flow);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(qp_order_add__matches_libstdcxx) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
