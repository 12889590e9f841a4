/* train/train_search.c - search for a rule, generation by generation.
 *
 * The first generation contains every action, applied in all cells. Each later one contains eight variants of
 * the best rule, with one to three cells changed. All run on all checks, along with SECN2 and the best rule,
 * with new seeds in each generation.
 *
 * The winner of a generation may have been lucky. It is therefore compared with the best rule again, with
 * other seeds, and replaces it if it is better in both comparisons together. If several variants were better,
 * the union of their changes is tested as well; it must be the best of the three. After the last generation,
 * the recent best rules compete on more traffic.
 */
#include "base/rng.h"
#include "train/train.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#define CANDIDATES 8
#define FIRST_MAX  20            /* size of the first generation; longer lists are sampled evenly */
#define GAIN_MIN   0.005         /* smallest significant gain of the score */
#define RUN_OFF    4             /* seeds */
#define NEAR       2             /* half of all changes move to an action at most this far in the list */
#define STREAM     0x72756c65ull

static uint32_t count_actions(const struct train *t)
{
    return acc_actions_list((enum acc_actions)train_value(t, "actions"), NULL);
}

uint32_t train_candidates(const struct train *t)
{
    if (t->state.generations > 0)
        return CANDIDATES;
    return count_actions(t) < FIRST_MAX ? count_actions(t) : FIRST_MAX;
}

static uint16_t change_action(struct rng *rng, uint16_t action, uint32_t actions)
{
    uint32_t by = 1 + (uint32_t)rng_below(rng, NEAR);

    if (rng_below(rng, 2))
        return (uint16_t)rng_below(rng, actions);
    if (rng_below(rng, 2))
        return (uint16_t)(action >= by ? action - by : 0);
    return (uint16_t)(action + by < actions ? action + by : actions - 1);
}

struct acc_rule train_candidate(const struct train *t, uint32_t number)
{
    struct acc_rule rule = t->state.rule;
    struct rng      rng;

    if (t->state.generations == 0) {
        for (int i = 0; i < ACC_RULE_CELLS; i++)
            rule.action[i] = (uint16_t)(number * count_actions(t) / train_candidates(t));
        return rule;
    }
    rng_init(&rng, t->request.seed, STREAM << 32 | (uint64_t)t->state.generations << 8 | number);
    uint32_t changes = 1 + (uint32_t)rng_below(&rng, 4) / 2 + (uint32_t)rng_below(&rng, 4) / 3;
    for (uint32_t i = 0; i < changes; i++) {
        uint32_t cell = (uint32_t)rng_below(&rng, ACC_RULE_CELLS);

        rule.action[cell] = change_action(&rng, rule.action[cell], count_actions(t));
    }
    return rule;
}

/* ---- comparisons ---- */

/* SECN2 has the first jobs, TRAIN_CHECKS for each seed, then each rule has as many. */
static void describe_job(const struct train *t, uint32_t number, struct train_job *j, char **text)
{
    uint32_t variant = number / TRAIN_CHECKS / t->seeds, seed = number / TRAIN_CHECKS % t->seeds;

    j->is_by_rule = variant > 0;
    if (j->is_by_rule)
        j->rule = t->rule[variant - 1];
    else
        j->tuner = "secn2";
    *text = train_check_text(t, number % TRAIN_CHECKS, t->request.seed * 1000003 + t->first_seed + seed, j);
}

/* Runs rules on all checks, with each seed, and stores their scores. */
static int compare_rules(struct train *t, const struct acc_rule *rule, uint32_t rules, uint64_t first_seed,
                         uint32_t seeds, double *score, struct err *err)
{
    t->rule = rule;
    t->first_seed = first_seed;
    t->seeds = seeds;
    int rc = train_jobs(t, (1 + rules) * seeds * TRAIN_CHECKS, describe_job, err);
    for (uint32_t i = 0; !rc && i < rules; i++) {
        score[i] = 0;
        for (uint32_t k = 0; k < seeds; k++)
            score[i] += train_score(t, ((1 + i) * seeds + k) * TRAIN_CHECKS, k * TRAIN_CHECKS) / seeds;
    }
    train_jobs_drop(t);
    return rc;
}

static void print_rule(const struct train *t, const char *what)
{
    if (t->request.is_quiet)
        return;
    printf("%6u  %7.4f  ", t->state.generations, t->state.rule_score);
    for (int i = 0; i < ACC_RULE_CELLS; i++)
        printf("%s%3u", i && i % 5 == 0 ? "  |" : "", t->state.rule.action[i]);
    printf("%s\n", what);
    fflush(stdout);
}

