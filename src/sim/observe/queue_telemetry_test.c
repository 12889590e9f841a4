/* src/sim/observe/queue_telemetry_test.c - telemetry and thresholds of single queues, and that counting
 * disturbs no flow.
 */
#include "sim/observe/queue_telemetry.h"
#include "study/scenario/scenario.h"
#include "sim/nic/nic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FRAME_BYTES (1024 + 62)
#define SLOT_PS     (100 * PS_PER_US)

static const char pair[] =
    "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us}\n"
    "knobs: {kmin: 10KB, kmax: 10KB, pmax: 1}\n"
    "traffic: [{kind: incast, senders: [h0, h1], receiver: h2, size: 1024000}]\n";

static const char busy[] =
    "topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 25Gbps, fabric_rate: 100Gbps, "
    "delay: 1us}\n"
    "knobs: {kmin: 40KB, kmax: 100KB, pmax: 0.2}\n"
    "traffic:\n"
    "  - {kind: poisson, load: 0.7, sizes: FB_Hadoop}\n"
    "  - {kind: incast, senders: 6, size: 64KB, start: 50us, period: 200us}\n"
    "run: 2ms\n";

static struct sim *start(struct scenario *sc, const char *text, uint32_t threads)
{
    struct sim *s = NULL;
    struct err  err;

    if (scenario_parse(sc, "test", text, strlen(text), NULL, 0, NULL, &err))
        fail_msg("%s", err.text);
    sc->cfg.threads = threads;
    sc->cfg.parts = threads;
    if (scenario_start(sc, &s, &err))
        fail_msg("%s", err.text);
    return s;
}

static void end(struct scenario *sc, struct sim *s)
{
    sim_free(s);
    scenario_fini(sc);
}

/* Each queue once, in port order, with the rate of its link. */
static void list__names_the_port_of_each(void **state)
{
    struct scenario    sc;
    struct sim        *s = start(&sc, busy, 1);
    struct queue_facts fact[33] = { [32] = { .port = 12345 } };

    (void)state;
    assert_int_equal(telemetry_list(s, fact), 32);
    assert_int_equal(fact[32].port, 12345);
    for (uint32_t i = 0; i < 32; i++) {
        const struct port *p = &s->net.port[fact[i].port];

        assert_true(p->is_switch);
        assert_int_equal(p->rate_bps, fact[i].rate_bps);
        assert_int_equal(p->rate_bps == 25000000000, !p->peer->is_switch);
        if (i > 0)
            assert_int_equal(fact[i].device - fact[i - 1].device,
                             p->node != s->net.port[fact[i - 1].port].node);
    }
    end(&sc, s);
}

/* Four ToRs with four hosts and two spines each. */
static void list__marks_uplinks(void **state)
{
    struct scenario    sc;
    struct sim        *s = start(&sc, busy, 1);
    struct queue_facts fact[32];
    uint32_t           up = 0, fast = 0, devices = 0;

    (void)state;
    assert_int_equal(telemetry_list(s, NULL), 4 * 6 + 2 * 4);
    telemetry_list(s, fact);
    for (uint32_t i = 0; i < 32; i++) {
        up += fact[i].is_uplink;
        fast += fact[i].rate_bps == 100000000000;
        devices += i == 0 || fact[i].device != fact[i - 1].device;
        assert_int_equal(fact[i].device, devices - 1);
        assert_true(!fact[i].is_uplink || fact[i].rate_bps == 100000000000);
    }
    assert_int_equal(up, 8);
    assert_int_equal(fast, 16);
    assert_int_equal(devices, 6);
    end(&sc, s);
}

/* Two flows of 1000 full packets to one host: all of them leave by its port, in their class, and the marks of
 * the only switch are its marks. ACKs and CNPs leave by the other two ports. */
