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

const struct goal goal_all[] = {
    { "balanced", "mice and elephants alike: sqrt(mean slowdown x mean slowdown of messages from 1 MB)",
      { [GOAL_ALL] = 0.5, [GOAL_ELEPHANTS] = 0.5 }, GOAL_BOUND, 0 },
    { "latency", "small messages first: those under 120 KB count most",
      { [GOAL_ALL] = 0.2, [GOAL_MICE] = 0.6, [GOAL_ELEPHANTS] = 0.2 }, GOAL_BOUND, 0 },
    { "throughput", "large messages first, as of training and backups: those from 1 MB count most",
      { [GOAL_ALL] = 0.2, [GOAL_ELEPHANTS] = 0.8 }, GOAL_BOUND, 0 },
    { NULL, NULL, { 0 }, 0, 0 },
};

const char *const goal_names[] = { "balanced", "latency", "throughput", NULL };

const struct goal *goal_find(const char *name)
{
    for (const struct goal *g = goal_all; g->name; g++)
        if (strcmp(g->name, name) == 0)
            return g;
    return NULL;
}

static int set_weight(struct goal *g, const char *text, struct err *err)
{
    static const char *const parts[] = { "all", "mice", "middle", "elephants", NULL };
    const char              *is = strchr(text, '=');
    char                     name[32], hint[200];
    double                   weight;
    int                      part = 0, rc;

    snprintf(name, sizeof(name), "%.*s", is ? (int)(is - text) : (int)strlen(text), text);
    while (parts[part] && strcmp(parts[part], name) != 0)
        part++;
    if (!is)
        return err_set(err, EINVAL, "'%s' is not a goal%s", text,
                       text_names(hint, sizeof(hint), text, goal_names));
    if (!parts[part])
        return err_set(err, EINVAL, "'%s' is not a class of messages%s", name,
                       text_names(hint, sizeof(hint), name, parts));
    rc = text_to_real(is + 1, &weight, err);
    if (rc)
        return rc;
    g->weight[part] = weight;
    return 0;
}

void goal_set_weights(struct goal *g, const double *weight)
{
    double sum = 0;

    for (int i = 0; i < GOAL_PARTS; i++)
        sum += weight[i];
    if (!(sum > 0))
        return;
    g->name = "weights";
    g->about = "weights that were given, of logarithms of mean slowdowns";
    memmove(g->weight, weight, sizeof(g->weight));
}

int goal_of_text(struct goal *to, const char *text, struct err *err)
{
    const struct goal *known = goal_find(text);
    struct goal        made = { .bound = GOAL_BOUND };
    char               one[64];

    if (known) {
        *to = *known;
        return 0;
    }
    while (text) {
        const char *end = strchr(text, ',');
        int         rc;

        snprintf(one, sizeof(one), "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
        rc = set_weight(&made, one, err);
        if (rc)
            return rc;
        text = end ? end + 1 : NULL;
    }
    goal_set_weights(&made, made.weight);
    if (!made.name)
        return err_set(err, EINVAL, "all weights are 0");
    *to = made;
    return 0;
}

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

/* Where there are no messages of a part, the others decide: weights are of those there are. */
double goal_gain(const struct goal *g, const struct outcomes *p, const struct outcomes *base)
{
    double sum = 0, weights = 0;

    for (int i = 0; i < GOAL_PARTS; i++)
        if (g->weight[i] > 0 && !isnan(goal_slowdown(p, i)) && !isnan(goal_slowdown(base, i))) {
            sum += g->weight[i] * goal_ratio(p, base, i);
            weights += g->weight[i];
        }
    return weights > 0 ? sum / weights : 0;
}

double goal_harm(const struct goal *g, double ratio)
{
    double limit = fmax(g->bound, g->limit);

    return GOAL_DEAR * fmax(0, fmin(ratio, limit) - g->bound) + GOAL_HARM * fmax(0, ratio - limit);
}

double goal_score(const struct goal *g, const struct predicted *p, const struct predicted *base)
{
    double score = goal_gain(g, &p->all, &base->all);

    if (p->is_stuck)
        return STUCK;
    for (int i = GOAL_MICE; i < GOAL_PARTS; i++)
        score += goal_harm(g, goal_ratio(&p->all, &base->all, i));
    return score;
}
