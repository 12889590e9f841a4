/* src/tune/tuner.c - the list of tuners, and options as people write them. */
#include "tune/tuner.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct tuner_algo tuner_fixed, tuner_paraleon, tuner_naive_sa, tuner_chameleon, tuner_random,
                               tuner_cmaes, tuner_nlopt, tuner_acc;

const struct tuner_algo *const tuner_all[] = {
    &tuner_fixed, &tuner_paraleon, &tuner_naive_sa, &tuner_chameleon, &tuner_random, &tuner_cmaes,
    &tuner_nlopt, &tuner_acc, NULL
};

const struct tuner_alias tuner_aliases[] = {
    { "default", "fixed", "setting", "default", "NVIDIA's setting" },
    { "default_artifact", "fixed", "setting", "default_artifact", "so, but the first CNP halves the rate" },
    { "expert", "fixed", "setting", "expert", "PARALEON's table I" },
    { "hpcc", "fixed", "setting", "hpcc", "the HPCC paper's setting for DCQCN" },
    { "bdp", "fixed", "setting", "bdp", "short queues and quick recovery, in proportion to the network" },
    { "secn0", "fixed", "setting", "secn0", "DCTCP's threshold" },
    { "secn1", "fixed", "setting", "secn1", "the DCQCN paper's thresholds" },
    { "secn2", "fixed", "setting", "secn2", "the HPCC paper's thresholds, by the speed of each port" },
    { "vendor", "fixed", "setting", "vendor", "a switch vendor's thresholds" },
    { "paraleon_published", "paraleon", "preset", "published", "PARALEON with its constants as printed" },
    { "paraleon_artifact", "paraleon", "preset", "artifact", "PARALEON as its public scripts do it" },
    { NULL, NULL, NULL, NULL, NULL },
};

const char *const tuner_names[] = {
    "fixed", "paraleon", "naive_sa", "chameleon", "random", "cmaes", "nlopt", "acc",
    "default", "default_artifact", "expert", "hpcc", "bdp", "secn0", "secn1", "secn2", "vendor",
    "paraleon_published", "paraleon_artifact", NULL
};

static const struct tuner_algo *find_algo(const char *name)
{
    for (int i = 0; tuner_all[i]; i++)
        if (strcmp(tuner_all[i]->name, name) == 0)
            return tuner_all[i];
    return NULL;
}

const struct tuner_algo *tuner_find(const char *name, const struct tuner_alias **alias)
{
    *alias = NULL;
    for (const struct tuner_alias *a = tuner_aliases; a->name; a++) {
        if (strcmp(a->name, name) != 0)
            continue;
        *alias = a;
        return find_algo(a->tuner);
    }
    return find_algo(name);
}

/* ---- options ---- */

static bool is_last(const struct tuner_option *o)
{
    return o->name == NULL;
}

void tuner_values_init(const struct tuner_algo *algo, struct tuner_values *v)
{
    *v = (struct tuner_values){ 0 };
    for (int i = 0; !is_last(&algo->option[i]); i++) {
        v->value[i] = algo->option[i].initial;
        v->text[i] = algo->option[i].kind == OPTION_TEXT ? xstrdup(algo->option[i].text) : NULL;
    }
}

void tuner_values_fini(struct tuner_values *v)
{
    for (int i = 0; i < TUNER_OPTIONS_MAX; i++)
        free(v->text[i]);
    *v = (struct tuner_values){ 0 };
}

