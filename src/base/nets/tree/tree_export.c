/* src/base/nets/tree/tree_export.c - tables and binary searches; see tree_export.h. */
#include "base/nets/tree/tree_export.h"
#include "base/nets/tree/tree_certify.h"

#include <stdlib.h>

#define THRESHOLDS_MAX (TREE_TREES_MAX * TREE_DEPTH_MAX)
#define PAIR_LEAVES    (TREE_LEAVES_MAX * TREE_LEAVES_MAX)

/* The constant parts of the code: data/export/. */
extern const unsigned char export_types[], export_rule[], export_doca[];
extern const unsigned long export_types_bytes, export_rule_bytes, export_doca_bytes;

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
    fprintf(out, "    uint64_t answers = 0;\n");
    fprintf(out, "    int32_t sum = %d;\n\n", f->base);
    for (uint32_t k = 0; k < TREE_FEATURES; k++)
        if (find_thresholds(f, k).n)
            fprintf(out, "    answers |= rlcc_%s_answers[rlcc_%s_place(%s)];\n", feature_name[k],
                    feature_name[k], feature_name[k]);
        else
            fprintf(out, "    (void)%s;\n", feature_name[k]);
    for (uint32_t k = 0; k < count_pairs(f); k++) {
        /* Shifting by less, by the size of a leaf, makes the answers an offset in bytes. */
        uint32_t bytes = leaf_bytes(f), shift = 8 * k, scale = bytes / 2;
        fprintf(out, "    sum += *(const int%u_t *)((const char *)rlcc_leaf[%u] + (answers %s %u & %u));\n",
                8 * bytes, k, shift ? ">>" : "<<", shift ? shift - scale : scale, (PAIR_LEAVES - 1) * bytes);
    }
    if (f->trees == 0)
        fprintf(out, "    (void)answers;\n");
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
    fwrite(export_types, 1, export_types_bytes, out);
    write_params(out, p);
    write_roots(out, &r);
    write_tree(out, f);
    fwrite(export_rule, 1, export_rule_bytes, out);
    if (layout == TREE_EXPORT_DOCA)
        fwrite(export_doca, 1, export_doca_bytes, out);
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
