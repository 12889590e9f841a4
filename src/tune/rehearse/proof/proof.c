/* src/tune/rehearse/proof/proof.c - see proof.h. */
#include "tune/rehearse/proof/proof.h"

#include <math.h>

#define INTERVAL_SDS 4.0         /* of a mean, from one end of its interval to the other */
#define WRONG_BY     0.5         /* of what the twin predicts: standard deviation */
/* standard deviations that are passed by chance in 1 of 20 cases, to one side */
#define SURE         1.645
#define NOISE_LEAST  0.03        /* of a window: what twins do not know */

static double messages_of(const struct seen *s)
{
    struct outcomes o = seen_outcomes(s);

    return fmax(1, o.messages[PREDICT_MICE] + o.messages[PREDICT_MIDDLE] + o.messages[PREDICT_ELEPHANTS]);
}

void proof_begin(struct proof *p, struct race_gain expected, double noise, const struct seen *before)
{
    *p = (struct proof){ .expected = expected.mean, .error = (expected.high - expected.low) / INTERVAL_SDS,
                         .noise = noise, .before = *before };
}

void proof_add(struct proof *p, const struct seen *window)
{
    if (p->windows == PROOF_WINDOWS) {
        p->after = (struct seen){ 0 };
        p->windows = 0;
    }
    seen_add(&p->after, window);
    p->windows++;
}

double proof_gain(const struct proof *p, const struct goal *g)
{
    struct outcomes is = seen_outcomes(&p->after), was = seen_outcomes(&p->before);

    return goal_gain(g, &is, &was);
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
    return proof_worth(p, g) > 0 || proof_gain(p, g) > SURE * chance_of(p);
}
