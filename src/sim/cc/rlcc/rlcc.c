/* src/sim/cc/rlcc/rlcc.c - RL-CC: a learned rate control. Tessler et al., AAAI 2022; Fuhrer et al., HOTI
 * 2023.
 *
 * Overview, for each RTT probe of a flow that returns:
 *
 *   delta = scale (max(RTT / base - beta, 0) sqrt(rate) - target)           rate: relative to line rate
 *   rate x= policy(last action but one, last delta, last action, delta)     in 1/1.2 .. 1.2, an action
 *   rate = within [minimum, line]                                           regardless of the policy
 *
 * base is the round trip of an empty path. By default (rlcc_base 0) it is the longest of the network, or the
 * lowest RTT that the flow has seen if that is shorter. RTTs are scaled by BASE_PS / base, so that the policy
 * sees a path like those of its training; rlcc_rtt_max scales with base, too. With another rlcc_base it is
 * that constant for all paths, as in the papers, whose networks have equal paths: 8.192 us.
 *
 * The next probe is sent as soon as the decision is made. N flows that share a link converge where delta is
 * 0: the RTT is base (beta + target sqrt(N)). A flow has no window. It ignores CNPs, NACKs and marks.
 *
 * Policies are trained with flows in steady state, and change a rate by at most a fifth per round trip. With
 * the automatic base, three rules of ours help where that is too slow. With a constant base they are off, as
 * in the papers:
 *
 *   start      a flow sends at line rate for one base, then at a quarter of it until its first decision
 *   silence    a late probe implies a long RTT: the rate is halved when
 *              (age / base - beta)^2 rate > 1/2, then again after another quarter of that age, down to 1/1024
 *   recovery   below 1/1024, an RTT less than 1/8 above base doubles the rate
 *
 * With an rlcc_start_rate, a flow starts at that rate.
 *
 * Decisions take time (rlcc_decision), and a NIC makes one at a time for all its flows. A probe that returns
 * while the NIC is busy waits, and its rate takes effect when its own decision is complete. A flow has at
 * most one pending decision: a probe that was considered lost and returns meanwhile is ignored.
 *
 * Trees decide in integers, as in a NIC (base/nets/tree/tree.h), and so does the C code exported from them.
 * Nets use floating point. An RTT above rlcc_rtt_max halves the rate. This is our addition: no policy was
 * trained for such RTTs. The signal is that of the authors' released training code, whose sign is opposite to
 * the paper's.
 */
#include "sim/cc/rlcc/rlcc.h"
#include "sim/cc/cc.h"
#include "core/units.h"
#include "base/nets/tree/tree.h"

#include <math.h>
#include <string.h>

/* base RTT of the networks used for training; also the default of exported code */
#define BASE_PS 8192000u
#define BASE_US_MIN 0.1          /* smallest value that the trees' integers can represent */
#define FLOOR   0x1p-14          /* minimum relative to line rate, if the knob is 0 */
#define START   0.25f            /* rate of a flow after its first burst, relative to line rate */
#define LOW     0x1p-10f  /* relative to line rate: silence cuts down to it, recovery below it is fast */

struct rlcc_cfg {
    const struct rlcc_model *model;
    uint64_t    line_bps;
    uint64_t    takes_ps;        /* duration of a decision */
    uint64_t    empty_ps;        /* round trip of the longest empty path; 0: the base is constant */
    uint64_t    rtt_ps_max;      /* above this, rates are halved; NEVER: disabled */
    float       base_ps, beta, target, scale, rate_min;  /* for nets */
    float       rate_start;      /* relative to line rate, like rate_min */
    struct rule rule;            /* for trees */
};

/* State of a net's flow. */
struct net_flow {
    float    rate;               /* relative to line rate; as last decided */
    uint32_t epoch;
    struct policy_flow policy;
};

struct rlcc {
    uint64_t at_ps;              /* when the pending decision takes effect; NEVER: none */
    uint32_t agent;
    uint32_t least_ns;           /* lowest RTT seen, at most that of the longest empty path */
    union {
        struct rule_flow tree;
        struct net_flow  net;
    };
};

