/* tests/oracle/training_test.c - durations of collectives that have a closed form. In a star, all workers of
 * a ring, a pairwise exchange or a halving act simultaneously, no two send to the same receiver, and each
 * step takes as long as one message alone in the network. Lone messages are computed here, packet by packet.
 */
#include "../digest.h"

#include "study/scenario/scenario.h"
#include "work/traffic/test_training.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define BYTE_PS  80ull           /* at 100 Gb/s */
#define DELAY_PS PS_PER_US
#define ACK_PS   ((66 + 20) * BYTE_PS)
#define SEVERAL  64u

struct ended_ops { struct op_result r[SEVERAL]; uint32_t count; };

static void on_op(void *arg, const struct op_result *r)
{
    struct ended_ops *o = arg;

    assert_true(o->count < SEVERAL);
    o->r[o->count++] = *r;
}

/* ---- by closed form ---- */

/* Arrival of the last byte of a message over two store-and-forward hops: the last packet leaves the second
 * hop when it has arrived there and all packets before it have left. */
static uint64_t arrival_ps(uint64_t bytes)
{
    uint64_t first_hop = 0, second_hop = 0;

    for (uint64_t at = 0; at < bytes; at += 1024) {
        uint64_t frame_ps = ((bytes - at < 1024 ? bytes - at : 1024) + 62 + 20) * BYTE_PS;

        first_hop += frame_ps;
        second_hop = (first_hop + DELAY_PS > second_hop ? first_hop + DELAY_PS : second_hop) + frame_ps;
    }
    return second_hop + DELAY_PS;
}

/* Plus the return of the acknowledgement of the last packet. */
static uint64_t alone_ps(uint64_t bytes)
{
    return arrival_ps(bytes) + 2 * (ACK_PS + DELAY_PS);
}

/* Runs this many equal jobs concurrently. */
static void run_steps(struct ended_ops *ops, const struct traffic_steps *cfg, uint32_t ack_every, uint32_t jobs)
{
    const struct traffic_common common = { .start_ps = 12345, .stop_ps = NEVER, .prio = 3 };
    uint32_t                    workers = cfg->iteration.parallel.workers, hosts[64];
    struct sim_cfg              sim_cfg;
    struct traffic             *t;
    struct graph                g;
    struct world                w;
    struct err                  err;

    graph_star(&g, &(struct graph_star){ jobs * workers, 100 * GBPS, DELAY_PS });
    for (uint32_t i = 0; i < jobs * workers; i++)
        hosts[i] = i;
    t = traffic_new(&g, 1);
    for (uint32_t i = 0; i < jobs; i++)
        traffic_add_training_steps(t, &common, cfg, hosts + i * workers);
    ops->count = 0;
    traffic_on_op(t, on_op, ops);
    world_cfg(&sim_cfg, MODEL_NIC);
    sim_cfg.ack_every = ack_every;
    if (world_start(&w, &g, &sim_cfg, t, &err))
        die("%s", err.text);
    assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
    world_end(&w);
}

static void run_star(struct ended_ops *ops, const struct traffic_training *cfg, uint32_t ack_every)
{
    uint32_t                    n = cfg->collective.workers;
    const struct iteration_step step = { 0, cfg->collective, PARALLEL_ALL, 1, 0, false, false, 0 };
    const struct traffic_steps  steps = { { { n, 1, n, 1, 1, 1 }, &step, 1 },
                                          collective_size_bytes(&cfg->collective),
                                          cfg->compute_ps, cfg->delay_ps, cfg->iterations };

    run_steps(ops, &steps, ack_every, 1);
}

/* Expects two iterations of 'took_ps', to the picosecond. Only the last packet of each message is
 * acknowledged, so an ACK meets no other packet. */
