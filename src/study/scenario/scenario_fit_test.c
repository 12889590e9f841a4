/* src/study/scenario/scenario_fit_test.c - settings that do not fit the network are refused when it is built,
 * with their location. */
#include "study/scenario/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define STAR   "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us}\n"        /* line 1 */
#define INCAST "traffic: [{kind: incast, senders: 2, size: 20KB}]\n"                   /* line 2 */
#define TCP    "traffic: [{kind: tcp, senders: 2, size: 20KB}]\n"

/* The round trip of a full packet: two hops of 1086 + 20 bytes, back 66 + 20, at 80 ps per byte, and four
 * delays of 1 us. */
#define RTT    "4.191 us"

static int start(struct scenario *s, struct sim **sim, const char *text, const char *set, struct err *err)
{
    int rc;

    *sim = NULL;
    if (scenario_parse(s, "s.yaml", text, strlen(text), &set, set != NULL, NULL, err))
        fail_msg("%s", err->text);
    rc = scenario_start(s, sim, err);
    assert_true((rc == 0) == (*sim != NULL));
    return rc;
}

static void scenario_start__refuses_what_cannot_work(void **unused)
{
#define NEVER_ANSWERED                                                                                                   \
    " is not longer than the round trip of the longest path, " RTT ", when it is empty: all would be sent again before " \
    "it can be answered; 'auto' chooses one"
#define NO_ROOM(key, frame) "with this '" key "' no switch has room for a packet of " frame ": all would be dropped, always"
    static const struct { const char *text, *set, *message; } rows[] = {
        { STAR INCAST "host: {rto: 1ps}\n", NULL, "s.yaml:3:13: an 'rto' of 1 ps" NEVER_ANSWERED },
        { STAR INCAST "host: {mtu: 1024,\n  rto: 4us}\n", NULL,
          "s.yaml:4:8: an 'rto' of 4 us" NEVER_ANSWERED },
        { STAR INCAST, "host.rto=1ps", "--set host.rto=1ps: an 'rto' of 1 ps" NEVER_ANSWERED },
        { STAR INCAST "switch: {buffer: 10KB}\n", NULL,
          "s.yaml:3:18: the buffer of s0 (10000 bytes) is smaller than the headroom and reserve of its 3 "
          "ports (100812 bytes)" },
        { STAR INCAST "switch: {pause_time: 1ns}\n", NULL,
          "s.yaml:3:22: a pause_time of 1 ns is too short: sent again after half of it, a pause can come 95 "
          "ns later" },
        { "topology: {kind: star, hosts: 3, rate: 40Gbps}\n" INCAST "cc: hpcc\nmodel: hpcc\n", NULL,
          "s.yaml:3:5: telemetry of hpcc knows links of 25, 50, 100, 200 and 400 Gb/s, not of 40 Gb/s" },
        { STAR INCAST "switch: {lossless: no, buffer: 1}\n", NULL,
          "s.yaml:3:32: " NO_ROOM("buffer", "1.086 KB") },
        { STAR INCAST "switch: {lossless: no, buffer: 1085}\n", NULL,
          "s.yaml:3:32: " NO_ROOM("buffer", "1.086 KB") },
        { STAR INCAST "switch: {lossless: no, lossy_queue: 1085}\n", NULL,
          "s.yaml:3:37: " NO_ROOM("lossy_queue", "1.086 KB") },
        { STAR INCAST "switch: {lossless: no, buffer: 10KB, lossy_alpha: 0.1}\n", NULL,
          "s.yaml:3:51: " NO_ROOM("lossy_alpha", "1.086 KB") },
        { STAR TCP "switch: {lossy_queue: 1KB}\n", NULL, "s.yaml:3:23: " NO_ROOM("lossy_queue", "1.518 KB") },
        { STAR INCAST "model: conweave\nswitch: {lossless: no, buffer: 1}\n", NULL,
          "s.yaml:4:32: " NO_ROOM("buffer", "1.048 KB") },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scenario s;
        struct sim     *sim;
        struct err      err;

        if (start(&s, &sim, rows[i].text, rows[i].set, &err) == 0)
            fail_msg("accepted: %s", rows[i].text);
        assert_string_equal(err.text, rows[i].message);
        scenario_fini(&s);
    }
}

