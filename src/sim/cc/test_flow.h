/* src/sim/cc/test_flow.h - a flow of a 100 Gb/s NIC for tests of congestion controls; the test supplies the
 * signals. */
#ifndef SIM_CC_TEST_FLOW_H
#define SIM_CC_TEST_FLOW_H

#include "sim/cc/cc.h"
#include "core/units.h"

#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#define LINE_BPS    100000000000ull
#define NOTHING_DUE (NEVER / PS_PER_NS)

static const struct cc_link link_100g = {
    .line_bps = LINE_BPS, .base_rtt_ps = 8 * PS_PER_US, .mtu_bytes = 1000,
};

#define FLOW_STATE_MAX 512       /* larger than any control's state */

struct flow {
    const struct cc_algo *cc;
    _Alignas(16) char cfg[CC_CFG_MAX];
    _Alignas(16) char state[FLOW_STATE_MAX];
    struct cc_out out;
    uint64_t busy_ps;            /* of its NIC */
};

static inline struct cc_now at_ns(uint64_t ns)
{
    return (struct cc_now){ ns * PS_PER_NS, ns * PS_PER_NS };
}

static inline void flow_start(struct flow *t, const struct cc_algo *cc, const struct knobs *k,
                              const struct cc_link *link)
{
    assert_in_range(cc->state_size, 0, FLOW_STATE_MAX);
    memset(t, 0, sizeof *t);
    t->cc = cc;
    t->cc->configure(t->cfg, k, link);
    t->cc->start(t->cfg, t->state, (struct cc_now){ 0, 0 }, &t->out);
}

/* Returns the rate at which the caller would send now. */
static inline uint64_t flow_rate(struct flow *t, struct cc_now now)
{
    if (t->out.due_ps <= now.ps)
        t->cc->on_due(t->cfg, t->state, now, &t->out);
    return t->out.rate_bps;
}

static inline void flow_cnp(struct flow *t, struct cc_now now, uint64_t announced_ps)
{
    t->cc->on_cnp(t->cfg, t->state, now, announced_ps, &t->out);
}

static inline void flow_ack(struct flow *t, struct cc_now now, const struct cc_ack *a)
{
    t->cc->on_ack(t->cfg, t->state, now, a, &t->out);
}

static inline void flow_rtt(struct flow *t, struct cc_now now, uint64_t rtt_ps)
{
    t->cc->on_rtt(t->cfg, t->state, now, &(struct cc_probe){ rtt_ps, &t->busy_ps }, &t->out);
}

static inline void flow_sent(struct flow *t, struct cc_now now, uint32_t bytes)
{
    t->cc->on_sent(t->cfg, t->state, now, bytes, &t->out);
}

static inline void flow_change_knobs(struct flow *t, struct cc_now now, const struct knobs *k)
{
    t->cc->on_due(t->cfg, t->state, now, &t->out);
    t->cc->configure(t->cfg, k, &link_100g);
}

/* Checks a test row's expectation after its signal. */
static inline void flow_expect(const struct flow *t, uint64_t rate_bps, uint64_t due_ns)
{
    assert_int_equal(t->out.rate_bps, rate_bps);
    assert_int_equal(t->out.due_ps / PS_PER_NS, due_ns);
}

#endif
