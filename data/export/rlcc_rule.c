static inline uint32_t rlcc_bound(const struct rlcc_params *p, uint64_t rate)
{
    if (rate < p->rate_min)
        return p->rate_min;
    return rate > RLCC_RATE_ONE ? RLCC_RATE_ONE : (uint32_t)rate;
}

/* Square root in 1/65536: sqrt(4 x) = 2 sqrt(x) until the upper bits are those of the table. */
static inline uint32_t rlcc_root_of(uint32_t rate)
{
    uint32_t halvings = 0;

    if (rate < 1u << 12) {
        rate <<= 16;
        halvings = 8;
    }
    if (rate < 1u << 20) {
        rate <<= 8;
        halvings += 4;
    }
    if (rate < 1u << 24) {
        rate <<= 4;
        halvings += 2;
    }
    if (rate < 1u << 26) {
        rate <<= 2;
        halvings += 1;
    }
    return (uint32_t)rlcc_root[(rate >> 20) - 64] >> halvings;
}

/* How much fuller than wanted the network is, in 1/256. */
static inline int32_t rlcc_delta(const struct rlcc_params *p, uint32_t rate, uint32_t rtt_ns)
{
    uint32_t excess = rtt_ns > p->beta_ns ? rtt_ns - p->beta_ns : 0;
    int64_t delta;

    excess = excess < RLCC_EXCESS_MAX ? excess : RLCC_EXCESS_MAX;
    delta = (int64_t)((uint64_t)excess * rlcc_root_of(rate) >> 8) - (int64_t)p->target_ns;
    delta = delta * (int64_t)p->gain >> 24;
    if (delta < INT16_MIN)
        return INT16_MIN;
    return delta > INT16_MAX ? INT16_MAX : (int32_t)delta;
}

void rlcc_start(struct rlcc_flow *flow, uint32_t rate)
{
    flow->rate = rate;
    flow->action_older = 0;
    flow->action = 0;
    flow->delta = 0;
    flow->is_started = 0;
}

uint32_t rlcc_decide(struct rlcc_flow *flow, const struct rlcc_params *p, uint32_t rtt_ns)
{
    uint32_t rate = rlcc_bound(p, flow->rate);
    int32_t delta = rlcc_delta(p, rate, rtt_ns);
    int32_t delta_older = flow->is_started ? flow->delta : delta;
    int32_t multiplier = RLCC_MULTIPLIER_MIN;

    if (rtt_ns > p->rtt_ns_max) {
        rate = rlcc_bound(p, rate >> 1);
    } else {
        multiplier = rlcc_tree(flow->action_older, delta_older, flow->action, delta);
        rate = rlcc_bound(p, (uint64_t)rate * (uint32_t)multiplier >> 16);
    }
    flow->rate = rate;
    flow->action_older = flow->action;
    flow->action = (int16_t)((multiplier - 65536) >> 4);
    flow->delta = (int16_t)delta;
    flow->is_started = 1;
    return rate >> RLCC_RATE_SHIFT;
}
