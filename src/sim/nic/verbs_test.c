/* src/sim/nic/verbs_test.c - SEND and UD on simulated wires, against closed forms. */
#include "sim/test_world.h"
#include "work/traffic/kinds/external.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS  80              /* at 100 Gb/s */
#define DELAY_PS PS_PER_US
#define FULL_PS  ((1024 + 62 + 20) * BYTE_PS)
#define ACK_PS   ((66 + 20) * BYTE_PS)
#define NACK_PS  (2 * (ACK_PS + DELAY_PS))   /* from the receiver to the sender */
#define PACKETS  10u
#define BYTES    (PACKETS * 1024u)
#define RNR_PS   (50 * PS_PER_US)

/* Time from the first byte at the sender to the last byte at the receiver, two hops away. */
#define WAY_PS(packets) (((packets) + 1) * FULL_PS + 2 * DELAY_PS)

struct test {
    struct world world;
    uint64_t     came_ps[256], tag[256];
    uint64_t     posted_ps[256];
    uint32_t     came, sent;
};

static void on_arrival(void *arg, uint64_t now_ps, const struct message *m)
{
    struct test *t = arg;

    t->came_ps[t->came] = now_ps;
    t->posted_ps[t->came] = m->start_ps;
    t->tag[t->came++] = m->tag;
}

static void on_sent(void *arg, uint64_t now_ps, const struct message *m)
{
    struct test *t = arg;

    (void)now_ps, (void)m;
    t->sent++;
}

/* Host 0 posts 'count' messages to host 1, 'gap_ps' apart. */
static void run(struct test *t, const struct sim_cfg *cfg, enum verb verb, uint32_t count, uint64_t bytes,
                uint64_t gap_ps, double loss)
{
    struct traffic *traffic;
    struct graph    g;
    struct err      err;

    *t = (struct test){ .came = 0 };
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, DELAY_PS });
    for (uint32_t i = 0; i < g.links; i++)
        g.link[i].loss = loss;
    traffic = traffic_new(&g, 1);
    traffic_add_external(traffic, &(struct traffic_common){ .stop_ps = UINT64_MAX, .prio = 3 },
                         (uint32_t[]){ 0, 1 }, 2,
                         &(struct reads_cfg){ .limit = 1 });
    traffic_use_qps(traffic, 1);
    for (uint32_t i = 0; i < count; i++)
        external_post(traffic, 0, verb, 0, 1, bytes, i * gap_ps, 100 + i);
    external_find(traffic, &(struct external_hooks){ t, on_arrival, on_sent, NULL });
    assert_int_equal(world_start(&t->world, &g, cfg, traffic, &err), 0);
    assert_true(world_finish(&t->world, 10 * PS_PER_US, PS_PER_S));
    assert_int_equal(t->sent, count);
    assert_int_equal(t->world.done_count, count);
}

static struct sim_cfg cfg_of(uint32_t receives, uint64_t repost_ps)
{
    struct sim_cfg cfg;

    world_cfg(&cfg, MODEL_NIC);
    cfg.receives = receives;
    cfg.repost_ps = repost_ps;
    cfg.rnr_ps = RNR_PS;
    return cfg;
}

/* ---- SEND ---- */

static void send__with_receives_is_as_fast_as_a_write(void **unused)
{
    struct sim_cfg cfg = cfg_of(4, 0), all = cfg_of(0, 0);
    struct test    send, write;

    (void)unused;
    run(&send, &cfg, VERB_SEND, 20, BYTES, 0, 0);
    run(&write, &all, VERB_WRITE, 20, BYTES, 0, 0);
    assert_int_equal(send.came_ps[0], WAY_PS(PACKETS));
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(send.came_ps[i], write.came_ps[i]);
    assert_int_equal(send.world.sim->engine.counters.rnr_nacks, 0);
    world_end(&send.world);
    world_end(&write.world);
}

/* One receive, reposted too late for the next message but before its sender retries. The first packet of each
 * message arrives one packet time after the last one; its NACK returns, the sender waits, and the whole
 * message follows. */
static void send__without_a_receive_waits_for_the_rnr_timer(void **unused)
{
    struct sim_cfg cfg = cfg_of(1, 20 * PS_PER_US);
    struct test    t;

    (void)unused;
    run(&t, &cfg, VERB_SEND, 5, BYTES, 0, 0);
    assert_int_equal(t.came, 5);
    for (uint32_t i = 1; i < 5; i++) {
        uint64_t took_ps = t.came_ps[i] - t.came_ps[i - 1],
                 want_ps = FULL_PS + NACK_PS + RNR_PS + WAY_PS(PACKETS);

        /* The ACK of the previous message goes first. */
        assert_in_range(took_ps, want_ps - FULL_PS, want_ps + ACK_PS);
        assert_int_equal(t.tag[i], 100 + i);
    }
    assert_int_equal(t.world.sim->engine.counters.rnr_nacks, 4);
    assert_int_equal(t.world.sim->engine.counters.nacks_sent, 0);
    world_end(&t.world);
}

