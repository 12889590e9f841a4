#include "core/meter/monitor/monitor_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct flow_key key_of(uint32_t flow)
{
    return flow_key_qp(1, 2, flow);
}

static void at__keeps_flows_while_it_grows(void **unused)
{
    struct flow_table t;

    (void)unused;
    flow_table_init(&t);
    for (uint32_t i = 0; i < 20000; i++) {
        struct flow_key key = key_of(i % 10000);

        flow_table_at(&t, &key)->sent_bytes += i;
    }
    assert_int_equal(t.used, 10000);
    for (uint32_t i = 0; i < 10000; i++) {
        struct flow_key key = key_of(i);

        assert_int_equal(flow_table_at(&t, &key)->sent_bytes, 2 * i + 10000);
    }
    flow_table_fini(&t);
}

static void at__forgets_flows_that_are_done(void **unused)
{
    struct flow_table t;

    (void)unused;
    flow_table_init(&t);
    for (uint32_t i = 0; i < 100000; i++) {
        struct flow_key key = key_of(i);

        flow_table_at(&t, &key)->is_done = i % 1000 != 0;
    }
    assert_true(t.places <= 4096);
    for (uint32_t i = 0; i < 100000; i += 1000) {
        struct flow_key key = key_of(i);
        uint32_t used = t.used;

        flow_table_at(&t, &key);
        assert_int_equal(t.used, used);
    }
    flow_table_clear(&t);
    assert_int_equal(t.used, 0);
    flow_table_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at__keeps_flows_while_it_grows),
        cmocka_unit_test(at__forgets_flows_that_are_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
