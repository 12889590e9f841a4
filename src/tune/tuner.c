/* src/tune/tuner.c - the list of tuners. */
#include "tune/tuner.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern const struct tuner_algo tuner_fixed, tuner_paraleon, tuner_naive_sa, tuner_chameleon, tuner_random,
                               tuner_cmaes, tuner_acc, tuner_rehearse;

const struct tuner_algo *const tuner_all[] = {
    &tuner_fixed, &tuner_paraleon, &tuner_naive_sa, &tuner_chameleon, &tuner_random, &tuner_cmaes,
    &tuner_acc, &tuner_rehearse, NULL
};

const struct tuner_alias tuner_aliases[] = {
    { "default", "fixed", "setting", "default", "NVIDIA's setting" },
    { "default_artifact", "fixed", "setting", "default_artifact",
      "like default, but the first CNP halves the rate" },
    { "expert", "fixed", "setting", "expert", "PARALEON's table I" },
    { "hpcc", "fixed", "setting", "hpcc", "the HPCC paper's setting for DCQCN" },
    { "bdp", "fixed", "setting", "bdp", "short queues and quick recovery, in proportion to the network" },
    { "gentle", "fixed", "setting", "gentle",
      "short queues by many small cuts, in proportion to the network" },
    { "secn0", "fixed", "setting", "secn0", "DCTCP's threshold" },
    { "secn1", "fixed", "setting", "secn1", "the DCQCN paper's thresholds" },
    { "secn2", "fixed", "setting", "secn2", "the HPCC paper's thresholds, by the speed of each port" },
    { "vendor", "fixed", "setting", "vendor", "a switch vendor's thresholds" },
    { "paraleon_published", "paraleon", "preset", "published", "PARALEON with its constants as printed" },
    { "paraleon_artifact", "paraleon", "preset", "artifact", "PARALEON as its public scripts do it" },
    { "chameleon_published", "chameleon", "preset", "published", "CHAMELEON as in its poster" },
    { NULL, NULL, NULL, NULL, NULL },
};

void tuner_list_names(const char *names[TUNER_NAMES_MAX + 1])
{
    uint32_t count = 0;

    for (int i = 0; tuner_all[i] && count < TUNER_NAMES_MAX; i++)
        names[count++] = tuner_all[i]->name;
    for (int i = 0; tuner_aliases[i].name && count < TUNER_NAMES_MAX; i++)
        names[count++] = tuner_aliases[i].name;
    names[count] = NULL;
}

const struct tuner_algo *tuner_find(const char *name, const struct tuner_alias **alias)
{
    *alias = NULL;
    for (const struct tuner_alias *a = tuner_aliases; a->name; a++)
        if (strcmp(a->name, name) == 0)
            *alias = a;
    for (int i = 0; tuner_all[i]; i++)
        if (strcmp(tuner_all[i]->name, *alias ? (*alias)->tuner : name) == 0)
            return tuner_all[i];
    return NULL;
}

/* ---- options ---- */

void tuner_values_preset(const struct tuner_algo *algo, struct option_values *v,
                         const struct tuner_preset *row, int preset)
{
    for (; row->option; row++) {
        bool *is_given = &v->is_given[key_find(algo->option, row->option) - algo->option];

        if (*is_given)
            continue;
        option_values_set(algo->option, algo->name, v, row->option, row->value[preset], NULL);
        *is_given = false;
    }
}

/* ---- a tuner that runs ---- */

const char *const tuner_phase_names[TUNER_PHASES] = {
    [TUNER_NO_PHASE] = "", [TUNER_WATCH] = "watch", [TUNER_SEARCH] = "search", [TUNER_CONFIRM] = "confirm",
    [TUNER_HOLD] = "hold", [TUNER_LEARN] = "learn", [TUNER_FROZEN] = "frozen",
};

int tuner_open(struct tuner *t, const struct tuner_algo *algo, const struct world *world,
               const struct option_values *values, struct err *err)
{
    struct option_values all = *values;          /* has no text of its own */
    int                  rc;

    *t = (struct tuner){ .algo = algo };
    if (algo->fill)
        algo->fill(&all);
    rc = algo->create(&t->state, world, &all, err);
    if (rc)
        *t = (struct tuner){ 0 };
    return rc;
}

void tuner_first(const struct tuner *t, struct knobs *knobs)
{
    if (t->algo->first)
        t->algo->first(t->state, knobs);
}

void tuner_say(struct tuner_note *note, const char *format, ...)
{
    size_t  used = strlen(note->why);
    va_list args;

    if (used > 0)
        used += (size_t)snprintf(note->why + used, sizeof note->why - used, "; ");
    if (used >= sizeof note->why)
        return;
    va_start(args, format);
    vsnprintf(note->why + used, sizeof note->why - used, format, args);
    va_end(args);
}

bool tuner_reads_messages(const struct tuner *t)
{
    const struct tuner_algo *a = t->algo;

    return a && ((a->wants_messages && a->wants_messages(t->state)) ||
                 (a->uses_messages && a->uses_messages(t->state)));
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
