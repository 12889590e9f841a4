/* src/learn/tree/tree_export.c - tables and binary searches; see tree_export.h. */
#include "learn/tree/tree_export.h"
#include "learn/tree/tree_certify.h"

#include <stdlib.h>

#define THRESHOLDS_MAX (TREE_TREES_MAX * TREE_DEPTH_MAX)
#define PAIR_LEAVES    (TREE_LEAVES_MAX * TREE_LEAVES_MAX)

static const char *const feature_name[TREE_FEATURES] = { "action_older", "delta_older", "action", "delta" };

/* Thresholds of one feature, sorted and unique. */
struct thresholds { uint32_t n; int16_t at[THRESHOLDS_MAX]; };

static void add_threshold(struct thresholds *t, int16_t value)
{
    uint32_t i = t->n;

    for (uint32_t j = 0; j < t->n; j++)
        if (t->at[j] == value)
            return;
    for (; i > 0 && t->at[i - 1] > value; i--)
        t->at[i] = t->at[i - 1];
    t->at[i] = value;
    t->n++;
}

static struct thresholds find_thresholds(const struct forest *f, uint32_t feature)
{
    struct thresholds t = { 0 };

    for (uint32_t i = 0; i < f->trees; i++)
        for (uint32_t j = 0; j < f->tree[i].depth; j++)
            if (f->tree[i].split[j].feature == feature)
                add_threshold(&t, f->tree[i].split[j].threshold);
    return t;
}

/* The answers to all splits on a feature that is above the first 'place' thresholds. */
static uint64_t answers_at(const struct forest *f, uint32_t feature, const struct thresholds *t,
                           uint32_t place)
{
    uint64_t answers = 0;

    for (uint32_t i = 0; i < f->trees; i++)
        for (uint32_t j = 0; j < f->tree[i].depth; j++) {
            const struct tree_split *s = &f->tree[i].split[j];

            if (s->feature == feature && place > 0 && s->threshold <= t->at[place - 1])
                answers |= 1ull << (TREE_DEPTH_MAX * i + j);
        }
    return answers;
}

static void write_answers(FILE *out, const struct forest *f, uint32_t feature, const struct thresholds *t)
{
    fprintf(out, "static const uint64_t rlcc_%s_answers[%u] = {", feature_name[feature], t->n + 1);
    for (uint32_t i = 0; i <= t->n; i++)
        fprintf(out, "%s0x%016llx,", i % 4 ? " " : "\n    ",
                (unsigned long long)answers_at(f, feature, t, i));
    fprintf(out, "\n};\n\n");
}

/* Writes a binary search for x, which is above 'low' to 'high' thresholds. */
static void write_search(FILE *out, const struct thresholds *t, uint32_t low, uint32_t high, int indent)
{
    uint32_t middle = (low + high) / 2;

    if (low == high) {
        fprintf(out, "%*sreturn %u;\n", indent, "", low);
        return;
    }
    fprintf(out, "%*sif (x > %d) {\n", indent, "", t->at[middle]);
    write_search(out, t, middle + 1, high, indent + 4);
    fprintf(out, "%*s}\n", indent, "");
    write_search(out, t, low, middle, indent);
}

static void write_feature(FILE *out, const struct forest *f, uint32_t feature)
{
    struct thresholds t = find_thresholds(f, feature);

    if (t.n == 0)
        return;
    write_answers(out, f, feature, &t);
    fprintf(out, "static inline uint32_t rlcc_%s_place(int32_t x)\n{\n", feature_name[feature]);
    write_search(out, &t, 0, t.n, 4);
    fprintf(out, "}\n\n");
}

/* ---- leaves: those of two adjacent trees are added here, in advance ---- */

static uint32_t count_pairs(const struct forest *f)
{
    return (f->trees + 1) / 2;
}

static int32_t pair_leaf(const struct forest *f, uint32_t pair, uint32_t answers)
{
    const struct tree *first = f->tree + (size_t)2 * pair, *second = first + 1;
    int32_t sum = first->leaf[answers & ((1u << first->depth) - 1)];

    if (2 * pair + 1 < f->trees)
        sum += second->leaf[answers >> TREE_DEPTH_MAX & ((1u << second->depth) - 1)];
    return sum;
}

