/* src/cmd/slots_test.c - a tuner of queues in a network. */
#include "cmd/slots.h"
#include "cmd/simulation.h"
#include "sim/queues.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define NETWORK \
    "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 25Gbps, fabric_rate: 100Gbps, delay: 1us}\n" \
    "traffic:\n" \
    "  - {kind: poisson, sizes: WebSearch, load: 0.7}\n" \
    "  - {kind: incast, senders: 6, size: 64KB, period: 300us}\n" \
    "knobs: {kmin: 100KB, kmax: 400KB, pmax: 0.2}\n" \
    "interval: 250us\n" \
    "run: 2ms\n"

static void open_text(struct simulation *s, const char *text, const char *const *set, uint32_t sets, uint32_t threads)
{
    struct simulation_input input = { .name = "test", .text = text, .text_bytes = strlen(text), .set = set,
                                      .sets = sets, .threads = threads };
    struct err              err;

    if (simulation_open(s, &input, &err))
        fail_msg("%s", err.text);
}

/* ---- a tuner that writes down when it was called ---- */

static struct { uint32_t slots; uint64_t bytes[64]; } log_of;

static int create(void **state, const struct tuner_world *w, const struct tuner_values *v, struct err *err)
{
    (void)w, (void)v, (void)err;
    *state = &log_of;
    return 0;
}

static void destroy(void *state)
{
    (void)state;
}

static void step(void *state, const struct report *r, struct knobs *k, struct tuner_note *note)
{
    (void)state, (void)r, (void)k, (void)note;
}

static uint64_t slot_ps(const void *state)
{
    (void)state;
    return 70 * PS_PER_US;
}

static void slot(void *state, const struct queue_slot *seen)
{
    (void)state;
    for (int i = 0; i < 16; i++)
        log_of.bytes[log_of.slots] += seen[i].tx_bytes;
    log_of.slots++;
}

static bool queues(const void *state, struct ecn *ecn)
{
    (void)state, (void)ecn;
    return false;
}

static const struct tuner_option none[] = { { 0 } };

static const struct tuner_algo logger = { .create = create, .destroy = destroy, .step = step, .slot_ps = slot_ps,
                                          .slot = slot, .queues = queues, .name = "logger", .option = none };

static void lend_logger(struct simulation *s)
{
    struct tuner  tuner = { &logger, &log_of };
    struct tuning tuning = { .algo = &logger };

    memset(&log_of, 0, sizeof log_of);
    simulation_lend(s, &tuner, &tuning);
}

/* 2 ms of 70 us are 28 slots and a piece; what they show is all that ports have sent until then. */
static void look__slots_have_a_clock_of_their_own(void **state)
{
    struct simulation s;
    uint64_t          bytes = 0, sent = 0;

    (void)state;
    open_text(&s, NETWORK, NULL, 0, 1);
    lend_logger(&s);
    simulation_run(&s, NULL, NULL);
    assert_int_equal(log_of.slots, 28);
    for (uint32_t i = 0; i < log_of.slots; i++)
        bytes += log_of.bytes[i];
    for (uint32_t i = 0; i < s.sim->ports; i++)
        sent += s.sim->port[i].queue_tx_bytes;
    assert_true(bytes < sent && (double)bytes > 0.95 * (double)sent);        /* the piece: 40 us of 2 ms */
    simulation_close(&s);
}

/* What was before the start does not count as the first slot's. */
static void look__begins_when_the_tuner_does(void **state)
{
    static const char *const set[] = { "tuner={kind: default, start: 1ms}" };
    struct simulation        s;
    struct simulation_input  input = { .name = "test", .text = NETWORK, .text_bytes = strlen(NETWORK), .set = set,
                                       .sets = 1, .threads = 1, .is_untuned = true };
    struct err               err;

    (void)state;
    if (simulation_open(&s, &input, &err))
        fail_msg("%s", err.text);
    lend_logger(&s);
    simulation_run(&s, NULL, NULL);
    assert_int_equal(log_of.slots, 14);
    assert_true(log_of.bytes[0] < 2 * log_of.bytes[1] + 200000);
    simulation_close(&s);
}

/* ---- real ones ---- */

static const struct port *port_of_speed(const struct simulation *s, uint64_t rate_bps)
{
    for (uint32_t i = 0; i < s->sim->ports; i++)
        if (s->sim->port[i].is_switch && s->sim->port[i].rate_bps == rate_bps)
            return &s->sim->port[i];
    fail();
    return NULL;
}

static void set__secn2_by_the_speed_of_each_port(void **state)
{
    static const char *const set[] = { "tuner=secn2" };
    struct simulation        s;

    (void)state;
    open_text(&s, NETWORK, set, 1, 1);
    simulation_run(&s, NULL, NULL);
    assert_int_equal(port_of_speed(&s, 25000000000)->ecn.kmin_bytes, 100000);
    assert_int_equal(port_of_speed(&s, 25000000000)->ecn.kmax_bytes, 400000);
    assert_int_equal(port_of_speed(&s, 100000000000)->ecn.kmin_bytes, 400000);
    assert_int_equal(port_of_speed(&s, 100000000000)->ecn.kmax_bytes, 1600000);
    assert_int_equal(port_of_speed(&s, 100000000000)->mark_above_bytes, 400000);
    simulation_close(&s);
}

/* Agents that learn while the network runs: no result depends on the number of threads. */
static void acc__the_same_with_many_threads(void **state)
{
    static const char *const set[] = { "tuner={kind: acc, model: none, train: yes, epsilon: 0.5, exchange: 5}" };
    struct tuning_step       last[2];
    uint64_t                 done[2], marked[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct simulation s;

        open_text(&s, NETWORK, set, 1, i == 0 ? 1 : 3);
        simulation_run(&s, NULL, NULL);
        assert_int_equal(s.tuning.steps, 8);
        last[i] = s.tuning.step[7];
        done[i] = s.sim->counters.payload_received;
        marked[i] = s.sim->counters.cnps_sent;
        simulation_close(&s);
    }
    assert_int_equal(done[0], done[1]);
    assert_int_equal(marked[0], marked[1]);
    assert_string_equal(last[0].note.why, last[1].note.why);
    assert_true(last[0].note.utility == last[1].note.utility);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look__slots_have_a_clock_of_their_own),
        cmocka_unit_test(look__begins_when_the_tuner_does),
        cmocka_unit_test(set__secn2_by_the_speed_of_each_port),
        cmocka_unit_test(acc__the_same_with_many_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
