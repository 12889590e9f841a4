#include "base/nets/policy/policy_story.h"
#include "base/minmax.h"
#include "base/rng.h"
#include "base/nets/tree/tree_export.h"

#include <math.h>
#include <string.h>

#define EMPTY   -0.8f
#define FULL    0.8f
#define FLOODED 20.0f

/* The states of a story, with labels of those that are printed one by one. */
static const struct { size_t field; const char *label; float older, now, action; } story_state[] = {
    { offsetof(struct policy_story, empty), "the network stays empty (delta -0.8)", EMPTY, EMPTY, 1 },
    { offsetof(struct policy_story, target), "stays at its target (0)", 0, 0, 1 },
    { offsetof(struct policy_story, full), "stays full (0.8)", FULL, FULL, 1 },
    { offsetof(struct policy_story, flooded), "stays flooded (20)", FLOODED, FLOODED, 1 },
    { offsetof(struct policy_story, rising), "fills (0, then 0.8)", 0, FULL, 1 },
    { offsetof(struct policy_story, falling), "empties (0.8, then 0)", FULL, 0, 1 },
    { offsetof(struct policy_story, receding), "empties but is still too full (5, then 0.8)", 5, FULL, 1 },
    { offsetof(struct policy_story, after_cut), NULL, 0, 0, 0.85f },
    { offsetof(struct policy_story, after_raise), NULL, 0, 0, 1.2f },
};

#define STATES (sizeof(story_state) / sizeof(*story_state))

static float evaluate(const struct policy *p, float older, float now, float action)
{
    return policy_try(p, (float[POLICY_FEATURES]){ 1, older, action, now });
}

