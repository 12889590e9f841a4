/* src/sim/observe/messages_test.c - what hosts observe of known traffic. */
#include "sim/observe/messages.h"
#include "study/scenario/scenario.h"
#include "sim/nic/nic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CLOS "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}\n"

static void on_done(void *arg, const struct flow_result *r)
{
    messages_on_done(arg, r);
}

/* Reads every millisecond and returns the sum. */
static struct seen watch(const char *traffic, uint32_t ms)
{
    char             text[2000] = CLOS "traffic:\n";
    struct scenario *sc = calloc(1, sizeof(*sc));
    struct sim      *s = NULL;
    struct messages *m;
    struct seen      sum = { 0 }, part;
    struct err       err;

    strcat(strcat(text, traffic), "run: 100ms\n");
    if (scenario_parse(sc, "test", text, strlen(text), NULL, 0, NULL, &err) || scenario_start(sc, &s, &err))
        fail_msg("%s", err.text);
    m = messages_new(s);
    s->engine.hooks = (struct sim_hooks){ .arg = m, .flow_done = on_done };
    for (uint32_t i = 1; i <= ms; i++) {
        sim_run_until(s, i * PS_PER_MS);
        messages_read(m, i * PS_PER_MS, &part);
        seen_add(&sum, &part);
    }
    messages_free(m);
    sim_free(s);
    scenario_fini(sc);
    free(sc);
    return sum;
}

static uint64_t singles(const struct seen *s)
{
    uint64_t count = 0;

    for (int i = 0; i < SEEN_BINS; i++)
        count += s->bin[i] + s->chain_bin[i];
    return count;
}

/* One host, messages of two sizes, none chained: two bins of 1 + 1 + 2 and 1 + 1 + 3 bytes, three times two
 * for lists, at most 2 x (2 + 6 x 4) for classes, and 23 for chance and rack. FB_Hadoop has messages of
 * nearly all sizes, and stays far below 1 KB. */
static void read__measures_the_encoded_report(void **state)
{
    struct seen s =
        watch("  - {kind: incast, senders: 1, receiver: h5, size: 10KB, start: 10us, period: 400us}\n"
              "  - {kind: incast, senders: 1, receiver: h5, size: 1MB, start: 200us}\n",
              1);

    (void)state;
    assert_int_equal(s.posted, 4);
    assert_in_range(s.told_bytes, 9 + 6 + 2 + 6, 9 + 6 + 2 * 26 + 23);
    s = watch("  - {kind: poisson, sizes: FB_Hadoop, load: 50%}\n", 4);
    assert_in_range(s.told_bytes, 150, 1024);
}

/* 30 % of eight links for 4 ms: 15 MB each. */
static void read__messages_at_random_are_counted_once(void **state)
{
    struct seen s = watch("  - {kind: poisson, sizes: FB_Hadoop, load: 30%}\n", 4);

    (void)state;
    assert_int_equal(singles(&s) + s.burst_messages, s.posted);
    assert_true(s.posted_bytes > 60000000 && s.posted_bytes < 240000000);
    assert_int_equal(s.job[0].bytes, 0);
}

/* Every 250 us seven hosts send 64 KB to the last one: 16 times in 4 ms. Each shares the link with six
 * others, so it takes up to seven times as long as alone. */
static void read__counts_a_burst_once(void **state)
{
    struct seen     s = watch("  - {kind: incast, senders: 7, size: 64KB, period: 250us}\n", 4);
    struct outcomes o = seen_outcomes(&s);

    (void)state;
    assert_int_equal(s.bursts, 16);
    assert_int_equal(s.burst_messages, 7 * 16);
    assert_int_equal(s.burst_bytes, 7 * 16 * 64000ull);
    assert_int_equal(singles(&s), 0);
    assert_true(o.messages[PREDICT_MICE] == 7 * 16);
    assert_true(o.slowdowns[PREDICT_MICE] / o.messages[PREDICT_MICE] > 2 &&
                o.slowdowns[PREDICT_MICE] / o.messages[PREDICT_MICE] < 8);
}

/* Eight workers, a ring of 14 steps of 500 KB, and a pause of 200 us: only the sizes distinguish it from
 * other messages. */