/* 16 bits suffice for leaves up to a quarter, which is more than bounded multipliers need. */
static uint32_t leaf_bytes(const struct forest *f)
{
    for (uint32_t i = 0; i < count_pairs(f); i++)
        for (uint32_t j = 0; j < PAIR_LEAVES; j++)
            if (pair_leaf(f, i, j) != (int16_t)pair_leaf(f, i, j))
                return 4;
    return 2;
}

static void write_leaves(FILE *out, const struct forest *f)
{
    fprintf(out, "/* Sums of two leaves each: the answers of two trees, four bits each, are the place. */\n");
    fprintf(out, "static const int%u_t rlcc_leaf[%u][%d] = {\n", 8 * leaf_bytes(f), count_pairs(f),
            PAIR_LEAVES);
    for (uint32_t i = 0; i < count_pairs(f); i++) {
        fprintf(out, "    {");
        for (uint32_t j = 0; j < PAIR_LEAVES; j++)
            fprintf(out, "%s%d,", j % 16 ? " " : "\n        ", pair_leaf(f, i, j));
        fprintf(out, "\n    },\n");
    }
    fprintf(out, "};\n\n");
}

/* Shifting by less, by the size of a leaf, makes the answers an offset in bytes. */
static void write_sum(FILE *out, const struct forest *f, uint32_t pair)
{
    uint32_t bytes = leaf_bytes(f), shift = 8 * pair, scale = bytes / 2;

    fprintf(out, "    sum += *(const int%u_t *)((const char *)rlcc_leaf[%u] + (answers %s %u & %u));\n",
            8 * bytes, pair, shift ? ">>" : "<<", shift ? shift - scale : scale, (PAIR_LEAVES - 1) * bytes);
}

static void write_look_ups(FILE *out, const struct forest *f)
{
    fprintf(out, "    uint64_t answers = 0;\n");
    fprintf(out, "    int32_t sum = %d;\n\n", f->base);
    for (uint32_t i = 0; i < TREE_FEATURES; i++)
        if (find_thresholds(f, i).n)
            fprintf(out, "    answers |= rlcc_%s_answers[rlcc_%s_place(%s)];\n", feature_name[i],
                    feature_name[i], feature_name[i]);
        else
            fprintf(out, "    (void)%s;\n", feature_name[i]);
    for (uint32_t i = 0; i < count_pairs(f); i++)
        write_sum(out, f, i);
    if (f->trees == 0)
        fprintf(out, "    (void)answers;\n");
}

static void write_tree(FILE *out, const struct forest *f)
{
    if (f->trees)
        write_leaves(out, f);
    for (uint32_t i = 0; i < TREE_FEATURES; i++)
        write_feature(out, f, i);
    fprintf(out, "#define RLCC_MULTIPLIER_MIN %d\n", f->multiplier_min);
    fprintf(out, "#define RLCC_MULTIPLIER_MAX %d\n\n", f->multiplier_max);
    fprintf(out, "/* Actions less 1 in 1/%d, deltas in 1/%d; the multiplier in 1/%d, within its bounds. */\n",
            TREE_ACTION_ONE, TREE_DELTA_ONE, TREE_ONE);
    fprintf(
        out,
        "int32_t rlcc_tree(int32_t action_older, int32_t delta_older, int32_t action, int32_t delta)\n{\n");
    write_look_ups(out, f);
    fprintf(out, "    if (sum < RLCC_MULTIPLIER_MIN)\n        return RLCC_MULTIPLIER_MIN;\n"
                 "    return sum > RLCC_MULTIPLIER_MAX ? RLCC_MULTIPLIER_MAX : sum;\n}\n\n");
}

static void write_params(FILE *out, const struct rule_params *p)
{
    fprintf(out, "const struct rlcc_params rlcc_params_default = { %uu, %uu, %uu, %uu, %uu };\n\n",
            p->beta_ns, p->target_ns, p->gain, p->rate_min, p->rtt_ns_max);
}