/* Bisects between an empty network and a flooded one, to the resolution of integer deltas. */
static float find_rest(const struct policy *p)
{
    float low = EMPTY, high = FLOODED;

    while (high - low > 1.0f / 1024) {
        float middle = (low + high) / 2;

        if (evaluate(p, middle, middle, 1) > 1)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

void policy_story_tell(struct policy_story *s, const struct policy *p)
{
    for (size_t i = 0; i < STATES; i++)
        *(float *)((char *)s + story_state[i].field) = evaluate(p, story_state[i].older, story_state[i].now,
                                                           story_state[i].action);
    s->has_rest = s->empty > 1 && s->flooded < 1;
    s->rest = s->has_rest ? find_rest(p) : 0;
}

double policy_story_inflation(const struct policy_story *s, const struct rule_cfg *cfg, uint32_t flows)
{
    double target =
        or_default(cfg->target, 0.064) + (double)s->rest / or_default(cfg->scale, 12.5);

    return or_default(cfg->beta, 1.5) + (target > 0 ? target : 0) * sqrt(flows);
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
    fprintf(out, "in the simulator a flow remembers %zu bytes\n", policy_flow_bytes(p->body));
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

void policy_story_print(FILE *out, const struct policy_story *s, const struct rule_cfg *cfg)
{
    char text[96];

    for (size_t i = 0; i < STATES; i++) {
        float multiplier = *(const float *)((const char *)s + story_state[i].field);

        if (story_state[i].label)
            fprintf(out, "  %-46s x %.3f: %s\n", story_state[i].label, (double)multiplier,
                    change_text(text, sizeof(text), multiplier));
    }
    print_answers(out, s);
    static const uint32_t flows[] = { 1, 64, 512, 2048, 8192 };
    double base_us = or_default(cfg->base_ns, 8192) / 1000;
    if (!s->has_rest) {
        fprintf(out, "  It does not come to rest: %s.\n",
                s->empty > 1 ? "it goes up in a flooded network" : "it does not go up in an empty network");
        return;
    }
    fprintf(out, "  A rate comes to rest where delta stays at %.3f. With even shares that is an RTT of\n   ",
            (double)s->rest);
    for (int k = 0; k < 5; k++) {
        double inflation = policy_story_inflation(s, cfg, flows[k]);
        fprintf(out, "%s %.1f us for %u flow%s", k ? "," : "", base_us * inflation, flows[k], k ? "s" : "");
    }
    fprintf(out, "\n");
}

/* ---- difference between policies ---- */

void policy_gap_add(struct policy_gap *g, const float x[POLICY_FEATURES], float a, float b)
{
    double away = fabs((double)a - (double)b);

    if (g->states == 0 || away > g->largest) {
        g->largest = away;
        memcpy(g->x, x, sizeof(g->x));
        g->a = a;
        g->b = b;
    }
    g->states++;
    g->sum += away;
    g->squares += away * away;
}

static float draw_action(struct rng *rng)
{
    double low = 1 / (1 + (double)POLICY_RANGE), high = 1 + (double)POLICY_RANGE;

    return (float)(low + (high - low) * rng_real(rng));
}

static float draw_delta(struct rng *rng, float delta_max)
{
    double place = rng_real(rng);

    return (float)(rng_below(rng, 2) ? 1.6 * place - 0.8 : 0.8 + ((double)delta_max - 0.8) * place);
}

void policy_gap_state(struct rng *rng, float delta_max, float x[POLICY_FEATURES])
{
    for (int i = 0; i < POLICY_FEATURES; i++)
        x[i] = i % 2 ? draw_delta(rng, delta_max) : draw_action(rng);
}

void policy_gap_draw(struct policy_gap *g, const struct policy *a, const struct policy *b,
                     const struct policy_gap_cfg *cfg)
{
    uint64_t states = cfg->states ? cfg->states : 1000000;
    float delta_max = cfg->delta_max > 0 ? cfg->delta_max : POLICY_GAP_NEAR;
    struct rng rng;

    rng_init(&rng, 1, 0);
    for (uint64_t i = 0; i < states; i++) {
        float x[POLICY_FEATURES];

        policy_gap_state(&rng, delta_max, x);
        policy_gap_add(g, x, policy_try(a, x), policy_try(b, x));
    }
}

double policy_gap_mean(const struct policy_gap *g)
{
    return g->states ? g->sum / (double)g->states : 0;
}

double policy_gap_rms(const struct policy_gap *g)
{
    return g->states ? sqrt(g->squares / (double)g->states) : 0;
}

void policy_gap_print(FILE *out, const struct policy_gap *g, const char *a, const char *b)
{
    fprintf(out, "  mean %.5f, root mean square %.5f\n", policy_gap_mean(g), policy_gap_rms(g));
    fprintf(out, "  largest %.5f: %s %.4f, %s %.4f\n", g->largest, a, (double)g->a, b, (double)g->b);
    fprintf(out, "    at actions %.3f, %.3f and deltas %.3f, %.3f, the older one first\n", (double)g->x[0],
            (double)g->x[2], (double)g->x[1], (double)g->x[3]);
}

/* ---- table of decisions ---- */

const float policy_table_delta[POLICY_TABLE_SIDE] = { -0.8f, -0.4f, 0, 0.4f, 0.8f, 2, 5, 20 };

const policy_table policy_table_released = {
    { 1.051f, 0.984f, 0.926f, 0.902f, 0.887f, 0.854f, 0.834f, 0.833f },
    { 1.077f, 1.028f, 0.971f, 0.919f, 0.893f, 0.852f, 0.834f, 0.833f },
    { 1.096f, 1.055f, 1.004f, 0.948f, 0.906f, 0.850f, 0.834f, 0.833f },
    { 1.120f, 1.088f, 1.027f, 0.967f, 0.919f, 0.855f, 0.834f, 0.833f },
    { 1.145f, 1.113f, 1.061f, 0.999f, 0.941f, 0.858f, 0.834f, 0.833f },
    { 1.179f, 1.162f, 1.136f, 1.096f, 1.042f, 0.877f, 0.834f, 0.833f },
    { 1.198f, 1.196f, 1.191f, 1.181f, 1.162f, 0.996f, 0.835f, 0.833f },
    { 1.200f, 1.200f, 1.200f, 1.200f, 1.200f, 1.200f, 1.173f, 0.833f },
};

const float policy_table_paper[3][3] = { { 1.05f, 0.92f, 0.89f },
                                         { 1.1f, 1, 0.9f },
                                         { 1.15f, 1.07f, 0.94f } };

void policy_table_fill(policy_table table, const struct policy *p)
{
    for (int before = 0; before < POLICY_TABLE_SIDE; before++)
        for (int now = 0; now < POLICY_TABLE_SIDE; now++) {
            float x[POLICY_FEATURES] = { 1, policy_table_delta[before], 1, policy_table_delta[now] };

            table[before][now] = policy_try(p, x);
        }
}

float policy_table_distance(const policy_table a, const policy_table b)
{
    float largest = 0;

    for (int i = 0; i < POLICY_TABLE_SIDE * POLICY_TABLE_SIDE; i++) {
        float apart = (&a[0][0])[i] - (&b[0][0])[i];

        apart = apart < 0 ? -apart : apart;
        largest = apart > largest ? apart : largest;
    }
    return largest;
}

void policy_table_print(FILE *out, const policy_table table)
{
    fprintf(out, "%13s", "before \\ now");
    for (int i = 0; i < POLICY_TABLE_SIDE; i++)
        fprintf(out, " %6.1f", (double)policy_table_delta[i]);
    for (int before = 0; before < POLICY_TABLE_SIDE; before++) {
        fprintf(out, "\n%13.1f", (double)policy_table_delta[before]);
        for (int now = 0; now < POLICY_TABLE_SIDE; now++)
            fprintf(out, " %6.3f", (double)table[before][now]);
    }
    fputc('\n', out);
}

void policy_table_fill_paper(float table[3][3], const struct policy *p)
{
    static const float state[3][2] = { { 1.1f, -0.768f }, { 1, 0 }, { 0.9f, 0.768f } };

    for (int before = 0; before < 3; before++)
        for (int now = 0; now < 3; now++) {
            float x[POLICY_FEATURES] = { state[before][0], state[before][1], state[now][0], state[now][1] };

            table[before][now] = policy_try(p, x);
        }
}

double policy_table_paper_distance(const struct policy *p)
{
    float  table[3][3];
    double most = 0;

    policy_table_fill_paper(table, p);
    for (int i = 0; i < 9; i++)
        most = fmax(most, fabs((double)table[i / 3][i % 3] - (double)policy_table_paper[i / 3][i % 3]));
    return most;
}

void policy_table_print_paper(FILE *out, const struct policy *p)
{
    static const char *const state[3] = { "under-utilised", "on target", "congested" };
    float table[3][3];

    policy_table_fill_paper(table, p);
    fprintf(out, "\nTable VI of the RL-CC paper, in brackets what it prints:\n%16s", "before \\ now");
    for (int i = 0; i < 3; i++)
        fprintf(out, "  %14s", state[i]);
    for (int before = 0; before < 3; before++) {
        fprintf(out, "\n%16s", state[before]);
        for (int now = 0; now < 3; now++)
            fprintf(out, "    %.3f (%.2f)", (double)table[before][now],
                    (double)policy_table_paper[before][now]);
    }
    fprintf(out, "\nat most %.3f from what it prints\n", policy_table_paper_distance(p));
}
