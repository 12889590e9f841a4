/* src/train/train_search.c - search for a rule, generation by generation.
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

#include <math.h>
#include <stdio.h>

#define CANDIDATES 8
#define FIRST_MAX  20            /* size of the first generation; longer lists are sampled evenly */
#define GAIN_MIN   0.005         /* smallest significant gain of the score */
#define RUN_OFF    4             /* seeds */
#define NEAR       2             /* half of all changes move to an action at most this far in the list */
#define STREAM     0x72756c65ull

/* Order of jobs, TRAIN_CHECKS each: SECN2, the best rule, then candidates, or the winner and the union. */
enum { BASE, BEST, CANDIDATE, UNION };

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

/* ---- jobs ---- */

static void describe_check(const struct train *t, uint32_t number, uint64_t seed, struct train_job *j,
                           char **text)
{
    j->is_by_rule = number / TRAIN_CHECKS != BASE;
    j->tuner = j->is_by_rule ? NULL : "secn2";
    *text = train_check_text(t, number % TRAIN_CHECKS, t->request.seed * 1000003 + seed, j);
}

static void first_job(const struct train *t, uint32_t number, struct train_job *j, char **text)
{
    uint32_t variant = number / TRAIN_CHECKS;

    describe_check(t, number, 2ull * t->state.generations, j, text);
    if (variant != BASE)
        j->rule = variant == BEST ? t->state.rule : train_candidate(t, variant - CANDIDATE);
}

static void second_job(const struct train *t, uint32_t number, struct train_job *j, char **text)
{
    uint32_t variant = number / TRAIN_CHECKS;

    describe_check(t, number, 2ull * t->state.generations + 1, j, text);
    if (variant != BASE)
        j->rule = variant == BEST ? t->state.rule : variant == CANDIDATE ? t->winner : t->both;
}

/* ---- a generation ---- */

static void add_changes(struct acc_rule *to, const struct acc_rule *from, const struct acc_rule *was)
{
    for (int i = 0; i < ACC_RULE_CELLS; i++)
        if (from->action[i] != was->action[i])
            to->action[i] = from->action[i];
}

struct rule_scores { double best, winner, both; uint32_t better; };

/* Finds the winner, and the union of all candidates that beat the best rule. */
static int compare_all(struct train *t, struct rule_scores *s, struct err *err)
{
    uint32_t n = train_candidates(t);
    int      rc = train_jobs(t, (CANDIDATE + n) * TRAIN_CHECKS, first_job, err);

    *s = (struct rule_scores){ .best = INFINITY, .winner = INFINITY };
    t->both = t->state.rule;
    if (!rc && t->state.generations)
        s->best = train_score(t, BEST * TRAIN_CHECKS, BASE);
    for (uint32_t i = 0; !rc && i < n; i++) {
        double          score = train_score(t, (CANDIDATE + i) * TRAIN_CHECKS, BASE);
        struct acc_rule rule = train_candidate(t, i);

        if (score < s->best) {
            s->better++;
            add_changes(&t->both, &rule, &t->state.rule);
        }
        if (score >= s->winner)
            continue;
        s->winner = score;
        t->winner = rule;
    }
    add_changes(&t->both, &t->winner, &t->state.rule);
    train_jobs_drop(t);
    return rc;
}

static int compare_again(struct train *t, bool has_both, struct rule_scores *s, struct err *err)
{
    int rc = train_jobs(t, (has_both ? UNION + 1 : UNION) * TRAIN_CHECKS, second_job, err);

    *s = (struct rule_scores){ .best = INFINITY, .both = INFINITY };
    if (!rc) {
        if (t->state.generations)
            s->best = train_score(t, BEST * TRAIN_CHECKS, BASE);
        s->winner = train_score(t, CANDIDATE * TRAIN_CHECKS, BASE);
        if (has_both)
            s->both = train_score(t, UNION * TRAIN_CHECKS, BASE);
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

/* Chooses among the three rules. Returns true if the rule has changed. */
static bool choose_rule(struct train *t, const struct rule_scores *first, const struct rule_scores *second)
{
    if (second->both < second->winner && second->both < second->best - GAIN_MIN) {
        t->state.rule = t->both;
        t->state.rule_score = second->both;
        return true;
    }
    t->state.rule_score = first->best;
    if (first->winner + second->winner >= first->best + second->best - 2 * GAIN_MIN)
        return false;
    t->state.rule = t->winner;
    t->state.rule_score = (first->winner + second->winner) / 2;
    return true;
}

int train_generation(struct train *t, struct err *err)
{
    struct rule_scores first, second = { .best = INFINITY, .winner = INFINITY, .both = INFINITY };
    int           rc = compare_all(t, &first, err);

    if (!rc && first.better)
        rc = compare_again(t, t->state.generations && first.better > 1, &second, err);
    if (rc)
        return rc;
    bool is_new = choose_rule(t, &first, &second);
    if (is_new)
        t->state.last[t->state.lasts++ % TRAIN_RULES] = t->state.rule;
    if (is_new || (t->state.generations + 1) % 10 == 0)
        print_rule(t, is_new ? "  new" : "");
    t->state.generations++;
    return resume_save(train_state_file(&t->state), t->state_path, err);
}

/* ---- run-off ---- */

static void run_off_job(const struct train *t, uint32_t number, struct train_job *j, char **text)
{
    uint32_t variant = number / TRAIN_CHECKS / RUN_OFF, seed = number / TRAIN_CHECKS % RUN_OFF;

    j->is_by_rule = variant > 0;
    if (j->is_by_rule)
        j->rule = t->state.last[variant - 1];
    else
        j->tuner = "secn2";
    *text = train_check_text(t, number % TRAIN_CHECKS,
                             t->request.seed * 1000003 + 2ull * t->request.search + seed, j);
}

int train_run_off(struct train *t, struct err *err)
{
    uint32_t rules = t->state.lasts < TRAIN_RULES ? t->state.lasts : TRAIN_RULES;
    int      rc = train_jobs(t, (1 + rules) * RUN_OFF * TRAIN_CHECKS, run_off_job, err);

    t->state.rule_score = INFINITY;
    for (uint32_t i = 0; !rc && i < rules; i++) {
        double score = 0;

        for (uint32_t s = 0; s < RUN_OFF; s++)
            score += train_score(t, ((1 + i) * RUN_OFF + s) * TRAIN_CHECKS, s * TRAIN_CHECKS) / RUN_OFF;
        if (score >= t->state.rule_score)
            continue;
        t->state.rule_score = score;
        t->state.rule = t->state.last[i];
    }
    train_jobs_drop(t);
    if (rc)
        return rc;
    t->state.is_run_off = true;
    print_rule(t, "  chosen");
    return resume_save(train_state_file(&t->state), t->state_path, err);
}
