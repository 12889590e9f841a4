#include "core/tuning_goal.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define BOUNDS .class_bound = GOAL_CLASS_BOUND, .job_bound = GOAL_JOB_BOUND, .bound = GOAL_BOUND
#define MEAN(of, words, part) \
    { .name = "mean_slowdown" of, .about = "mean slowdown of " words, .weight = { [part] = 1 }, BOUNDS }
#define P99(of, words, part) \
    { .name = "p99_slowdown" of, .about = "99th percentile of the slowdowns of " words, \
      .weight = { [part] = 1 }, .figure = GOAL_P99, BOUNDS }
#define J_WEIGHTS { [GOAL_ALL] = 0.5, [GOAL_ELEPHANTS] = 0.5 }

/* The first three are in the order of the option 'objective' of searches. */
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

/* Reads the number after '=' of a weight or a bound. */
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

static const char *const parts[] = { "all", "mice", "middle", "elephants", NULL };

static int set_weight(struct goal *g, const char *name, const char *text, struct err *err)
{
    char hint[200];
    int  part = text_index(name, parts);

    if (part < 0)
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

/* Parses one part between commas. */
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
        text += strspn(text, " ");
        const char *end = strchr(text, ',');
        snprintf(one, sizeof(one), "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
        int rc = set_term(&made, one, err);
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

char *goal_text(char buf[GOAL_TEXT_MAX], const struct goal *g)
{
    bool   is_named = strcmp(g->name, "weights") != 0;
    size_t length =
        (size_t)snprintf(buf, GOAL_TEXT_MAX, "%s%s", is_named ? g->name : "", is_named ? ", " : "");

    for (int i = 0; !is_named && parts[i]; i++)
        length += (size_t)snprintf(buf + length, GOAL_TEXT_MAX - length, "%s=%.10g, ", parts[i],
                                   g->weight[i]);
    snprintf(buf + length, GOAL_TEXT_MAX - length, "class_bound=%.10g, job_bound=%.10g", g->class_bound,
             g->job_bound);
    return buf;
}

int goal_of_option(struct goal *to, const char *text, struct err *err)
{
    struct err why;
    int        rc = goal_of_text(to, text, &why);

    return rc ? err_set(err, -rc, "--goal: %s", why.text) : 0;
}

void goal_of_node(struct reader *r, const struct yaml_node *node, struct goal *to)
{
    struct err why;

    *to = *goal_default;
    if (!node || r->rc)
        return;
    if (node->kind != YAML_SCALAR)
        reader_refuse(r, node, "a goal is one text, such as 'p99_slowdown of mice, class_bound=3%%'");
    else if (goal_of_text(to, node->text, &why))
        reader_refuse(r, node, "goal: %s", why.text);
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
