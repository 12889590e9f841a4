/* src/tune/rehearse/search/tune_goal.c - see tune_goal.h. */
#include "tune/rehearse/search/tune_goal.h"
#include "base/rng.h"
#include "base/text.h"
#include "tune/exp.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define STUCK 100.0              /* a score no setting has that works */
#define LOG_OF_2 0.69314718055994530942

#define BOUNDS .class_bound = GOAL_CLASS_BOUND, .job_bound = GOAL_JOB_BOUND, .bound = GOAL_BOUND
#define MEAN(of, words, part) \
    { .name = "mean_slowdown" of, .about = "mean slowdown of " words, .weight = { [part] = 1 }, BOUNDS }
#define P99(of, words, part) \
    { .name = "p99_slowdown" of, .about = "99th percentile of the slowdowns of " words, \
      .weight = { [part] = 1 }, .figure = GOAL_P99, BOUNDS }
#define J_WEIGHTS { [GOAL_ALL] = 0.5, [GOAL_ELEPHANTS] = 0.5 }

/* The order of the first three is that of the option 'objective' of searches. */
const struct goal goal_all[] = {
    { .name = "balanced",
      .about = "mice and elephants alike: sqrt(mean slowdown x mean slowdown of messages from 1 MB)",
      .weight = J_WEIGHTS, BOUNDS },
    { .name = "latency", .about = "small messages first: those under 120 KB count most",
      .weight = { [GOAL_ALL] = 0.2, [GOAL_MICE] = 0.6, [GOAL_ELEPHANTS] = 0.2 }, BOUNDS },
    { .name = "throughput",
      .about = "large messages first, as of training and backups: those from 1 MB count most",
      .weight = { [GOAL_ALL] = 0.2, [GOAL_ELEPHANTS] = 0.8 }, BOUNDS },
    { .name = "iteration_time", .about = "iteration time of training jobs, each job alike",
      .weight = J_WEIGHTS, .figure = GOAL_ITERATIONS, BOUNDS },
    MEAN("", "all messages", GOAL_ALL),
    MEAN(" of all", "all messages", GOAL_ALL),
    MEAN(" of mice", "messages under 120 KB", GOAL_MICE),
    MEAN(" of middle", "messages of 120 KB to 1 MB", GOAL_MIDDLE),
    MEAN(" of elephants", "messages of 1 MB and more", GOAL_ELEPHANTS),
    P99("", "all messages", GOAL_ALL),
    P99(" of all", "all messages", GOAL_ALL),
    P99(" of mice", "messages under 120 KB", GOAL_MICE),
    P99(" of middle", "messages of 120 KB to 1 MB", GOAL_MIDDLE),
    P99(" of elephants", "messages of 1 MB and more", GOAL_ELEPHANTS),
    { .name = NULL },
};

const struct goal *const goal_default = &goal_all[3];

const char *const goal_names[] = { "balanced", "latency", "throughput", "iteration_time", "mean_slowdown",
                                   "p99_slowdown", NULL };

const struct goal *goal_find(const char *name)
{
    for (const struct goal *g = goal_all; g->name; g++)
        if (strcmp(g->name, name) == 0)
            return g;
    return NULL;
}

/* ---- from text ---- */

#define BOUND_MAX 1e6            /* no bound: a million times slower */

/* The number behind '=' of a weight or a bound. */
static int read_number(const char *text, double max, double *value, struct err *err)
{
    double number;
    int    rc = text_to_real(strchr(text, '=') + 1, &number, err);

    if (rc)
        return rc;
    if (number < 0 || number > max)
        return err_set(err, EINVAL, "'%s' is not between 0 and %g", text, max);
    *value = number;
    return 0;
}

static int set_weight(struct goal *g, const char *name, const char *text, struct err *err)
{
    static const char *const parts[] = { "all", "mice", "middle", "elephants", NULL };
    char                     hint[200];
    int                      part = 0;

    while (parts[part] && strcmp(parts[part], name) != 0)
        part++;
    if (!parts[part])
        return err_set(err, EINVAL, "'%s' is not a class of messages%s, and not class_bound or job_bound",
                       name, text_names(hint, sizeof(hint), name, parts));
    g->name = "weights";
    g->about = "weights that were given, of logarithms of mean slowdowns";
    g->figure = GOAL_MEANS;
    return read_number(text, 1e9, &g->weight[part], err);
}

