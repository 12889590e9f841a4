#include "base/nets/tree/tree_certify.h"

#include <assert.h>
#include <string.h>

const char *const certify_claim_text[CERTIFY_CLAIMS] = {
    "the rate never goes above the line's",
    "the rate never goes below the lowest one",
    "the rate never goes up when the RTT is above its target and rising",
};

/* All states with low[i] <= x[i] <= high[i]. */
struct feature_box { int16_t low[TREE_FEATURES], high[TREE_FEATURES]; };

struct sum_range { int32_t low, high; };

struct box_search {
    const struct forest *forest;
    bool                 is_rising;          /* only states above the target and rising */
    bool                 is_first;           /* stop at the first state found */
    uint64_t             boxes;
    struct feature_box   found;
};

/* Possible answers to a split in a box: bit 0 for no, bit 1 for yes. */
static unsigned possible_answers(const struct feature_box *b, const struct tree_split *s)
{
    return (unsigned)(b->low[s->feature] <= s->threshold) | (unsigned)(b->high[s->feature] > s->threshold)
                                                                << 1;
}

/* Range over leaves whose answers are all possible. Two splits on one feature may exclude each other; the
 * range is then too wide until the box is split there. */
static struct sum_range tree_range(const struct tree *t, const struct feature_box *b)
{
    struct sum_range r = { INT32_MAX, INT32_MIN };
    unsigned answers[TREE_DEPTH_MAX];

    for (uint32_t i = 0; i < t->depth; i++)
        answers[i] = possible_answers(b, &t->split[i]);
    for (uint32_t leaf = 0; leaf < 1u << t->depth; leaf++) {
        bool is_possible = true;

        for (uint32_t i = 0; i < t->depth; i++)
            is_possible &= answers[i] >> (leaf >> i & 1) & 1;
        if (is_possible && t->leaf[leaf] < r.low)
            r.low = t->leaf[leaf];
        if (is_possible && t->leaf[leaf] > r.high)
            r.high = t->leaf[leaf];
    }
    return r;
}

static struct sum_range forest_range(struct box_search *s, const struct feature_box *b)
{
    struct sum_range sum = { s->forest->base, s->forest->base };

    s->boxes++;
    for (uint32_t i = 0; i < s->forest->trees; i++) {
        struct sum_range r = tree_range(&s->forest->tree[i], b);

        sum.low += r.low;
        sum.high += r.high;
    }
    return sum;
}

/* Returns a split that the box leaves open, in the tree with the widest range; NULL if there is none. */
static const struct tree_split *find_cut(const struct forest *f, const struct feature_box *b)
{
    const struct tree_split *cut = NULL;
    int32_t widest = -1;

    for (uint32_t i = 0; i < f->trees; i++) {
        struct sum_range r = tree_range(&f->tree[i], b);

        for (uint32_t j = 0; j < f->tree[i].depth && r.high - r.low > widest; j++)
            if (possible_answers(b, &f->tree[i].split[j]) == 3) {
                cut = &f->tree[i].split[j];
                widest = r.high - r.low;
            }
    }
    return cut;
}

static void cut_box(const struct feature_box *b, const struct tree_split *cut, struct feature_box part[2])
{
    part[0] = part[1] = *b;
    part[0].high[cut->feature] = cut->threshold;
    part[1].low[cut->feature] = (int16_t)(cut->threshold + 1);
}

/* ---- search ---- */

static bool has_rising_state(const struct feature_box *b)
{
    return b->high[TREE_DELTA] > 0 && b->high[TREE_DELTA] > b->low[TREE_DELTA_OLDER];
}

/* Raises *most to the largest sign * sum, or with is_first to a larger one. False: there is none. */
static bool find_most(struct box_search *s, const struct feature_box *b, int32_t sign, int64_t *most)
{
    struct feature_box part[2];

    if (s->is_rising && !has_rising_state(b))
        return false;
    struct sum_range r = forest_range(s, b);
    if ((sign > 0 ? r.high : -(int64_t)r.low) <= *most)
        return false;
    const struct tree_split *cut = find_cut(s->forest, b);
    if (!cut) {
        *most = sign * (int64_t)r.low;
        s->found = *b;
        return true;
    }
    cut_box(b, cut, part);
    bool is_raised = find_most(s, &part[0], sign, most);
    if (is_raised && s->is_first)
        return true;
    return find_most(s, &part[1], sign, most) || is_raised;
}

/* Returns the state of a box that is rising if any is. */
static void rising_state(const struct feature_box *b, int16_t *x)
{
    memcpy(x, b->low, sizeof(b->low));
    x[TREE_DELTA] = b->high[TREE_DELTA];
}

/* ---- rates ---- */

static void add_case(struct certificate *c, enum certify_claim claim, const struct forest *f,
                     const int16_t *x, uint32_t rate, uint32_t rate_after)
{
    c->holds[claim] = false;
    memcpy(c->broken[claim].x, x, sizeof(c->broken[claim].x));
    c->broken[claim].rate = rate;
    c->broken[claim].rate_after = rate_after;
    c->broken[claim].multiplier = forest_multiplier(f, x);
}