static void write_roots(FILE *out, const struct rule *r)
{
    fprintf(out, "/* Square roots of the middle of (64 + i) / 256, in 1/65536. */\n");
    fprintf(out, "static const uint16_t rlcc_root[%d] = {", RULE_ROOTS);
    for (int i = 0; i < RULE_ROOTS; i++)
        fprintf(out, "%s%u,", i % 12 ? " " : "\n    ", r->root[i]);
    fprintf(out, "\n};\n\n");
}

/* ---- the constant parts of the code ---- */

/* Before tables and trees. */
static const char text_types[] =
"/*\n"
" * Made from trees; do not edit. Integers alone: no floating point, no division, no loop, no library.\n"
" */\n"
"#include <stdint.h>\n\n"
"#define RLCC_RATE_ONE   (1u << 28)           /* the line's rate */\n"
"#define RLCC_RATE_SHIFT 8                    /* reported rates count 2^-20 of it */\n"
"#define RLCC_EXCESS_MAX (1u << 22)           /* ns */\n\n"
"struct rlcc_params {\n"
"    uint32_t beta_ns;                        /* RTT that counts as none */\n"
"    uint32_t target_ns;                      /* of what is above, times sqrt(rate); in 1/256 ns */\n"
"    uint32_t gain;                           /* from 1/256 ns to 1/256 of delta, in 2^-24 */\n"
"    uint32_t rate_min;                       /* 256 .. RLCC_RATE_ONE */\n"
"    uint32_t rtt_ns_max;                     /* above it the rate is halved */\n"
"};\n\n"
"struct rlcc_flow {\n"
"    uint32_t rate;                           /* in 2^-28 of the line's */\n"
"    int16_t  action_older, action, delta;\n"
"    uint16_t is_started;\n"
"};\n"
"_Static_assert(sizeof(struct rlcc_flow) <= 48, \"a flow has 48 bytes\");\n\n"
"void     rlcc_start(struct rlcc_flow *, uint32_t rate);\n"
"int32_t  rlcc_tree(int32_t action_older, int32_t delta_older, int32_t action, int32_t delta);\n"
"uint32_t rlcc_decide(struct rlcc_flow *, const struct rlcc_params *, uint32_t rtt_ns);\n"
"extern const struct rlcc_params rlcc_params_default;\n"
"\n";

