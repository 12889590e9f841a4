/* src/live/links/loads_test.c - loads of links, from the reports of devices. */
#include "live/links/loads.h"

#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NOW_US  100000000u
#define RATE    100000000000ull
#define QUARTER 312500000ull     /* bytes of 100 ms at a quarter of that rate */

static struct controller_config cfg = { .interval_us = 100000, .stale_intervals = 10 };
static struct controller        c;
static struct loads             s;
static struct links             links;
static struct msg_detail        detail;

static int begin(void **state)
{
    (void)state;
    c = (struct controller){ .cfg = &cfg, .peer = calloc(2000, sizeof(struct peer)), .peers_max = 2000 };
    detail = (struct msg_detail){ 0 };
    return 0;
}

static int end(void **state)
{
    (void)state;
    loads_fini(&s);
    links_fini(&links);
    free(c.peer);
    return 0;
}

static struct peer *add_device(const char *name, enum knob_where where)
{
    struct peer *p = &c.peer[c.peers++];

    *p = (struct peer){ .heard_us = NOW_US - 50000, .interval_us = 100000, .where = where,
                        .sample = { .interval_us = 100000, .tx_bytes = QUARTER, .rate_bps = RATE,
                                    .paused = 0.125 } };
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

static void know(const char *text)
{
    struct err err = { "" };

    assert_int_equal(links_parse(&links, "l", text, strlen(text), &err), 0);
    loads_init(&s, &links, 0);
}

static void look__each_direction_is_reported_by_its_sender(void **unused)
{
    struct peer *tor;

    (void)unused;
    know("links:\n  - h1 - tor1:Ethernet4\n  - h2:mlx5_1 - tor1:1\n  - tor1:Ethernet8 - spine1\n");
    add_device("h1/mlx5_0", KNOB_NIC);
    add_device("h2/mlx5_0", KNOB_NIC)->sample.tx_bytes = 0;
    add_device("h2/mlx5_1", KNOB_NIC)->sample.tx_bytes = 2 * QUARTER;
    tor = add_device("tor1/PROFILE", KNOB_SWITCH);
    detail.ports = 2;
    detail.port[0] = (struct msg_port){ .tx_bytes = 3 * QUARTER, .rate_bps = RATE, .paused_ps = 50000000000,
                                        .queue_bytes = 123456, .has_queue = true, .name = "Ethernet4" };
    detail.port[1] = (struct msg_port){ .tx_bytes = QUARTER, .rate_bps = 0 };
    tor->has_detail = true;
    tor->detail = &detail;
    loads_look(&s, &c, NOW_US);
    assert_true(s.load[0].way[0].use == 250 && s.load[0].way[0].paused == 125 &&
                s.load[0].way[0].queue == -1);
    assert_true(s.load[0].way[1].use == 750 && s.load[0].way[1].paused == 500 &&
                s.load[0].way[1].queue == 120000);
    assert_int_equal(s.load[1].way[0].use, 500); /* the NIC that the file names */
    assert_int_equal(s.load[1].way[1].use, -1);  /* an unknown rate */
    assert_int_equal(s.load[1].way[1].paused, 0);
    /* no such port, no such device */
    assert_true(s.load[2].way[0].use == -1 && s.load[2].way[1].use == -1);
    tor->sample.paused = NAN;
    loads_look(&s, &c, NOW_US + 1);
    assert_int_equal(s.load[0].way[1].paused, -1);
}

static void look__keeps_loads_for_a_while(void **unused)
{
    struct peer *tor;

    (void)unused;
    know("links:\n  - tor1:0 - spine1:0\n");
    tor = add_device("tor1", KNOB_SWITCH);
    detail.ports = 1;
    detail.port[0] = (struct msg_port){ .tx_bytes = QUARTER, .rate_bps = RATE };
    tor->has_detail = true;
    tor->detail = &detail;
    loads_look(&s, &c, NOW_US);
    tor->has_detail = false;                     /* no new counters since then */
    tor->heard_us += 10000000;
    loads_look(&s, &c, NOW_US + 10000000);
    assert_int_equal(s.load[0].way[0].use, 250);
    tor->heard_us += 10000000;
    loads_look(&s, &c, NOW_US + 20000000);
    assert_int_equal(s.load[0].way[0].use, -1);
    tor->has_detail = true;
    loads_look(&s, &c, NOW_US + 20000000);
    assert_int_equal(s.load[0].way[0].use, 250);
    loads_look(&s, &c, NOW_US + 30000000);
    assert_int_equal(s.load[0].way[0].use, -1);  /* silent */
}

static void changes__lists_changes_since_a_look(void **unused)
{
    json_t *o;

    (void)unused;
    know("links:\n  - h1 - tor1\n  - h2 - tor1\n");
    add_device("h1", KNOB_NIC);
    add_device("h2", KNOB_NIC);
    loads_look(&s, &c, NOW_US);
    o = loads_changes(&s, 0);
    assert_int_equal(json_array_size(json_object_get(o, "links")), 2);
    json_decref(o);
    loads_look(&s, &c, NOW_US);
    assert_null(loads_changes(&s, 1));
    c.peer[1].sample.tx_bytes *= 2;
    loads_look(&s, &c, NOW_US);
    o = loads_changes(&s, 2);
    assert_int_equal(json_array_size(json_object_get(o, "links")), 1);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(json_object_get(o, "links"), 0), 0)),
                     1);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(json_object_get(o, "links"), 0), 1)),
                     500);
    json_decref(o);
}

static void changes__lists_the_worst_of_many_first(void **unused)
{
    char   *text = malloc(100000), name[MSG_NAME_SIZE];
    size_t  length = (size_t)sprintf(text, "links:\n");
    json_t *o, *list;

    (void)unused;
    for (int i = 0; i < 1000; i++)
        length += (size_t)sprintf(text + length, "  - h%d - tor%d\n", i, i / 16);
    know(text);
    free(text);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "h%d", (i * 7) % 1000);
        add_device(name, KNOB_NIC)->sample = (struct msg_sample){ .interval_us = 100000, .rate_bps = RATE,
            .tx_bytes = QUARTER * 4 * (uint64_t)((i * 7) % 1000) / 1000,
            .paused = (i * 7) % 1000 == 300 ? 0.5 : 0 };
    }
    loads_look(&s, &c, NOW_US);
    o = loads_json(&s, &c);
    assert_int_equal(json_array_size(json_object_get(o, "links")), 0);
    assert_int_equal(json_integer_value(json_object_get(o, "total")), 1000);
    json_decref(o);
    o = loads_changes(&s, 99);
    list = json_object_get(o, "worst");
    assert_int_equal(json_array_size(list), LOADS_WORST);
    assert_string_equal(json_string_value(json_array_get(json_array_get(list, 0), 0)), "h300");  /* paused */
    for (uint32_t i = 1; i < LOADS_WORST; i++) {
        snprintf(name, sizeof name, "h%u", 1000 - i);
        assert_string_equal(json_string_value(json_array_get(json_array_get(list, i), 0)), name);
    }
    json_decref(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(look__each_direction_is_reported_by_its_sender, begin, end),
        cmocka_unit_test_setup_teardown(look__keeps_loads_for_a_while,
                                        begin, end),
        cmocka_unit_test_setup_teardown(changes__lists_changes_since_a_look, begin, end),
        cmocka_unit_test_setup_teardown(changes__lists_the_worst_of_many_first, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
