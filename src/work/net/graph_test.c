#include "work/net/graph.h"

#include "core/units.h"

#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GBPS 1000000000ull

static uint32_t degree(const struct graph *g, uint32_t node)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < g->links; i++)
        count += (g->link[i].a == node) + (g->link[i].b == node);
    return count;
}

static uint32_t links_between(const struct graph *g, uint32_t a, uint32_t b)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < g->links; i++)
        count += (g->link[i].a == a && g->link[i].b == b) || (g->link[i].a == b && g->link[i].b == a);
    return count;
}

static void assert_sound(const struct graph *g)
{
    struct err err;

    if (graph_check(g, &err))
        fail_msg("%s", err.text);
}

static void assert_ends(const struct graph *g, uint32_t link, const char *a, const char *b)
{
    assert_string_equal(a, g->node[g->link[link].a].name);
    assert_string_equal(b, g->node[g->link[link].b].name);
}

static void check_star__needs_a_host(void **unused)
{
    struct err err;

    (void)unused;
    assert_int_equal(-EINVAL, graph_check_star(&(struct graph_star){ .hosts = 0 }, &err));
    assert_int_equal(0, graph_check_star(&(struct graph_star){ .hosts = 1 }, &err));
    assert_int_equal(0, graph_check_star(&(struct graph_star){ .hosts = GRAPH_NODES_MAX - 1 }, &err));
    assert_int_equal(-ERANGE, graph_check_star(&(struct graph_star){ .hosts = GRAPH_NODES_MAX }, &err));
    assert_int_equal(-ERANGE, graph_check_star(&(struct graph_star){ .hosts = UINT32_MAX }, &err));
}

static void check_clos__refuses_zero_and_too_many(void **unused)
{
    static const struct { uint32_t tors, hosts, spines, parallel; int want; } row[] = {
        { 1, 1, 1, 1, 0 },
        { 0, 1, 1, 1, -EINVAL }, { 1, 0, 1, 1, -EINVAL }, { 1, 1, 0, 1, -EINVAL }, { 1, 1, 1, 0, -EINVAL },
        { 1024, 1022, 1024, 1, 0 },                          /* 1024 * (1022 + 1) + 1024 is the maximum */
        { 1024, 1022, 1025, 1, -ERANGE },
        { 1024, 1, 1024, 3, 0 }, { 1024, 1, 1024, 4, -ERANGE },
        { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, -ERANGE },
        { 1u << 22, 1, 1u << 21, 1u << 21, -ERANGE },        /* must not wrap around to 0 links */
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct graph_clos clos = { .tors = row[i].tors, .hosts_per_tor = row[i].hosts,
                                   .spines = row[i].spines, .parallel = row[i].parallel };

        assert_int_equal(row[i].want, graph_check_clos(&clos, NULL));
    }
}