/* After them. */
static const char text_rule[] =
"static inline uint32_t rlcc_bound(const struct rlcc_params *p, uint64_t rate)\n"
"{\n"
"    if (rate < p->rate_min)\n"
"        return p->rate_min;\n"
"    return rate > RLCC_RATE_ONE ? RLCC_RATE_ONE : (uint32_t)rate;\n"
"}\n\n"
"/* Square root in 1/65536: sqrt(4 x) = 2 sqrt(x) until the upper bits are those of the table. */\n"
"static inline uint32_t rlcc_root_of(uint32_t rate)\n"
"{\n"
"    uint32_t halvings = 0;\n\n"
"    if (rate < 1u << 12) {\n"
"        rate <<= 16;\n"
"        halvings = 8;\n"
"    }\n"
"    if (rate < 1u << 20) {\n"
"        rate <<= 8;\n"
"        halvings += 4;\n"
"    }\n"
"    if (rate < 1u << 24) {\n"
"        rate <<= 4;\n"
"        halvings += 2;\n"
"    }\n"
"    if (rate < 1u << 26) {\n"
"        rate <<= 2;\n"
"        halvings += 1;\n"
"    }\n"
"    return (uint32_t)rlcc_root[(rate >> 20) - 64] >> halvings;\n"
"}\n\n"
"/* How much fuller than wanted the network is, in 1/256. */\n"
"static inline int32_t rlcc_delta(const struct rlcc_params *p, uint32_t rate, uint32_t rtt_ns)\n"
"{\n"
"    uint32_t excess = rtt_ns > p->beta_ns ? rtt_ns - p->beta_ns : 0;\n"
"    int64_t delta;\n\n"
"    excess = excess < RLCC_EXCESS_MAX ? excess : RLCC_EXCESS_MAX;\n"
"    delta = (int64_t)((uint64_t)excess * rlcc_root_of(rate) >> 8) - (int64_t)p->target_ns;\n"
"    delta = delta * (int64_t)p->gain >> 24;\n"
"    if (delta < INT16_MIN)\n"
"        return INT16_MIN;\n"
"    return delta > INT16_MAX ? INT16_MAX : (int32_t)delta;\n"
"}\n\n"
"void rlcc_start(struct rlcc_flow *flow, uint32_t rate)\n"
"{\n"
"    flow->rate = rate;\n"
"    flow->action_older = 0;\n"
"    flow->action = 0;\n"
"    flow->delta = 0;\n"
"    flow->is_started = 0;\n"
"}\n\n"
"uint32_t rlcc_decide(struct rlcc_flow *flow, const struct rlcc_params *p, uint32_t rtt_ns)\n"
"{\n"
"    uint32_t rate = rlcc_bound(p, flow->rate);\n"
"    int32_t delta = rlcc_delta(p, rate, rtt_ns);\n"
"    int32_t delta_older = flow->is_started ? flow->delta : delta;\n"
"    int32_t multiplier = RLCC_MULTIPLIER_MIN;\n\n"
"    if (rtt_ns > p->rtt_ns_max) {\n"
"        rate = rlcc_bound(p, rate >> 1);\n"
"    } else {\n"
"        multiplier = rlcc_tree(flow->action_older, delta_older, flow->action, delta);\n"
"        rate = rlcc_bound(p, (uint64_t)rate * (uint32_t)multiplier >> 16);\n"
"    }\n"
"    flow->rate = rate;\n"
"    flow->action_older = flow->action;\n"
"    flow->action = (int16_t)((multiplier - 65536) >> 4);\n"
"    flow->delta = (int16_t)delta;\n"
"    flow->is_started = 1;\n"
"    return rate >> RLCC_RATE_SHIFT;\n"
"}\n";

