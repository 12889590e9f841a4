/* train/train_round.c - one round: runs that explore, learning from them, and periodic checks. */
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RECORDS_MAX  3000        /* records per run, a sample of all */
#define PRINT_EVERY  10          /* rounds, if there are no checks */
#define EXPLORE_PART 0.6         /* fraction of the rounds over which epsilon falls */
#define SMOOTH_SHARE 0.001f      /* weight of each new net in the moving average */
#define GUIDED_PART  0.5         /* fraction of the rounds with full weight of the guide, which then falls */
#define GUIDE_MARGIN 0.1
#define CHECK_SEED   1000001     /* not 1, which the search uses */

static double current_epsilon(const struct train *t)
{
    double   first = train_value(t, "epsilon"), last = train_value(t, "epsilon_min");
    uint32_t falls = (uint32_t)(EXPLORE_PART * t->request.rounds) + 1;
    double   e = first * rng_pow(dqn_decay(first, last, falls), t->state.rounds);

    return e > last ? e : last;
}

/* ---- jobs: runs, then checks of the net, then of static settings ---- */

/* With a rule, every second run follows it, because the net must also learn the outcome of the rule. */
static void describe_run(const struct train *t, uint32_t number, struct train_job *j, char **text)
{
    j->is_by_rule = t->request.search && number % 2 == 1;
    j->rule = t->state.rule;
    j->net = j->is_by_rule ? NULL : &t->state.dqn.online;
    j->epsilon = current_epsilon(t);
    j->hold = t->request.hold;
    j->records_max = RECORDS_MAX;
    j->seed = (t->request.seed * 1000003 + t->state.rounds) * 1009 + number + 1;
    *text = t->request.scenarios ? train_file_text(t, number, j)
                                 : train_scenario(t->request.seed, t->state.rounds, number, t->request.nics,
                                                  t->request.traffic, t->request.is_quick);
}

static void describe_job(const struct train *t, uint32_t number, struct train_job *j, char **text)
{
    uint32_t check = number - t->request.runs;

    if (number < t->request.runs) {
        describe_run(t, number, j, text);
        return;
    }
    *text = train_check_text(t, check % TRAIN_CHECKS,
                             t->request.seed + CHECK_SEED + check / TRAIN_CHECKS % 2, j);
    if (check < TRAIN_EXAMS)
        j->net = &t->state.smooth;
    else
        j->tuner = train_static[check / TRAIN_EXAMS - 1];
}

/* ---- learning ---- */

/* Adds the experience in the order of run numbers, not of completion. Returns the mean reward. */
static double add_experience(struct train *t)
{
    struct replay *memory = &t->state.dqn.replay;
    double         reward = 0;
    uint64_t       rewards = 0;

    for (uint32_t i = 0; i < t->request.runs; i++) {
        struct train_found found = train_found_by(t, i);
        size_t             bytes = (size_t)found.records * memory->floats * sizeof(float);

        reward += found.reward_sum;
        rewards += found.rewards;
        if (sizeof found + bytes <= t->length[i])
            replay_add_all(memory, (const float *)(const void *)(t->text[i] + sizeof found), found.records);
    }
    return rewards ? reward / (double)rewards : 0;
}

static uint32_t rule_action(const void *arg, const float *state)
{
    const struct train_state *s = arg;

    return s->rule.action[acc_rule_cell(state + s->dqn.cfg.shape.inputs - ACC_FEATURES)];
}

static double guide_weight(const struct train *t)
{
    double part = (double)t->state.rounds / t->request.rounds;

    return part < GUIDED_PART ? 1 : (1 - part) / (1 - GUIDED_PART);
}

/* Fraction of the remembered states in which the averaged net agrees with the rule. */
static double agreement(const struct train *t)
{
    const struct replay *memory = &t->state.dqn.replay;
    uint32_t             same = 0, n = 0;

    for (uint32_t i = 0; i < memory->count; i += 101, n++) {
        const float *state = replay_at(memory, i);
        float        value[NET_WIDTH_MAX];

        net_run(&t->state.smooth, state, value);
        same += net_largest(value, net_shape_outputs(&t->state.smooth.shape)) ==
                rule_action(&t->state, state);
    }
    return n ? (double)same / n : 0;
}

static void learn_from_replay(struct train *t)
{
    struct dqn_guide guide = { .action = rule_action, .arg = &t->state, .margin = GUIDE_MARGIN,
                               .weight = guide_weight(t) };
    double           sum = 0;
    uint32_t         updates = 0;

    t->state.dqn.guide = t->request.search ? &guide : NULL;
    for (uint32_t i = 0; i < t->request.updates; i++) {
        double loss = dqn_update(&t->state.dqn);

        if (!isfinite(loss))
            continue;
        sum += loss;
        updates++;
        net_mix(&t->state.smooth, &t->state.dqn.online, SMOOTH_SHARE);
    }
    t->state.dqn.guide = NULL;
    t->loss = updates ? sum / updates : 0;
}

