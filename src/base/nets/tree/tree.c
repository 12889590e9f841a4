/* src/base/nets/tree/tree.c - evaluation of trees. */
#include "base/nets/tree/tree.h"
#include "base/minmax.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static const char *tree_flaw(const struct tree *t)
{
    if (t->depth < 1 || t->depth > TREE_DEPTH_MAX)
        return "has a tree without splits or with too many";
    for (uint32_t i = 0; i < t->depth; i++)
        if (t->split[i].feature >= TREE_FEATURES)
            return "asks for a feature that is not there";
    for (uint32_t i = 0; i < 1u << t->depth; i++)
        if (t->leaf[i] < -TREE_LEAF_MAX || t->leaf[i] > TREE_LEAF_MAX)
            return "has a leaf out of range";
    return NULL;
}

const char *forest_flaw(const struct forest *f)
{
    const char *flaw = NULL;

    if (f->trees > TREE_TREES_MAX)
        return "has too many trees";
    if (f->base < -TREE_LEAF_MAX || f->base > TREE_LEAF_MAX)
        return "has a base out of range";
    if (f->multiplier_min < 1 || f->multiplier_min > TREE_ONE || f->multiplier_max < TREE_ONE
        || f->multiplier_max > 2 * TREE_ONE)
        return "has bounds that are not on both sides of 1";
    for (uint32_t i = 0; !flaw && i < f->trees; i++)
        flaw = tree_flaw(&f->tree[i]);
    return flaw;
}

void forest_init(struct forest *f)
{
    *f = (struct forest){ .base = TREE_ONE, .multiplier_min = TREE_ONE * 5 / 6,
                          .multiplier_max = TREE_ONE * 6 / 5 };
}

uint32_t tree_leaf(const struct tree *t, const int16_t x[TREE_FEATURES])
{
    uint32_t number = 0;

    for (uint32_t i = 0; i < t->depth; i++)
        number |= (uint32_t)(x[t->split[i].feature] > t->split[i].threshold) << i;
    return number;
}

int32_t forest_sum(const struct forest *f, const int16_t x[TREE_FEATURES])
{
    int32_t sum = f->base;

    for (uint32_t i = 0; i < f->trees; i++)
        sum += f->tree[i].leaf[tree_leaf(&f->tree[i], x)];
    return sum;
}

int32_t forest_multiplier(const struct forest *f, const int16_t x[TREE_FEATURES])
{
    int32_t sum = forest_sum(f, x);

    return sum < f->multiplier_min ? f->multiplier_min : sum > f->multiplier_max ? f->multiplier_max : sum;
}

static int16_t round_feature(float value)
{
    if (!(value > INT16_MIN))
        return value <= INT16_MIN ? INT16_MIN : 0;
    if (value >= INT16_MAX)
        return INT16_MAX;
    return (int16_t)(value + (value < 0 ? -0.5f : 0.5f));
}

void forest_features(const float x[TREE_FEATURES], int16_t feature[TREE_FEATURES])
{
    feature[TREE_ACTION_OLDER] = round_feature((x[TREE_ACTION_OLDER] - 1) * TREE_ACTION_ONE);
    feature[TREE_DELTA_OLDER] = round_feature(x[TREE_DELTA_OLDER] * TREE_DELTA_ONE);
    feature[TREE_ACTION] = round_feature((x[TREE_ACTION] - 1) * TREE_ACTION_ONE);
    feature[TREE_DELTA] = round_feature(x[TREE_DELTA] * TREE_DELTA_ONE);
}

int16_t forest_action(int32_t multiplier)
{
    return (int16_t)((multiplier - TREE_ONE) >> 4);
}

/* ---- rule ---- */

const char *rule_params_flaw(const struct rule_params *p)
{
    if (p->gain < 1 || p->gain > 1u << 26)
        return "scale over base RTT is out of range";
    if (p->target_ns > 1u << 30 || p->beta_ns > 1u << 30)
        return "target or beta is out of range";
    if (p->rate_min < 1u << RULE_RATE_SHIFT || p->rate_min > RULE_RATE_ONE)
        return "lowest rate is not within 2^-20 .. 1 of the line's";
    return NULL;
}

static uint32_t round_within(double value, double most)
{
    return (uint32_t)(value < most ? value + 0.5 : most);
}