/* Entry points of DOCA PCC. */
static const char text_doca[] =
"\n"
"/* ---- entry points of a programmable congestion control */\n\n"
"#include <doca_pcc_dev.h>\n"
"#include <doca_pcc_dev_event.h>\n"
"#include <doca_pcc_dev_algo_access.h>\n\n"
"#define RLCC_SLOT 0\n"
"#define RLCC_ALGO 0\n\n"
"/* The first are those of struct rlcc_params, in its order. */\n"
"enum { RLCC_RATE_NEW = 5, RLCC_PROBE_NS, RLCC_PARAMS };\n\n"
"struct rlcc_param { uint32_t at_first, least, most; };\n\n"
"/* What a flow has of the 12 words that hardware keeps for it. */\n"
"struct rlcc_context {\n"
"    struct rlcc_flow flow;                   /* rate 0: it is new */\n"
"    uint32_t         asked_ns;               /* when the last RTT was asked for */\n"
"};\n"
"_Static_assert(sizeof(struct rlcc_context) <= 48, \"a flow has 12 words\");\n\n"
"static const char rlcc_name[] = \"RL-CC, trees\";\n"
"static const char rlcc_param_name[RLCC_PARAMS][16] = {\n"
"    \"BETA_NS\", \"TARGET_NS_256\", \"GAIN_Q24\", \"RATE_MIN_Q28\", \"RTT_NS_MAX\", "
"\"RATE_NEW_Q28\", \"PROBE_NS\",\n"
"};\n\n"
"static inline struct rlcc_param rlcc_param_of(uint32_t id)\n"
"{\n"
"    const struct rlcc_params *p = &rlcc_params_default;\n\n"
"    switch (id) {\n"
"    case 0:             return (struct rlcc_param){ p->beta_ns, 0, 1u << 30 };\n"
"    case 1:             return (struct rlcc_param){ p->target_ns, 0, 1u << 30 };\n"
"    case 2:             return (struct rlcc_param){ p->gain, 1, 1u << 26 };\n"
"    case 3:             return (struct rlcc_param){ p->rate_min, 1u << RLCC_RATE_SHIFT, RLCC_RATE_ONE };\n"
"    case 4:             return (struct rlcc_param){ p->rtt_ns_max, 0, UINT32_MAX };\n"
"    case RLCC_RATE_NEW: return (struct rlcc_param){ RLCC_RATE_ONE, 1u << RLCC_RATE_SHIFT, RLCC_RATE_ONE };\n"
"    default:            return (struct rlcc_param){ 2000000, 1000, UINT32_MAX };\n"
"    }\n"
"}\n\n"
"void doca_pcc_dev_user_init(uint32_t *disable_event_bitmask)\n"
"{\n"
"    struct doca_pcc_dev_algo_meta_data about = { 0 };\n\n"
"    about.algo_id = 0xA401;\n"
"    about.algo_major_version = 1;\n"
"    about.algo_desc_size = sizeof(rlcc_name);\n"
"    about.algo_desc_addr = (uint64_t)(uintptr_t)rlcc_name;\n"
"    doca_pcc_dev_algo_init_metadata(RLCC_ALGO, &about, RLCC_PARAMS, 0);\n"
"    for (uint32_t i = 0; i < RLCC_PARAMS; i++) {\n"
"        struct rlcc_param p = rlcc_param_of(i);\n\n"
"        doca_pcc_dev_algo_init_param(RLCC_ALGO, i, p.at_first, p.most, p.least, 1, "
"sizeof(rlcc_param_name[i]),\n"
"                                     (uint64_t)(uintptr_t)rlcc_param_name[i]);\n"
"    }\n"
"    for (uint32_t port = 0; port < DOCA_PCC_DEV_MAX_NUM_PORTS; port++)\n"
"        doca_pcc_dev_init_algo_slot(port, RLCC_SLOT, RLCC_ALGO, 1);\n"
"    *disable_event_bitmask = DOCA_PCC_DEV_EVNT_ROCE_ACK_MASK;\n"
"}\n\n"
"/* A new flow asks for an RTT; each RTT is a decision and asks for the next; one that got lost is "
"asked again. */\n"
"static void rlcc_on_event(struct rlcc_context *c, doca_pcc_dev_event_t *event, const uint32_t *param,\n"
"                          doca_pcc_dev_results_t *results)\n"
"{\n"
"    uint32_t now_ns = doca_pcc_dev_get_timestamp(event), ask = 0;\n\n"
"    if (c->flow.rate == 0) {\n"
"        rlcc_start(&c->flow, param[RLCC_RATE_NEW]);\n"
"        ask = 1;\n"
"    } else if (doca_pcc_dev_get_ev_attr(event).ev_type == DOCA_PCC_DEV_EVNT_RTT) {\n"
"        uint32_t rtt_ns = now_ns - doca_pcc_dev_get_rtt_req_send_timestamp(event);\n"
"        struct rlcc_params p = { param[0], param[1], param[2], param[3], param[4] };\n\n"
"        rlcc_decide(&c->flow, &p, rtt_ns);\n"
"        ask = 1;\n"
"    } else if (now_ns - c->asked_ns > param[RLCC_PROBE_NS]) {\n"
"        ask = 1;\n"
"    }\n"
"    if (ask)\n"
"        c->asked_ns = now_ns;\n"
"    results->rate = c->flow.rate >> RLCC_RATE_SHIFT;\n"
"    results->rtt_req = ask;\n"
"}\n\n"
"void doca_pcc_dev_user_algo(doca_pcc_dev_algo_ctxt_t *context, doca_pcc_dev_event_t *event,\n"
"                            const doca_pcc_dev_attr_t *attr, doca_pcc_dev_results_t *results)\n"
"{\n"
"    uint32_t port = doca_pcc_dev_get_ev_attr(event).port_num;\n\n"
"    if (attr->algo_slot != RLCC_SLOT) {\n"
"        doca_pcc_dev_default_internal_algo(context, event, attr, results);\n"
"        return;\n"
"    }\n"
"    rlcc_on_event((struct rlcc_context *)context, event, doca_pcc_dev_get_algo_params(port, "
"RLCC_SLOT), results);\n"
"}\n\n"
"/* All or none. */\n"
"doca_pcc_dev_error_t doca_pcc_dev_user_set_algo_params(uint32_t port_num, uint32_t algo_slot,\n"
"                                                       uint32_t param_id_base, uint32_t param_num,\n"
"                                                       const uint32_t *new_param_values, uint32_t *params)\n"
"{\n"
"    if (algo_slot != RLCC_SLOT || doca_pcc_dev_get_algo_index(port_num, algo_slot) != RLCC_ALGO\n"
"        || param_id_base > RLCC_PARAMS || param_num > RLCC_PARAMS - param_id_base)\n"
"        return DOCA_PCC_DEV_STATUS_FAIL;\n"
"    for (uint32_t i = 0; i < param_num; i++) {\n"
"        struct rlcc_param p = rlcc_param_of(param_id_base + i);\n\n"
"        if (new_param_values[i] < p.least || new_param_values[i] > p.most)\n"
"            return DOCA_PCC_DEV_STATUS_FAIL;\n"
"    }\n"
"    for (uint32_t i = 0; i < param_num; i++)\n"
"        params[i] = new_param_values[i];\n"
"    return DOCA_PCC_DEV_STATUS_OK;\n"
"}\n";

