/* tests/oracle/gpu_test.c - GPU clusters against closed forms: messages inside a server, and NCCL's rings
 * over several. */
#include "../digest.h"

#include "core/units.h"
#include "study/scenario/scenario.h"
#include "sim/state/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct figures { uint64_t digest, took_ps; struct flow_result last; uint32_t flows; };

static void on_flow(void *arg, const struct flow_result *r)
{
    struct figures *seen = arg;

    seen->digest = digest_add_flow(seen->digest, r);
    seen->last = *r;
    seen->flows++;
}

static void on_op(void *arg, const struct op_result *r)
{
    ((struct figures *)arg)->took_ps = r->took_ps;
}

static void run(struct figures *seen, const char *text, uint32_t threads)
{
    uint64_t        seed = 1;
    struct scenario scenario;
    struct sim     *s;
    struct err      err;

    *seen = (struct figures){ .digest = DIGEST_EMPTY };
    if (scenario_parse(&scenario, "gpu", text, strlen(text), NULL, 0, &seed, &err))
        die("%s", err.text);
    scenario.cfg.threads = threads;
    if (scenario_start(&scenario, &s, &err))
        die("%s", err.text);
    s->engine.hooks = (struct sim_hooks){ .arg = seen, .flow_done = on_flow };
    traffic_on_op(s->program.traffic, on_op, seen);
    sim_run_until(s, PS_PER_S);
    traffic_tell(s->program.traffic);
    sim_check(s);
    assert_true(s->is_done);
    sim_free(s);
    scenario_fini(&scenario);
}

/* 36 MB at 3600 Gb/s take 80 us; the round trip 2 x 500 ns. */
static void inside__a_message_alone(void **unused)
{
    struct figures seen;

    (void)unused;
    run(&seen, "{topology: dgx_h100_8, traffic: [{kind: incast, senders: [h1], receiver: h0, size: 36MB}]}",
        1);
    assert_int_equal(seen.flows, 1);
    assert_int_equal(seen.last.fct_ps, 81 * PS_PER_US);
    assert_int_equal(seen.last.ideal_ps, 81 * PS_PER_US);
}

/* Three to one: they share the incoming link one after the other. All leave at once: 3 x 80 us, one delay
 * there, one back. */
static void inside__messages_share_the_incoming_link(void **unused)
{
    struct figures seen;

    (void)unused;
    run(&seen,
        "{topology: dgx_h100_8, traffic: [{kind: incast, senders: [h1, h2, h3], receiver: h0, size: 36MB}]}",
        1);
    assert_int_equal(seen.last.fct_ps, 241 * PS_PER_US);
}

/* The bus bandwidth of eight rings is that of eight NICs: a packet's 1024 bytes take 1106 on the wire, and
 * its link also carries an ACK, 86 bytes, for data in the other direction; NVLink is faster. It holds for any
 * even number of servers, and threads do not matter. */
static void all_reduce__has_the_bandwidth_of_all_nics(void **unused)
{
    static const uint32_t gpus[] = { 16, 32 };
    char                  text[256];
    struct figures           one, two;

    (void)unused;
    for (uint32_t i = 0; i < 2; i++) {
        double n = gpus[i], bytes = 64e6, bus_bps, form_bps = 8 * 400e9 * 1024 / (1106 + 86);

        snprintf(text, sizeof text, "{topology: dgx_h100_%u, traffic: [{kind: training, "
                                    "collective: ring_all_reduce, size: 64MB, "
                 "channels: 8, chunk: 64KB, iterations: 1}]}", gpus[i]);
        run(&one, text, 1);
        run(&two, text, 2);
        assert_true(one.digest == two.digest);
        bus_bps = 8 * bytes / ((double)one.took_ps / PS_PER_S) * 2 * (n - 1) / n;
        assert_in_range((uint64_t)bus_bps, (uint64_t)(0.97 * form_bps), (uint64_t)(1.0 * form_bps));
    }
}

/* One ring leaves each server by one NIC, whose ACKs return on another link: 1024 of 1106 bytes. */
static void all_reduce__of_one_ring_has_the_bandwidth_of_one_nic(void **unused)
{
    double      form_bps = 400e9 * 1024 / 1106;
    struct figures seen;

    (void)unused;
    run(&seen, "{topology: dgx_h100_16, traffic: [{kind: training, collective: ring_all_reduce, "
               "size: 16MB, channels: 1, chunk: 64KB, "
               "iterations: 1}]}", 1);
    assert_in_range((uint64_t)(8 * 16e6 / ((double)seen.took_ps / PS_PER_S) * 2 * 15 / 16),
                    (uint64_t)(0.97 * form_bps), (uint64_t)form_bps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside__a_message_alone),
        cmocka_unit_test(inside__messages_share_the_incoming_link),
        cmocka_unit_test(all_reduce__has_the_bandwidth_of_all_nics),
        cmocka_unit_test(all_reduce__of_one_ring_has_the_bandwidth_of_one_nic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
