/* tests/oracle/alone_test.c - a flow alone in the network takes exactly the time computed by hand.
 *
 * The expected time does not use formulas of the simulator: every packet is followed over every hop, start(p,
 * h) = max(arrival(p, h), end(p - 1, h)), with transmission times computed here from bytes and rates.
 */
#include "sim/test_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define HOPS_MAX 8

struct hop { uint64_t rate_bps, delay_ps; };
struct route_taken { uint32_t hops; struct hop hop[HOPS_MAX]; };

/* Model nic: every byte, including preamble and gap, takes 8 / rate, rounded up to a picosecond. Model hpcc:
 * ns-3's arithmetic. bits / rate is a double of seconds; it becomes a fixed-point number with 64 fractional
 * bits, is multiplied by 10^9 and truncated to whole nanoseconds. So 50 bytes at 100 Gb/s, 4 ns, are 3. */
static uint64_t on_wire_ps(const struct sim_cfg *cfg, uint64_t bytes, uint64_t rate_bps)
{
    if (cfg->model != MODEL_NIC)
        return (uint64_t)((unsigned __int128)ldexp((double)(bytes * 8) / (double)rate_bps, 64) * 1000000000 >>
                          64) *
               1000;
    return ((bytes + 20) * 8 * 1000000000000 + rate_bps - 1) / rate_bps;
}

/* Sends a frame over all hops. It is at the first hop at 'at'; 'ends' is when each hop has sent the previous
 * frame. */
static uint64_t follow(const struct sim_cfg *cfg, const struct route_taken *r, bool is_back, uint64_t at,
                       uint64_t frame, uint64_t *ends)
{
    for (uint32_t i = 0; i < r->hops; i++) {
        const struct hop *hop = &r->hop[is_back ? r->hops - 1 - i : i];

        ends[i] = (at > ends[i] ? at : ends[i]) + on_wire_ps(cfg, frame, hop->rate_bps);
        at = ends[i] + hop->delay_ps;
    }
    return at;
}

/* Returns the arrival of the last packet's ACK, by following each packet and each ACK. An ACK may wait for
 * the one before it: a short last packet is shorter than an ACK. */
static uint64_t worked_out_ps(const struct sim_cfg *cfg, const struct route_taken *r, uint64_t bytes)
{
    uint64_t there[HOPS_MAX] = { 0 }, home[HOPS_MAX] = { 0 }, back = 0;

    for (uint64_t at = 0; at < bytes; at += cfg->mtu_bytes) {
        uint64_t frame = (bytes - at < cfg->mtu_bytes ? bytes - at : cfg->mtu_bytes) + cfg->header_bytes;
        uint64_t arrival = follow(cfg, r, false, 0, frame, there);

        back = follow(cfg, r, true, arrival, cfg->ack_bytes, home);
    }
    return back;
}

/* HPCC's ideal, as in its scripts: bytes on the bottleneck plus one payload per hop plus the propagation in
 * both directions. */
static uint64_t hpcc_ideal_ps(const struct sim_cfg *cfg, const struct route_taken *r, uint64_t bytes)
{
    uint64_t ns = 0, slowest = UINT64_MAX, packets = (bytes + cfg->mtu_bytes - 1) / cfg->mtu_bytes;

    for (uint32_t h = 0; h < r->hops; h++) {
        ns += 2 * (r->hop[h].delay_ps / 1000) + cfg->mtu_bytes * 8000000000ull / r->hop[h].rate_bps;
        slowest = r->hop[h].rate_bps < slowest ? r->hop[h].rate_bps : slowest;
    }
    return (ns + (bytes + packets * cfg->header_bytes) * 8000000000ull / slowest) * 1000;
}