static void check_fat_tree__k_is_even_and_not_huge(void **unused)
{
    static const struct { uint32_t k; int want; } row[] = {
        { 0, -EINVAL }, { 1, -EINVAL }, { 2, 0 }, { 7, -EINVAL }, { 158, 0 },
        { 160, -ERANGE },                                    /* 1,024,000 hosts and 32,000 switches */
        { 1u << 30, -ERANGE }, { UINT32_MAX - 1, -ERANGE },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(row[i].want, graph_check_fat_tree(&(struct graph_fat_tree){ .k = row[i].k }, NULL));
}

static void star__all_hosts_on_one_switch(void **unused)
{
    struct graph g;

    (void)unused;
    graph_star(&g, &(struct graph_star){ .hosts = 17, .rate_bps = 100 * GBPS, .delay_ps = PS_PER_US });
    assert_sound(&g);
    assert_int_equal(18, g.nodes);
    assert_int_equal(17, g.hosts);
    assert_int_equal(17, g.links);
    assert_true(g.node[17].is_switch);
    assert_int_equal(17, degree(&g, 17));
    assert_ends(&g, 16, "h16", "s0");
    assert_int_equal(100 * GBPS, g.link[16].rate_bps);
    assert_int_equal(PS_PER_US, g.link[16].delay_ps);
    graph_fini(&g);
}

static void clos__counts_and_order(void **unused)
{
    struct graph_clos clos = { .tors = 8, .hosts_per_tor = 16, .spines = 4, .parallel = 1,
                               .rate_bps = 100 * GBPS, .delay_ps = 5 * PS_PER_US,
                               .fabric_rate_bps = 400 * GBPS, .fabric_delay_ps = PS_PER_US };
    struct graph g;

    (void)unused;
    graph_clos(&g, &clos);
    assert_sound(&g);
    assert_int_equal(140, g.nodes);
    assert_int_equal(128, g.hosts);
    assert_int_equal(160, g.links);
    for (uint32_t i = 0; i < 140; i++)
        assert_int_equal(i < 128 ? 1 : i < 136 ? 16 + 4 : 8, degree(&g, i));
    assert_ends(&g, 0, "h0", "tor0");
    assert_ends(&g, 127, "h127", "tor7");
    assert_ends(&g, 128, "tor0", "spine0");
    assert_ends(&g, 131, "tor0", "spine3");
    assert_ends(&g, 159, "tor7", "spine3");
    assert_int_equal(100 * GBPS, g.link[127].rate_bps);
    assert_int_equal(5 * PS_PER_US, g.link[127].delay_ps);
    assert_int_equal(400 * GBPS, g.link[128].rate_bps);
    assert_int_equal(PS_PER_US, g.link[128].delay_ps);
    graph_fini(&g);
}

static void clos__parallel_links(void **unused)
{
    struct graph_clos clos = { .tors = 3, .hosts_per_tor = 2, .spines = 2, .parallel = 4,
                               .rate_bps = 25 * GBPS, .fabric_rate_bps = 100 * GBPS };
    struct graph g;

    (void)unused;
    graph_clos(&g, &clos);
    assert_sound(&g);
    assert_int_equal(6 + 3 * 2 * 4, g.links);
    for (uint32_t tor = 6; tor < 9; tor++)
        for (uint32_t spine = 9; spine < 11; spine++)
            assert_int_equal(4, links_between(&g, tor, spine));
    graph_fini(&g);
}

static void fat_tree__counts_and_degrees(void **unused)
{
    static const uint32_t ks[] = { 2, 4, 8, 16 };

    (void)unused;
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        uint32_t k = ks[i], hosts = k * k * k / 4, *count;
        struct graph g;

        graph_fat_tree(&g, &(struct graph_fat_tree){ .k = k, .rate_bps = 100 * GBPS, .delay_ps = PS_PER_US });
        assert_sound(&g);
        assert_int_equal(hosts, g.hosts);
        assert_int_equal(hosts + 5 * k * k / 4, g.nodes);
        assert_int_equal(3 * hosts, g.links);
        count = calloc(g.nodes, sizeof *count);
        for (uint32_t l = 0; l < g.links; l++)
            count[g.link[l].a]++, count[g.link[l].b]++;
        for (uint32_t n = 0; n < g.nodes; n++) {
            assert_int_equal(n >= hosts, g.node[n].is_switch);
            assert_int_equal(n < hosts ? 1 : k, count[n]);
        }
        free(count);
        graph_fini(&g);
    }
}

