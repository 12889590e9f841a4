/* peers/astra_test.c - ASTRA-sim's networks: links by the arithmetic of dimensions, and refusals. */
#include "peers/astra.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define GB_BPS (8ull << 30)      /* 1 GB/s as ASTRA-sim defines it */

static void parse(const char *text, bool is_inside, struct graph *g)
{
    struct err err;

    if (astra_read_network("n", text, strlen(text), is_inside, g, &err))
        fail_msg("%s", err.text);
}

static uint32_t links_between(const struct graph *g, uint32_t a, uint32_t b)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < g->links; i++)
        count += (g->link[i].a == a && g->link[i].b == b) || (g->link[i].a == b && g->link[i].b == a);
    return count;
}

/* A torus of 2 x 4 with a switch for each pair: NPU i is at (i mod 4, i / 4). */
static void astra_network__dimensions(void **unused)
{
    struct graph g;

    (void)unused;
    parse("topology: [Ring, FullyConnected, Switch]\nnpus_count: [4, 2, 2]\nbandwidth: [50.0, 25, "
          "12.5]\nlatency: [500, 600.5, 700]\n", false, &g);
    assert_int_equal(g.hosts, 16);
    assert_int_equal(g.nodes, 16 + 16 + 8);
    /* to routers; rings of 4; pairs; to the switches of 8 pairs */
    assert_int_equal(g.links, 16 + 16 + 8 + 16);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t r = 16 + i;

        assert_int_equal(links_between(&g, i, r), 1);
        assert_int_equal(links_between(&g, r, 16 + i / 4 * 4 + (i + 1) % 4), 1);
        assert_int_equal(links_between(&g, r, 16 + (i ^ 4)), 1);
        assert_int_equal(links_between(&g, r, 32 + i % 8), 1);
    }
    assert_int_equal(g.link[0].rate_bps, (2 * 50 + 25) * GB_BPS + 25 * GB_BPS / 2);
    assert_int_equal(g.link[16].rate_bps, 50 * GB_BPS);
    assert_int_equal(g.link[32].delay_ps, 600500);
    graph_fini(&g);
}

static void astra_network__one_switch_needs_no_routers(void **unused)
{
    struct graph g;

    (void)unused;
    parse("topology: [Switch]\nnpus_count: [5]\nbandwidth: [100]\nlatency: [500]\n", false, &g);
    assert_int_equal(g.nodes, 6);
    assert_int_equal(g.links, 5);
    assert_int_equal(g.link[4].rate_bps, 100 * GB_BPS);
    graph_fini(&g);
}

static void astra_network__servers(void **unused)
{
    struct graph g;

    (void)unused;
    parse("topology: [Switch, Switch]\nnpus_count: [8, 2]\nbandwidth: [400, 50]\nlatency: [100, 500]\n", true,
          &g);
    assert_int_equal(g.hosts, 16);
    assert_int_equal(g.nodes, 16 + 8 + 1);               /* rails, and the switch that joins them */
    assert_int_equal(g.links, 16 + 8);
    assert_true(graph_is_inside(&g, 0, 7) && !graph_is_inside(&g, 7, 8));
    assert_int_equal(g.inside_rate_bps, 400 * GB_BPS);
    assert_int_equal(g.inside_delay_ps, 200 * PS_PER_NS);
    assert_int_equal(links_between(&g, 3, 16 + 3), 1);
    assert_int_equal(links_between(&g, 11, 16 + 3), 1);
    graph_fini(&g);
}

/* A ring of two has one link. In a large full mesh, a router's link is limited to the maximum rate. */
static void astra_network__ends_of_ranges(void **unused)
{
    struct graph g;

    (void)unused;
    parse("topology: [Ring]\nnpus_count: [2]\nbandwidth: [1]\nlatency: [1]\n", false, &g);
    assert_int_equal(g.links, 3);
    assert_int_equal(g.link[0].rate_bps, GB_BPS);
    graph_fini(&g);
    parse("topology: [FullyConnected]\nnpus_count: [9]\nbandwidth: [100]\nlatency: [1]\n", false, &g);
    assert_int_equal(g.links, 9 + 36);
    assert_int_equal(g.link[0].rate_bps, 1600000000000ull);
    graph_fini(&g);
}