/* The receive is posted after the sender has tried n times. */
static void send__retries_until_a_receive_is_posted(void **unused)
{
    struct sim_cfg cfg = cfg_of(1, 4 * RNR_PS);
    struct test    t;

    (void)unused;
    run(&t, &cfg, VERB_SEND, 2, BYTES, 0, 0);
    assert_int_equal(t.world.sim->engine.counters.rnr_nacks, 4);
    assert_in_range(t.came_ps[1] - t.came_ps[0], 4 * RNR_PS, 5 * RNR_PS);
    world_end(&t.world);
}

/* With as many receives as messages in flight, the rate is the number of receives over the repost time. */
static void send__receives_limit_the_rate(void **unused)
{
    struct sim_cfg cfg = cfg_of(4, 100 * PS_PER_US);
    struct test    t;

    (void)unused;
    cfg.rnr_ps = PS_PER_US;
    run(&t, &cfg, VERB_SEND, 200, 1024, 0, 0);
    for (uint32_t i = 4; i < 200; i++)
        assert_true(t.came_ps[i] - t.came_ps[i - 4] >= 100 * PS_PER_US);
    assert_in_range(t.came_ps[199], 49 * 100 * PS_PER_US, 49 * 110 * PS_PER_US);
    world_end(&t.world);
}

static void send__survives_losses(void **unused)
{
    struct sim_cfg cfg = cfg_of(2, 20 * PS_PER_US);
    struct test    t;

    (void)unused;
    run(&t, &cfg, VERB_SEND, 100, 3000, PS_PER_US, 0.02);
    assert_int_equal(t.came, 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(t.tag[i], 100 + i);
    world_end(&t.world);
}

/* ---- UD ---- */

static void ud__is_one_way_without_an_ack(void **unused)
{
    struct sim_cfg cfg = cfg_of(0, 0);
    struct test    t;

    (void)unused;
    run(&t, &cfg, VERB_UD, 10, 1024, 10 * PS_PER_US, 0);
    assert_int_equal(t.came, 10);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(t.came_ps[i], i * 10 * PS_PER_US + WAY_PS(1));
        assert_int_equal(t.posted_ps[i], i * 10 * PS_PER_US);
        assert_int_equal(t.tag[i], 100 + i);
        assert_int_equal(t.world.done[i].fct_ps, FULL_PS);           /* has left */
        assert_int_equal(t.world.done[i].ideal_ps, FULL_PS);
    }
    assert_int_equal(t.world.sim->engine.counters.acks_sent, 0);
    world_end(&t.world);
}

/* Posted at once, they leave back to back at line rate. */
static void ud__is_sent_in_order_at_line_rate(void **unused)
{
    struct sim_cfg cfg = cfg_of(0, 0);
    struct test    t;

    (void)unused;
    cfg.cc = cc_find("dcqcn");
    run(&t, &cfg, VERB_UD, 200, 1024, 0, 0);
    assert_int_equal(t.came, 200);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(t.came_ps[i], WAY_PS(1) + i * FULL_PS);
    world_end(&t.world);
}

static void ud__losses_are_counted_and_not_repaired(void **unused)
{
    struct sim_cfg             cfg = cfg_of(0, 0);
    const struct sim_counters *c;
    struct test                t;

    (void)unused;
    run(&t, &cfg, VERB_UD, 200, 1000, 0, 0.1);
    c = &t.world.sim->engine.counters;
    assert_in_range(t.came, 120, 190);               /* 0.9^2 of them: 162 */
    assert_int_equal(c->datagrams_sent, 200);
    assert_int_equal(c->datagrams_received, t.came);
    assert_int_equal(c->dropped_wire, 200 - t.came);
    assert_int_equal(c->data_sent, 200);             /* no retransmissions */
    assert_int_equal(c->timeouts + c->nacks_sent + c->cnps_sent, 0);
    for (uint32_t i = 1; i < t.came; i++)
        assert_true(t.tag[i] > t.tag[i - 1]);
    world_end(&t.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(send__with_receives_is_as_fast_as_a_write),
        cmocka_unit_test(send__without_a_receive_waits_for_the_rnr_timer),
        cmocka_unit_test(send__retries_until_a_receive_is_posted),
        cmocka_unit_test(send__receives_limit_the_rate),
        cmocka_unit_test(send__survives_losses),
        cmocka_unit_test(ud__is_one_way_without_an_ack),
        cmocka_unit_test(ud__is_sent_in_order_at_line_rate),
        cmocka_unit_test(ud__losses_are_counted_and_not_repaired),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
