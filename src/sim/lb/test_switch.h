/* src/sim/lb/test_switch.h - a switch with a few ports for tests of balancers, whose queues and rates tests
 * set directly. */
#ifndef SIM_LB_TEST_SWITCH_H
#define SIM_LB_TEST_SWITCH_H

#include "sim/lb/lb.h"

#include <stdlib.h>

#define TEST_PORTS 8

struct test_port { uint64_t rate_bps; uint32_t queue_bytes[8]; };

struct test_switch {
    struct test_port     port[TEST_PORTS];
    struct rng           rng;
    struct lb_switch     sw;
    const struct lb_algo *lb;
    struct knobs         knobs;
    void                *cfg, *state;
    uint32_t             way[TEST_PORTS];
    struct lb_tag        tag;
    struct lb_packet     packet;         /* to switch 1, through any port; tests may change it */
};

/* Applies 'knobs' again. */
static inline void test_switch_configure(struct test_switch *t)
{
    if (t->lb->configure)
        t->lb->configure(t->cfg, &t->knobs);
}

/* Tests set 'knobs' before this call. */
static inline void test_switch_start_with(struct test_switch *t, const struct lb_algo *lb, uint64_t seed)
{
    t->lb = lb;
    rng_init(&t->rng, seed, 1);
    for (uint32_t i = 0; i < TEST_PORTS; i++) {
        t->port[i] = (struct test_port){ .rate_bps = 100000000000ull };
        t->way[i] = i;
    }
    t->sw = (struct lb_switch){ .ports = TEST_PORTS, .racks = 4, .has_hosts = true, .salt = 7, .rng = &t->rng,
                                .queue_bytes = (const char *)&t->port[0].queue_bytes[0],
                                .rate_bps = (const char *)&t->port[0].rate_bps,
                                .port_stride = sizeof(struct test_port), .class_stride = sizeof(uint32_t) };
    t->packet = (struct lb_packet){ .src = 1, .dst = 2, .ports = 3, .bytes = 1000, .to = 1,
                                    .choices = TEST_PORTS, .ways = TEST_PORTS, .way = t->way, .prio = 3,
                                    .tag = &t->tag };
    t->cfg = calloc(1, t->lb->cfg_size + 1);
    test_switch_configure(t);
    t->state = calloc(1, (t->lb->state_bytes ? t->lb->state_bytes(t->cfg, &t->sw) : 0) + 1);
    if (t->lb->init)
        t->lb->init(t->cfg, t->state, &t->sw);
}

static inline void test_switch_start(struct test_switch *t, const char *lb, uint64_t seed)
{
    test_switch_start_with(t, lb_find(lb), seed);
}

static inline void test_switch_end(struct test_switch *t)
{
    free(t->cfg);
    free(t->state);
}

static inline uint32_t test_switch_pick(struct test_switch *t, uint64_t now_ps)
{
    t->packet.is_flowlet = t->packet.is_reroute = false;
    return t->lb->pick(t->cfg, t->state, now_ps, &t->sw, &t->packet);
}

/* Chi-square of counts against equal shares. */
static inline double test_chi_square(const uint32_t *count, uint32_t kinds, uint32_t total)
{
    double expected = (double)total / kinds, sum = 0;

    for (uint32_t i = 0; i < kinds; i++)
        sum += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
    return sum;
}

/* With two and seven degrees of freedom: exceeded once in 10000 times. */
#define CHI_SQUARE_2_MAX 18.4
#define CHI_SQUARE_7_MAX 29.9

#endif