static void read__a_ring_is_a_job(void **state)
{
    struct seen s = watch(
        "  - {kind: training, workers: 8, collective: ring_all_reduce, size: 4MB, compute: 200us}\n", 8);

    (void)state;
    assert_int_equal(s.job[0].bytes, 500000);
    assert_int_equal(s.job[1].bytes, 0);
    assert_int_equal(s.job[0].senders, 8);
    assert_int_equal(s.job[0].pairs, 8);
    assert_true(fabs((double)s.job[0].messages / s.job[0].firsts - 14) < 2);
    assert_true(fabs(s.job[0].pause_s / s.job[0].pauses - 200e-6) < 30e-6);
    /* six of eight neighbours are in the same rack */
    assert_true(fabs((double)s.job[0].local / s.job[0].messages - 0.75) < 0.05);
    assert_true((double)s.job[0].messages * 500000 > 0.95 * (double)s.posted_bytes);
}

static void read__all_to_all_at_once_is_a_job_without_chains(void **state)
{
    struct seen s = watch("  - {kind: training, workers: 8, collective: all_to_all, at_once: yes, size: "
                          "200KB, compute: 200us}\n",
                          8);

    (void)state;
    assert_int_equal(s.job[0].bytes, 200000);
    assert_int_equal(s.job[0].senders, 8);
    assert_int_equal(s.job[0].pairs, 56);
    assert_true((double)s.job[0].messages / s.job[0].firsts < 1.5);
    assert_true(fabs(s.job[0].pause_s / s.job[0].pauses - 200e-6) < 30e-6);
}

/* The compute phase is longer than an interval, so some intervals contain only the first messages of a round,
 * which are not chained. Once the size is known, they count as the job; in the very first round one interval
 * may not. */
static void read__after_a_pause_a_job_is_known_by_its_size(void **state)
{
    struct seen s =
        watch("  - {kind: training, workers: 8, collective: all_to_all, size: 4MB, compute: 3300us}\n", 40);

    (void)state;
    assert_int_equal(s.job[0].bytes, 4000000);
    assert_int_equal(s.job[1].bytes, 0);
    assert_true(s.posted - s.job[0].messages <= 8);
    assert_true(s.job[0].messages > 3 * 56);
    assert_true(fabs(s.job[0].pause_s / s.job[0].pauses - 3300e-6) < 500e-6);
}

/* Two of eight hosts store. Blocks have 16 sizes, and none of them is classified as a collective. */
static void read__storage_is_a_closed_loop_with_hubs(void **state)
{
    struct seen s = watch("  - {kind: storage, preset: exchange, depth: 4, storage: 2, replicas: 2}\n", 4);
    uint64_t    chained = 0;

    (void)state;
    for (int i = 0; i < SEEN_BINS; i++)
        chained += s.chain_bytes[i];
    assert_int_equal(s.job[0].bytes, 0);
    assert_true((double)chained > 0.6 * (double)s.posted_bytes);
    assert_int_equal(s.chain_hubs, 2);
    assert_true(s.chain_tiny > 0);
}

/* One message that fills the link the whole time: at the end it waits, and its slowdown is that of a lone
 * message. */
static void read__unfinished_messages_wait(void **state)
{
    struct seen     s = watch("  - {kind: incast, senders: 1, size: 100MB}\n", 2);
    struct outcomes o = seen_outcomes(&s);

    (void)state;
    assert_int_equal(s.posted, 1);
    assert_int_equal(o.unfinished, 1);
    assert_true(o.slowdowns[PREDICT_ELEPHANTS] >= 1 && o.slowdowns[PREDICT_ELEPHANTS] < 1.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__measures_the_encoded_report),
        cmocka_unit_test(read__messages_at_random_are_counted_once),
        cmocka_unit_test(read__counts_a_burst_once),
        cmocka_unit_test(read__a_ring_is_a_job),
        cmocka_unit_test(read__all_to_all_at_once_is_a_job_without_chains),
        cmocka_unit_test(read__after_a_pause_a_job_is_known_by_its_size),
        cmocka_unit_test(read__storage_is_a_closed_loop_with_hubs),
        cmocka_unit_test(read__unfinished_messages_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
