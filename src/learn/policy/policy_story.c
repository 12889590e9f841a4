#include "learn/policy/policy_story.h"

#include "base/rng.h"
#include "learn/policy/policy_gap.h"
#include "learn/tree/tree_export.h"

#include <math.h>
#include <string.h>

#define EMPTY   -0.8f
#define FULL    0.8f
#define FLOODED 20.0f

static float evaluate(const struct policy *p, float older, float now, float action)
{
    return policy_try(p, (float[POLICY_FEATURES]){ 1, older, action, now });
}

static float evaluate_constant(const struct policy *p, float delta)
{
    return evaluate(p, delta, delta, 1);
}

/* Bisects between an empty network, where the rate goes up, and a flooded one, until the interval is below
 * the resolution of integer deltas. */
static float find_rest(const struct policy *p)
{
    float low = EMPTY, high = FLOODED;

    while (high - low > 1.0f / 1024) {
        float middle = (low + high) / 2;

        if (evaluate_constant(p, middle) > 1)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

void policy_story_tell(struct policy_story *s, const struct policy *p)
{
    *s = (struct policy_story){
        .empty = evaluate_constant(p, EMPTY),
        .target = evaluate_constant(p, 0),
        .full = evaluate_constant(p, FULL),
        .flooded = evaluate_constant(p, FLOODED),
        .rising = evaluate(p, 0, FULL, 1),
        .falling = evaluate(p, FULL, 0, 1),
        .receding = evaluate(p, 5, FULL, 1),
        .after_cut = evaluate(p, 0, 0, 0.85f),
        .after_raise = evaluate(p, 0, 0, 1.2f),
    };
    s->has_rest = s->empty > 1 && s->flooded < 1;
    s->rest = s->has_rest ? find_rest(p) : 0;
}

static double value_or_default(double value, double otherwise)
{
    return value > 0 ? value : otherwise;
}

double policy_story_inflation(const struct policy_story *s, const struct rule_cfg *cfg, uint32_t flows)
{
    double target =
        value_or_default(cfg->target, 0.064) + (double)s->rest / value_or_default(cfg->scale, 12.5);

    return value_or_default(cfg->beta, 1.5) + (target > 0 ? target : 0) * sqrt(flows);
}

/* ---- above the target and rising ---- */

void policy_story_look_for_rising(struct policy_rising *r, const struct policy *p, uint64_t states,
                                  uint64_t seed)
{
    struct rng rng;

    *r = (struct policy_rising){ .states = states };
    rng_init(&rng, seed, 0);
    for (uint64_t i = 0; i < states; i++) {
        float x[POLICY_FEATURES], multiplier;

        do
            policy_gap_state(&rng, POLICY_GAP_NEAR, x);
        while (x[3] <= 0 || x[3] <= x[1]);
        multiplier = policy_try(p, x);
        r->broken += multiplier > 1;
        if (i == 0 || multiplier > r->most) {
            r->most = multiplier;
            memcpy(r->x, x, sizeof(r->x));
        }
    }
}

void policy_story_print_rising(FILE *out, const struct policy_rising *r)
{
    fprintf(out,
            "not proven, only sampled: the rate never goes up when the RTT is above its target and rising\n");
    fprintf(out,
            "    in %.2f %% of %llu such states it goes up; most, %.4f, at actions %.3f, %.3f and deltas "
            "%.3f, %.3f\n",
            100 * (double)r->broken / (double)r->states, (unsigned long long)r->states, (double)r->most,
            (double)r->x[0], (double)r->x[2], (double)r->x[1], (double)r->x[3]);
}

/* ---- kind and cost ---- */

static void print_trees(FILE *out, const struct forest *f)
{
    static const char *const feature[TREE_FEATURES] = { "last action but one", "delta before", "last action",
                                                        "delta" };
    uint32_t splits[TREE_FEATURES] = { 0 }, depth = 0;

    for (uint32_t i = 0; i < f->trees; i++) {
        depth = f->tree[i].depth > depth ? f->tree[i].depth : depth;
        for (uint32_t j = 0; j < f->tree[i].depth; j++)
            splits[f->tree[i].split[j].feature]++;
    }
    fprintf(out, "%u trees of depth %u at most; questions:", f->trees, depth);
    for (int i = 0; i < TREE_FEATURES; i++)
        fprintf(out, "%s %s %u", i ? "," : "", feature[i], splits[i]);
    fputc('\n', out);
    tree_export_print_cost(out, f);
}

static void print_float(FILE *out, const char *what, uint32_t parameters)
{
    fprintf(out, "%s: %u weights in floating point, %zu bytes\n", what, parameters,
            parameters * sizeof(float));
    fprintf(out, "a decision takes about as many multiplications and additions\n");
}

void policy_story_print_body(FILE *out, const struct policy *p)
{
    switch (p->body) {
    case POLICY_MLP:
        print_float(out, "a net 4-12relu-12relu-1tanh without biases", p->mlp.parameters);
        break;
    case POLICY_LSTM:
        print_float(out, "an LSTM 2-32relu-16relu-lstm16-1tanh", p->lstm.parameters);
        break;
    case POLICY_INT8:
    case POLICY_INT8_LSTM:
        fprintf(out, "%s with weights of 8 bits; %u bytes of weights, scales and tables\n",
                p->int8->is_lstm ? "an LSTM" : "a net", quant_bytes(p->int8));
        fprintf(out, "a decision takes %u multiplications and additions\n", quant_multiplications(p->int8));
        break;
    default:
        print_trees(out, &p->trees);
    }
    fprintf(out, "in the simulator a flow remembers %zu bytes\n", policy_flow_bytes(p));
}

/* ---- description ---- */

/* For example "up 5.1 % an RTT, twice the rate in 14". */
static const char *change_text(char *buf, size_t size, float multiplier)
{
    double m = (double)multiplier;

    if (m > 1.0005)
        snprintf(buf, size, "up %.1f %% an RTT, twice the rate in %.0f", 100 * (m - 1),
                 ceil(rng_log(2) / rng_log(m)));
    else if (m < 0.9995)
        snprintf(buf, size, "down %.1f %% an RTT, half the rate in %.0f", 100 * (1 - m),
                 ceil(-rng_log(2) / rng_log(m)));
    else
        snprintf(buf, size, "the rate stays");
    return buf;
}

static void print_state(FILE *out, const char *state, float multiplier)
{
    char text[96];

    fprintf(out, "  %-46s x %.3f: %s\n", state, (double)multiplier,
            change_text(text, sizeof(text), multiplier));
}

static void print_answers(FILE *out, const struct policy_story *s)
{
    double step = (double)s->falling - (double)s->rising,
           memory = (double)s->after_raise - (double)s->after_cut;

    if (step > 0.02)
        fprintf(out,
                "  It answers to change: the same two states, passed upwards or downwards, differ by %.3f.\n",
                step);
    else
        fprintf(out,
                "  It hardly responds to changes: passed upwards or downwards, two states differ by %.3f.\n",
                step);
    fprintf(out, "  Having raised or cut the rate last time makes %s%.3f at the target: %s.\n",
            memory < 0 ? "-" : "", fabs(memory),
            fabs(memory) < 0.005 ? "its own actions hardly matter"
            : memory > 0         ? "it goes on as it did"
                                 : "it takes some of it back");
}

static void print_rest(FILE *out, const struct policy_story *s, const struct rule_cfg *cfg)
{
    static const uint32_t flows[] = { 1, 64, 512, 2048, 8192 };
    double base_us = value_or_default(cfg->base_ns, 8192) / 1000;

    if (!s->has_rest) {
        fprintf(out, "  It does not come to rest: %s.\n",
                s->empty > 1 ? "it goes up in a flooded network" : "it does not go up in an empty network");
        return;
    }
    fprintf(out, "  A rate comes to rest where delta stays at %.3f. With even shares that is an RTT of\n   ",
            (double)s->rest);
    for (int i = 0; i < 5; i++) {
        double inflation = policy_story_inflation(s, cfg, flows[i]);

        fprintf(out, "%s %.1f us for %u flow%s", i ? "," : "", base_us * inflation, flows[i], i ? "s" : "");
    }
    fprintf(out, "\n");
}

void policy_story_print(FILE *out, const struct policy_story *s, const struct rule_cfg *cfg)
{
    print_state(out, "the network stays empty (delta -0.8)", s->empty);
    print_state(out, "stays at its target (0)", s->target);
    print_state(out, "stays full (0.8)", s->full);
    print_state(out, "stays flooded (20)", s->flooded);
    print_state(out, "fills (0, then 0.8)", s->rising);
    print_state(out, "empties (0.8, then 0)", s->falling);
    print_state(out, "empties but is still too full (5, then 0.8)", s->receding);
    print_answers(out, s);
    print_rest(out, s, cfg);
}
