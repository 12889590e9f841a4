/* src/tune/rehearse/proof/proof.c - see proof.h. */
#include "tune/rehearse/proof/proof.h"

#include <math.h>

#define INTERVAL_SDS 4.0         /* of a mean, from one end of its interval to the other */
#define WRONG_BY     0.5         /* of what the twin predicts: standard deviation */
/* standard deviations that are passed by chance in 1 of 20 cases, to one side */
#define SURE         1.645
#define NOISE_LEAST  0.03        /* of a window: what twins do not know */
#define JOB_LEAST    0.05        /* of bytes: with less, a job posts too few messages to measure its progress */

static double messages_of(const struct seen *s)
{
    struct outcomes o = seen_outcomes(s);

    return fmax(1, o.messages[PREDICT_MICE] + o.messages[PREDICT_MIDDLE] + o.messages[PREDICT_ELEPHANTS]);
}

void proof_begin(struct proof *p, struct race_gain expected, double noise, const struct seen *before,
                 double before_s)
{
    *p = (struct proof){ .expected = expected.mean, .error = (expected.high - expected.low) / INTERVAL_SDS,
                         .noise = noise, .before = *before, .before_s = before_s };
}

void proof_add(struct proof *p, const struct seen *window, double seconds)
{
    if (p->windows == PROOF_WINDOWS) {
        p->after = (struct seen){ 0 };
        p->after_s = 0;
        p->windows = 0;
    }
    seen_add(&p->after, window);
    p->after_s += seconds;
    p->windows++;
}

double proof_gain(const struct proof *p, const struct goal *g)
{
    struct outcomes is = seen_outcomes(&p->after), was = seen_outcomes(&p->before);

    return goal_gain(g, &is, &was);
}

/* Messages of this size that jobs post per second. */
static double progress_of(const struct seen *s, uint64_t bytes, double seconds)
{
    for (int i = 0; i < SEEN_JOBS; i++)
        if (s->job[i].bytes == bytes)
            return s->job[i].messages / seconds;
    return 0;
}

double proof_job_loss(const struct proof *p)
{
    double loss = 0;

    for (int i = 0; i < SEEN_JOBS; i++) {
        const struct seen_job *j = &p->before.job[i];

        if (j->messages && (double)j->bytes * j->messages >= JOB_LEAST * (double)p->before.posted_bytes)
            loss = fmax(loss, 1 - progress_of(&p->after, j->bytes, p->after_s) /
                                  progress_of(&p->before, j->bytes, p->before_s));
    }
    return loss;
}

/* Standard deviation of the hosts' measurements, before and after. */
static double chance_of(const struct proof *p)
{
    return fmax(NOISE_LEAST, p->noise) * sqrt(1 + messages_of(&p->before) / messages_of(&p->after));
}

double proof_worth(const struct proof *p, const struct goal *g)
{
    double twin = hypot(WRONG_BY * p->expected, p->error), hosts = chance_of(p);
    double trust = hosts * hosts / (twin * twin + hosts * hosts);        /* in the twin */

    return trust * p->expected + (1 - trust) * proof_gain(p, g);
}

bool proof_is_worse(const struct proof *p, const struct goal *g)
{
    return proof_worth(p, g) > 0 || proof_gain(p, g) > SURE * chance_of(p) || proof_job_loss(p) > g->job_bound;
}