static int set_named(struct goal *g, const char *text, struct err *err)
{
    const struct goal *known = goal_find(text);
    char               hint[200];

    if (!known)
        return err_set(err, EINVAL, "'%s' is not a goal%s", text,
                       text_names(hint, sizeof(hint), text, goal_names));
    if (g->name)
        return err_set(err, EINVAL, "'%s' and '%s': one of them", g->name, text);
    g->name = known->name;
    g->about = known->about;
    g->figure = known->figure;
    memcpy(g->weight, known->weight, sizeof(g->weight));
    return 0;
}

/* One of the parts between commas. */
static int set_term(struct goal *g, const char *text, struct err *err)
{
    const char *is = strchr(text, '=');
    char        name[64];

    if (!is)
        return set_named(g, text, err);
    snprintf(name, sizeof(name), "%.*s", (int)(is - text), text);
    if (strcmp(name, "class_bound") == 0)
        return read_number(text, BOUND_MAX, &g->class_bound, err);
    if (strcmp(name, "job_bound") == 0)
        return read_number(text, BOUND_MAX, &g->job_bound, err);
    if (g->name && strcmp(g->name, "weights") != 0)
        return err_set(err, EINVAL, "'%s' has no weights, and '%s' is not a bound", g->name, text);
    return set_weight(g, name, text, err);
}