static void astra_network__refuses(void **unused)
{
    static const struct { const char *text, *why; bool is_inside; } rows[] = {
        { "", "n:1:1: it has no 'topology', 'npus_count', 'bandwidth' and 'latency'", false },
        { "topology: Ring", "n:1:11: 'topology' is a list with an entry for each dimension", false },
        { "topology: [Mesh]", "n:1:12: 'Mesh' is not a topology; use Ring, FullyConnected or Switch", false },
        { "topology: [Ring]\nnpus: [4]",
          "n:2:1: there is no key 'npus'; there are topology, npus_count, bandwidth and latency", false },
        { "topology: [Ring]\nnpus_count: [4, 2]", "n:2:13: 'npus_count' has 2 entries, 'topology' has 1",
          false },
        { "topology: [Ring]\nnpus_count: [1]",
          "n:2:14: a dimension has 2 NPUs or more, up to 1048576, not '1'", false },
        { "topology: [Ring]\nnpus_count: [4]\nbandwidth: [0]",
          "n:3:13: the bandwidth is a number of GB/s above 0, not '0'", false },
        { "topology: [Ring]\nnpus_count: [4]\nbandwidth: [1]\nlatency: [0]",
          "n:4:11: the latency is a number of ns above 0, up to 2 ms, not '0'", false },
        { "topology: [Ring]\nnpus_count: [4]\nbandwidth: [187]\nlatency: [1]",
          "n:3:12: dimension 0: a link has at most 1.6 Tb/s, 186.2 GB/s; a faster first dimension can be "
          "inside of servers", false },
        { "topology: [Ring]\nnpus_count: [4]\nbandwidth: [0.1]\nlatency: [1]",
          "n:1:1: the link r0-r1: its rate, 859 Mb/s, is not within 1 Gb/s .. 1.6 Tb/s", false },
        { "topology: [Switch]\nnpus_count: [4]\nbandwidth: [9]\nlatency: [1]",
          "n:1:11: inside of servers there can be a first dimension of kind Switch, with others behind it",
          true },
        { "topology: [Ring, Ring]\nnpus_count: [4000, 4000]\nbandwidth: [9, 9]\nlatency: [1, 1]",
          "n:2:13: 16000000 NPUs with 32000000 links exceed the limits", false },
    };
    struct graph g;
    struct err   err;

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(astra_read_network("n", rows[i].text, strlen(rows[i].text), rows[i].is_inside, &g,
                                        &err) < 0);
        assert_string_equal(err.text, rows[i].why);
    }
}

static void astra_dims__of_json(void **unused)
{
    static const char text[] = "{\"logical-dims\": [\"8\", \"2\"]}",
        wrong[] = "{\"logical-dims\": [\"8\", \"x\"]}";
    uint32_t          dim[ASTRA_DIMS_MAX], dims;
    struct err        err;

    (void)unused;
    assert_int_equal(astra_read_dims("l", text, strlen(text), dim, &dims, &err), 0);
    assert_int_equal(dims, 2);
    assert_int_equal(dim[0], 8);
    assert_int_equal(dim[1], 2);
    assert_true(astra_read_dims("l", wrong, strlen(wrong), dim, &dims, &err) < 0);
    assert_string_equal(err.text, "l:1:24: a dimension is a number of NPUs, 1 .. 1048576");
    assert_true(astra_read_dims("l", "[8]", 3, dim, &dims, &err) < 0);
    assert_string_equal(err.text, "l:1:1: 'logical-dims' is a list of 1 to 16 dimensions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(astra_network__dimensions),
        cmocka_unit_test(astra_network__one_switch_needs_no_routers),
        cmocka_unit_test(astra_network__servers),
        cmocka_unit_test(astra_network__ends_of_ranges),
        cmocka_unit_test(astra_network__refuses),
        cmocka_unit_test(astra_dims__of_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
