#include "tune/contest.h"
#include "base/minmax.h"
#include "tune/rehearse/search/tune_goal.h"

#include <math.h>
#include <stdio.h>

#define PAIR_SD     0.1          /* assumed for differences of blocks; a wrong value only costs time */
#define PAIR_E      20.0         /* evidence that decides: at most 1 in 20 is wrong */
#define PAIRS_LEAST 4            /* before B is given up */
#define BURN_IN_MAX 8            /* intervals: if messages take longer, blocks cannot tell settings apart */
#define JOBS_SHARE  0.5          /* of bytes: above it the progress of jobs is compared */
#define LARGE_SHARE 0.05         /* of bytes: below it a job posts too few messages to measure its progress */

/* Intervals that still show messages of the previous block: twice as long as those of a class take. */
static uint32_t burn_in_of(const struct seen *s, uint32_t intervals, int class)
{
    double took = s->waiting[class].messages * intervals / fmax(1, s->done[class].messages);

    return (uint32_t)fmin(BURN_IN_MAX + 1, fmax(1, ceil(2 * took)));
}

/* Outcomes without the messages that blocks cannot tell apart. */
static struct outcomes comparable(const struct contest *c, const struct seen *seen)
{
    struct outcomes o = seen_outcomes(seen);

    if (c->is_by_rate)
        o.messages[PREDICT_ELEPHANTS] = o.slowdowns[PREDICT_ELEPHANTS] = 0;
    return o;
}

static uint32_t longest_burn_in(const struct seen *s, uint32_t intervals, bool has_elephants)
{
    uint32_t longest = 1;

    for (int class = 0; class < PREDICT_CLASSES; class++)
        if (class != PREDICT_ELEPHANTS || has_elephants)
            longest = max_u32(longest, burn_in_of(s, intervals, class));
    return longest;
}

bool contest_is_possible(const struct seen *window, uint32_t intervals)
{
    return longest_burn_in(window, intervals, true) <= BURN_IN_MAX;
}

bool contest_is_of_jobs(const struct seen *s)
{
    double bytes = 0;

    for (int i = 0; i < SEEN_JOBS; i++)
        bytes += (double)s->job[i].bytes * s->job[i].messages;
    return bytes > JOBS_SHARE * (double)s->posted_bytes;
}

static void find_jobs(struct contest *c, const struct seen *window, uint32_t intervals)
{
    for (int i = 0; i < SEEN_JOBS; i++) {
        const struct seen_job *j = &window->job[i];

        c->job[i] = (struct contest_job){ .bytes = j->messages ? j->bytes : 0,
                                          .before = (double)j->messages / intervals,
                                          .posted_ever = { [ARM_A] = j->messages },
                                          .is_large = (double)j->bytes * j->messages >
                                                      LARGE_SHARE * (double)window->posted_bytes };
    }
    c->counted[ARM_A] = c->counted[ARM_B] = c->ran[ARM_B] = 0;
    c->ran[ARM_A] = intervals;
    c->is_of_jobs = contest_is_of_jobs(window);
}

bool contest_begin(struct contest *c, const struct contest_rule *rule, const struct goal *goal,
                   const struct seen *window, uint32_t intervals, uint64_t seed)
{
    uint32_t burn_in;

    c->is_by_rate = rule->is_rate_enough && burn_in_of(window, intervals, PREDICT_ELEPHANTS) > BURN_IN_MAX;
    burn_in = longest_burn_in(window, intervals, !c->is_by_rate);
    if (c->is_by_rate)
        burn_in = max_u32(burn_in, BURN_IN_MAX);     /* rates of pairs that always send change slowly */
    if (burn_in > BURN_IN_MAX)
        return false;
    c->rule = *rule;
    c->goal = *goal;
    c->before = comparable(c, window);
    c->intervals = 0;
    find_jobs(c, window, intervals);
    pairing_init(&c->pairing, 2 * burn_in, burn_in, seed);
    evalue_init(&c->evalue, PAIR_SD);
    return true;
}

bool contest_is_b(const struct contest *c)
{
    return pairing_arm(&c->pairing) == ARM_B;
}

/* The largest share of its progress that a job loses with B; 0: none loses. */
static double job_loss(const struct contest *c)
{
    double loss = 0;

    for (int i = 0; i < SEEN_JOBS && c->counted[ARM_A] && c->counted[ARM_B]; i++) {
        const struct contest_job *j = &c->job[i];
        double                    a = j->posted[ARM_A] / c->counted[ARM_A];

        if (j->bytes && a > 0)
            loss = fmax(loss, 1 - j->posted[ARM_B] / c->counted[ARM_B] / a);
    }
    return loss;
}