_Static_assert(offsetof(struct rlcc, tree) + sizeof(struct rule_flow) <= 48, "a NIC has 12 words for a flow");
_Static_assert(sizeof(struct rule_flow) == sizeof(struct rlcc_flow), "the exported trees remember the same");

size_t rlcc_flow_bytes(enum policy_body body)
{
    size_t bytes = body == POLICY_TREES ? sizeof(struct rule_flow)
                                        : offsetof(struct net_flow, policy) + policy_flow_bytes(body);

    return (offsetof(struct rlcc, tree) + bytes + 7) / 8 * 8;
}

static bool is_tree(const struct rlcc_cfg *cfg)
{
    return cfg->model->policy->body == POLICY_TREES;
}

static bool is_decided_outside(const struct rlcc_cfg *cfg)
{
    return cfg->model->observer && cfg->model->observer->action;
}

/* Returns true if our three rules apply. */
static bool is_guarded(const struct rlcc_cfg *cfg)
{
    return cfg->empty_ps && !is_decided_outside(cfg);
}

/* Returns the RTT scaled to the empty round trip of training. */
static uint64_t normalise(const struct rlcc_cfg *cfg, struct rlcc *f, uint64_t rtt_ps)
{
    uint64_t ns = rtt_ps / PS_PER_NS, least_ps;

    if (!cfg->empty_ps)
        return rtt_ps;
    if (ns < f->least_ns)
        f->least_ns = ns ? (uint32_t)ns : 1;
    least_ps = f->least_ns * PS_PER_NS;
    return (uint64_t)((unsigned __int128)rtt_ps * BASE_PS / least_ps);
}

/* ---- trees ---- */