static void expect_exact(enum collective_kind kind, uint32_t workers, uint64_t bytes, uint64_t took_ps)
{
    const struct collective_cfg   c = { .kind = kind, .workers = workers, .bytes = bytes,
                                        .chunk_bytes = bytes };
    const struct traffic_training cfg = { c, 500 * PS_PER_US, 2 * PS_PER_US, 2 };
    struct ended_ops                    ops;

    run_star(&ops, &cfg, UINT32_MAX);
    assert_int_equal(ops.count, 2);
    assert_int_equal(ops.r[0].start_ps, 12345);
    assert_int_equal(ops.r[0].took_ps, took_ps);
    assert_int_equal(ops.r[1].start_ps, 12345 + took_ps + 502 * PS_PER_US);
    assert_int_equal(ops.r[1].took_ps, took_ps);
}

static void ring__takes_its_steps(void **unused)
{
    (void)unused;
    for (uint32_t n = 2; n <= 17; n += 3) {
        expect_exact(COLLECTIVE_RING_ALL_REDUCE, n, n * 50000ull, 2 * (n - 1) * alone_ps(50000));
        expect_exact(COLLECTIVE_ALL_GATHER, n, n * 1024ull, (n - 1) * alone_ps(1024));
        expect_exact(COLLECTIVE_REDUCE_SCATTER, n, n * 3001ull, (n - 1) * alone_ps(3001));
    }
}

static void all_to_all__takes_its_steps(void **unused)
{
    (void)unused;
    for (uint32_t n = 2; n <= 20; n += 6)
        expect_exact(COLLECTIVE_ALL_TO_ALL, n, 70000, (n - 1) * alone_ps(70000));
}

static void halving__takes_its_steps(void **unused)
{
    (void)unused;
    for (uint32_t n = 2; n <= 16; n *= 2) {
        uint64_t took = 0;

        for (uint32_t part = 2; part <= n; part *= 2)
            took += 2 * alone_ps(640000 / part);
        expect_exact(COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE, n, 640000, took);
    }
}

/* Three workers. The first sends everything to the second and gets everything from it at the end. The third
 * does not wait for that and also sends its half to the second. So all 625 packets and half of them (312 full
 * ones and one of 512 bytes) have crossed the second's link before it begins, after its ACK. Then the steps
 * follow each other. */
static void halving__of_three_by_hand(void **unused)
{
    uint64_t full_ps = (1024 + 62 + 20) * BYTE_PS, rest_ps = (512 + 62 + 20) * BYTE_PS;
    uint64_t folded_ps = full_ps + DELAY_PS + (625 + 312) * full_ps + rest_ps + DELAY_PS;

    (void)unused;
    expect_exact(COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE, 3, 640000,
                 folded_ps + ACK_PS + 2 * alone_ps(320000) + alone_ps(640000));
}

/* Two workers, one chunk: each is the root of a tree. Each receives a half. The downward message starts when
 * it has arrived, after its ACK. */
static void tree__of_two_by_hand(void **unused)
{
    (void)unused;
    expect_exact(COLLECTIVE_TREE_ALL_REDUCE, 2, 100000, arrival_ps(50000) + ACK_PS + alone_ps(50000));
}

/* ---- iterations of several steps ---- */

/* An iteration takes its compute time and its collectives, each as long as alone: 12 workers, tensor 2,
 * pipeline 3, data 2. Each group has separate links. The pipeline's first stages are done when they have
 * their ACKs. The last stage only receives and is earlier. So the first stage determines the time of an
 * iteration. */
