#include "work/net/route.h"
#include "base/arena.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NODES_MAX 64
#define FAR       1000u

/* Derives the first ports from the links alone: port i of a node is its i-th link. */
static uint32_t first_ports(const struct graph *g, uint32_t *first)
{
    uint32_t total = 0;

    for (uint32_t n = 0; n < g->nodes; n++) {
        first[n] = total;
        for (uint32_t i = 0; i < g->links; i++)
            total += (g->link[i].a == n) + (g->link[i].b == n);
    }
    return total;
}

static uint32_t neighbour(const struct graph *g, uint32_t node, uint32_t port, uint32_t *link)
{
    for (uint32_t i = 0; i < g->links; i++)
        if ((g->link[i].a == node || g->link[i].b == node) && port-- == 0) {
            *link = i;
            return g->link[i].a == node ? g->link[i].b : g->link[i].a;
        }
    abort();
}

/* Distances to 'target' by relaxation until nothing changes. Hosts do not forward. */
static void relax_distances(const struct graph *g, const bool *down, uint32_t target, uint32_t *d)
{
    bool is_changed = true;

    for (uint32_t n = 0; n < g->nodes; n++)
        d[n] = n == target ? 0 : FAR;
    while (is_changed) {
        is_changed = false;
        for (uint32_t i = 0; i < 2 * g->links; i++) {
            uint32_t from = i % 2 ? g->link[i / 2].a : g->link[i / 2].b,
                     to = i % 2 ? g->link[i / 2].b : g->link[i / 2].a;

            if ((down && down[i / 2]) || (to != target && !g->node[to].is_switch) || d[to] + 1 >= d[from])
                continue;
            d[from] = d[to] + 1;
            is_changed = true;
        }
    }
}

/* Expected next hops of a switch toward a host: highest neighbor first, then lowest port. */
static uint32_t expected_hops(const struct graph *g, const uint32_t *first, const bool *down, uint32_t node,
                              uint32_t host, uint32_t *hop)
{
    uint32_t d[NODES_MAX], count = 0;
    uint32_t ports = (node + 1 < g->nodes ? first[node + 1] : 2 * g->links) - first[node];

    relax_distances(g, down, host, d);
    if (d[node] >= FAR)
        return 0;
    for (uint32_t to = g->nodes; to-- > 0;)
        for (uint32_t p = 0; p < ports; p++) {
            uint32_t link, n = neighbour(g, node, p, &link);

            if (n == to && !(down && down[link]) && d[n] == d[node] - 1)
                hop[count++] = first[node] + p;
        }
    return count;
}

static uint32_t actual_hops(const struct route *r, uint32_t node, uint32_t host, uint32_t *hop)
{
    uint32_t entry = r->entry[r->row[node] + r->host[host].group];

    if (entry == ROUTE_LOCAL || entry & ROUTE_ONE) {
        hop[0] = entry == ROUTE_LOCAL ? r->host[host].port : entry & ~ROUTE_ONE;
        return 1;
    }
    memcpy(hop, &r->hop[entry + 1], r->hop[entry] * sizeof *hop);
    return r->hop[entry];
}

/* Routes ignore the state of a host's own link; the port to the host handles it. */
static bool is_host_cut(const struct graph *g, const bool *down, uint32_t host)
{
    for (uint32_t i = 0; down && i < g->links; i++)
        if ((g->link[i].a == host || g->link[i].b == host) && down[i])
            return true;
    return false;
}

static void expect_routes(const struct graph *g, const bool *down)
{
    uint32_t     first[NODES_MAX + 1], want[256], got[256];
    struct arena arena;
    struct route r;

    arena_init(&arena, 8 << 20);
    first_ports(g, first);
    route_build(&r, &arena, g, &(struct route_cfg){ .first_port = first, .down = down });
    for (uint32_t host = 0; host < g->nodes; host++)
        for (uint32_t n = 0; n < g->nodes; n++) {
            uint32_t count;

            if (g->node[host].is_switch || !g->node[n].is_switch || is_host_cut(g, down, host))
                continue;
            count = expected_hops(g, first, down, n, host, want);
            assert_int_equal(actual_hops(&r, n, host, got), count);
            if (count)
                assert_memory_equal(got, want, count * sizeof *got);
        }
    arena_fini(&arena);
}

static void add_link(struct graph *g, uint32_t a, uint32_t b)
{
    graph_add_link(g, &(struct graph_link){ .a = a, .b = b, .rate_bps = 100000000000, .delay_ps = 1000000 });
}

