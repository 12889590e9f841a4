#include "core/meter/monitor/monitor.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ELEPHANTS 20
#define MICE      200
#define KB        1000u

static struct flow_key key_of(uint32_t flow)
{
    return flow_key_qp(0x0a000001, 0x0a000002, flow);
}

static void request(const struct monitor_algo *a, void *state, uint32_t flow, uint64_t bytes)
{
    struct flow_key key = key_of(flow);

    if (a->on_request)
        a->on_request(state, &key, bytes, 0);
}

static void send(const struct monitor_algo *a, void *state, uint32_t flow, uint32_t packets)
{
    struct flow_key key = key_of(flow);

    for (uint32_t i = 0; a->on_packet && i < packets; i++)
        a->on_packet(state, &key, KB, 0);
}

static struct fsd read(const struct monitor_algo *a, void *state)
{
    struct fsd f;

    a->read(state, PS_PER_MS, &f);
    return f;
}

/* 20 flows of 5 MB send 300 KB in every interval; each interval also has 200 new flows of 2 KB. */
static void one_interval(const struct monitor_algo *a, void *state, uint32_t interval)
{
    for (uint32_t i = 0; i < ELEPHANTS; i++) {
        if (interval == 0)
            request(a, state, i, 5000 * KB);
        send(a, state, i, 300);
    }
    for (uint32_t i = 0; i < MICE; i++) {
        request(a, state, 1000 + interval * MICE + i, 2 * KB);
        send(a, state, 1000 + interval * MICE + i, 2);
    }
}

/* Checks the results of ten intervals, in thousandths of a flow. */
static void check_ten_intervals(const char *name, const uint32_t elephants[10])
{
    const struct monitor_algo *a = monitor_find(name);
    void *state = a->create(&(struct monitor_cfg){ 0 });

    for (uint32_t i = 0; i < 10; i++) {
        struct fsd f;

        one_interval(a, state, i);
        f = read(a, state);
        assert_int_equal((f.elephants * 1000 + FSD_ONE / 2) / FSD_ONE, elephants[i]);
        assert_int_equal(f.elephants + f.mice, (ELEPHANTS + MICE) * FSD_ONE);
    }
    a->destroy(state);
}

/* After 300 and 600 KB these flows are still mice; after 900 KB in three intervals 0.9 of an elephant
 * each. */
static void paraleon__finds_slow_elephants(void **unused)
{
    static const uint32_t elephants[10] = { 0, 0, 18000, 20000, 20000, 20000, 20000, 20000, 20000, 20000 };

    (void)unused;
    check_ten_intervals("paraleon", elephants);
}

static void elastic__counts_slow_elephants_as_mice(void **unused)
{
    static const uint32_t elephants[10] = { 0 };

    (void)unused;
    check_ten_intervals("elastic", elephants);
}

static void exact__knows_from_the_first_packet(void **unused)
{
    static const uint32_t elephants[10] = { 20000, 20000, 20000, 20000, 20000,
                                            20000, 20000, 20000, 20000, 20000 };

    (void)unused;
    check_ten_intervals("exact", elephants);
}

static void none__sees_nothing(void **unused)
{
    const struct monitor_algo *a = monitor_find("none");
    void *state = a->create(&(struct monitor_cfg){ 0 });
    struct fsd f;

    (void)unused;
    one_interval(a, state, 0);
    f = read(a, state);
    assert_int_equal(f.elephants + f.mice, 0);
    a->destroy(state);
}

static void elastic__knows_fast_elephants(void **unused)
{
    const struct monitor_algo *a = monitor_find("elastic");
    void *state = a->create(&(struct monitor_cfg){ 0 });

    (void)unused;
    send(a, state, 1, 1000);
    send(a, state, 2, 999);
    assert_int_equal(read(a, state).elephants, FSD_ONE);
    assert_int_equal(read(a, state).elephants, 0);
    a->destroy(state);
}

/* One bucket: seven flows have entries, about 50 are only in the light part. */
static void check_light_part(const char *name)
{
    const struct monitor_algo *a = monitor_find(name);
    struct monitor_cfg cfg = { .sketch = { .heavy_bytes = 64, .light_bytes = 100000 } };

    for (int heavy_only = 0; heavy_only <= 1; heavy_only++) {
        void *state;
        struct fsd f;

        cfg.heavy_only = heavy_only;
        state = a->create(&cfg);
        for (uint32_t i = 0; i < 7; i++)
            send(a, state, i, 100);
        for (uint32_t i = 0; i < 50; i++)
            send(a, state, 100 + i, 1);
        f = read(a, state);
        assert_in_range(f.mice / FSD_ONE, heavy_only ? 7 : 56, heavy_only ? 7 : 58);
        a->destroy(state);
    }
}

