/* src/work/net/graph_gpu_test.c - GPU networks and dragonflies: counts of nodes and links against the
 * publications, and who is connected to whom. */
#include "work/net/graph.h"

#include "core/units.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define GBPS 1000000000ull
#define NS   PS_PER_NS

static uint32_t count(const struct graph *g, const char *prefix)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        n += strncmp(g->node[i].name, prefix, strlen(prefix)) == 0;
    return n;
}

static uint32_t degree(const struct graph *g, uint32_t node)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->links; i++)
        n += (g->link[i].a == node) + (g->link[i].b == node);
    return n;
}

/* Name of the only neighbor of a host. */
static const char *neighbor_name(const struct graph *g, uint32_t host)
{
    for (uint32_t i = 0; i < g->links; i++)
        if (g->link[i].a == host)
            return g->node[g->link[i].b].name;
    return "";
}

static void assert_sound(const struct graph *g)
{
    struct err err;

    if (graph_check(g, &err))
        fail_msg("%s", err.text);
}

/* Two units, the first with four servers. h9 is GPU 1 of server 1; h33 is GPU 1 of server 4, the first of
 * unit 2. */
static void rails__gpus_of_equal_index_share_a_leaf(void **unused)
{
    const struct graph_rails r = { .servers = 6, .gpus = 8, .unit = 4, .spines = 2, .parallel = 2,
                                   .rate_bps = 400 * GBPS, .delay_ps = NS, .fabric_rate_bps = 400 * GBPS,
                                   .fabric_delay_ps = NS, .inside_rate_bps = 3600 * GBPS,
                                   .inside_delay_ps = NS };
    struct graph g;

    (void)unused;
    graph_rails(&g, &r);
    assert_sound(&g);
    assert_int_equal(g.hosts, 48);
    assert_int_equal(count(&g, "leaf"), 16);
    assert_string_equal(neighbor_name(&g, 1), "leaf1");
    assert_string_equal(neighbor_name(&g, 9), "leaf1");
    assert_string_equal(neighbor_name(&g, 33), "leaf9");
    assert_true(graph_is_inside(&g, 8, 15));
    assert_false(graph_is_inside(&g, 7, 8));
    assert_int_equal(degree(&g, (uint32_t)graph_find(&g, "leaf0")), 4 + 4);
    assert_int_equal(degree(&g, (uint32_t)graph_find(&g, "spine1")), 16 * 2);
    graph_fini(&g);
}

/* The published segment: 128 servers of 8 GPUs, 16 ToRs with 128 ports down and 60 up, 120 aggregation
 * switches. */
static void hpn__matches_the_publication(void **unused)
{
    const struct graph_hpn h = { .segments = 2, .servers = 128, .gpus = 8, .aggs = 60, .rate_bps = 200 * GBPS,
                                 .delay_ps = NS, .fabric_rate_bps = 400 * GBPS, .fabric_delay_ps = NS,
                                 .inside_rate_bps = 3600 * GBPS, .inside_delay_ps = NS };
    struct graph g;

    (void)unused;
    graph_hpn(&g, &h);
    assert_sound(&g);
    assert_int_equal(g.hosts, 2048);
    assert_int_equal(count(&g, "tor"), 32);
    assert_int_equal(count(&g, "agg"), 120);
    assert_int_equal(degree(&g, (uint32_t)graph_find(&g, "tor17")), 128 + 60);
    assert_int_equal(degree(&g, (uint32_t)graph_find(&g, "agg60")), 16);
    assert_int_equal(degree(&g, (uint32_t)graph_find(&g, "nic7")), 3);
    graph_fini(&g);
}

