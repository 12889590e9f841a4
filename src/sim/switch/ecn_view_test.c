/* src/sim/switch/ecn_view_test.c - the queue length used for ECN: whole cells, and lengths of some time
 * ago. */
#include "sim/switch/ecn_view.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Two ports without a world around them. */
static struct sim  *s;
static struct port  port[2] = { { .id = 0 }, { .id = 1 } };

static void open_view(uint32_t cell_bytes, uint64_t lag_ps)
{
    s = xcalloc(1, sizeof *s);
    s->net.ports = 2;
    s->cfg.ecn_on = true;
    s->cfg.ecn_cell_bytes = cell_bytes;
    s->cfg.ecn_lag_ps = lag_ps;
    ecn_view_build(s);
}

static void close_view(void)
{
    ecn_view_free(s);
    free(s);
}

static struct packet frame(uint16_t bytes, unsigned prio)
{
    return (struct packet){ .bytes = bytes, .prio = prio & 7 };
}

/* A frame of 1086 bytes takes five cells of 256, one of 256 takes one, one of 257 two. */
static void bytes__are_whole_cells(void **unused)
{
    static const struct { uint16_t bytes; uint32_t cells; } rows[] = {
        { 1, 1 }, { 256, 1 }, { 257, 2 }, { 1086, 5 }, { 4158, 17 },
    };
    uint32_t sum = 0;

    (void)unused;
    open_view(256, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct packet k = frame(rows[i].bytes, 3);

        ecn_view_add(s, &port[1], &k);
        sum += rows[i].cells * 256;
        assert_int_equal(ecn_view_bytes(s, &port[1], 3), sum);
    }
    assert_int_equal(ecn_view_bytes(s, &port[1], 4), 0);         /* other classes and ports are separate */
    assert_int_equal(ecn_view_bytes(s, &port[0], 3), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct packet k = frame(rows[i].bytes, 3);

        ecn_view_remove(s, &port[1], &k);
    }
    assert_int_equal(ecn_view_bytes(s, &port[1], 3), 0);
    close_view();
}

static void threshold__is_rounded_down_to_cells(void **unused)
{
    (void)unused;
    open_view(256, 0);
    assert_int_equal(ecn_view_threshold(s, 100000), 390 * 256);
    assert_int_equal(ecn_view_threshold(s, 256), 256);
    close_view();
    open_view(0, 1000);
    assert_int_equal(ecn_view_threshold(s, 100000), 100000);
    close_view();
}

/* One frame of 100 bytes per ns: after n frames, marking sees those that are at least 10 ns old. 200 frames
 * make the ring of changes grow and wrap around. */
static void bytes__are_delayed_by_the_lag(void **unused)
{
    struct packet k = frame(100, 0);

    (void)unused;
    open_view(0, 10000);
    for (uint64_t i = 1; i <= 200; i++) {
        s->engine.now_ps = i * 1000;
        ecn_view_add(s, &port[0], &k);
        assert_int_equal(ecn_view_bytes(s, &port[0], 0), i > 10 ? 100 * (i - 10) : 0);
    }
    s->engine.now_ps = 209999;
    assert_int_equal(ecn_view_bytes(s, &port[0], 0), 100 * 199);
    s->engine.now_ps = 210000;
    assert_int_equal(ecn_view_bytes(s, &port[0], 0), 100 * 200);
    close_view();
}

static void build__creates_views_only_if_needed(void **unused)
{
    (void)unused;
    open_view(0, 0);
    assert_null(s->sw.view);
    close_view();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes__are_whole_cells),
        cmocka_unit_test(threshold__is_rounded_down_to_cells),
        cmocka_unit_test(bytes__are_delayed_by_the_lag),
        cmocka_unit_test(build__creates_views_only_if_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
