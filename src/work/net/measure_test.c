#include "work/net/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define GBPS 1000000000ull

/* Two racks of two hosts (100 Gb/s, 1 us) and a spine with three links (400 Gb/s, 2 us), two of them to the
 * second rack. Nodes: hosts 0 .. 3, racks 4 and 5, spine 6. */
static void make_graph(struct graph *g)
{
    graph_init(g);
    for (uint32_t i = 0; i < 7; i++)
        graph_add_node(g, i > 3, NULL);
    for (uint32_t i = 0; i < 4; i++)
        graph_add_link(g, &(struct graph_link){ .a = i, .b = 4 + i / 2, .rate_bps = 100 * GBPS,
                                                .delay_ps = 1000000 });
    for (uint32_t i = 0; i < 3; i++)
        graph_add_link(g, &(struct graph_link){ .a = i ? 5 : 4, .b = 6, .rate_bps = 400 * GBPS,
                                                .delay_ps = 2000000 });
}

static void measure__by_hand(void **unused)
{
    struct graph g;
    uint32_t    *link_of;

    (void)unused;
    make_graph(&g);
    link_of = graph_host_links(&g);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(link_of[i], i);
        assert_int_equal(graph_rack(&g, link_of, i), 4 + i / 2);
    }
    free(link_of);
    assert_int_equal(graph_last_host(&g), 3);
    assert_int_equal(graph_delay_ps_min(&g), 1000000);
    assert_int_equal(graph_delay_ps_max(&g), 2000000);
    assert_true(graph_host_bps(&g) == 400e9);
    assert_true(graph_uplink_bps(&g) == 1200e9);
    graph_fini(&g);
}

/* A link between two switches with hosts is an uplink of both. */
static void uplink_bps__counts_both_ends(void **unused)
{
    struct graph g;

    (void)unused;
    make_graph(&g);
    graph_add_link(&g, &(struct graph_link){ .a = 4, .b = 5, .rate_bps = 50 * GBPS, .delay_ps = 1 });
    assert_true(graph_uplink_bps(&g) == 1300e9);
    assert_true(graph_host_bps(&g) == 400e9);
    graph_fini(&g);
}

/* Switches on the path: one within a rack, three between racks of a Clos, five between pods of a fat-tree. A
 * direct link between the racks makes it two. */
static void switches_max__by_hand(void **unused)
{
    struct graph g;

    (void)unused;
    make_graph(&g);
    assert_int_equal(graph_switches_max(&g), 3);
    graph_add_link(&g, &(struct graph_link){ .a = 4, .b = 5, .rate_bps = 50 * GBPS, .delay_ps = 1 });
    assert_int_equal(graph_switches_max(&g), 2);
    graph_fini(&g);
    graph_star(&g, &(struct graph_star){ 5, 100 * GBPS, 1000 });
    assert_int_equal(graph_switches_max(&g), 1);
    graph_fini(&g);
    graph_fat_tree(&g, &(struct graph_fat_tree){ .k = 4, .rate_bps = 100 * GBPS, .delay_ps = 1000 });
    assert_int_equal(graph_switches_max(&g), 5);
    graph_fini(&g);
    graph_init(&g);
    graph_add_node(&g, false, NULL);
    graph_add_node(&g, false, NULL);
    graph_add_link(&g, &(struct graph_link){ .a = 0, .b = 1, .rate_bps = 50 * GBPS, .delay_ps = 1 });
    assert_int_equal(graph_switches_max(&g), 0);
    graph_fini(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measure__by_hand),
        cmocka_unit_test(uplink_bps__counts_both_ends),
        cmocka_unit_test(switches_max__by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