static int refuse_name(const struct tuner_algo *algo, const char *name, struct err *err)
{
    const char *names[TUNER_OPTIONS_MAX + 1] = { NULL };
    const char *near;

    for (int i = 0; !is_last(&algo->option[i]); i++)
        names[i] = algo->option[i].name;
    near = text_nearest(name, names);
    return err_set(err, EINVAL, "'%.60s' is not an option of %s%s%s%s", name, algo->name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* "a, b or c" */
static void list_choices(const char *const *choice, char *buf, size_t size)
{
    size_t used = 0;

    buf[0] = '\0';
    for (int i = 0; choice[i] && used < size; i++) {
        const char *between = i == 0 ? "" : choice[i + 1] ? ", " : " or ";

        used += (size_t)snprintf(buf + used, size - used, "%s%s", between, choice[i]);
    }
}

static int parse_choice(const struct tuner_option *o, const char *text, double *value, struct err *err)
{
    const char *near = text_nearest(text, o->choices);
    char        list[160];

    for (int i = 0; o->choices[i]; i++) {
        if (strcmp(o->choices[i], text) != 0)
            continue;
        *value = i;
        return 0;
    }
    list_choices(o->choices, list, sizeof list);
    return err_set(err, EINVAL, "'%s' must be %s, not '%.60s'%s%s%s", o->name, list, text,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int parse_yes(const struct tuner_option *o, const char *text, double *value, struct err *err)
{
    int yes;

    if (text_to_bool(text, &yes, NULL))
        return err_set(err, EINVAL, "'%s' must be yes or no, not '%.60s'", o->name, text);
    *value = yes;
    return 0;
}

static int parse_number(const struct tuner_option *o, const char *text, double *value, struct err *err)
{
    bool   is_count = o->kind == OPTION_COUNT;
    double number = 0;
    int    rc = text_to_real(text, &number, NULL);

    if (!rc && (number < o->min || number > o->max))
        rc = -ERANGE;
    else if (!rc && is_count && number != (double)(uint64_t)number)
        rc = -EINVAL;
    if (rc)
        return err_set(err, -rc, "'%s' must be %s %.10g .. %.10g, not '%.60s'", o->name,
                       is_count ? "a whole number" : "a number", o->min, o->max, text);
    *value = number;
    return 0;
}

static int parse(const struct tuner_option *o, const char *text, double *value, struct err *err)
{
    switch (o->kind) {
    case OPTION_CHOICE: return parse_choice(o, text, value, err);
    case OPTION_YES:    return parse_yes(o, text, value, err);
    case OPTION_REAL:
    case OPTION_COUNT:  return parse_number(o, text, value, err);
    case OPTION_TEXT:   break;
    }
    return *text ? 0 : err_set(err, EINVAL, "'%s' must not be empty", o->name);
}

int tuner_values_set(const struct tuner_algo *algo, struct tuner_values *v, const char *name,
                     const char *text, struct err *err)
{
    const struct tuner_option *o = algo->option;
    int i = 0, rc;

    while (!is_last(&o[i]) && strcmp(o[i].name, name) != 0)
        i++;
    if (is_last(&o[i]))
        return refuse_name(algo, name, err);
    rc = parse(&o[i], text, &v->value[i], err);
    if (rc)
        return rc;
    if (o[i].kind == OPTION_TEXT) {
        free(v->text[i]);
        v->text[i] = xstrdup(text);
    }
    v->is_given[i] = true;
    return 0;
}

void tuner_values_fill(const struct tuner_algo *algo, struct tuner_values *v)
{
    if (algo->fill)
        algo->fill(v);
}

/* ---- a tuner that runs ---- */

int tuner_open(struct tuner *t, const struct tuner_algo *algo, const struct tuner_world *world,
               const struct tuner_values *values, struct err *err)
{
    int rc;

    *t = (struct tuner){ .algo = algo };
    rc = algo->create(&t->state, world, values, err);
    if (rc)
        *t = (struct tuner){ 0 };
    return rc;
}

void tuner_first(const struct tuner *t, struct knobs *knobs)
{
    if (t->algo->first)
        t->algo->first(t->state, knobs);
}

void tuner_close(struct tuner *t)
{
    if (t->algo)
        t->algo->destroy(t->state);
    *t = (struct tuner){ 0 };
}

void tuner_step(struct tuner *t, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    *note = (struct tuner_note){
        .utility = (double)NAN, .throughput = (double)NAN, .rtt = (double)NAN, .pfc = (double)NAN,
        .divergence = (double)NAN, .elephants = (double)NAN, .temperature = (double)NAN,
    };
    t->algo->step(t->state, r, knobs, note);
}
