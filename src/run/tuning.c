/* src/run/tuning.c */
#include "run/tuning.h"
#include "base/text.h"
#include "base/json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- from the scenario to a tuner ---- */

static const char *did_you_mean(char *buf, size_t size, const char *word)
{
    const char *names[TUNER_NAMES_MAX + 1], *near;

    tuner_list_names(names);
    near = text_nearest(word, names);
    snprintf(buf, size, near ? "; did you mean '%s'?" : "; see anole list tuner", near);
    return buf;
}

static const struct option_info *first_text(const struct tuner_algo *a)
{
    const struct option_info *o = a->option;

    while (o->name && o->kind != OPTION_TEXT)
        o++;
    return o->name ? o : NULL;
}

/* "acc:FILE" is acc with FILE for its first option that is a text. */
static int set_short(const struct scenario_tuner *t, const char *text, const char *path, const struct tuner_algo *a,
                     struct option_values *v, struct err *err)
{
    const struct option_info *row = first_text(a);

    if (!row)
        return err_set(err, EINVAL, "%s%s takes nothing behind a ':'", t->place, a->name);
    return option_values_read(a->option, a->name, v,
                              &(struct option_text){ (char *)row->name, (char *)text, t->place }, path, err);
}

static int read_options(const struct scenario_tuner *t, const char *path, const struct tuner_algo **algo,
                        struct option_values *v, struct err *err)
{
    const struct tuner_alias *alias;
    const char               *colon = strchr(t->kind, ':');
    char                      near[80], kind[80];
    int                       rc = 0;

    snprintf(kind, sizeof kind, "%.*s", colon ? (int)(colon - t->kind) : 79, t->kind);
    *algo = tuner_find(kind, &alias);
    if (!*algo)
        return err_set(err, EINVAL, "%s'%.60s' is not a tuner%s", t->place, kind,
                       did_you_mean(near, sizeof near, kind));
    tuner_values_init(*algo, v);
    if (alias)
        rc = tuner_values_set(*algo, v, alias->option, alias->value, err);
    if (colon && !rc)
        rc = set_short(t, colon + 1, path, *algo, v, err);
    for (uint32_t i = 0; i < t->options && !rc; i++)
        rc = option_values_read((*algo)->option, (*algo)->name, v, &t->option[i], path, err);
    if (rc)
        option_values_fini(v);
    else
        tuner_values_fill(*algo, v);
    return rc;
}

/* The place of an option that a reason begins with, "weight_rtt: ...", or of the tuner. */
static const char *place_of(const struct scenario_tuner *t, const char *why)
{
    for (uint32_t i = 0; i < t->options; i++) {
        size_t length = strlen(t->option[i].key);

        if (strncmp(why, t->option[i].key, length) == 0 && why[length] == ':')
            return t->option[i].place;
    }
    return t->place;
}

/* Only a tuner that has slots leaves something to record. */
static int check_record(const struct scenario_tuner *t, const struct tuner_algo *a, struct err *err)
{
    if (!t->is_recorded || a->slot)
        return 0;
    return err_set(err, EINVAL, "%srecord: the tuner %.60s does not set queues slot by slot", t->record_place,
                   t->kind);
}

int tuning_open(struct tuning *g, struct tuner *tuner, const struct scenario_tuner *t, const char *path,
                const struct world *w, struct err *err)
{
    struct err why;
    int        rc;

    *g = (struct tuning){ .first = w->start };
    rc = read_options(t, path, &g->algo, &g->values, err);
    if (rc)
        return rc;
    rc = check_record(t, g->algo, err);
    if (rc) {
        tuning_fini(g);
        return rc;
    }
    rc = tuner_open(tuner, g->algo, w, &g->values, &why);
    if (rc) {
        err_set(err, -rc, "%s%s", place_of(t, why.text), why.text);
        tuning_fini(g);
        return rc;
    }
    tuner_first(tuner, &g->first);
    return 0;
}

void tuning_fini(struct tuning *g)
{
    if (g->algo)
        option_values_fini(&g->values);
    free(g->step);
    *g = (struct tuning){ 0 };
}

bool tuning_needs_bins(const struct tuning *g)
{
    for (int i = 0; g->algo->option && g->algo->option[i].name; i++)
        if (strcmp(g->algo->option[i].name, "bins") == 0)
            return strcmp(g->algo->option[i].choices[(int)g->values.value[i]], "log") == 0;
    return false;
}