/* Four planes for hosts of 800 Gb/s. Each plane is a separate network; every NIC is in all of them. */
static void planes__are_disjoint(void **unused)
{
    const struct graph_planes p = { .planes = 4, .tors = 3, .hosts = 8, .spines = 2, .parallel = 4, .gpus = 8,
                                    .rate_bps = 200 * GBPS, .delay_ps = NS, .fabric_rate_bps = 200 * GBPS,
                                    .fabric_delay_ps = NS, .inside_rate_bps = 3600 * GBPS,
                                    .inside_delay_ps = NS };
    struct graph g;

    (void)unused;
    graph_planes(&g, &p);
    assert_sound(&g);
    assert_int_equal(g.hosts, 24);
    assert_int_equal(count(&g, "tor"), 12);
    assert_int_equal(count(&g, "spine"), 8);
    assert_int_equal(g.link[0].rate_bps, 800 * GBPS);
    assert_int_equal(degree(&g, (uint32_t)graph_find(&g, "nic7")), 1 + 4);
    assert_int_equal(degree(&g, (uint32_t)graph_find(&g, "tor4")), 8 + 2 * 4);
    assert_int_equal(degree(&g, (uint32_t)graph_find(&g, "spine7")), 3 * 4);
    assert_true(graph_is_inside(&g, 0, 7));
    for (uint32_t i = 0; i < g.links; i++) {         /* both ends of a fabric link are in the same plane */
        uint32_t tor = g.link[i].a - (uint32_t)graph_find(&g, "tor0"),
                 spine = g.link[i].b - (uint32_t)graph_find(&g, "spine0");

        if (g.link[i].a >= (uint32_t)graph_find(&g, "tor0"))
            assert_int_equal(tor / 3, spine / 2);
    }
    graph_fini(&g);
}

/* a = 4, h = 2, p = 2 and the largest number of groups, nine: one link per pair of groups, and no router port
 * unused. */
static void dragonfly__is_balanced(void **unused)
{
    const struct graph_dragonfly d = { .groups = 9, .routers = 4, .hosts = 2, .global = 2,
                                       .rate_bps = 100 * GBPS, .delay_ps = NS, .fabric_rate_bps = 100 * GBPS,
                                       .fabric_delay_ps = NS, .global_rate_bps = 100 * GBPS,
                                       .global_delay_ps = NS };
    uint32_t     pairs[9][9] = { { 0 } };
    struct graph g;

    (void)unused;
    graph_dragonfly(&g, &d);
    assert_sound(&g);
    assert_int_equal(g.hosts, 72);
    assert_int_equal(g.links, 72 + 9 * 6 + 36);
    for (uint32_t i = 0; i < g.links; i++)
        if (g.node[g.link[i].a].is_switch)
            pairs[(g.link[i].a - 72) / 4][(g.link[i].b - 72) / 4]++;
    for (uint32_t a = 0; a < 9; a++)
        for (uint32_t b = a + 1; b < 9; b++)
            assert_int_equal(pairs[a][b] + pairs[b][a], 1);
    for (uint32_t r = 72; r < g.nodes; r++)
        assert_int_equal(degree(&g, r), 2 + 3 + 2);
    graph_fini(&g);
}

static void check__refuses(void **unused)
{
    struct graph_dragonfly few = { .groups = 10, .routers = 4, .hosts = 2, .global = 2 };
    struct graph_rails     none = { .servers = 1, .gpus = 8, .unit = 1, .spines = 0, .parallel = 1 };
    struct graph_hpn       many = { .segments = 1000, .servers = 1000, .gpus = 8, .aggs = 60 };
    struct graph_planes odd = { .planes = 2, .tors = 3, .hosts = 3, .spines = 1, .parallel = 1, .gpus = 8 };
    struct err             err;

    (void)unused;
    assert_int_equal(graph_check_planes(&odd, &err), -EINVAL);
    assert_string_equal(err.text, "9 hosts are no whole number of servers of 8 GPUs");
    assert_int_equal(graph_check_dragonfly(&few, &err), -EINVAL);
    assert_string_equal(err.text,
                        "4 routers with 2 links to other groups do not reach all of 9 other groups");
    assert_int_equal(graph_check_rails(&none, &err), -EINVAL);
    assert_int_equal(graph_check_hpn(&many, &err), -ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rails__gpus_of_equal_index_share_a_leaf),
        cmocka_unit_test(hpn__matches_the_publication),
        cmocka_unit_test(planes__are_disjoint),
        cmocka_unit_test(dragonfly__is_balanced),
        cmocka_unit_test(check__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