/* ---- export ---- */

static int check_exportable(const struct forest *f, const struct rule_params *p, struct err *err)
{
    struct certificate c;
    char state[256];

    if (forest_flaw(f))
        return err_set(err, EINVAL, "the forest %s", forest_flaw(f));
    if (certify_rule(&c, f, p))
        return rule_params_flaw(p) ? err_set(err, EINVAL, "the rule's %s", rule_params_flaw(p)) : 0;
    for (int i = 0; i < CERTIFY_CLAIMS; i++)
        if (!c.holds[i])
            return err_set(err, EPERM, "not exported, because this is not so: %s; broken by %s",
                           certify_claim_text[i],
                           certify_case_text(state, sizeof(state), &c.broken[i], (enum certify_claim)i));
    return 0;
}

int tree_export(FILE *out, enum tree_export_layout layout, const struct forest *f,
                const struct rule_params *p, const char *title, struct err *err)
{
    int rc = check_exportable(f, p, err);
    struct rule r;

    if (rc)
        return rc;
    rule_init(&r, f, p);
    fprintf(out, "/* %s */\n", title);
    fputs(text_types, out);
    write_params(out, p);
    write_roots(out, &r);
    write_tree(out, f);
    fputs(text_rule, out);
    if (layout == TREE_EXPORT_DOCA)
        fputs(text_doca, out);
    return ferror(out) ? err_set(err, EIO, "cannot write the exported code") : 0;
}

/* Steps of a binary search among n + 1 places. */
static uint32_t search_steps(uint32_t n)
{
    uint32_t steps = 0;

    while (1u << steps < n + 1)
        steps++;
    return steps;
}

/* Per feature: comparisons and one load, and an OR for all but the first. Per pair of trees: shift, AND,
 * load, addition. Two comparisons for the bounds. */
struct tree_export_cost tree_export_cost(const struct forest *f)
{
    uint32_t pairs = count_pairs(f), asked = 0;
    struct tree_export_cost c = { 4 * pairs + 2, pairs * PAIR_LEAVES * leaf_bytes(f) };

    for (uint32_t i = 0; i < TREE_FEATURES; i++) {
        struct thresholds t = find_thresholds(f, i);

        if (t.n == 0)
            continue;
        c.operations += search_steps(t.n) + 1 + (asked++ > 0);
        c.table_bytes += (t.n + 1) * 8;
    }
    return c;
}

void tree_export_print_cost(FILE *out, const struct forest *f)
{
    struct tree_export_cost c = tree_export_cost(f);

    fprintf(out,
            "exported, a decision of the trees takes %u integer operations at most; %u bytes of tables, %zu "
            "bytes per "
            "flow (DOCA: 16)\n",
            c.operations, c.table_bytes, sizeof(struct rule_flow));
}