static void steps__take_computing_and_collectives(void **unused)
{
    static const struct iteration_step step[] = {
        { 300 * PS_PER_US, { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 2, .bytes = 100000 },
            PARALLEL_TENSOR, 4, 0, false, false, 0 },
        { 0, { .kind = COLLECTIVE_SEND_NEXT, .workers = 3, .bytes = 40000 }, PARALLEL_PIPELINE, 1, 0, false,
            false, 0 },
        { 20 * PS_PER_US, { .kind = COLLECTIVE_ALL_TO_ALL, .workers = 2, .bytes = 7000 }, PARALLEL_EXPERT, 2,
            0, false, false, 0 },
        { 500 * PS_PER_US, { .kind = COLLECTIVE_REDUCE_SCATTER, .workers = 2, .bytes = 90000 },
            PARALLEL_DATA, 1, 0, false, false, 0 },
    };
    const struct traffic_steps cfg = { { { 12, 2, 2, 3, 2, 1 }, step, 4 }, 1, 70 * PS_PER_US,
                                       2 * PS_PER_US, 3 };
    uint64_t                   took = (4 * 300 + 2 * 20 + 500) * PS_PER_US + 4 * 2 * alone_ps(50000) +
                                      alone_ps(40000) + 2 * alone_ps(7000) + alone_ps(45000);
    struct ended_ops                 ops;

    (void)unused;
    run_steps(&ops, &cfg, UINT32_MAX, 1);
    assert_int_equal(ops.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(ops.r[i].took_ps, took);
        assert_int_equal(ops.r[i].start_ps, 12345 + i * (took + 72 * PS_PER_US));
    }
}