/* ---- a generation ---- */

/* The rules of the second comparison; the first one has the best and all candidates. */
enum { BEST, WINNER, UNION, FINALISTS };

static void add_changes(struct acc_rule *to, const struct acc_rule *from, const struct acc_rule *was)
{
    for (int i = 0; i < ACC_RULE_CELLS; i++)
        if (from->action[i] != was->action[i])
            to->action[i] = from->action[i];
}

/* Runs the best rule and all candidates. Finds the winner and the union of all candidates that beat the best
 * rule, and counts these. */
static int compare_candidates(struct train *t, struct acc_rule *rule, double *score, uint32_t *better,
                              struct err *err)
{
    uint32_t        n = train_candidates(t), winner = 1;
    struct acc_rule tried[1 + FIRST_MAX] = { t->state.rule };
    double          scores[1 + FIRST_MAX];

    for (uint32_t i = 0; i < n; i++)
        tried[1 + i] = train_candidate(t, i);
    int rc = compare_rules(t, tried, 1 + n, 2ull * t->state.generations, 1, scores, err);
    if (rc)
        return rc;
    rule[BEST] = rule[UNION] = t->state.rule;
    score[BEST] = t->state.generations ? scores[0] : INFINITY;
    for (uint32_t i = 1; i <= n; i++) {
        if (scores[i] < score[BEST]) {
            ++*better;
            add_changes(&rule[UNION], &tried[i], &t->state.rule);
        }
        if (scores[i] < scores[winner])
            winner = i;
    }
    rule[WINNER] = tried[winner];
    score[WINNER] = scores[winner];
    add_changes(&rule[UNION], &rule[WINNER], &t->state.rule);
    return 0;
}

/* Chooses among the three rules. Returns true if the rule has changed. */
static bool choose_rule(struct train *t, const struct acc_rule *rule, const double *first,
                        const double *second)
{
    if (second[UNION] < second[WINNER] && second[UNION] < second[BEST] - GAIN_MIN) {
        t->state.rule = rule[UNION];
        t->state.rule_score = second[UNION];
        return true;
    }
    t->state.rule_score = first[BEST];
    if (first[WINNER] + second[WINNER] >= first[BEST] + second[BEST] - 2 * GAIN_MIN)
        return false;
    t->state.rule = rule[WINNER];
    t->state.rule_score = (first[WINNER] + second[WINNER]) / 2;
    return true;
}

int train_generation(struct train *t, struct err *err)
{
    uint64_t        seed = 2ull * t->state.generations + 1;
    double          first[FINALISTS], second[FINALISTS] = { INFINITY, INFINITY, INFINITY };
    struct acc_rule rule[FINALISTS];
    uint32_t        better = 0;
    int             rc = compare_candidates(t, rule, first, &better, err);

    if (!rc && better)
        rc = compare_rules(t, rule, t->state.generations && better > 1 ? FINALISTS : UNION, seed, 1, second,
                           err);
    if (rc)
        return rc;
    if (t->state.generations == 0)
        second[BEST] = INFINITY; /* there is no best rule yet */
    bool is_new = choose_rule(t, rule, first, second);
    if (is_new)
        t->state.last[t->state.lasts++ % TRAIN_RULES] = t->state.rule;
    if (is_new || (t->state.generations + 1) % 10 == 0)
        print_rule(t, is_new ? "  new" : "");
    t->state.generations++;
    return resume_save(train_state_file(&t->state), t->state_path, err);
}

int train_run_off(struct train *t, struct err *err)
{
    uint32_t rules = t->state.lasts < TRAIN_RULES ? t->state.lasts : TRAIN_RULES, best = 0;
    double   score[TRAIN_RULES];
    int      rc = compare_rules(t, t->state.last, rules, 2ull * t->request.search, RUN_OFF, score, err);

    if (rc)
        return rc;
    assert(rules > 0);           /* the first generation has a winner */
    for (uint32_t i = 1; i < rules; i++)
        if (score[i] < score[best])
            best = i;
    t->state.rule = t->state.last[best];
    t->state.rule_score = score[best];
    t->state.is_run_off = true;
    print_rule(t, "  chosen");
    return resume_save(train_state_file(&t->state), t->state_path, err);
}