bool tuning_step(struct tuning *g, struct tuner *tuner, const struct report *r, struct knobs *knobs)
{
    double              seconds = (double)(r->end_ps - r->start_ps) / (double)PS_PER_S;
    struct tuning_step *s;

    if (g->steps == g->steps_max) {
        g->steps_max = g->steps_max ? 2 * g->steps_max : 64;
        g->step = xrealloc(g->step, g->steps_max * sizeof *g->step);
    }
    s = &g->step[g->steps++];
    *s = (struct tuning_step){ .start_ps = r->start_ps, .end_ps = r->end_ps, .paused_ps = r->paused_ps, .was = *knobs };
    s->goodput_bps = (double)r->payload_bytes * 8 / seconds;
    s->rtt_us = r->rtt_samples ? (double)r->rtt_ps_sum / (double)r->rtt_samples / (double)PS_PER_US : NAN;
    tuner_step(tuner, r, knobs, &s->note);
    s->is = *knobs;
    return memcmp(&s->was, &s->is, sizeof s->was) != 0;
}

/* ---- its history ---- */

static const char *const verdict_names[] = { NULL, "accepted", "rejected", "best" };

/* Six digits say all there is to say, and the same on every machine. */
static double rounded(double x)
{
    char text[32];

    snprintf(text, sizeof text, "%.6g", x);
    return strtod(text, NULL);
}

static void set_real(json_t *o, const char *key, double x)
{
    if (isfinite(x))
        json_object_set_new(o, key, json_real(rounded(x)));
}

static void print_line(FILE *out, json_t *o)
{
    json_dumpf(o, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
    fputc('\n', out);
    json_decref(o);
}

static json_t *knobs_of(const struct knobs *is, const struct knobs *was)
{
    json_t *o = json_object();

    for (int i = 0; i < KNOB_COUNT; i++)
        if (!was || is->value[i] != was->value[i])
            set_real(o, knob_info[i].name, is->value[i]);
    return o;
}

json_t *tuning_option(const struct tuning *g, uint32_t option)
{
    const struct option_info  *o = &g->algo->option[option];
    double                     value = g->values.value[option];

    switch (o->kind) {
    case OPTION_YES:    return json_string(value != 0 ? "yes" : "no");
    case OPTION_CHOICE: return json_string(o->choices[(int)value]);
    case OPTION_TEXT:   return json_of_text(g->values.text[option] ? g->values.text[option] : "");
    case OPTION_REAL:
    case OPTION_COUNT:  break;
    }
    return json_real(rounded(value));
}

static void print_head(const struct tuning *g, FILE *out)
{
    const struct option_info  *option = g->algo->option;
    json_t                    *o = json_object(), *options = json_object();

    for (uint32_t i = 0; option && option[i].name; i++)
        json_object_set_new(options, option[i].name, tuning_option(g, i));
    json_object_set_new(o, "tuner", json_string(g->algo->name));
    json_object_set_new(o, "options", options);
    json_object_set_new(o, "knobs", knobs_of(&g->first, NULL));
    print_line(out, o);
}

static void print_step(const struct tuning_step *s, FILE *out)
{
    const struct tuner_note *n = &s->note;
    json_t                  *o = json_object();

    set_real(o, "start_us", (double)s->start_ps / (double)PS_PER_US);
    set_real(o, "end_us", (double)s->end_ps / (double)PS_PER_US);
    json_object_set_new(o, "phase", json_string(n->phase ? n->phase : ""));
    set_real(o, "goodput_gbps", s->goodput_bps / 1e9);
    set_real(o, "rtt_us", s->rtt_us);
    set_real(o, "paused_us", (double)s->paused_ps / (double)PS_PER_US);
    set_real(o, "utility", n->utility);
    set_real(o, "utility_throughput", n->throughput);
    set_real(o, "utility_rtt", n->rtt);
    set_real(o, "utility_pfc", n->pfc);
    set_real(o, "divergence", n->divergence);
    set_real(o, "elephants", n->elephants);
    set_real(o, "temperature", n->temperature);
    if (n->verdict != TUNER_NO_VERDICT)
        json_object_set_new(o, "verdict", json_string(verdict_names[n->verdict]));
    json_object_set_new(o, "why", json_string(n->why));
    json_object_set_new(o, "set", knobs_of(&s->is, &s->was));
    print_line(out, o);
}

void tuning_print(const struct tuning *g, FILE *out)
{
    print_head(g, out);
    for (uint32_t i = 0; i < g->steps; i++)
        print_step(&g->step[i], out);
}