static void expect_alone(enum sim_model model, struct graph *g, uint32_t src, uint32_t dst,
                         const struct route_taken *r, uint64_t bytes, uint64_t start_ns)
{
    const struct flow_row flow = {
        .src = src, .dst = dst, .prio = 3, .dport = 100, .bytes = bytes, .start_ps = start_ns * PS_PER_NS
    };
    struct sim_cfg         cfg;
    struct world           w;

    world_cfg(&cfg, model);
    world_of_flows(&w, g, &cfg, &flow, 1);
    assert_false(sim_run_until(w.sim, NEVER));
    assert_int_equal(w.done_count, 1);
    assert_int_equal(w.done[0].start_ps, start_ns * 1000);
    assert_int_equal(w.done[0].fct_ps, worked_out_ps(&cfg, r, bytes));
    assert_int_equal(w.done[0].ideal_ps, sim_ideal_ps(w.sim, src, dst, bytes));
    assert_int_equal(w.done[0].ideal_ps,
                     model != MODEL_NIC ? hpcc_ideal_ps(&cfg, r, bytes) : w.done[0].fct_ps);
    assert_int_equal(w.done[0].resent_bytes, 0);
    assert_int_equal(w.sim->engine.packets.live, 0);
    sim_check(w.sim);
    world_end(&w);
}

/* Sizes around the packet size and a large one, in all models; 'build' creates a new graph for each. */
static void expect_all_sizes(void (*build)(struct graph *), uint32_t src, uint32_t dst,
                             const struct route_taken *r)
{
    static const uint64_t sizes[] = { 1,    2,    999,  1000, 1001,  1023,    1024,
                                      1025, 2000, 2048, 2049, 65536, 1000000, 1048577 };

    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int model = MODEL_NIC; model <= MODEL_CONWEAVE; model++) {
            struct graph g;

            build(&g);
            expect_alone((enum sim_model)model, &g, src, dst, r, sizes[i], i * 777);
        }
}

/* ---- star ---- */

static void build_star(struct graph *g)
{
    graph_star(g, &(struct graph_star){ 3, 100 * GBPS, PS_PER_US });
}

static void flow__alone_on_a_star(void **unused)
{
    const struct route_taken r = { 2, { { 100 * GBPS, PS_PER_US }, { 100 * GBPS, PS_PER_US } } };

    (void)unused;
    expect_all_sizes(build_star, 0, 2, &r);
}

/* By hand: one byte at 100 Gb/s is 80 ps. A frame of 1 + 62 bytes plus 20 between frames: 6640 ps, twice; 2
 * us there; an ACK of 66 + 20 bytes: 6880 ps, twice; 2 us back. */
static void flow__one_byte_by_hand(void **unused)
{
    const struct flow_row flow = { .src = 0, .dst = 1, .prio = 3, .bytes = 1 };
    struct graph           g;
    struct sim_cfg         cfg;
    struct world           w;

    (void)unused;
    build_star(&g);
    world_cfg(&cfg, MODEL_NIC);
    world_of_flows(&w, &g, &cfg, &flow, 1);
    sim_run_until(w.sim, NEVER);
    assert_int_equal(w.done[0].fct_ps, 4000000 + 2 * 6640 + 2 * 6880);
    world_end(&w);
}

/* A rate at which a byte does not take a whole number of picoseconds: 8 / 7e9 s = 1142.857... ps. */
static void build_odd_star(struct graph *g)
{
    graph_star(g, &(struct graph_star){ 2, 7 * GBPS, 123457 * PS_PER_NS });
}

static void flow__alone_at_an_odd_speed(void **unused)
{
    const struct route_taken r = { 2,
                                   { { 7 * GBPS, 123457 * PS_PER_NS }, { 7 * GBPS, 123457 * PS_PER_NS } } };

    (void)unused;
    expect_all_sizes(build_odd_star, 1, 0, &r);
}

/* ---- clos: hosts at 100 Gb/s, fabric faster, slower, with parallel links ---- */

static void build_fast_clos(struct graph *g)
{
    graph_clos(g, &(struct graph_clos){ 3, 4, 2, 1, 100 * GBPS, PS_PER_US, 400 * GBPS, 2 * PS_PER_US });
}

static void build_slow_clos(struct graph *g)
{
    graph_clos(g,
               &(struct graph_clos){ 2, 2, 2, 3, 100 * GBPS, 500 * PS_PER_NS, 40 * GBPS, 1500 * PS_PER_NS });
}

