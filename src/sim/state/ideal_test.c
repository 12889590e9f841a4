#include "sim/state/ideal.h"
#include "sim/test_world.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint64_t gbps[] = { 25, 40, 100, 400 };

/* A link with an individual delay and one of four rates. */
static void link_at_random(struct graph *g, struct rng *r, bool has_odd_rates, uint32_t a, uint32_t b)
{
    graph_add_link(g, &(struct graph_link){ .a = a, .b = b,
                                            .rate_bps = gbps[has_odd_rates ? rng_below(r, 4) : 2] * GBPS,
                                            .delay_ps = rng_below(r, 3000) * PS_PER_NS });
}

/* Hosts on a random tree of switches with 'more' additional links. No two links are alike, including those of
 * a rack's hosts. */
static void make_graph(struct graph *g, struct rng *r, bool has_odd_rates, uint32_t more)
{
    uint32_t switches = 12;

    graph_init(g);
    for (uint32_t i = 0; i < switches; i++)
        graph_add_node(g, true, NULL);
    for (uint32_t i = 1; i < switches + more; i++) {
        uint32_t a = i < switches ? i : (uint32_t)rng_below(r, switches),
                 b = (uint32_t)rng_below(r, i < switches ? i : switches);

        if (a != b)
            link_at_random(g, r, has_odd_rates, a, b);
    }
    for (uint32_t rack = 0; rack < switches; rack += 2)
        for (uint32_t hosts = 1 + (uint32_t)rng_below(r, 6); hosts > 0; hosts--)
            link_at_random(g, r, has_odd_rates, graph_add_node(g, false, NULL), rack);
}

static void expect_most(const struct sim *s)
{
    struct ideal_most most = sim_ideal_most(s);
    uint64_t          rtt_ps = 0;

    for (uint32_t a = 0; a < s->net.nodes; a++)
        for (uint32_t b = 0; b < s->net.nodes; b++)
            if (a != b && !s->net.node[a].is_switch && !s->net.node[b].is_switch) {
                uint64_t ps = sim_base_rtt_ps(s, a, b);

                rtt_ps = ps > rtt_ps ? ps : rtt_ps;
            }
    assert_true(rtt_ps > 0);
    assert_int_equal(most.rtt_ps, rtt_ps);
}

static struct sim *new_sim(struct graph *g, enum sim_model model)
{
    struct sim_cfg cfg;
    struct sim    *s;
    struct err     err;

    world_cfg(&cfg, model);
    if (sim_new(&s, g, &cfg, traffic_new(g, 1), &err))
        fail_msg("%s", err.text);
    return s;
}

/* Summing shared parts of paths once gives the same as summing path by path. */
static void sim_ideal_most__is_the_maximum_of_all_pairs(void **unused)
{
    static const enum sim_model models[] = { MODEL_NIC, MODEL_HPCC };
    struct rng                  r;

    (void)unused;
    rng_init(&r, 9, 0);
    for (uint32_t i = 0; i < 40; i++) {
        struct graph g;
        struct sim  *s;

        make_graph(&g, &r, i % 2, 8);
        s = new_sim(&g, models[i / 2 % 2]);
        expect_most(s);
        sim_free(s);
    }
}

/* Sum over the links of a path. */
struct sum { uint64_t rtt_ps, slowest_bps; uint32_t links; };

/* Computes the sums of all paths of a tree that begin at a host, by a walk over its links; the largest go to
 * 'most'. */