static void light_part__counts_as_mice_unless_heavy_only(void **unused)
{
    (void)unused;
    check_light_part("paraleon");
    check_light_part("elastic");
}

/* A request of 2.5 MB: nothing before it begins, an elephant from the first packet on, and once more when it
 * is complete. */
static void host__sees_requests_as_they_begin(void **unused)
{
    const struct monitor_algo *a = monitor_find("host");
    void *state = a->create(&(struct monitor_cfg){ .states = { .with_bins = 1 } });
    struct fsd f;

    (void)unused;
    request(a, state, 1, 2500 * KB);
    f = read(a, state);
    assert_int_equal(f.elephants + f.mice, 0);
    send(a, state, 1, 1);
    f = read(a, state);
    assert_int_equal(f.elephants, FSD_ONE);
    assert_int_equal(f.bin[fsd_bin(1000 * KB)], 1);
    send(a, state, 1, 1000);
    assert_int_equal(read(a, state).bin[fsd_bin(2000 * KB)], 1);
    send(a, state, 1, 1499);
    assert_int_equal(read(a, state).bin[fsd_bin(2500 * KB)], 1);
    f = read(a, state);
    assert_int_equal(f.elephants + f.mice, 0);
    a->destroy(state);
}

/* One entry: the second request replaces the first, whose packets are then ignored. */
static void host__forgets_replaced_requests(void **unused)
{
    const struct monitor_algo *a = monitor_find("host");
    void *state = a->create(&(struct monitor_cfg){ .host_requests = 1 });
    struct fsd f;

    (void)unused;
    request(a, state, 1, 2500 * KB);
    send(a, state, 1, 1);
    request(a, state, 2, 500 * KB);
    send(a, state, 1, 1);
    send(a, state, 2, 1);
    f = read(a, state);
    assert_int_equal(f.elephants, 0);
    assert_int_equal(f.mice, FSD_ONE);
    a->destroy(state);
}

static void exact__starts_over_with_the_next_message(void **unused)
{
    const struct monitor_algo *a = monitor_find("exact");
    void *state = a->create(&(struct monitor_cfg){ 0 });

    (void)unused;
    request(a, state, 1, 1000 * KB);
    send(a, state, 1, 1000);
    assert_int_equal(read(a, state).elephants, FSD_ONE);
    request(a, state, 1, 10 * KB);
    send(a, state, 1, 1);
    assert_int_equal(read(a, state).mice, FSD_ONE);
    send(a, state, 2, 999);                          /* not announced: classified by the bytes sent so far */
    assert_int_equal(read(a, state).mice, FSD_ONE);
    send(a, state, 2, 1);
    assert_int_equal(read(a, state).elephants, FSD_ONE);
    a->destroy(state);
}

static void find__finds_each_by_its_name(void **unused)
{
    static const char *const names[] = { "paraleon", "elastic", "netflow", "host", "none", "exact" };

    (void)unused;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_string_equal(names[i], monitor_find(names[i])->name);
    for (size_t i = 0; monitor_all[i]; i++) {
        const struct monitor_algo *a = monitor_all[i];

        assert_ptr_equal(a, monitor_find(a->name));
        assert_true(a->read && a->create && a->destroy && a->about);
    }
    assert_null(monitor_find("parallel"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paraleon__finds_slow_elephants),
        cmocka_unit_test(elastic__counts_slow_elephants_as_mice),
        cmocka_unit_test(exact__knows_from_the_first_packet),
        cmocka_unit_test(none__sees_nothing),
        cmocka_unit_test(elastic__knows_fast_elephants),
        cmocka_unit_test(light_part__counts_as_mice_unless_heavy_only),
        cmocka_unit_test(host__sees_requests_as_they_begin),
        cmocka_unit_test(host__forgets_replaced_requests),
        cmocka_unit_test(exact__starts_over_with_the_next_message),
        cmocka_unit_test(find__finds_each_by_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