/* ---- checks ---- */

static void store_statics(struct train *t)
{
    for (uint32_t i = 0; i < TRAIN_EXAMS * TRAIN_STATICS; i++) {
        struct train_found found = train_found_by(t, t->request.runs + TRAIN_EXAMS + i);

        memcpy(t->state.statics[i % TRAIN_EXAMS][i / TRAIN_EXAMS], found.fct_us, sizeof found.fct_us);
    }
    t->state.has_statics = true;
}

struct check_result { double score, over[TRAIN_STATICS][2]; };

static bool is_known(const double (*fct)[2], int k)
{
    for (int s = 0; s < TRAIN_STATICS; s++)
        if (fct[s][k] <= 0)
            return false;
    return true;
}

/* Computes mean FCT ratios of mice and elephants to each static setting, and the score relative to SECN2. */
static struct check_result compare_with_statics(const struct train *t)
{
    struct check_result c = { 0 };
    uint32_t     count[2] = { 0 };

    for (uint32_t i = 0; i < TRAIN_EXAMS; i++) {
        struct train_found found = train_found_by(t, t->request.runs + i);
        const double     (*fct)[2] = t->state.statics[i];

        for (int k = 0; k < 2; k++) {
            if (!is_known(fct, k) || found.fct_us[k] <= 0)
                continue;
            count[k]++;
            c.score += train_badness(found.fct_us[k] / fct[1][k]);
            for (int s = 0; s < TRAIN_STATICS; s++)
                c.over[s][k] += found.fct_us[k] / fct[s][k];
        }
    }
    for (int k = 0; k < 2; k++)
        for (int s = 0; s < TRAIN_STATICS; s++)
            c.over[s][k] = count[k] ? c.over[s][k] / count[k] : 1;
    c.score = count[0] + count[1] ? c.score / (count[0] + count[1]) : 0;
    return c;
}

void train_print_head(void)
{
    printf("                    all runs                       checks: FCT of mice and elephants, times that "
           "of\n"
           " round  reward    loss  epsilon  agrees    score     SECN1         SECN2         SECN0         "
           "vendor\n");
}

/* 'c' is NULL without a check. */
static void print_round(const struct train *t, double reward, const struct check_result *c)
{
    if (t->request.is_quiet)
        return;
    printf("%6u  %6.4f  %6.4f   %6.3f  ", t->state.rounds, reward, t->loss, current_epsilon(t));
    if (t->request.search)
        printf("%4.0f %%", 100 * agreement(t));
    else
        printf("     -");
    if (c)
        printf("  %7.4f", c->score);
    for (int i = 0; c && i < TRAIN_STATICS; i++)
        printf("   %5.3f %5.3f", c->over[i][0], c->over[i][1]);
    printf("%s\n", c && t->state.best_round == t->state.rounds ? "  best" : "");
    fflush(stdout);
}

static void keep_net(struct train_state *s, double score)
{
    net_copy(&s->best, &s->smooth);
    s->best_round = s->rounds;
    s->best_score = score;
}

static void check_net(struct train *t, double reward)
{
    if (!t->state.has_statics)
        store_statics(t);
    struct check_result c = compare_with_statics(t);
    if (c.score < t->state.best_score)
        keep_net(&t->state, c.score);
    print_round(t, reward, &c);
}

/* Without checks, keeps the newest net. */
static void keep_last(struct train *t, double reward)
{
    keep_net(&t->state, 0);
    if (t->state.rounds % PRINT_EVERY == 0 || t->state.rounds + 1 == t->request.rounds)
        print_round(t, reward, NULL);
}

/* A net is checked before it learns from the round. Runs use the newest net instead of the average, because
 * exploration must expose overestimated values. */
static bool is_check(const struct train *t)
{
    const struct train_request *q = &t->request;

    return q->check && (t->state.rounds % q->check == 0 || t->state.rounds + 1 == q->rounds);
}

int train_round(struct train *t, struct err *err)
{
    bool     is_checked = is_check(t);
    uint32_t checks = is_checked ? TRAIN_EXAMS : 0;

    if (is_checked && !t->state.has_statics)
        checks += TRAIN_EXAMS * TRAIN_STATICS;
    int rc = train_jobs(t, t->request.runs + checks, describe_job, err);
    if (!rc) {
        double reward = add_experience(t);

        if (is_checked)
            check_net(t, reward);
        learn_from_replay(t);
        if (!t->request.check)
            keep_last(t, reward);
        t->state.rounds++;
        rc = resume_save(train_state_file(&t->state), t->state_path, err);
    }
    train_jobs_drop(t);
    return rc;
}