/* The smallest values that work. */
static void scenario_start__accepts_the_smallest_values(void **unused)
{
    static const char *const texts[] = {
        STAR INCAST "switch: {lossless: no, buffer: 1086}\n",
        STAR INCAST "switch: {lossless: no, lossy_queue: 1086}\n",
        STAR INCAST "switch: {lossless: no, buffer: 10860, lossy_alpha: 0.1}\n",
        STAR INCAST "switch: {lossy_queue: 1}\n",            /* only limits classes that are not used */
        STAR INCAST "host: {rto: 0}\n",
        STAR INCAST "host: {rto: 20ms}\n",
        STAR INCAST "host: {rto: auto}\n",
        STAR INCAST "model: conweave\nhost: {rto: 1ms}\n",   /* model conweave: no warning */
    };

    (void)unused;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct scenario s;
        struct sim     *sim;
        struct err      err;

        if (start(&s, &sim, texts[i], NULL, &err))
            fail_msg("%s", err.text);
        assert_null(s.warning);
        sim_free(sim);
        scenario_fini(&s);
    }
}

/* A full queue of 32 MB takes 2.56 ms at 100 Gb/s; half of it takes 1.28 ms. */
static void scenario_start__warns_of_short_timeouts(void **unused)
{
    static const struct { const char *text, *full; } rows[] = {
        { STAR INCAST "host: {rto: 1ms}\n", "2.564 ms" },
        { STAR INCAST "host: {rto: 1ms}\nswitch: {lossless: no}\n", "1.284 ms" },
        /* a queue of 1 MB takes 80 us */
        { STAR INCAST "host: {rto: 1ms}\nswitch: {lossless: no, lossy_queue: 1MB}\n", NULL },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char            expected[400];
        struct scenario s;
        struct sim     *sim;
        struct err      err;

        if (start(&s, &sim, rows[i].text, NULL, &err))
            fail_msg("%s", err.text);
        snprintf(expected, sizeof expected, "s.yaml:3:13: an 'rto' of 1 ms is shorter than a full queue "
                 "takes, %s: time-outs may send again what is not lost; 'auto' chooses one",
                 rows[i].full ? rows[i].full : "");
        if (rows[i].full)
            assert_string_equal(s.warning, expected);
        else
            assert_null(s.warning);
        sim_free(sim);
        scenario_fini(&s);
    }
}

static void scenario_start__warns_of_knobs_without_effect(void **unused)
{
    static const struct { const char *text, *warning; } rows[] = {
        { STAR INCAST "cc: swift\nknobs: {swift_hop: 1us, rpg_ai_rate: 50Mbps, hpcc_eta: 0.9}\n",
          "s.yaml:4:25: 'rpg_ai_rate' changes nothing: cc swift does not look at it" },
        { STAR INCAST "knobs:\n  kmin: 100KB\n  swift_hop: 1us\n", "s.yaml:5:3: 'swift_hop' changes "
          "nothing: cc dcqcn does not look at it" },
        { STAR INCAST "cc: swift\nknobs: {swift_hop: 1us, rpg_min_rate: 50Mbps, kmin: 100KB}\n", NULL },
        { STAR INCAST "knobs: {rpg_ai_rate: 50Mbps, hf2t: 1}\n", NULL },
        { STAR INCAST "cc: rlcc\n", NULL },
        { STAR INCAST "cc: rlcc\nknobs: {rlcc_base: 8.192us}\n", NULL },
        { STAR INCAST "cc: rlcc\nknobs: {rlcc_base: 0.2us}\n", "idle" },
        { STAR INCAST "cc: rlcc\nknobs: {rlcc_base: 200us}\n", "long" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scenario s;
        struct sim     *sim;
        struct err      err;

        if (start(&s, &sim, rows[i].text, NULL, &err))
            fail_msg("%s", err.text);
        if (rows[i].warning) {
            assert_non_null(s.warning);
            assert_non_null(strstr(s.warning, rows[i].warning));
        } else {
            assert_null(s.warning);
        }
        sim_free(sim);
        scenario_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_start__refuses_what_cannot_work),
        cmocka_unit_test(scenario_start__accepts_the_smallest_values),
        cmocka_unit_test(scenario_start__warns_of_short_timeouts),
        cmocka_unit_test(scenario_start__warns_of_knobs_without_effect),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