int rule_params_make(struct rule_params *p, const struct rule_cfg *cfg, struct err *err)
{
    double base_ns = or_default(cfg->base_ns, 8192);

    if (!(base_ns >= 1 && base_ns <= 1e9))
        return err_set(err, EINVAL, "a base RTT of %g ns is not within 1 ns .. 1 s", base_ns);
    if (cfg->beta < 0 || cfg->target < 0 || cfg->scale < 0 || cfg->rate_min < 0 || cfg->rtt_us_max < 0)
        return err_set(err, EINVAL, "beta, target, scale, lowest rate and largest RTT may not be below 0");
    *p = (struct rule_params){
        .beta_ns = round_within(or_default(cfg->beta, 1.5) * base_ns, 2e9),
        .target_ns = round_within(or_default(cfg->target, 0.064) * base_ns * 256, 2e9),
        .gain = round_within(or_default(cfg->scale, 12.5) / base_ns * (1 << RULE_GAIN_BITS), 2e9),
        .rate_min = round_within(or_default(cfg->rate_min, 0x1p-14) * RULE_RATE_ONE, 4e9),
        .rtt_ns_max = round_within(or_default(cfg->rtt_us_max, 150) * 1000, 4e9),
    };
    const char *flaw = rule_params_flaw(p);
    return flaw ? err_set(err, EINVAL, "the rule's %s", flaw) : 0;
}

void rule_init(struct rule *r, const struct forest *f, const struct rule_params *p)
{
    assert(!forest_flaw(f) && !rule_params_flaw(p));
    *r = (struct rule){ .params = *p, .forest = f };
    for (uint32_t i = 0; i < RULE_ROOTS - 1; i++)
        r->root[i] = (uint16_t)(sqrt((2 * (i + 64) + 1) * 0x1p23) + 0.5);
    r->root[RULE_ROOTS - 1] = UINT16_MAX;
}

void rule_start(struct rule_flow *flow, uint32_t rate)
{
    *flow = (struct rule_flow){ .rate = rate };
}

uint32_t rule_root(const struct rule *r, uint32_t rate)
{
    uint32_t halvings = 0;

    while (rate < RULE_RATE_ONE / 4) {       /* sqrt(4 x) = 2 sqrt(x) */
        rate <<= 2;
        halvings++;
    }
    assert(rate <= RULE_RATE_ONE);
    return (uint32_t)r->root[(rate >> 20) - 64] >> halvings;
}

int16_t rule_delta(const struct rule *r, uint32_t rate, uint32_t rtt_ns)
{
    const struct rule_params *p = &r->params;
    uint32_t excess = rtt_ns > p->beta_ns ? rtt_ns - p->beta_ns : 0;

    excess = excess < RULE_EXCESS_MAX ? excess : RULE_EXCESS_MAX;
    int64_t filled = (int64_t)((uint64_t)excess * rule_root(r, rate) >> 8);          /* in 1/256 ns */
    int64_t delta = (filled - (int64_t)p->target_ns) * (int64_t)p->gain >> RULE_GAIN_BITS;
    return (int16_t)(delta > INT16_MAX ? INT16_MAX : delta < INT16_MIN ? INT16_MIN : delta);
}

static uint32_t bound_rate(const struct rule *r, uint64_t rate)
{
    return (uint32_t)(rate < r->params.rate_min ? r->params.rate_min
                      : rate > RULE_RATE_ONE    ? RULE_RATE_ONE
                                                : rate);
}

uint32_t rule_next_rate(const struct rule *r, uint32_t rate, int32_t multiplier)
{
    return bound_rate(r, (uint64_t)rate * (uint32_t)multiplier >> 16);
}

uint32_t rule_decide(const struct rule *r, struct rule_flow *flow, uint32_t rtt_ns)
{
    uint32_t rate = bound_rate(r, flow->rate);
    int16_t delta = rule_delta(r, rate, rtt_ns);
    int16_t x[TREE_FEATURES] = { flow->action_older, flow->is_started ? flow->delta : delta, flow->action,
                                 delta };
    int32_t multiplier = forest_multiplier(r->forest, x);

    if (rtt_ns > r->params.rtt_ns_max) {
        multiplier = r->forest->multiplier_min;
        rate = bound_rate(r, rate / 2);
    } else
        rate = rule_next_rate(r, rate, multiplier);
    *flow = (struct rule_flow){ rate, flow->action, forest_action(multiplier), delta, 1 };
    return rate >> RULE_RATE_SHIFT;
}
