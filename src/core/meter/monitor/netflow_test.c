#include "core/units.h"
#include "core/meter/monitor/monitor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct flow_key key_of(uint32_t flow)
{
    return flow_key_tuple(0x0a000001, 0x0a000002, (uint16_t)flow, 4791, 17);
}

static struct fsd read_at(const struct monitor_algo *a, void *state, uint64_t at_ps)
{
    struct fsd f;

    a->read(state, at_ps, &f);
    return f;
}

static void read__is_empty_before_the_first_export(void **unused)
{
    const struct monitor_algo *a = monitor_find("netflow");
    void *state = a->create(&(struct monitor_cfg){ .netflow_one_in = 1 });
    struct flow_key key = key_of(1);
    struct fsd f;

    (void)unused;
    a->on_packet(state, &key, 1000, 0);
    f = read_at(a, state, PS_PER_S - 1);
    assert_int_equal(f.elephants + f.mice, 0);
    f = read_at(a, state, PS_PER_S);
    assert_int_equal(f.mice, FSD_ONE);
    f = read_at(a, state, 2 * PS_PER_S - 1);         /* the last export is reported */
    assert_int_equal(f.mice, FSD_ONE);
    f = read_at(a, state, 2 * PS_PER_S);
    assert_int_equal(f.elephants + f.mice, 0);
    a->destroy(state);
}

/* Exports stay on their grid even if a read is late. */
static void read__keeps_to_whole_seconds(void **unused)
{
    const struct monitor_algo *a = monitor_find("netflow");
    void *state = a->create(&(struct monitor_cfg){ .netflow_one_in = 1 });
    struct flow_key key = key_of(1);

    (void)unused;
    read_at(a, state, 7 * PS_PER_S / 2);
    a->on_packet(state, &key, 1000, 0);
    assert_int_equal(read_at(a, state, 4 * PS_PER_S - 1).mice, 0);
    assert_int_equal(read_at(a, state, 4 * PS_PER_S).mice, FSD_ONE);
    a->destroy(state);
}

/* 10 flows of 20 MB, each of 20,000 packets: about 200 packets of each are sampled, so all are seen as
 * elephants. Of 1000 flows of one packet about 10 are sampled (standard deviation at most sqrt(10)); each
 * counts as 100 KB. */
static void on_packet__samples_one_in_a_hundred(void **unused)
{
    const struct monitor_algo *a = monitor_find("netflow");
    void *state = a->create(&(struct monitor_cfg){ .seed = 4 });
    struct fsd f;

    (void)unused;
    for (uint32_t i = 0; i < 200000; i++) {
        struct flow_key large = key_of(i % 10), small = key_of(100 + i / 200);

        a->on_packet(state, &large, 1000, 0);
        if (i % 200 == 0)
            a->on_packet(state, &small, 1000, 0);
    }
    f = read_at(a, state, PS_PER_S);
    assert_int_equal(f.elephants, 10 * FSD_ONE);
    assert_in_range(f.mice / FSD_ONE, 1, 26);
    a->destroy(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__is_empty_before_the_first_export),
        cmocka_unit_test(read__keeps_to_whole_seconds),
        cmocka_unit_test(on_packet__samples_one_in_a_hundred),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