int goal_of_text(struct goal *to, const char *text, struct err *err)
{
    struct goal made = { .class_bound = GOAL_CLASS_BOUND, .job_bound = GOAL_JOB_BOUND };
    double      sum = 0;
    char        one[64];

    while (text) {
        const char *end;
        int         rc;

        text += strspn(text, " ");
        end = strchr(text, ',');
        snprintf(one, sizeof(one), "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
        rc = set_term(&made, one, err);
        if (rc)
            return rc;
        text = end ? end + 1 : NULL;
    }
    if (!made.name)
        set_named(&made, goal_default->name, err);
    for (int i = 0; i < GOAL_PARTS; i++)
        sum += made.weight[i];
    if (!(sum > 0))
        return err_set(err, EINVAL, "all weights are 0");
    made.bound = GOAL_SEARCHED * made.class_bound;
    *to = made;
    return 0;
}

struct goal goal_without_jobs(const struct goal *g)
{
    struct goal other = goal_all[0];

    if (g->figure != GOAL_ITERATIONS)
        return *g;
    other.class_bound = g->class_bound;
    other.job_bound = g->job_bound;
    other.bound = g->bound;
    other.limit = g->limit;
    return other;
}

/* ---- jobs ---- */

double goal_iteration(const struct outcomes *p, uint32_t job)
{
    return p->job[job].iterations > 0 ? p->job[job].seconds / p->job[job].iterations : NAN;
}

static bool has_job(const struct outcomes *p, const struct outcomes *base, uint32_t job)
{
    return p->job[job].id && p->job[job].id == base->job[job].id && p->job[job].iterations > 0 &&
           base->job[job].iterations > 0;
}

bool goal_has_jobs(const struct outcomes *p, const struct outcomes *base)
{
    for (uint32_t i = 0; i < OUTCOME_JOBS; i++)
        if (has_job(p, base, i))
            return true;
    return false;
}

static double jobs_gain(const struct outcomes *p, const struct outcomes *base)
{
    double sum = 0, jobs = 0;

    for (uint32_t i = 0; i < OUTCOME_JOBS; i++)
        if (has_job(p, base, i)) {
            sum += rng_log(goal_iteration(p, i) / goal_iteration(base, i));
            jobs++;
        }
    return sum / jobs;
}

/* ---- messages ---- */

double goal_slowdown(const struct outcomes *p, enum goal_part part)
{
    double messages = 0, slowdowns = 0;

    for (int i = 0; i < PREDICT_CLASSES; i++)
        if (part == GOAL_ALL || (int)part - GOAL_MICE == i) {
            messages += p->messages[i];
            slowdowns += p->slowdowns[i];
        }
    return messages > 0 ? slowdowns / messages : NAN;
}

double goal_slowdown_of_others(const struct outcomes *p, enum goal_part part)
{
    double messages = 0, slowdowns = 0;

    for (int i = 0; i < PREDICT_CLASSES; i++)
        if (part == GOAL_ALL || (int)part - GOAL_MICE == i) {
            messages += p->messages[i] - p->job_messages[i];
            slowdowns += p->slowdowns[i] - p->job_slowdowns[i];
        }
    return messages > 0 ? slowdowns / messages : NAN;
}

static double in_bin(const struct outcomes *p, enum goal_part part, uint32_t bin)
{
    double messages = 0;

    for (int i = 0; i < PREDICT_CLASSES; i++)
        if (part == GOAL_ALL || (int)part - GOAL_MICE == i)
            messages += p->bin[i][bin];
    return messages;
}

/* Within its bin in proportion, on the scale of logarithms. */
double goal_p99(const struct outcomes *p, enum goal_part part)
{
    double all = 0, above, slower = 0;

    for (uint32_t i = 0; i < OUTCOME_BINS; i++)
        all += in_bin(p, part, i);
    above = all / 100;
    for (uint32_t i = OUTCOME_BINS; all > 0 && i-- > 0; slower += in_bin(p, part, i))
        if (slower + in_bin(p, part, i) >= above)
            return exp_of(LOG_OF_2 / 8 * (i + 1 - (above - slower) / in_bin(p, part, i)));
    return NAN;
}

double goal_speed(const struct goal *g, const struct outcomes *p)
{
    double sum = 0, weights = 0;

    for (int i = 0; i < GOAL_PARTS; i++) {
        double slowdown = goal_slowdown(p, i);

        if (g->weight[i] > 0 && !isnan(slowdown)) {
            sum += g->weight[i] * rng_log(fmax(1, slowdown));
            weights += g->weight[i];
        }
    }
    return weights > 0 ? exp_of(-sum / weights) : 0;
}

double goal_ratio(const struct outcomes *p, const struct outcomes *base, enum goal_part part)
{
    double is = goal_slowdown(p, part), was = goal_slowdown(base, part);

    return isnan(is) || isnan(was) ? 0 : rng_log(is / was);
}

static double p99_gain(const struct goal *g, const struct outcomes *p, const struct outcomes *base)
{
    enum goal_part part = GOAL_ALL;
    double         is, was;

    while (!(g->weight[part] > 0))
        part++;
    is = goal_p99(p, part);
    was = goal_p99(base, part);
    return isnan(is) || isnan(was) ? 0 : rng_log(is / was);
}

/* Where there are no messages of a part, the others decide: weights are of those there are. */
double goal_gain(const struct goal *g, const struct outcomes *p, const struct outcomes *base)
{
    double sum = 0, weights = 0;

    if (g->figure == GOAL_ITERATIONS && goal_has_jobs(p, base))
        return jobs_gain(p, base);
    if (g->figure == GOAL_P99)
        return p99_gain(g, p, base);
    for (int i = 0; i < GOAL_PARTS; i++)
        if (g->weight[i] > 0 && !isnan(goal_slowdown(p, i)) && !isnan(goal_slowdown(base, i))) {
            sum += g->weight[i] * goal_ratio(p, base, i);
            weights += g->weight[i];
        }
    return weights > 0 ? sum / weights : 0;
}

/* ---- harm ---- */

bool goal_has_party(const struct outcomes *p, const struct outcomes *base, uint32_t party)
{
    if (party >= GOAL_PARTS)
        return has_job(p, base, party - GOAL_PARTS);
    return !isnan(goal_slowdown_of_others(p, party)) && !isnan(goal_slowdown_of_others(base, party));
}

double goal_party_ratio(const struct outcomes *p, const struct outcomes *base, uint32_t party)
{
    if (!goal_has_party(p, base, party))
        return 0;
    if (party >= GOAL_PARTS)
        return rng_log(goal_iteration(p, party - GOAL_PARTS) / goal_iteration(base, party - GOAL_PARTS));
    return rng_log(goal_slowdown_of_others(p, party) / goal_slowdown_of_others(base, party));
}

double goal_harm(const struct goal *g, uint32_t party, double ratio)
{
    double limit = fmax(g->bound, g->limit);

    if (party >= GOAL_PARTS)
        return GOAL_HARM * fmax(0, ratio - GOAL_SEARCHED * g->job_bound);
    return GOAL_DEAR * fmax(0, fmin(ratio, limit) - g->bound) + GOAL_HARM * fmax(0, ratio - limit);
}

double goal_score(const struct goal *g, const struct predicted *p, const struct predicted *base)
{
    double score = goal_gain(g, &p->all, &base->all);

    if (p->is_stuck)
        return STUCK;
    for (uint32_t i = GOAL_MICE; i < GOAL_PARTIES; i++)
        score += goal_harm(g, i, goal_party_ratio(&p->all, &base->all, i));
    return score;
}