/* Mixes hosts and switches, with parallel links, cycles, and hosts that share only a switch. */
static void random_graph(struct graph *g, struct rng *r)
{
    uint32_t nodes = 6 + (uint32_t)rng_below(r, 14), hub[NODES_MAX], hubs = 0;

    graph_init(g);
    for (uint32_t i = 0; i < nodes; i++) {
        bool is_switch = i == 0 || rng_below(r, 2);

        graph_add_node(g, is_switch, NULL);
        if (i > 0)
            add_link(g, rng_below(r, 2) ? i : hub[rng_below(r, hubs)], i);
        if (g->links && g->link[g->links - 1].a == g->link[g->links - 1].b)
            g->link[g->links - 1].a = hub[rng_below(r, hubs)];
        if (is_switch)
            hub[hubs++] = i;
    }
    for (uint64_t i = rng_below(r, 12); hubs > 1 && i > 0; i--) {
        uint32_t a = hub[rng_below(r, hubs)], b = hub[rng_below(r, hubs)];

        if (a != b)
            add_link(g, a, b);
    }
}

static void route_build__finds_all_shortest_paths(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < 100; seed++) {
        bool         down[256] = { false };
        struct graph g;
        struct rng   r;

        rng_init(&r, seed, 0);
        random_graph(&g, &r);
        expect_routes(&g, NULL);
        for (uint32_t i = 0; i < g.links; i++)
            down[i] = rng_below(&r, 5) == 0;
        expect_routes(&g, down);
        graph_fini(&g);
    }
}

static void route_build__handles_common_topologies(void **unused)
{
    struct graph g;

    (void)unused;
    graph_fat_tree(&g, &(struct graph_fat_tree){ 4, 100000000000, 1000000 });
    expect_routes(&g, NULL);
    graph_fini(&g);
    graph_clos(&g, &(struct graph_clos){ 3, 4, 2, 3, 100000000000, 1000000, 100000000000, 1000000 });
    expect_routes(&g, NULL);
    graph_fini(&g);
}

/* In a fat-tree, edge and agg switches have k/2 next hops upward, and one downward. */
static void route_build__fat_tree_next_hop_counts(void **unused)
{
    (void)unused;
    for (uint32_t k = 2; k <= 8; k += 2) {
        uint32_t hosts = k * k * k / 4, edges = k * k / 2, hop[64], *first = calloc(4096, sizeof *first),
                 total = 0;
        struct arena arena;
        struct graph g;
        struct route r;

        graph_fat_tree(&g, &(struct graph_fat_tree){ k, 100000000000, 1000000 });
        arena_init(&arena, 64 << 20);
        for (uint32_t n = 0; n < g.nodes; n++) {
            first[n] = total;
            total += n < hosts ? 1 : k;
        }
        route_build(&r, &arena, &g, &(struct route_cfg){ .first_port = first });
        for (uint32_t pod = 0; pod < k; pod++) {
            uint32_t near = pod * k * k / 4, far = (near + hosts / 2) % hosts, edge = hosts + pod * k / 2;
            uint32_t agg = edge + edges;

            assert_int_equal(actual_hops(&r, edge, far, hop), k / 2);
            assert_int_equal(actual_hops(&r, agg, far, hop), k / 2);
            assert_int_equal(actual_hops(&r, edge, near, hop), 1);
            assert_int_equal(actual_hops(&r, agg, near, hop), 1);
            if (k > 2)
                assert_int_equal(actual_hops(&r, edge + 1, near, hop), k / 2);
            assert_int_equal(actual_hops(&r, hosts + 2 * edges, near, hop),
                             1); /* a core: one next hop to each pod */
        }
        arena_fini(&arena);
        graph_fini(&g);
        free(first);
    }
}

/* Number of times 'port' occurs among the next hops. */
static uint32_t weight_of(const struct route *r, uint32_t node, uint32_t host, uint32_t port)
{
    uint32_t hop[256], count = actual_hops(r, node, host, hop), weight = 0;

    for (uint32_t i = 0; i < count; i++)
        weight += hop[i] == port;
    return weight;
}

/* Two racks, three spines: a path from tor0 to tor1 carries as much as its slower link. Ports of tor0 lead to
 * host 0 and the spines, in this order. */
static void expect_weights(const uint64_t up_gbps[3], const uint64_t down_gbps[3], const uint32_t want[3])
{
    struct graph g;
    struct arena arena;
    struct route r;
    uint32_t     first[16];

    graph_clos(&g, &(struct graph_clos){ .tors = 2, .hosts_per_tor = 1, .spines = 3, .parallel = 1,
                                         .rate_bps = 1, .delay_ps = 1, .fabric_rate_bps = 1,
                                         .fabric_delay_ps = 1 });
    for (uint32_t i = 0; i < 3; i++) {
        g.link[2 + i].rate_bps = up_gbps[i] * 1000000000;
        g.link[5 + i].rate_bps = down_gbps[i] * 1000000000;
    }
    arena_init(&arena, 8 << 20);
    first_ports(&g, first);
    route_build(&r, &arena, &g,
                &(struct route_cfg){ .first_port = first, .is_weighted = true, .with_paths = true });
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(weight_of(&r, 2, 1, first[2] + 1 + i), want[i]);
    assert_int_equal(r.paths[r.row[2] + r.host[1].group] + 1, want[0] + want[1] + want[2]);
    arena_fini(&arena);
    graph_fini(&g);
}

