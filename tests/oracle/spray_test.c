/* tests/oracle/spray_test.c - packets that take separate paths: four racks of four hosts and four spines, so
 * that the load of all hosts exactly fits the spines. Every host sends endlessly to a host in the next rack.
 * If reordering does no harm, all host links stay full.
 *
 * Congestion control is off. An ACK is sent for every 32nd packet and takes its share of the wire: a host's
 * link carries 32 x 1106 bytes of data for each 86 of ACKs, including preambles and gaps between frames.
 */
#include "core/units.h"
#include "study/scenario/scenario.h"
#include "sim/state/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HOSTS    16
#define ACKED    32
#define FROM_PS  PS_PER_MS
#define UNTIL_PS (3 * PS_PER_MS)

/* Payload that all hosts together can receive in the time, in bytes, at 80 ps each. */
static double possible_bytes(void)
{
    double per_ack_ps = 80.0 * (ACKED * (1024 + 62 + 20) + 66 + 20);

    return HOSTS * (double)(UNTIL_PS - FROM_PS) / per_ack_ps * ACKED * 1024;
}

struct outcome {
    double   share;              /* of possible_bytes() */
    uint64_t nacks, reordered, pauses;
};

static struct outcome run(const char *repeat, const char *how, uint32_t mode)
{
    struct scenario scenario;
    struct sim     *s;
    struct err      err;
    char            text[512];
    struct outcome  o;
    uint64_t        received, seed = 1;

    snprintf(text, sizeof text,
             "{topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 4, rate: 100Gbps, delay: 1us}, "
             "cc: none, "
             "lb: %s, knobs: {spray_mode: %u}, host: {retransmit: %s, ack_every: 32}, "
             "traffic: [{kind: permutation, shift: 4, size: 1GB}]}", how, mode, repeat);
    if (scenario_parse(&scenario, "spray", text, strlen(text), NULL, 0, &seed, &err))
        die("%s", err.text);
    if (scenario_start(&scenario, &s, &err))
        die("%s", err.text);
    sim_run_until(s, FROM_PS);
    received = s->engine.counters.payload_received;
    sim_run_until(s, UNTIL_PS);
    sim_check(s);
    o.share = (double)(s->engine.counters.payload_received - received) / possible_bytes();
    o.nacks = s->engine.counters.nacks_sent;
    o.reordered = s->engine.counters.reordered;
    o.pauses = s->engine.counters.pauses;
    assert_int_equal(s->engine.counters.timeouts, 0);
    sim_free(s);
    scenario_fini(&scenario);
    return o;
}

/* With the defaults of selective repeat, at random and round robin. */
static void spray__fills_the_bisection(void **unused)
{
    (void)unused;
    for (uint32_t mode = 0; mode < 2; mode++) {
        struct outcome o = run("selective", "spray", mode);

        assert_true(o.share >= 0.98 && o.share <= 1.001);
        assert_true(o.reordered > 1000);
        assert_int_equal(o.nacks, 0);
        assert_int_equal(o.pauses, 0);
    }
}

/* Both spraying and selective repeat are necessary: without either one, much throughput is lost. */
static void spray__needs_selective_repeat(void **unused)
{
    (void)unused;
    assert_true(run("go_back_n", "spray", 0).share < 0.5);
    assert_true(run("selective", "ecmp", 0).share < 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spray__fills_the_bisection),
        cmocka_unit_test(spray__needs_selective_repeat),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
