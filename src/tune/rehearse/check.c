/* src/tune/rehearse/check.c - see check.h. */
#include "tune/rehearse/check.h"
#include "tune/rehearse/goal.h"

#include <math.h>

#define SEEDS 3
#define LEAST 20                 /* messages, to be compared */

static double messages_of(const struct outcomes *o, enum goal_part part)
{
    double sum = 0;

    for (int i = 0; i < PREDICT_CLASSES; i++)
        sum += part == GOAL_ALL || (int)part - GOAL_MICE == i ? o->messages[i] : 0;
    return sum;
}

static double off_by(const struct outcomes *twin, const struct outcomes *saw)
{
    static const enum goal_part parts[] = { GOAL_ALL, GOAL_ELEPHANTS };
    double                      worst = 0;

    for (int i = 0; i < 2; i++)
        if (messages_of(saw, parts[i]) >= LEAST && messages_of(twin, parts[i]) >= LEAST) {
            double off = goal_ratio(twin, saw, parts[i]);

            worst = fabs(off) > fabs(worst) ? off : worst;
        }
    return worst;
}

int check_twin(const struct predictor *p, const struct knobs *knobs, uint64_t seed, const struct outcomes *saw, double *off,
               struct err *err)
{
    struct predict_point point[SEEDS];
    struct predicted     found[SEEDS];
    struct outcomes      sum = { 0 };
    int                  rc;

    for (uint32_t i = 0; i < SEEDS; i++)
        point[i] = (struct predict_point){ knobs, seed + i, 1, 1 };
    rc = p->run(p->arg, point, SEEDS, found, err);
    for (uint32_t i = 0; i < SEEDS && !rc; i++)
        for (int c = 0; c < PREDICT_CLASSES; c++) {
            sum.messages[c] += found[i].window.messages[c];
            sum.slowdowns[c] += found[i].window.slowdowns[c];
        }
    *off = rc ? 0 : off_by(&sum, saw);
    return rc;
}