/* Every link of k = 4, drawn by hand: hosts 0-15, edges 16-23, aggs 24-31, cores 32-35. */
static void fat_tree__wiring_of_k_4(void **unused)
{
    static const uint8_t ends[48][2] = {
        { 0, 16 }, { 1, 16 }, { 2, 17 }, { 3, 17 }, { 4, 18 }, { 5, 18 }, { 6, 19 }, { 7, 19 },
        { 8, 20 }, { 9, 20 }, { 10, 21 }, { 11, 21 }, { 12, 22 }, { 13, 22 }, { 14, 23 }, { 15, 23 },
        { 16, 24 }, { 16, 25 }, { 17, 24 }, { 17, 25 }, { 18, 26 }, { 18, 27 }, { 19, 26 }, { 19, 27 },
        { 20, 28 }, { 20, 29 }, { 21, 28 }, { 21, 29 }, { 22, 30 }, { 22, 31 }, { 23, 30 }, { 23, 31 },
        { 24, 32 }, { 24, 33 }, { 25, 34 }, { 25, 35 }, { 26, 32 }, { 26, 33 }, { 27, 34 }, { 27, 35 },
        { 28, 32 }, { 28, 33 }, { 29, 34 }, { 29, 35 }, { 30, 32 }, { 30, 33 }, { 31, 34 }, { 31, 35 },
    };
    struct graph g;

    (void)unused;
    graph_fat_tree(&g, &(struct graph_fat_tree){ .k = 4, .rate_bps = 100 * GBPS, .delay_ps = PS_PER_US });
    for (uint32_t i = 0; i < 48; i++) {
        assert_int_equal(ends[i][0], g.link[i].a);
        assert_int_equal(ends[i][1], g.link[i].b);
    }
    assert_ends(&g, 31, "edge7", "agg7");
    assert_ends(&g, 47, "agg7", "core3");
    graph_fini(&g);
}

static void add_node__numbers_each_kind(void **unused)
{
    struct graph g;

    (void)unused;
    graph_init(&g);
    assert_int_equal(0, graph_add_node(&g, true, NULL));
    assert_int_equal(1, graph_add_node(&g, false, NULL));
    assert_int_equal(2, graph_add_node(&g, true, NULL));
    assert_int_equal(3, graph_add_node(&g, false, "a name that is much too long"));
    assert_int_equal(4, graph_add_node(&g, false, NULL));
    assert_int_equal(3, g.hosts);
    assert_string_equal("s0", g.node[0].name);
    assert_string_equal("h0", g.node[1].name);
    assert_string_equal("s1", g.node[2].name);
    assert_string_equal("a name that is ", g.node[3].name);
    assert_string_equal("h2", g.node[4].name);
    graph_fini(&g);
    assert_int_equal(0, g.nodes);
    assert_null(g.node);
}

static void find__by_name_or_number(void **unused)
{
    struct graph g;

    (void)unused;
    graph_fat_tree(&g, &(struct graph_fat_tree){ .k = 4, .rate_bps = 100 * GBPS, .delay_ps = PS_PER_US });
    assert_int_equal(3, graph_find(&g, "h3"));
    assert_int_equal(16, graph_find(&g, "edge0"));
    assert_int_equal(35, graph_find(&g, "core3"));
    assert_int_equal(35, graph_find(&g, "35"));
    assert_int_equal(0, graph_find(&g, "0"));
    assert_int_equal(-1, graph_find(&g, "36"));
    assert_int_equal(-1, graph_find(&g, "99999999999999999999999"));
    assert_int_equal(-1, graph_find(&g, "h16"));
    assert_int_equal(-1, graph_find(&g, "h"));
    assert_int_equal(-1, graph_find(&g, ""));
    assert_int_equal(-1, graph_find(&g, "-1"));
    graph_fini(&g);
}

/* Two hosts on one switch. Each test case breaks one thing. */
static struct graph make_valid_graph(void)
{
    struct graph g;

    graph_star(&g, &(struct graph_star){ .hosts = 2, .rate_bps = 100 * GBPS, .delay_ps = PS_PER_US });
    return g;
}

/* Expects an error with this reason, and frees the graph. */
static void assert_refused(struct graph *g, const char *reason)
{
    struct err err = { "" };

    if (graph_check(g, &err) >= 0)
        fail_msg("accepted, though %s", reason);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not contain '%s'", err.text, reason);
    graph_fini(g);
}

static void check__no_host(void **unused)
{
    struct graph g;

    (void)unused;
    graph_init(&g);
    assert_refused(&g, "there is no host");
    graph_init(&g);
    graph_add_node(&g, true, NULL);
    assert_refused(&g, "there is no host");
}

static void check__link_ends(void **unused)
{
    struct graph g = make_valid_graph();

    (void)unused;
    g.link[1].b = 1;
    assert_refused(&g, "from h1 to itself");
    g = make_valid_graph();
    g.link[1].b = 3;
    assert_refused(&g, "from node 1 to node 3, but the last node is 2");
    g = make_valid_graph();
    g.link[0].a = UINT32_MAX;
    assert_refused(&g, "node 4294967295");
}