static void read__counts_sent_and_marked_bytes(void **state)
{
    struct scenario   sc;
    struct sim       *s = start(&sc, pair, 1);
    struct telemetry    *q = telemetry_new(s);
    struct queue_slot slot[3];
    uint64_t          marked = 0;

    (void)state;
    sim_run_until(s, NEVER);
    telemetry_read(q, slot);
    for (uint32_t i = 0; i < s->net.ports; i++)
        marked += s->net.port[i].counters.marked_packets;
    assert_int_equal(slot[2].tx_bytes, 2000 * FRAME_BYTES);
    assert_true(marked > 100);
    assert_int_equal(slot[2].marked_bytes, marked * FRAME_BYTES);
    assert_int_equal(slot[0].tx_bytes + slot[1].tx_bytes,
                     s->engine.counters.acks_sent * 66 + s->engine.counters.cnps_sent * 78);
    assert_int_equal(slot[0].marked_bytes + slot[1].marked_bytes, 0);
    assert_int_equal(slot[2].ecn.kmin_bytes, 10000);
    telemetry_read(q, slot);
    assert_int_equal(slot[2].tx_bytes, 0);           /* the traffic is over */
    telemetry_free(q);
    end(&sc, s);
}

/* Two hosts at line rate fill the queue to a third: the only queue, so everything that waits is in it. */
static void sample__is_the_mean_length(void **state)
{
    struct scenario   sc;
    struct sim       *s = start(&sc, pair, 1);
    struct telemetry    *q = telemetry_new(s);
    struct queue_slot slot[3];
    uint64_t          sum = 0;

    (void)state;
    for (int i = 1; i <= 4; i++) {
        sim_run_until(s, i * 2 * PS_PER_US);
        telemetry_sample(q);
        for (uint32_t p = 0; p < s->net.ports; p++)
            for (uint32_t c = 0; s->net.port[p].is_switch && c < PRIOS; c++)
                sum += s->net.port[p].queue[c].bytes;
    }
    telemetry_read(q, slot);
    assert_true(sum > 4 * 10000);
    assert_int_equal(slot[2].queue_bytes_mean, sum / 4);
    assert_int_equal(slot[0].queue_bytes_mean, 0);
    telemetry_free(q);
    end(&sc, s);
}

static void set__changes_one_port_and_survives_other_knobs(void **state)
{
    struct scenario sc;
    struct sim     *s = start(&sc, pair, 1);
    struct ecn      ecn[3] = { { 10000, 10000, 1 }, { 20000, 30000, 0.5 }, { 10000, 10000, 1 } };
    struct knobs    knobs = s->cfg.knobs;
    struct queue_slot slot[3];
    struct telemetry  *q = telemetry_new(s);

    (void)state;
    assert_int_equal(telemetry_set(s, ecn), 1);
    assert_int_equal(telemetry_set(s, ecn), 0);
    knobs.value[KNOB_rpg_ai_rate] = 50;
    sim_apply(s, &knobs);
    telemetry_read(q, slot);
    assert_int_equal(slot[1].ecn.kmin_bytes, 20000);
    assert_int_equal(slot[1].ecn.kmax_bytes, 30000);
    assert_true(slot[1].ecn.pmax == 0.5);
    knobs.value[KNOB_pmax] = 0.7;
    sim_apply(s, &knobs);
    telemetry_read(q, slot);
    assert_int_equal(slot[1].ecn.kmin_bytes, 10000);
    assert_true(slot[1].ecn.pmax == 0.7);
    telemetry_free(q);
    end(&sc, s);
}

/* Links between switches are four times as fast as those of hosts: with by_speed their thresholds are four
 * times as high. */
static void apply__by_speed_scales_thresholds_with_the_link(void **state)
{
    struct scenario   sc;
    struct sim       *s = start(&sc, busy, 1);
    struct telemetry *q = telemetry_new(s);
    struct knobs      knobs = s->cfg.knobs;
    uint32_t          fast = 0, slow = 0;

    (void)state;
    for (int by_speed = 0; by_speed < 2; by_speed++) {
        knobs.value[KNOB_by_speed] = by_speed;
        sim_apply(s, &knobs);
        for (uint32_t i = 0; i < s->net.ports; i++) {
            const struct port *p = &s->net.port[i];
            uint32_t           times = by_speed && p->rate_bps == 100000000000 ? 4 : 1;

            if (!p->is_switch)
                continue;
            assert_int_equal(p->ecn.kmin_bytes, 40000 * times);
            assert_int_equal(p->ecn.kmax_bytes, 100000 * times);
            fast += times == 4;
            slow += by_speed && times == 1;
        }
    }
    assert_int_equal(fast, 16);
    assert_int_equal(slow, 16);
    telemetry_free(q);
    end(&sc, s);
}