static void walk(const struct sim *s, uint32_t node, uint32_t from, struct sum sum, struct ideal_most *most)
{
    const struct graph *g = &s->net.graph;
    uint32_t            mtu = s->cfg.mtu_bytes;

    if (sum.links && !g->node[node].is_switch) {
        uint64_t bdp =
            (uint64_t)((unsigned __int128)(sum.rtt_ps / PS_PER_NS) * sum.slowest_bps / 1000000000) / 8;

        most->rtt_ps = sum.rtt_ps > most->rtt_ps ? sum.rtt_ps : most->rtt_ps;
        most->bdp_bytes = bdp > most->bdp_bytes ? bdp : most->bdp_bytes;
        most->hops = sum.links > most->hops ? sum.links : most->hops;
        return;
    }
    for (uint32_t i = 0; i < g->links; i++) {
        const struct graph_link *l = &g->link[i];
        struct sum               next = sum;

        if ((l->a != node && l->b != node) || l->a == from || l->b == from)
            continue;
        next.links++;
        next.slowest_bps = l->rate_bps < sum.slowest_bps ? l->rate_bps : sum.slowest_bps;
        if (s->cfg.model == MODEL_HPCC)          /* propagation in both directions and
                                                  * one payload, in whole nanoseconds */
            next.rtt_ps += 2 * l->delay_ps + mtu * 8000000000ull / l->rate_bps * PS_PER_NS;
        else
            next.rtt_ps += 2 * l->delay_ps + model_frame_ps(&s->model, mtu + s->cfg.header_bytes,
                                                            l->rate_bps) +
                           model_frame_ps(&s->model, s->cfg.ack_bytes, l->rate_bps);
        walk(s, l->a == node ? l->b : l->a, node, next, most);
    }
}

/* A tree has one path between two hosts, so sums over the links of the graph give the expected values. */
static void sim_ideal_most__matches_the_sums_of_a_tree(void **unused)
{
    static const enum sim_model models[] = { MODEL_NIC, MODEL_HPCC };
    struct rng                  r;

    (void)unused;
    rng_init(&r, 10, 0);
    for (uint32_t i = 0; i < 100; i++) {
        struct ideal_most right = { 0 }, most;
        struct graph      g;
        struct sim       *s;

        make_graph(&g, &r, i % 4 > 0, 0);
        s = new_sim(&g, models[i % 2]);
        for (uint32_t n = 0; n < s->net.graph.nodes; n++)
            if (!s->net.graph.node[n].is_switch)
                walk(s, n, UINT32_MAX, (struct sum){ .slowest_bps = UINT64_MAX }, &right);
        most = sim_ideal_most(s);
        assert_int_equal(most.rtt_ps, right.rtt_ps);
        assert_int_equal(most.hops, right.hops);
        assert_int_equal(most.bdp_bytes, s->cfg.model == MODEL_HPCC ? right.bdp_bytes : 0);
        sim_free(s);
    }
}

/* Four hosts of one switch, two of them distant: the longest path is between those two, in any order of the
 * hosts. */
static void sim_ideal_most__finds_the_far_hosts_of_a_switch(void **unused)
{
    (void)unused;
    for (uint32_t near = 0; near < 3; near++) {
        struct graph g;
        struct sim  *s;

        graph_star(&g, &(struct graph_star){ 4, 100 * GBPS, 100 * PS_PER_US });
        g.link[near].delay_ps = g.link[near + 1].delay_ps = PS_PER_US;
        s = new_sim(&g, MODEL_NIC);
        assert_in_range(s->net.base_rtt_ps, 400 * PS_PER_US, 401 * PS_PER_US);
        sim_free(s);
    }
}

/* Two racks and a spine, by hand. */
static void sim_ideal_most__counts_links_and_bytes(void **unused)
{
    struct graph_clos clos = { .tors = 2, .hosts_per_tor = 1, .spines = 1, .parallel = 1,
                               .rate_bps = 25 * GBPS,
                               .delay_ps = 1000000, .fabric_rate_bps = 100 * GBPS,
                               .fabric_delay_ps = 2000000 };
    struct ideal_most most;
    struct graph      g;
    struct sim       *s;

    (void)unused;
    graph_clos(&g, &clos);
    s = new_sim(&g, MODEL_HPCC);
    most = sim_ideal_most(s);
    assert_int_equal(most.hops, 4);
    /* Round trip of 1 + 2 + 2 + 1 us each way, and 1000 B over each link: 320 + 80 + 80 + 320 ns. */
    assert_int_equal(most.rtt_ps, (12000 + 800) * PS_PER_NS);
    assert_int_equal(most.bdp_bytes, 12800ull * 25 / 8);
    sim_free(s);
}

