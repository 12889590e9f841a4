/* src/work/net/fat_tree_test.c - oracle: k^3/4 hosts and 5k^2/4 switches, by Al-Fares et al., SIGCOMM
 * 2008. */
#include "work/net/fat_tree.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void make__has_k_ports_everywhere(void **unused)
{
    (void)unused;
    for (uint32_t k = 2; k <= 12; k += 2) {
        struct fat_tree t;
        struct graph    g;
        struct err      err;
        uint32_t       *ports;

        assert_int_equal(fat_tree_make(&t, 3, k * k * k / 4, 100000000000, PS_PER_US, 0, &err), 0);
        graph_init(&g);
        fat_tree_wire(&t, &g);
        assert_int_equal(graph_check(&g, &err), 0);
        assert_int_equal(g.nodes - g.hosts, 5 * k * k / 4);
        assert_int_equal(g.links, 3 * k * k * k / 4);
        ports = xcalloc(g.nodes, sizeof *ports);
        for (uint32_t i = 0; i < g.links; i++) {
            ports[g.link[i].a]++;
            ports[g.link[i].b]++;
        }
        for (uint32_t i = 0; i < g.nodes; i++)
            assert_int_equal(ports[i], i < g.hosts ? 1 : k);
        free(ports);
        graph_fini(&g);
    }
}

static void make__refuses_other_numbers(void **unused)
{
    static const uint32_t hosts[] = { 0, 1, 15, 17, 100, 129 };
    struct fat_tree       t;
    struct err            err;

    (void)unused;
    for (int i = 0; i < 6; i++) {
        assert_true(fat_tree_make(&t, 3, hosts[i], 1000000000, 1000, 0, &err) < 0);
        assert_true(fat_tree_make(&t, 2, hosts[i], 1000000000, 1000, 0, &err) < 0);
    }
}

/* A packet between pods passes six links and five switches. */
static void longest__counts_links_and_switches(void **unused)
{
    struct fat_tree t;
    struct err      err;

    (void)unused;
    assert_int_equal(fat_tree_make(&t, 3, 16, 1000000000, 1000, 300, &err), 0);
    assert_int_equal(fat_tree_longest_ps(&t), 6 * 1000 + 5 * 300);
    assert_int_equal(2 * (fat_tree_delay_ps(&t, 0) + fat_tree_delay_ps(&t, 1) + fat_tree_delay_ps(&t, 2)),
                     6 * 1000 + 5 * 300);
    assert_int_equal(fat_tree_make(&t, 2, 32, 1000000000, 1000, 300, &err), 0);
    assert_int_equal(fat_tree_longest_ps(&t), 4 * 1000 + 3 * 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(make__has_k_ports_everywhere),
        cmocka_unit_test(make__refuses_other_numbers),
        cmocka_unit_test(longest__counts_links_and_switches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