/* Model conweave excludes a part of each queue from marking. Thresholds are set and read without that
 * correction. */
static void set__reads_back_in_model_conweave(void **state)
{
    struct ecn        ecn[3] = { { 10000, 10000, 1 }, { 20000, 30000, 0.5 }, { UINT32_MAX, UINT32_MAX, 1 } };
    struct queue_slot slot[3];
    char              text[512];
    struct scenario   sc;
    struct sim       *s;
    struct telemetry *q;

    (void)state;
    snprintf(text, sizeof text, "model: conweave\n%s", pair);
    s = start(&sc, text, 1);
    q = telemetry_new(s);
    telemetry_read(q, slot);
    assert_int_equal(slot[0].ecn.kmin_bytes, 10000);
    assert_int_equal(telemetry_set(s, ecn), 2);
    assert_int_equal(telemetry_set(s, ecn), 0);
    telemetry_read(q, slot);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(slot[i].ecn.kmin_bytes, ecn[i].kmin_bytes);
        assert_int_equal(slot[i].ecn.kmax_bytes, ecn[i].kmax_bytes);
    }
    telemetry_free(q);
    end(&sc, s);
}

/* ---- a whole run ---- */

struct run { struct queue_slot slot[20][32]; uint64_t digest; };

static void on_done(void *arg, const struct flow_result *r)
{
    struct run *run = arg;

    run->digest = (run->digest ^ r->fct_ps ^ r->start_ps << 20 ^ r->bytes) * 1099511628211ull;
}

/* Changes the thresholds of the longest queue in every slot, if requested. */
static void turn(struct sim *s, const struct queue_slot *slot)
{
    struct ecn ecn[32];
    uint32_t   longest = 0;

    for (uint32_t i = 0; i < 32; i++) {
        ecn[i] = slot[i].ecn;
        longest = slot[i].queue_bytes_mean > slot[longest].queue_bytes_mean ? i : longest;
    }
    ecn[longest] = (struct ecn){ 5000, 20000, 1 };
    telemetry_set(s, ecn);
}

static void run_busy(struct run *run, uint32_t threads, bool is_counted, bool is_turned)
{
    struct scenario sc;
    struct sim     *s = start(&sc, busy, threads);
    struct telemetry  *q = is_counted ? telemetry_new(s) : NULL;

    memset(run, 0, sizeof *run);
    s->engine.hooks = (struct sim_hooks){ .arg = run, .flow_done = on_done };
    for (uint32_t i = 1; i <= 20 * TELEMETRY_SAMPLES; i++) {
        sim_run_until(s, i * SLOT_PS / TELEMETRY_SAMPLES);
        if (is_counted)
            telemetry_sample(q);
        if (!is_counted || i % TELEMETRY_SAMPLES)
            continue;
        telemetry_read(q, run->slot[i / TELEMETRY_SAMPLES - 1]);
        if (is_turned)
            turn(s, run->slot[i / TELEMETRY_SAMPLES - 1]);
    }
    telemetry_free(q);
    end(&sc, s);
}

static void queues__counting_changes_nothing(void **state)
{
    static struct run with, without, turned;

    (void)state;
    run_busy(&with, 1, true, false);
    run_busy(&without, 1, false, false);
    run_busy(&turned, 1, true, true);
    assert_true(with.digest == without.digest);
    assert_true(turned.digest != with.digest);
}

static void queues__do_not_depend_on_threads(void **state)
{
    static struct run one, many;

    (void)state;
    run_busy(&one, 1, true, true);
    run_busy(&many, 3, true, true);
    assert_true(one.digest == many.digest);
    assert_memory_equal(one.slot, many.slot, sizeof one.slot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list__names_the_port_of_each),
        cmocka_unit_test(list__marks_uplinks),
        cmocka_unit_test(read__counts_sent_and_marked_bytes),
        cmocka_unit_test(sample__is_the_mean_length),
        cmocka_unit_test(set__changes_one_port_and_survives_other_knobs),
        cmocka_unit_test(apply__by_speed_scales_thresholds_with_the_link),
        cmocka_unit_test(set__reads_back_in_model_conweave),
        cmocka_unit_test(queues__counting_changes_nothing),
        cmocka_unit_test(queues__do_not_depend_on_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