static void check__host_has_one_link(void **unused)
{
    struct graph g = make_valid_graph();

    (void)unused;
    graph_add_node(&g, false, NULL);
    assert_refused(&g, "the host h2 has 0 links");
    g = make_valid_graph();
    graph_add_link(&g, &(struct graph_link){ .a = 2, .b = 1, .rate_bps = GBPS });
    assert_refused(&g, "the host h1 has 2 links");
}

static void check__rate_and_delay(void **unused)
{
    struct graph g = make_valid_graph();

    (void)unused;
    g.link[0].rate_bps = GBPS;
    g.link[1].rate_bps = 1600 * GBPS;
    g.link[0].delay_ps = 0;
    g.link[1].delay_ps = 4 * PS_PER_MS;
    assert_sound(&g);
    g.link[0].rate_bps--;
    assert_refused(&g, "the link h0-s0: its rate");
    g = make_valid_graph();
    g.link[1].rate_bps = 1600 * GBPS + 1;
    assert_refused(&g, "the link h1-s0: its rate");
    g = make_valid_graph();
    g.link[1].delay_ps = 4 * PS_PER_MS + 1;
    assert_refused(&g, "the link h1-s0: its delay");
}

static void check__probabilities(void **unused)
{
    static const double bad[] = { -1e-9, 1, 2, __builtin_inf(), __builtin_nan("") };
    struct graph g = make_valid_graph();

    (void)unused;
    g.link[0].loss = 0.999;
    g.link[0].ber = 1e-12;
    assert_sound(&g);
    graph_fini(&g);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        g = make_valid_graph();
        g.link[1].loss = bad[i];
        assert_refused(&g, "the link h1-s0: its loss");
        g = make_valid_graph();
        g.link[1].ber = bad[i];
        assert_refused(&g, "the link h1-s0: its bit error rate");
    }
}

static void check__hosts_reach_each_other(void **unused)
{
    struct graph g = make_valid_graph();
    uint32_t far;

    (void)unused;
    far = graph_add_node(&g, true, NULL);
    assert_sound(&g);                                        /* an isolated switch is allowed */
    graph_add_node(&g, false, NULL);
    graph_add_link(&g, &(struct graph_link){ .a = far, .b = 4, .rate_bps = GBPS });
    assert_int_equal(-EINVAL, graph_check(&g, NULL));
    graph_add_link(&g, &(struct graph_link){ .a = far, .b = 2, .rate_bps = GBPS });
    assert_sound(&g);
    g.links--;
    assert_refused(&g, "the hosts h0 and h2 cannot reach each other");
}

static void check__two_hosts_without_a_switch(void **unused)
{
    struct graph g;

    (void)unused;
    graph_init(&g);
    graph_add_node(&g, false, NULL);
    graph_add_node(&g, false, NULL);
    graph_add_link(&g, &(struct graph_link){ .a = 0, .b = 1, .rate_bps = GBPS });
    assert_sound(&g);
    graph_fini(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_star__needs_a_host),
        cmocka_unit_test(check_clos__refuses_zero_and_too_many),
        cmocka_unit_test(check_fat_tree__k_is_even_and_not_huge),
        cmocka_unit_test(star__all_hosts_on_one_switch),
        cmocka_unit_test(clos__counts_and_order),
        cmocka_unit_test(clos__parallel_links),
        cmocka_unit_test(fat_tree__counts_and_degrees),
        cmocka_unit_test(fat_tree__wiring_of_k_4),
        cmocka_unit_test(add_node__numbers_each_kind),
        cmocka_unit_test(find__by_name_or_number),
        cmocka_unit_test(check__no_host),
        cmocka_unit_test(check__link_ends),
        cmocka_unit_test(check__host_has_one_link),
        cmocka_unit_test(check__rate_and_delay),
        cmocka_unit_test(check__probabilities),
        cmocka_unit_test(check__hosts_reach_each_other),
        cmocka_unit_test(check__two_hosts_without_a_switch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
