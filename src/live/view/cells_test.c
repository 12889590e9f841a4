/* src/live/view/cells_test.c - many devices in few cells, and what a listener receives. */
#include "live/view/cells.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NOW_US 100000000u

static struct controller_config cfg = { .interval_us = 100000, .stale_intervals = 10 };
static struct controller        c;
static struct cells             s;

static void add_device(const char *name)
{
    struct peer *p = &c.peer[c.peers++];

    *p = (struct peer){ .heard_us = NOW_US - 50000, .interval_us = 100000, .may_write = true,
                        .sample = { .interval_us = 100000, .tx_bytes = 625000000, .rate_bps = 100000000000, .metric = 0.5 } };
    snprintf(p->name, sizeof p->name, "%s", name);
}

/* Adds 'racks' times 'hosts' devices, in reverse order: sorting must not be by chance. */
static void add_racks(uint32_t racks, uint32_t hosts, const char *format)
{
    char name[MSG_NAME_SIZE];

    for (uint32_t i = racks * hosts; i-- > 0;) {
        snprintf(name, sizeof name, format, i / hosts, i % hosts);
        add_device(name);
    }
}

static int begin(void **state)
{
    (void)state;
    c = (struct controller){ .cfg = &cfg, .peer = calloc(40000, sizeof(struct peer)), .peers_max = 40000 };
    s = (struct cells){ 0 };
    return 0;
}

static int end(void **state)
{
    (void)state;
    cells_fini(&s);
    free(c.peer);
    return 0;
}

static void check_all_are_there_once(void)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < s.count; i++) {
        assert_int_equal(s.cell[i].first, next);
        next += s.cell[i].count;
    }
    assert_int_equal(next, c.peers);
    assert_true(s.count <= CELLS_MAX);
}

static void cells_look__few_have_one_each_in_the_order_of_names(void **state)
{
    (void)state;
    add_racks(1, 500, "a%uh%u/mlx5_0");
    cells_look(&s, &c, NOW_US);
    assert_int_equal(s.count, 500);
    check_all_are_there_once();
    assert_string_equal(c.peer[s.order[9]].name, "a0h9/mlx5_0");
    assert_string_equal(c.peer[s.order[10]].name, "a0h10/mlx5_0");
}

static void cells_look__a_rack_is_a_cell(void **state)
{
    (void)state;
    add_racks(313, 32, "rack%u-host%u/mlx5_0");
    cells_look(&s, &c, NOW_US);
    assert_int_equal(s.count, 313);
    check_all_are_there_once();
    assert_string_equal(c.peer[s.order[s.cell[12].first]].name, "rack12-host0/mlx5_0");
    assert_int_equal(s.cell[12].seen.utilisation, 500);                  /* 625 MB in 0.1 s are half of 100 Gb/s */
    assert_int_equal(s.cell[12].seen.state[STATE_HELD_BACK] + s.cell[12].seen.state[STATE_READY], 32);
}

static void cells_look__never_too_many(void **state)
{
    (void)state;
    add_racks(5000, 8, "r%uh%u/a");      /* a cell per rack would make 5,000 */
    cells_look(&s, &c, NOW_US);
    check_all_are_there_once();
}

static void cells_look__names_without_racks_share_by_64(void **state)
{
    (void)state;
    add_racks(100, 100, "load/h%u%02u");
    cells_look(&s, &c, NOW_US);
    check_all_are_there_once();
    assert_int_equal(s.count, (10000 + CELLS_DEVICES - 1) / CELLS_DEVICES);
}

static size_t changed_cells(uint64_t since)
{
    json_t *o = cells_changes(&s, since);
    size_t  count = json_array_size(json_object_get(o, "cells"));

    json_decref(o);
    return count;
}

static void cells_changes__lists_only_changes(void **state)
{
    uint64_t look;

    (void)state;
    add_racks(313, 32, "rack%u-host%u/mlx5_0");
    cells_look(&s, &c, NOW_US);
    assert_int_equal(changed_cells(0), 313);
    look = s.look;
    cells_look(&s, &c, NOW_US + 1000);
    assert_int_equal(changed_cells(look), 0);
    c.peer[5].sample.paused = 0.25;
    cells_look(&s, &c, NOW_US + 2000);
    assert_int_equal(changed_cells(look), 1);
    assert_int_equal(changed_cells(s.look), 0);
    cells_look(&s, &c, NOW_US + 5000000);                                /* all devices have become silent */
    assert_int_equal(changed_cells(look), 313);
    assert_int_equal(s.cell[0].seen.state[STATE_SILENT], 32);
}

static void cells_page__ends_where_devices_end(void **state)
{
    json_t *o;

    (void)state;
    add_racks(10, 25, "rack%u-host%u/mlx5_0");
    cells_look(&s, &c, NOW_US);
    for (uint32_t first = 0; first < 400; first += 100) {
        o = cells_page(&s, &c, first, NOW_US);
        assert_int_equal(json_array_size(json_object_get(o, "devices")), first < 200    ? 100
                                                                         : first == 200 ? 50
                                                                                        : 0);
        json_decref(o);
    }
    o = cells_page(&s, &c, UINT32_MAX, NOW_US);
    assert_int_equal(json_array_size(json_object_get(o, "devices")), 0);
    json_decref(o);
}

static void cells_look__unknown_values_are_null(void **state)
{
    json_t *o, *row;

    (void)state;
    add_device("h1/a");
    c.peer[0].heard_us = 0;                      /* known from the disk only */
    c.peer[0].sample.unknown = MSG_UNKNOWN_ALL;
    c.peer[0].sample.paused = c.peer[0].sample.metric = NAN;
    cells_look(&s, &c, NOW_US);
    o = cells_changes(&s, 0);
    row = json_array_get(json_object_get(o, "cells"), 0);
    for (size_t i = 1; i <= 5; i++)              /* utilisation, time paused, metric, CNPs, age */
        assert_true(json_is_null(json_array_get(row, i)));
    json_decref(o);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(cells_look__few_have_one_each_in_the_order_of_names),
        CASE(cells_look__a_rack_is_a_cell),
        CASE(cells_look__never_too_many),
        CASE(cells_look__names_without_racks_share_by_64),
        CASE(cells_changes__lists_only_changes),
        CASE(cells_page__ends_where_devices_end),
        CASE(cells_look__unknown_values_are_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
