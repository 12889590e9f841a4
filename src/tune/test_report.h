/* src/tune/test_report.h - for tests of tuners: an imaginary network with one uplink. */
#ifndef TUNE_TEST_REPORT_H
#define TUNE_TEST_REPORT_H

#include "core/units.h"
#include "tune/tuner.h"

#include <math.h>
#include <stddef.h>

struct test_net {
    struct report      report;
    struct report_port port;
    struct report_pair pair;
};

/* Reports a millisecond at 100 Gb/s, 12.5 MB at most, with an empty round trip of 20 us. Each term of
 * utility is as given to within 1e-6, under metrics=corrected. elephants < 0: no flow was seen. Valid until
 * the next call. */
static inline const struct report *test_report(struct test_net *n, double throughput, double rtt, double pfc,
                                               double elephants)
{
    uint64_t of_1000 = elephants >= 0 ? (uint64_t)(1000 * elephants + 0.5) : 0;

    n->port = (struct report_port){
        .tx_bytes = (uint64_t)(throughput * 12.5e6 + 0.5), .rate_bps = 100000000000, .is_uplink = true,
        .paused_ps = (uint64_t)((1 - pfc) * PS_PER_MS + 0.5),
    };
    n->pair = (struct report_pair){
        .base_rtt_ps = 20 * PS_PER_US, .rtt_samples = 1, .rtt_ps_sum = (uint64_t)(20 * PS_PER_US / rtt + 0.5),
        .rtt_ps_last = (uint64_t)(20 * PS_PER_US / rtt + 0.5),
    };
    n->report = (struct report){
        .start_ps = PS_PER_MS, .end_ps = 2 * PS_PER_MS,
        .port = &n->port, .ports = 1, .pair = &n->pair, .pairs = 1,
    };
    if (elephants >= 0)
        n->report.fsd = (struct fsd){ .elephants = of_1000 * FSD_ONE, .mice = (1000 - of_1000) * FSD_ONE };
    return &n->report;
}

/* Hosts of 100 Gb/s, switches that pause at 970 KB (one port) and 1750 KB (two ports), the default
 * setting. */
static inline struct world test_world(uint64_t seed)
{
    struct world world = {
        .seed = seed, .interval_ps = PS_PER_MS, .host_bps = 100000000000, .base_rtt_ps = 41 * PS_PER_US - 1,
        .pfc_bytes_one = 970000, .pfc_bytes_two = 1750000,
    };

    knobs_init(&world.start);
    return world;
}

struct test_option { const char *name, *value; };    /* lists end with a NULL */

#define TEST_OPTIONS(...) ((const struct test_option[]){ __VA_ARGS__, { NULL, NULL } })
#define TEST_NO_OPTIONS   ((const struct test_option[]){ { NULL, NULL } })

/* Opens a tuner with options. Returns 0 or a negative error. */
static inline int test_open(struct tuner *t, const struct tuner_algo *algo, const struct world *world,
                            const struct test_option *option, struct err *err)
{
    struct option_values v;
    int rc = 0;

    option_values_init(algo->option, &v);
    for (; option->name && !rc; option++)
        rc = option_values_set(algo->option, algo->name, &v, option->name, option->value, err);
    if (!rc)
        rc = tuner_open(t, algo, world, &v, err);
    option_values_fini(&v);
    return rc;
}

static inline bool test_is_near(double a, double b, double error)
{
    return fabs(a - b) <= error;
}

#endif
