#include "tune/rehearse/proof/proof.h"

#include <math.h>

#define INTERVAL_SDS 4.0         /* width of a 95 % interval, in standard errors */
#define WRONG_BY     0.5         /* standard deviation of a twin's error, as a share of its prediction */
#define SURE         1.645       /* standard deviations, for 95 % to one side */
#define NOISE_LEAST  0.03        /* of a window: more than twins show */

static double messages_of(const struct seen *s)
{
    struct outcomes o = seen_outcomes(s);

    return fmax(1, goal_messages(&o, GOAL_ALL));
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

/* ---- is the twin right? ---- */

#define SEEDS      5
#define LEAST      20            /* messages, to be compared */
#define CHANCE_MAX 1.0           /* most noise that is excused, in trusted errors */
#define SCALE_MAX  4.0           /* most messages of a twin's draw per message of hosts; least: 1 / 16 */

static void add(struct outcomes *to, const struct outcomes *o)
{
    for (int c = 0; c < PREDICT_CLASSES; c++) {
        to->messages[c] += o->messages[c];
        to->slowdowns[c] += o->slowdowns[c];
    }
}

/* Standard deviation of logarithms over draws. */
static double spread_of(const double *log, uint32_t count)
{
    double sum = 0, squares = 0;

    for (uint32_t i = 0; i < count; i++) {
        sum += log[i];
        squares += log[i] * log[i];
    }
    return count < 2 ? 0 : sqrt(fmax(0, squares - sum * sum / count) / (count - 1));
}

/* The noise of what hosts saw over that of a draw of the twin, by the number of messages in each. */
static double scale(const struct outcomes *twin, const struct outcomes *saw, enum goal_part part)
{
    double ratio = goal_messages(twin, part) / SEEDS / fmax(1, goal_messages(saw, part));

    return sqrt(fmin(SCALE_MAX, fmax(1 / SCALE_MAX / SCALE_MAX, ratio)));
}

static void look_at(struct twin_check *c, const struct predicted *found, const struct outcomes *twin,
                    const struct outcomes *saw, enum goal_part part)
{
    double log[SEEDS], spread, chance, off = goal_ratio(twin, saw, part);

    if (goal_messages(saw, part) < LEAST || goal_messages(twin, part) < LEAST)
        return;
    for (uint32_t i = 0; i < SEEDS; i++)
        log[i] = goal_ratio(&found[i].window, twin, part);
    spread = spread_of(log, SEEDS);
    chance = race_t95(SEEDS) * spread * hypot(scale(twin, saw, part), sqrt(1.0 / SEEDS));
    if (fabs(off) - chance > fabs(c->off) - c->chance || c->off == 0) {
        c->off = off;
        c->chance = chance;
    }
}

static double noise_of(const struct goal *g, const struct predicted *found, const struct outcomes *twin,
                       const struct outcomes *saw)
{
    double log[SEEDS];

    for (uint32_t i = 0; i < SEEDS; i++)
        log[i] = goal_gain(g, &found[i].window, twin);
    return spread_of(log, SEEDS) * scale(twin, saw, GOAL_ALL);
}

int check_twin(struct twin_check *c, const struct predictor *p, const struct goal *g,
               const struct knobs *knobs, uint64_t seed, const struct outcomes *saw, struct err *err)
{
    struct predict_point point[SEEDS];
    struct predicted     found[SEEDS];
    struct outcomes      sum = { 0 };
    int                  rc;

    *c = (struct twin_check){ 0 };
    for (uint32_t i = 0; i < SEEDS; i++)
        point[i] = (struct predict_point){ knobs, seed + i, 1, 1 };
    rc = p->run(p->arg, point, SEEDS, found, err);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < SEEDS; i++)
        add(&sum, &found[i].window);
    look_at(c, found, &sum, saw, GOAL_ALL);
    look_at(c, found, &sum, saw, GOAL_ELEPHANTS);
    c->noise = noise_of(g, found, &sum, saw);
    return 0;
}

bool check_is_right(const struct twin_check *c, double trust)
{
    return fabs(c->off) <= trust + fmin(c->chance, CHANCE_MAX * trust);
}