static uint32_t whole_ns(uint64_t rtt_ps)
{
    uint64_t ns = rtt_ps / PS_PER_NS;

    return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

/* Reports the trees' input to the observer: forest_features() converts it back to the same integers. */
static void observe_tree_step(const struct rlcc_cfg *cfg, const struct rlcc *f, uint64_t now_ps,
                              uint64_t rtt_ps, uint64_t scaled_ps)
{
    const struct rule_flow *tree = &f->tree;
    int16_t                 delta = rule_delta(&cfg->rule, tree->rate, whole_ns(scaled_ps));
    struct rlcc_step        s = { now_ps, rtt_ps,
                                  { 1 + (float)tree->action_older / TREE_ACTION_ONE,
                                    (float)(tree->is_started ? tree->delta : delta) / TREE_DELTA_ONE,
                                    1 + (float)tree->action / TREE_ACTION_ONE,
                                    (float)delta / TREE_DELTA_ONE },
                                  (float)tree->rate / RULE_RATE_ONE };

    cfg->model->observer->on_step(cfg->model->observer->arg, f->agent, &s);
}

static void decide_by_tree(const struct rlcc_cfg *cfg, struct rule_flow *f, uint64_t rtt_ps)
{
    uint32_t rtt_ns = whole_ns(rtt_ps);

    if (cfg->model->is_exported) {
        const struct rule_params *p = &cfg->rule.params;
        struct rlcc_params        params = { p->beta_ns, p->target_ns, p->gain, p->rate_min, p->rtt_ns_max };
        struct rlcc_flow          flow;

        memcpy(&flow, f, sizeof flow);
        rlcc_decide(&flow, &params, rtt_ns);
        memcpy(f, &flow, sizeof flow);
    } else {
        rule_decide(&cfg->rule, f, rtt_ns);
    }
}

/* The NIC uses only the upper bits. */
static uint64_t tree_bps(const struct rlcc_cfg *cfg, const struct rule_flow *f)
{
    uint64_t bps = (uint64_t)((unsigned __int128)cfg->line_bps * (f->rate >> RULE_RATE_SHIFT) >> 20);

    return bps ? bps : 1;
}

/* ---- nets ---- */

static float delta_of(const struct rlcc_cfg *cfg, float rate, uint64_t rtt_ps)
{
    float excess = (float)rtt_ps / cfg->base_ps - cfg->beta;

    return cfg->scale * ((excess > 0 ? excess : 0) * sqrtf(rate) - cfg->target);
}

static float bound(const struct rlcc_cfg *cfg, float rate)
{
    return rate < cfg->rate_min ? cfg->rate_min : rate > 1 ? 1 : rate;
}

/* Applies changes that training makes to the state of a flow. */
static void apply_training(const struct rlcc_cfg *cfg, const struct rlcc *f, struct net_flow *net)
{
    if (cfg->model->hides_history && f->agent != 0)
        net->policy.action_older = net->policy.action = 1;
    if (net->epoch == cfg->model->epoch)
        return;
    net->epoch = cfg->model->epoch;
    memset(&net->policy.memory, 0, policy_flow_bytes(cfg->model->policy->body) -
                                       offsetof(struct policy_flow, memory));
}

static void observe_net_step(const struct rlcc_cfg *cfg, const struct rlcc *f, uint64_t now_ps,
                             uint64_t rtt_ps, float delta)
{
    const struct policy_flow *p = &f->net.policy;
    struct rlcc_step          s = { now_ps, rtt_ps,
                                    { p->action_older, p->is_started ? p->delta : delta, p->action, delta },
                                    f->net.rate };

    cfg->model->observer->on_step(cfg->model->observer->arg, f->agent, &s);
}

static void decide_by_net(const struct rlcc_cfg *cfg, struct net_flow *f, uint64_t rtt_ps, float delta)
{
    float multiplier = policy_decide(cfg->model->policy, &f->policy, delta);

    if (rtt_ps > cfg->rtt_ps_max) {
        f->policy.action = 1 / (1 + cfg->model->policy->range);
        multiplier = 0.5f;
    }
    f->rate = bound(cfg, f->rate * multiplier);
}

/* Fetches the external decision. */
static void fetch_decision(const struct rlcc_cfg *cfg, struct rlcc *f)
{
    const struct rlcc_observer *o = cfg->model->observer;
    float                       multiplier = o->action(o->arg, f->agent);

    f->net.policy.action_older = f->net.policy.action;
    f->net.policy.action = multiplier;
    f->net.rate = bound(cfg, f->net.rate * multiplier);
}

static uint64_t net_bps(const struct rlcc_cfg *cfg, const struct net_flow *f)
{
    uint64_t bps = (uint64_t)((double)cfg->line_bps * (double)f->rate);

    return bps ? bps : 1;
}

static void on_net_rtt(const struct rlcc_cfg *cfg, struct rlcc *f, uint64_t now_ps, uint64_t rtt_ps,
                       uint64_t scaled_ps)
{
    float delta = delta_of(cfg, f->net.rate, scaled_ps);

    apply_training(cfg, f, &f->net);
    if (cfg->model->observer)
        observe_net_step(cfg, f, now_ps, rtt_ps, delta);
    if (is_decided_outside(cfg)) {
        f->net.policy.delta = delta;
        f->net.policy.is_started = 1;
    } else {
        decide_by_net(cfg, &f->net, scaled_ps, delta);
    }
}

/* ---- decisions ---- */

static uint64_t bps_of(const struct rlcc_cfg *cfg, const struct rlcc *f)
{
    return is_tree(cfg) ? tree_bps(cfg, &f->tree) : net_bps(cfg, &f->net);
}

/* Applies the decision that is complete by now. */
static void apply_decision(const struct rlcc_cfg *cfg, struct rlcc *f, uint64_t now_ps, struct cc_out *out)
{
    if (f->at_ps > now_ps)
        return;
    if (is_decided_outside(cfg))
        fetch_decision(cfg, f);
    f->at_ps = NEVER;
    out->due_ps = is_guarded(cfg) ? now_ps + 2ull * f->least_ns * PS_PER_NS : NEVER;
    cc_set_rate(out, bps_of(cfg, f));
}

/* ---- silence and recovery ---- */

static float rate_of(const struct rlcc_cfg *cfg, const struct rlcc *f)
{
    return is_tree(cfg) ? (float)f->tree.rate / (float)RULE_RATE_ONE : f->net.rate;
}

static void set_rate(const struct rlcc_cfg *cfg, struct rlcc *f, float rate)
{
    if (is_tree(cfg))
        f->tree.rate = (uint32_t)(bound(cfg, rate) * (float)RULE_RATE_ONE);
    else
        f->net.rate = bound(cfg, rate);
}

/* Returns true if the age of the pending probe implies that the rate is much too high. */
static bool is_late(const struct rlcc_cfg *cfg, const struct rlcc *f, uint64_t age_ps)
{
    float excess = (float)age_ps / ((float)f->least_ns * PS_PER_NS) - cfg->beta;

    return excess > 0 && excess * excess * rate_of(cfg, f) > 0.5f;
}

/* Checks the age of the pending probe and schedules the next check. */
static void watch_silence(const struct rlcc_cfg *cfg, struct rlcc *f, uint64_t now_ps, struct cc_out *out)
{
    uint64_t base_ps = f->least_ns * PS_PER_NS;
    uint64_t age_ps = out->is_probing && out->probe_ps < now_ps ? now_ps - out->probe_ps : 0;
    float    rate = rate_of(cfg, f);

    if (rate > LOW && is_late(cfg, f, age_ps))
        set_rate(cfg, f, rate / 2 > LOW ? rate / 2 : LOW);
    cc_set_rate(out, bps_of(cfg, f));
    out->due_ps = now_ps + (age_ps / 4 > base_ps ? age_ps / 4 : base_ps);
}

/* Recovery, after a decision: 'was' is the rate before it. */
static void recover(const struct rlcc_cfg *cfg, struct rlcc *f, float was, uint64_t scaled_ps)
{
    if (was < LOW && scaled_ps < BASE_PS + BASE_PS / 8)
        set_rate(cfg, f, was * 2);
}

/* ---- events ---- */

static void rlcc_on_rtt(const void *cfg_, void *state, struct cc_now now, const struct cc_probe *p,
                        struct cc_out *out)
{
    const struct rlcc_cfg *cfg = cfg_;
    struct rlcc           *f = state;

    apply_decision(cfg, f, now.ps, out);
    if (f->at_ps != NEVER)
        return;
    float was = rate_of(cfg, f);
    uint64_t scaled_ps = normalise(cfg, f, p->rtt_ps);
    f->at_ps = (*p->busy_ps > now.ps ? *p->busy_ps : now.ps) + cfg->takes_ps;
    *p->busy_ps = f->at_ps;
    if (is_tree(cfg) && cfg->model->observer)
        observe_tree_step(cfg, f, now.ps, p->rtt_ps, scaled_ps);
    if (is_tree(cfg))
        decide_by_tree(cfg, &f->tree, scaled_ps);
    else
        on_net_rtt(cfg, f, now.ps, p->rtt_ps, scaled_ps);
    if (is_guarded(cfg))
        recover(cfg, f, was, scaled_ps);
    out->due_ps = out->probe_ps = f->at_ps;
    apply_decision(cfg, f, now.ps, out);
}

static void rlcc_on_due(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct rlcc_cfg *cfg = cfg_;
    struct rlcc           *f = state;

    if (f->at_ps != NEVER)
        apply_decision(cfg, f, now.ps, out);
    else if (is_guarded(cfg))
        watch_silence(cfg, f, now.ps, out);
}

/* A flow first sends at line rate for one base, unless rlcc_start_rate is set. */
static void start_rate(const struct rlcc_cfg *cfg, const struct rlcc *f, uint64_t now_ps, struct cc_out *out)
{
    if (is_guarded(cfg) && cfg->rate_start == START)
        out->due_ps = now_ps + cfg->empty_ps;
    else
        cc_set_rate(out, bps_of(cfg, f));
}

static void rlcc_start_flow(const void *cfg_, void *state, struct cc_now now, struct cc_out *out)
{
    const struct rlcc_cfg *cfg = cfg_;
    struct rlcc           *f = state;

    f->at_ps = NEVER;
    f->agent = 0;
    f->least_ns = (uint32_t)((cfg->empty_ps + PS_PER_NS - 1) / PS_PER_NS);
    *out = (struct cc_out){ .window_bytes = UINT64_MAX, .due_ps = NEVER, .probe_ps = now.ps };
    cc_set_rate(out, cfg->line_bps);
    if (!cfg->model)
        return;
    if (cfg->model->observer)
        f->agent = cfg->model->observer->on_start(cfg->model->observer->arg, now.ps);
    if (is_tree(cfg)) {
        rule_start(&f->tree, (uint32_t)((double)cfg->rate_start * RULE_RATE_ONE));
    } else {
        f->net.rate = cfg->rate_start;
        f->net.epoch = cfg->model->epoch;
        policy_start(cfg->model->policy, &f->net.policy);
    }
    start_rate(cfg, f, now.ps, out);
}

/* ---- knobs ---- */

/* Returns a knob's rate relative to line rate, or 'unset' if the knob is 0. */
static double share_of_line(double mbps, const struct cc_link *link, double unset)
{
    double share = mbps * 1e6 / (double)link->line_bps;

    if (mbps <= 0)
        return unset;
    return share < 0x1p-20 ? 0x1p-20 : share < 1 ? share : 1;
}

/* Returns the base of scaled RTTs. */
static double base_us(const struct knobs *k)
{
    double us = k->value[KNOB_rlcc_base];

    return us <= 0 ? (double)BASE_PS / PS_PER_US : us < BASE_US_MIN ? BASE_US_MIN : us;
}

/* The ranges of the knobs ensure that this never fails. */
static void configure_rule(struct rlcc_cfg *cfg, const struct knobs *k)
{
    struct rule_cfg    rule = { .base_ns = base_us(k) * 1000, .beta = k->value[KNOB_rlcc_beta],
                                .target = k->value[KNOB_rlcc_target], .scale = k->value[KNOB_rlcc_scale],
                                .rate_min = (double)cfg->rate_min };
    struct rule_params params;
    int                rc = rule_params_make(&params, &rule, NULL);

    assert(rc == 0);
    (void)rc;
    params.rtt_ns_max = whole_ns(cfg->rtt_ps_max);
    rule_init(&cfg->rule, &cfg->model->policy->trees, &params);
}

static void rlcc_configure(void *cfg_, const struct knobs *k, const struct cc_link *link)
{
    struct rlcc_cfg *cfg = cfg_;
    double           most_us = k->value[KNOB_rlcc_rtt_max];

    *cfg = (struct rlcc_cfg){
        .model      = link->rlcc,
        .line_bps   = link->line_bps,
        .takes_ps   = knob_whole(k->value[KNOB_rlcc_decision], PS_PER_US),
        .rtt_ps_max = most_us > 0 ? knob_whole(most_us, PS_PER_US) : NEVER,
        .empty_ps   = k->value[KNOB_rlcc_base] > 0 ? 0 : link->base_rtt_ps,
        .base_ps    = (float)(base_us(k) * PS_PER_US),
        .beta       = (float)k->value[KNOB_rlcc_beta],
        .target     = (float)k->value[KNOB_rlcc_target],
        .scale      = (float)k->value[KNOB_rlcc_scale],
        .rate_min   = (float)share_of_line(k->value[KNOB_rlcc_min_rate], link, FLOOR),
    };
    cfg->rate_start = (float)share_of_line(k->value[KNOB_rlcc_start_rate], link,
                                           cfg->model && is_guarded(cfg) ? (double)START : 1);
    cfg->rate_start = bound(cfg, cfg->rate_start);
    if (cfg->model && is_tree(cfg))
        configure_rule(cfg, k);
}

static size_t rlcc_state_bytes(const struct cc_link *link)
{
    return link->rlcc ? rlcc_flow_bytes(link->rlcc->policy->body) : sizeof(struct rlcc);
}

const struct cc_algo cc_rlcc = {
    .on_due = rlcc_on_due, .on_rtt = rlcc_on_rtt, .start = rlcc_start_flow, .configure = rlcc_configure,
    .state_bytes = rlcc_state_bytes,
    .name = "rlcc", .about = "RL-CC: a learned policy multiplies the rate at every round trip of a probe",
    .cfg_size = sizeof(struct rlcc_cfg), .state_size = sizeof(struct rlcc),
};