/* Two racks and four spines, at most one of them with slow links: the ideal is always the time over fast
 * links. */
static void sim_ideal_ps__is_that_of_the_best_path(void **unused)
{
    uint64_t even_ps = 0;

    (void)unused;
    for (uint32_t slow = 0; slow <= 4; slow++) {
        struct graph_clos clos = { .tors = 2, .hosts_per_tor = 1, .spines = 4, .parallel = 1,
                                   .rate_bps = 100 * GBPS,
                                   .delay_ps = 1000000, .fabric_rate_bps = 100 * GBPS,
                                   .fabric_delay_ps = 1000000 };
        struct graph      g;
        struct sim       *s;
        uint64_t          ps;

        graph_clos(&g, &clos);
        for (uint32_t i = 0; i < g.links && slow < 4; i++)       /* spines are the last nodes */
            if (g.link[i].a == g.nodes - 4 + slow || g.link[i].b == g.nodes - 4 + slow)
                g.link[i].rate_bps = 10 * GBPS;
        s = new_sim(&g, MODEL_NIC);
        ps = sim_ideal_ps(s, s->net.host[0].node, s->net.host[1].node, 1000000);
        even_ps = slow == 0 ? ps : even_ps;
        assert_int_equal(ps, even_ps);
        assert_int_equal(s->net.is_uneven, slow < 4);
        sim_free(s);
    }
    /* 977 packets of 1106 bytes at 100 Gb/s, the last of 658, are 86.4 us; three more hops and the return of
     * the ACK take slightly over 8 us. */
    assert_true(even_ps > 94 * PS_PER_US && even_ps < 96 * PS_PER_US);
}

/* A chain of switches: 62 between the hosts make 63 links and are accepted, 64 make 65 links and are
 * refused. */
static void sim_new__refuses_paths_that_are_too_long(void **unused)
{
    (void)unused;
    for (uint32_t switches = 62; switches <= 64; switches += 2) {
        struct graph    g;
        struct sim_cfg  cfg;
        struct traffic *traffic;
        struct sim     *s;
        struct err      err;
        int             rc;

        graph_init(&g);
        graph_add_node(&g, false, NULL);
        for (uint32_t i = 0; i < switches; i++)
            graph_add_node(&g, true, NULL);
        graph_add_node(&g, false, NULL);
        for (uint32_t i = 0; i <= switches; i++)
            graph_add_link(&g, &(struct graph_link){ .a = i, .b = i + 1, .rate_bps = 100 * GBPS,
                                                     .delay_ps = 1000 });
        world_cfg(&cfg, MODEL_NIC);
        traffic = traffic_new(&g, 1);
        rc = sim_new(&s, &g, &cfg, traffic, &err);
        assert_int_equal(rc < 0, switches == 64);
        if (!rc) {
            assert_int_equal(sim_ideal_most(s).hops, switches + 1);
            sim_free(s);
            continue;
        }
        assert_string_equal(err.text, "the way from h1 to h0 has 65 links; there may be 64");
        traffic_free(traffic);
        graph_fini(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sim_ideal_most__is_the_maximum_of_all_pairs),
        cmocka_unit_test(sim_ideal_most__matches_the_sums_of_a_tree),
        cmocka_unit_test(sim_ideal_most__finds_the_far_hosts_of_a_switch),
        cmocka_unit_test(sim_ideal_most__counts_links_and_bytes),
        cmocka_unit_test(sim_ideal_ps__is_that_of_the_best_path),
        cmocka_unit_test(sim_new__refuses_paths_that_are_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
