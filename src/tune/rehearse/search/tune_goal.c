#include "tune/rehearse/search/tune_goal.h"
#include "base/rng.h"
#include "tune/exp.h"

#include <math.h>

#define STUCK 100.0              /* a score that no working setting has */
#define LOG_OF_2 0.69314718055994530942

double goal_iteration(const struct outcomes *p, uint32_t job)
{
    return p->job[job].iterations > 0 ? p->job[job].seconds / p->job[job].iterations : NAN;
}

/* ---- messages ---- */

static bool is_in(int class, enum goal_part part)
{
    return part == GOAL_ALL || (int)part - GOAL_MICE == class;
}

double goal_messages(const struct outcomes *p, enum goal_part part)
{
    double messages = 0;

    for (int i = 0; i < PREDICT_CLASSES; i++)
        messages += is_in(i, part) ? p->messages[i] : 0;
    return messages;
}

static double mean_slowdown(const struct outcomes *p, enum goal_part part, bool has_jobs)
{
    double messages = 0, slowdowns = 0;

    for (int i = 0; i < PREDICT_CLASSES; i++)
        if (is_in(i, part)) {
            messages += p->messages[i] - (has_jobs ? 0 : p->job_messages[i]);
            slowdowns += p->slowdowns[i] - (has_jobs ? 0 : p->job_slowdowns[i]);
        }
    return messages > 0 ? slowdowns / messages : NAN;
}

double goal_slowdown(const struct outcomes *p, enum goal_part part)
{
    return mean_slowdown(p, part, true);
}

static double in_bin(const struct outcomes *p, enum goal_part part, uint32_t bin)
{
    double messages = 0;

    for (int i = 0; i < PREDICT_CLASSES; i++)
        messages += is_in(i, part) ? p->bin[i][bin] : 0;
    return messages;
}

/* Interpolates within a bin, on a logarithmic scale. */
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

static double log_ratio(double is, double was)
{
    return isnan(is) || isnan(was) ? 0 : rng_log(is / was);
}

double goal_ratio(const struct outcomes *p, const struct outcomes *base, enum goal_part part)
{
    return log_ratio(goal_slowdown(p, part), goal_slowdown(base, part));
}

static double p99_gain(const struct goal *g, const struct outcomes *p, const struct outcomes *base)
{
    enum goal_part part = GOAL_ALL;

    while (!(g->weight[part] > 0))
        part++;
    return log_ratio(goal_p99(p, part), goal_p99(base, part));
}

bool goal_has_jobs(const struct outcomes *p, const struct outcomes *base)
{
    for (uint32_t i = GOAL_PARTS; i < GOAL_LOOPS; i++)
        if (goal_has_party(p, base, i))
            return true;
    return false;
}

static double jobs_gain(const struct outcomes *p, const struct outcomes *base)
{
    double sum = 0, jobs = 0;

    for (uint32_t i = GOAL_PARTS; i < GOAL_LOOPS; i++)
        if (goal_has_party(p, base, i)) {
            sum += goal_party_ratio(p, base, i);
            jobs++;
        }
    return sum / jobs;
}

/* Parts without messages do not count. */
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

/* The mean slowdown of a class outside jobs, or the time per iteration of a job or per byte of a loop; NAN:
 * none. '*id' tells jobs and loops apart; 0: there is no such job or loop. */
static double value_of(const struct outcomes *p, uint32_t party, uint64_t *id)
{
    const struct outcome_loop *loop;

    *id = 1;
    if (party < GOAL_PARTS)
        return mean_slowdown(p, party, false);
    if (party < GOAL_LOOPS) {
        *id = p->job[party - GOAL_PARTS].id;
        return goal_iteration(p, party - GOAL_PARTS);
    }
    loop = &p->loop[party - GOAL_LOOPS];
    *id = loop->id;
    return loop->bytes > 0 ? loop->seconds / loop->bytes : NAN;
}

/* NAN: one of both does not have the party. */
static double party_times(const struct outcomes *p, const struct outcomes *base, uint32_t party)
{
    uint64_t id, other;
    double   times = value_of(p, party, &id) / value_of(base, party, &other);

    return id && id == other ? times : NAN;
}

bool goal_has_party(const struct outcomes *p, const struct outcomes *base, uint32_t party)
{
    return !isnan(party_times(p, base, party));
}

double goal_party_ratio(const struct outcomes *p, const struct outcomes *base, uint32_t party)
{
    return goal_has_party(p, base, party) ? rng_log(party_times(p, base, party)) : 0;
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