static void check_rate(struct certificate *c, const struct forest *f, const struct rule_params *p,
                       const int16_t *x, uint32_t before)
{
    struct rule r = { .params = *p, .forest = f };
    uint32_t rate = rule_next_rate(&r, before, forest_multiplier(f, x));

    if (rate > RULE_RATE_ONE)
        add_case(c, CERTIFY_CEILING, f, x, before, rate);
    if (rate < p->rate_min || rate >> RULE_RATE_SHIFT == 0)
        add_case(c, CERTIFY_FLOOR, f, x, before, rate);
}

static struct feature_box all_states(const struct forest *f)
{
    int16_t low = forest_action(f->multiplier_min), high = forest_action(f->multiplier_max);

    return (struct feature_box){ { low, INT16_MIN, low, INT16_MIN }, { high, INT16_MAX, high, INT16_MAX } };
}

bool certify_rule(struct certificate *c, const struct forest *f, const struct rule_params *p)
{
    struct box_search s = { .forest = f };
    struct feature_box all = all_states(f), most_box;
    int64_t most = INT64_MIN, least = INT64_MIN, rising = TREE_ONE;
    int16_t x[TREE_FEATURES];

    assert(!forest_flaw(f));
    *c = (struct certificate){ .holds = { true, true, true } };
    find_most(&s, &all, 1, &most);
    most_box = s.found;
    find_most(&s, &all, -1, &least);
    c->sum_max = (int32_t)most;
    c->sum_min = (int32_t)-least;
    /* A rate grows with the multiplier and with the previous rate, which is any 32-bit value, so its extremes
     * are at theirs. If the floor exceeds the ceiling this fails, but then the first check detects it. */
    check_rate(c, f, p, s.found.low, 0);
    check_rate(c, f, p, most_box.low, UINT32_MAX);
    /* The multiplier is above 1 if and only if the sum is, because the bounds lie on both sides of 1. */
    s.is_rising = s.is_first = true;
    if (find_most(&s, &all, 1, &rising)) {
        rising_state(&s.found, x);
        add_case(c, CERTIFY_RISING, f, x, 0, 0);
    }
    c->boxes = s.boxes;
    return c->holds[CERTIFY_CEILING] && c->holds[CERTIFY_FLOOR] && c->holds[CERTIFY_RISING];
}

/* Share of tree i in a correction; trees with few rows in the leaf take more. */
static double correction_share(const certify_weights weight, uint32_t i, uint32_t leaf)
{
    return weight ? 1.0 / (1.0 + weight[i][leaf]) : 1.0;
}

static void lower_leaves(struct forest *f, const certify_weights weight, const int16_t *x, int32_t by)
{
    double all = 0;

    if (f->trees == 0)
        f->base -= by;
    for (uint32_t i = 0; i < f->trees; i++)
        all += correction_share(weight, i, tree_leaf(&f->tree[i], x));
    for (uint32_t i = 0; i < f->trees; i++) {
        uint32_t leaf = tree_leaf(&f->tree[i], x);
        int32_t less = f->tree[i].leaf[leaf] - 1 - (int32_t)(by * correction_share(weight, i, leaf) / all);

        f->tree[i].leaf[leaf] = less < -TREE_LEAF_MAX ? -TREE_LEAF_MAX : less;
    }
}

int64_t certify_mend(struct forest *f, const certify_weights weight, uint32_t steps_max)
{
    struct feature_box all = all_states(f);

    assert(!forest_flaw(f));
    for (uint32_t step = 0; step <= steps_max; step++) {
        struct box_search s = { .forest = f, .is_rising = true };
        int64_t most = TREE_ONE;
        int16_t x[TREE_FEATURES];

        if (!find_most(&s, &all, 1, &most))
            return step;
        rising_state(&s.found, x);
        lower_leaves(f, weight, x, (int32_t)(most - TREE_ONE));
    }
    return -1;
}

char *certify_case_text(char *buf, size_t size, const struct certify_case *b, enum certify_claim claim)
{
    int used = snprintf(buf, size, "actions %.4f, %.4f and deltas %.4f, %.4f: multiplier %.5f",
                        1 + b->x[TREE_ACTION_OLDER] / (double)TREE_ACTION_ONE,
                        1 + b->x[TREE_ACTION] / (double)TREE_ACTION_ONE,
                        b->x[TREE_DELTA_OLDER] / (double)TREE_DELTA_ONE,
                        b->x[TREE_DELTA] / (double)TREE_DELTA_ONE, b->multiplier / (double)TREE_ONE);

    if (claim != CERTIFY_RISING && (size_t)used < size)
        snprintf(buf + used, size - (size_t)used, ", rate %.3g of the line's becomes %.3g",
                 b->rate / (double)RULE_RATE_ONE, b->rate_after / (double)RULE_RATE_ONE);
    return buf;
}

void certify_print(FILE *out, const struct certificate *c)
{
    char text[256];

    for (int i = 0; i < CERTIFY_CLAIMS; i++) {
        fprintf(out, "%s: %s\n", c->holds[i] ? "proven" : "BROKEN", certify_claim_text[i]);
        if (!c->holds[i])
            fprintf(out, "    broken by %s\n", certify_case_text(text, sizeof(text), &c->broken[i],
                                                                 (enum certify_claim)i));
    }
    fprintf(out, "the trees alone give multipliers in %.5f .. %.5f; %llu boxes of states were enough\n",
            c->sum_min / (double)TREE_ONE, c->sum_max / (double)TREE_ONE, (unsigned long long)c->boxes);
}