static void route_build__weights_follow_path_capacity(void **unused)
{
    (void)unused;
    expect_weights((uint64_t[]){ 100, 100, 100 }, (uint64_t[]){ 100, 100, 100 }, (uint32_t[]){ 1, 1, 1 });
    expect_weights((uint64_t[]){ 100, 50, 100 }, (uint64_t[]){ 100, 100, 100 }, (uint32_t[]){ 2, 1, 2 });
    expect_weights((uint64_t[]){ 100, 100, 100 }, (uint64_t[]){ 25, 100, 100 }, (uint32_t[]){ 1, 4, 4 });
    expect_weights((uint64_t[]){ 40, 100, 100 }, (uint64_t[]){ 100, 100, 60 }, (uint32_t[]){ 2, 5, 3 });
    /* 400:390:10 is 40:39:1, which is too fine. Weights are rounded to sixteenths of the largest, at least
     * one. */
    expect_weights((uint64_t[]){ 400, 390, 10 }, (uint64_t[]){ 400, 400, 400 }, (uint32_t[]){ 16, 16, 1 });
}

/* With one of the two links from agg0 to the cores down, an edge switch below sends half as much through agg0
 * as through the other agg. The same holds for traffic to that pod. */
static void route_build__weights_after_a_failure(void **unused)
{
    struct graph g;
    struct arena arena;
    struct route r;
    uint32_t     first[64], link, edge = UINT32_MAX, agg = UINT32_MAX;
    bool        *down;

    (void)unused;
    graph_fat_tree(&g, &(struct graph_fat_tree){ .k = 4, .rate_bps = 100000000000, .delay_ps = 1 });
    down = calloc(g.links, sizeof *down);
    for (uint32_t i = 0; i < g.nodes; i++) {
        if (strcmp(g.node[i].name, "edge0") == 0)
            edge = i;
        if (strcmp(g.node[i].name, "agg0") == 0)
            agg = i;
    }
    for (uint32_t i = g.links; i-- > 0;)         /* one of agg0's links to the cores */
        if (g.link[i].a == agg || g.link[i].b == agg) {
            down[i] = true;
            break;
        }
    arena_init(&arena, 8 << 20);
    first_ports(&g, first);
    route_build(&r, &arena, &g, &(struct route_cfg){ .first_port = first, .down = down, .is_weighted = true,
                                                     .with_paths = true });
    for (uint32_t p = 0; p < 4; p++) {
        uint32_t n = neighbour(&g, edge, p, &link);

        if (g.node[n].is_switch)
            assert_int_equal(weight_of(&r, edge, 15, first[edge] + p), n == agg ? 1 : 2);
    }
    for (uint32_t p = 0; p < 4; p++) {           /* edge7 is eight nodes after edge0: its pod's aggs */
        uint32_t n = neighbour(&g, edge + 7, p, &link);

        if (g.node[n].is_switch)
            assert_int_equal(weight_of(&r, edge + 7, 0, first[edge + 7] + p), n == agg + 6 ? 1 : 2);
    }
    arena_fini(&arena);
    graph_fini(&g);
    free(down);
}

/* (k/2)^2 paths between pods, k/2 within a pod, 1 within a rack. */
static void route_build__counts_paths(void **unused)
{
    (void)unused;
    for (uint32_t k = 4; k <= 8; k += 4) {
        uint32_t    *first, hosts = k * k * k / 4;
        struct graph g;
        struct arena arena;
        struct route r;

        graph_fat_tree(&g, &(struct graph_fat_tree){ .k = k, .rate_bps = 1, .delay_ps = 1 });
        first = calloc(g.nodes, sizeof *first);
        arena_init(&arena, 16 << 20);
        first_ports(&g, first);
        route_build(&r, &arena, &g, &(struct route_cfg){ .first_port = first, .with_paths = true });
        assert_int_equal(r.paths[r.row[hosts] + r.host[0].group] + 1, 1);
        assert_int_equal(r.paths[r.row[hosts] + r.host[k / 2].group] + 1, k / 2);
        assert_int_equal(r.paths[r.row[hosts] + r.host[hosts - 1].group] + 1, k * k / 4);
        arena_fini(&arena);
        graph_fini(&g);
        free(first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(route_build__finds_all_shortest_paths),
        cmocka_unit_test(route_build__handles_common_topologies),
        cmocka_unit_test(route_build__fat_tree_next_hop_counts),
        cmocka_unit_test(route_build__weights_follow_path_capacity),
        cmocka_unit_test(route_build__weights_after_a_failure),
        cmocka_unit_test(route_build__counts_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