double contest_job_cost(const struct contest *c)
{
    double cost = 0;

    for (const struct contest_job *j = c->job; j < c->job + SEEN_JOBS; j++)
        if (j->is_large)
            cost = fmax(cost, c->ran[ARM_B] - j->posted_ever[ARM_B] * c->ran[ARM_A] / j->posted_ever[ARM_A]);
    return cost;
}

bool contest_has_jobs(const struct contest *c)
{
    for (int i = 0; i < SEEN_JOBS; i++)
        if (c->job[i].is_large)
            return true;
    return false;
}

static double posted_by(const struct contest_job *j, const struct seen *seen)
{
    for (int i = 0; i < SEEN_JOBS; i++)
        if (seen->job[i].bytes == j->bytes)
            return seen->job[i].messages;
    return 0;
}

/* Adds the progress of an interval. Returns its mean over jobs, relative to that before the contest. */
static double progress_of(struct contest *c, const struct seen *seen)
{
    enum arm arm = pairing_arm(&c->pairing);
    bool     is_counted = c->pairing.interval >= c->pairing.burn_in;
    double   sum = 0, jobs = 0;

    c->counted[arm] += is_counted;
    c->ran[arm]++;
    for (int i = 0; i < SEEN_JOBS; i++)
        if (c->job[i].bytes) {
            double posted = posted_by(&c->job[i], seen);

            if (is_counted)
                c->job[i].posted[arm] += posted;
            c->job[i].posted_ever[arm] += posted;
            sum += posted / c->job[i].before;
            jobs++;
        }
    return sum / jobs;
}

/* Higher is better; NAN: no message ended or waited. */
static double value_of(struct contest *c, const struct seen *seen, double payload_bytes)
{
    const double   *weight = c->goal.weight;
    struct outcomes is;
    double          gain, progress;

    if (!seen)
        return NAN;
    progress = progress_of(c, seen);
    if (c->is_of_jobs)
        return progress;
    is = comparable(c, seen);
    if (isnan(goal_slowdown(&is, GOAL_ALL)))
        return NAN;
    gain = -goal_gain(&c->goal, &is, &c->before);
    if (!c->is_by_rate)
        return gain;
    return (1 - weight[GOAL_ELEPHANTS]) * gain + weight[GOAL_ELEPHANTS] * log(fmax(1, payload_bytes));
}

static bool is_better_in_the_end(const struct contest *c)
{
    const struct evalue *e = &c->evalue;
    double               gain = evalue_gain(e), n = e->pairs;
    double               variance = n > 1 ? (e->squares / n - gain * gain) / (n - 1) : INFINITY;

    return c->rule.is_lenient && gain > 0 && gain > sqrt(fmax(variance, 0));
}

static bool harms_jobs(const struct contest *c)
{
    return job_loss(c) > c->goal.job_bound;
}

enum contest_verdict contest_add(struct contest *c, const struct seen *seen, double payload_bytes)
{
    const struct evalue *e = &c->evalue;
    bool                 is_end_of_pair = ++c->intervals % (2 * c->pairing.length) == 0;
    uint32_t             tried = c->intervals / (2 * c->pairing.length);
    double               d;

    if (pairing_add(&c->pairing, value_of(c, seen, payload_bytes), &d))
        evalue_add(&c->evalue, d);
    if (c->rule.job_cost_max > 0 && contest_job_cost(c) > c->rule.job_cost_max)
        return CONTEST_A;
    if (!is_end_of_pair)
        return CONTEST_ON;
    if (evalue_above(e, 0) >= PAIR_E && !harms_jobs(c))
        return CONTEST_B;
    if (c->rule.harm_max > 0 && fmax(-e->sum, job_loss(c) * e->pairs) > c->rule.harm_max)
        return CONTEST_A;
    if (tried >= c->rule.pairs)
        return is_better_in_the_end(c) && !harms_jobs(c) ? CONTEST_B : CONTEST_A;
    return tried >= PAIRS_LEAST && evalue_gain(e) <= 0 ? CONTEST_A : CONTEST_ON;
}

const char *contest_text(const struct contest *c, char buf[CONTEST_TEXT])
{
    double gain = evalue_gain(&c->evalue), percent = c->is_of_jobs ? 100 * gain : 100 * (1 - exp(-gain));
    int    length = snprintf(buf, CONTEST_TEXT, "in %u pairs of blocks %s are %.1f %% %s", c->evalue.pairs,
                             c->is_of_jobs ? "jobs" : "messages", fabs(percent),
                             gain > 0 ? "faster" : "slower");

    if (harms_jobs(c))
        snprintf(buf + length, CONTEST_TEXT - (size_t)length, ", and one job is %.1f %% slower,",
                 100 * job_loss(c));
    return buf;
}