/* Two concurrent jobs on different hosts take as long as one alone. */
static void jobs__do_not_interfere_in_a_star(void **unused)
{
    static const struct iteration_step step[] = {
        { 0, { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = 6, .bytes = 600000 }, PARALLEL_ALL, 2, 0,
            false, false, 0 },
    };
    const struct traffic_steps cfg = { { { 6, 1, 6, 1, 1, 1 }, step, 1 }, 1, 0, 2 * PS_PER_US, 3 };
    struct ended_ops                 ops;

    (void)unused;
    run_steps(&ops, &cfg, UINT32_MAX, 2);
    assert_int_equal(ops.count, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(ops.r[i].took_ps, 2 * 10 * alone_ps(100000));
}

/* ---- with an ACK for every packet ---- */

/* Each link alternates between a data packet and an ACK while data arrives: a step of p packets takes the
 * time of both for each, plus one round trip at its ends. nccl-tests: bus bandwidth is 2(n-1)/n x size /
 * time. */
static void ring__bus_bandwidth_excludes_acks(void **unused)
{
    (void)unused;
    for (uint32_t n = 4; n <= 16; n *= 2) {
        const uint64_t packets = 1000, bytes = n * packets * 1024;
        const struct traffic_training cfg = { { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = n,
                                                .bytes = bytes },
                                              0, DELAY_PS, 1 };
        double step_ps = (double)(packets * (1024 + 62 + 20 + 66 + 20) * BYTE_PS + 4 * DELAY_PS);
        double wanted = 2.0 * (n - 1) / n * (double)bytes / (2 * (n - 1) * step_ps), bus;
        struct ended_ops ops;

        run_star(&ops, &cfg, 1);
        assert_int_equal(ops.count, 1);
        assert_int_equal(ops.r[0].bytes, bytes);
        bus = collective_bus_factor(cfg.collective.kind, n) * (double)bytes / (double)ops.r[0].took_ps;
        assert_true(bus > 0.97 * wanted && bus < 1.03 * wanted);
    }
}

/* ---- whole scenarios ---- */

struct outcome { struct ended_ops ops; uint64_t digest, bound_ps; };

static void on_flow(void *arg, const struct flow_result *r)
{
    struct outcome *o = arg;

    o->digest = digest_add_flow(o->digest, r);
}

static void run_scenario(struct outcome *o, struct scenario *scenario, uint64_t step_ps)
{
    struct sim *s;
    struct err  err;

    o->digest = DIGEST_EMPTY;
    o->ops.count = 0;
    o->bound_ps = scenario->entry[0].bound_ps;
    if (scenario_start(scenario, &s, &err))
        die("%s", err.text);
    s->engine.hooks = (struct sim_hooks){ .arg = o, .flow_done = on_flow };
    traffic_on_op(s->program.traffic, on_op, &o->ops);
    while (sim_run_until(s, step_ps ? s->engine.now_ps + step_ps : NEVER))
        continue;
    assert_true(s->is_done);
    sim_check(s);
    o->digest = digest_add_counters(o->digest, &s->engine.counters);
    sim_free(s);
}

/* The tuned setting of scenarios/training.yaml. By hand: a worker sends 19 x 12 MB in packets of 4096 bytes,
 * 2930 per message, with 82 bytes of overhead each. */
static void all_to_all__tuned_is_near_the_bound(void **unused)
{
    static const char *const set[] = { "traffic.0.iterations=1" };
    struct scenario          scenario;
    struct outcome           o;
    struct err               err;

    (void)unused;
    if (scenario_read(&scenario, "scenarios/training.yaml", set, 1, NULL, &err))
        die("%s", err.text);
    run_scenario(&o, &scenario, 0);
    assert_int_equal(scenario.entry[0].workers, 20);
    assert_int_equal(o.bound_ps, 19 * (12000000 + 2930 * 82) * BYTE_PS);
    assert_int_equal(o.ops.count, 1);
    assert_int_equal(o.ops.r[0].bytes, 20 * 12000000);
    assert_true(o.ops.r[0].took_ps >= o.bound_ps);
    assert_true((double)o.ops.r[0].took_ps <= 1.1 * (double)o.bound_ps);
    scenario_fini(&scenario);
}

/* Every kind of collective, among other traffic, in an undersized fabric: the result is the same in a second
 * run and in steps. */
static void training__is_the_same_twice(void **unused)
{
    static const char text[] =
        "{topology: {kind: clos, tors: 3, hosts_per_tor: 4, spines: 2}, knobs: {kmin: 20, kmax: 200}, "
        "traffic: [{kind: training, collective: %s, workers: 11, placement: spread, size: 300KB, %s"
        "iterations: 3, compute: 50us, start: 3us}, "
        "{kind: poisson, sizes: FB_Hadoop, load: 0.3, stop: 300us}]}";

    (void)unused;
    for (int kind = 0; kind < COLLECTIVE_KINDS; kind++) {
        struct outcome  o[3];
        struct scenario scenario;
        struct err      err;
        char            whole[1000];

        snprintf(whole, sizeof whole, text, collective_names[kind],
                 kind == COLLECTIVE_TREE_ALL_REDUCE ? "chunk: 50KB, " : "");
        for (uint32_t i = 0; i < 3; i++) {
            if (scenario_parse(&scenario, "s", whole, strlen(whole), NULL, 0, NULL, &err))
                die("%s", err.text);
            run_scenario(&o[i], &scenario, i == 2 ? 7 * PS_PER_US : 0);
            scenario_fini(&scenario);
            assert_int_equal(o[i].ops.count, 3);
            assert_int_equal(o[i].digest, o[0].digest);
            assert_memory_equal(o[i].ops.r, o[0].ops.r, 3 * sizeof *o[0].ops.r);
            for (uint32_t k = 0; k < 3; k++)
                assert_true(o[i].ops.r[k].took_ps > o[i].bound_ps);
            /* 50 us of compute, and the delay of the longest link for the signal. */
            for (uint32_t k = 1; k < 3; k++)
                assert_int_equal(o[i].ops.r[k].start_ps,
                                 o[i].ops.r[k - 1].start_ps + o[i].ops.r[k - 1].took_ps + 51 * PS_PER_US);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring__takes_its_steps),
        cmocka_unit_test(all_to_all__takes_its_steps),
        cmocka_unit_test(halving__takes_its_steps),
        cmocka_unit_test(halving__of_three_by_hand),
        cmocka_unit_test(tree__of_two_by_hand),
        cmocka_unit_test(steps__take_computing_and_collectives),
        cmocka_unit_test(jobs__do_not_interfere_in_a_star),
        cmocka_unit_test(ring__bus_bandwidth_excludes_acks),
        cmocka_unit_test(all_to_all__tuned_is_near_the_bound),
        cmocka_unit_test(training__is_the_same_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