static void flow__alone_in_a_clos(void **unused)
{
    const struct hop         host = { 100 * GBPS, PS_PER_US }, fabric = { 400 * GBPS, 2 * PS_PER_US };
    const struct hop         near = { 100 * GBPS, 500 * PS_PER_NS }, slow = { 40 * GBPS, 1500 * PS_PER_NS };
    const struct route_taken in_rack = { 2, { host, host } }, across = { 4, { host, fabric, fabric, host } };
    const struct route_taken slow_across = { 4, { near, slow, slow, near } };

    (void)unused;
    expect_all_sizes(build_fast_clos, 0, 3, &in_rack);
    expect_all_sizes(build_fast_clos, 0, 4, &across);
    expect_all_sizes(build_fast_clos, 11, 2, &across);
    expect_all_sizes(build_slow_clos, 0, 3, &slow_across);
    expect_all_sizes(build_slow_clos, 3, 0, &slow_across);
}

/* ---- fat-trees: 2, 4 or 6 hops ---- */

static void build_fat_tree_4(struct graph *g)
{
    graph_fat_tree(g, &(struct graph_fat_tree){ 4, 100 * GBPS, PS_PER_US });
}

static void build_fat_tree_8(struct graph *g)
{
    graph_fat_tree(g, &(struct graph_fat_tree){ 8, 25 * GBPS, 300 * PS_PER_NS });
}

static void flow__alone_in_a_fat_tree(void **unused)
{
    const struct hop   a = { 100 * GBPS, PS_PER_US }, b = { 25 * GBPS, 300 * PS_PER_NS };
    struct route_taken r = { 0, { a, a, a, a, a, a } };

    (void)unused;
    r.hops = 2, expect_all_sizes(build_fat_tree_4, 0, 1, &r);
    r.hops = 4, expect_all_sizes(build_fat_tree_4, 0, 2, &r);
    r.hops = 6, expect_all_sizes(build_fat_tree_4, 0, 15, &r);
    r = (struct route_taken){ 0, { b, b, b, b, b, b } };
    r.hops = 2, expect_all_sizes(build_fat_tree_8, 0, 3, &r);
    r.hops = 4, expect_all_sizes(build_fat_tree_8, 0, 4, &r);
    r.hops = 6, expect_all_sizes(build_fat_tree_8, 127, 0, &r);
}

/* ---- a chain: switches and hosts mixed, each link different, the slowest in the middle ---- */

static const struct hop chain[] = { { 200 * GBPS, 100 * PS_PER_NS },
                                    { 25 * GBPS, 3 * PS_PER_US },
                                    { 10 * GBPS, 1000 },
                                    { 400 * GBPS, 700 * PS_PER_NS },
                                    { 50 * GBPS, 20 * PS_PER_US } };

static void build_chain(struct graph *g)
{
    graph_init(g);
    for (uint32_t i = 0; i < 6; i++)
        graph_add_node(g, i != 0 && i != 3, NULL);           /* hosts 0 and 3 */
    /* 0 - 1 - 5 - 2 - 4 - 3 */
    graph_add_link(g, &(struct graph_link){ 5, 2, chain[2].rate_bps, chain[2].delay_ps, 0, 0 });
    graph_add_link(g, &(struct graph_link){ 0, 1, chain[0].rate_bps, chain[0].delay_ps, 0, 0 });
    graph_add_link(g, &(struct graph_link){ 3, 4, chain[4].rate_bps, chain[4].delay_ps, 0, 0 });
    graph_add_link(g, &(struct graph_link){ 1, 5, chain[1].rate_bps, chain[1].delay_ps, 0, 0 });
    graph_add_link(g, &(struct graph_link){ 4, 2, chain[3].rate_bps, chain[3].delay_ps, 0, 0 });
}

static void flow__alone_on_a_chain(void **unused)
{
    struct route_taken there = { 5, { { 0 } } }, back = { 5, { { 0 } } };

    (void)unused;
    for (uint32_t i = 0; i < 5; i++)
        there.hop[i] = chain[i], back.hop[4 - i] = chain[i];
    expect_all_sizes(build_chain, 0, 3, &there);
    expect_all_sizes(build_chain, 3, 0, &back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow__one_byte_by_hand),
        cmocka_unit_test(flow__alone_on_a_star),
        cmocka_unit_test(flow__alone_at_an_odd_speed),
        cmocka_unit_test(flow__alone_in_a_clos),
        cmocka_unit_test(flow__alone_in_a_fat_tree),
        cmocka_unit_test(flow__alone_on_a_chain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
