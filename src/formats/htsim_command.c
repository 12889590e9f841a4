/* src/formats/htsim_command.c - a command line of htsim_uec, the main program of uet-htsim. */
#include "formats/htsim.h"

#include "base/text.h"
#include "base/tokens.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_BYTES_MAX (1ul << 20)

/* How the words of an option become the value of a key. */
enum value {
    FLAG_YES, FLAG_NO,           /* no words: "yes", "no" */
    COUNT, REAL, WORD,           /* as it is */
    MICROSECONDS,                /* a real number, truncated to ps */
    WHOLE_MICROSECONDS,
    MEGABITS,                    /* per second, a real number */
    SEED, MATRIX, TOPOLOGY, NODES, ECN, GATE,
    CONTROL,                     /* flags that act in the order in which they are given: see read_control() */
    ALGORITHM,
    IGNORED_FLAG, IGNORED,       /* logs */
    NOT_MODELLED,
};

static const struct option { const char *name, *key; enum value value; } options[] = {
    { "-tm", NULL, MATRIX },
    { "-topo", NULL, TOPOLOGY },
    { "-seed", NULL, SEED },
    { "-nodes", NULL, NODES },
    { "-end", "end", WHOLE_MICROSECONDS },
    { "-tiers", "tiers", COUNT },
    { "-linkspeed", "linkspeed", MEGABITS },
    { "-mtu", "mtu", COUNT },
    { "-hop_latency", "hop_latency", MICROSECONDS },
    { "-switch_latency", "switch_latency", MICROSECONDS },
    { "-paths", "paths", COUNT },
    { "-load_balancing_algo", "load_balancing", WORD },
    { "-strat", "strat", WORD },
    { "-q", "q", COUNT },
    { "-queue_size_bdp_factor", "queue_bdp_factor", COUNT },
    { "-ecn", NULL, ECN },
    { "-trimsize", "trim_size", COUNT },
    { "-disable_trim", "trim", FLAG_NO },
    { "-sack_threshold", "sack_threshold", COUNT },
    { "-cwnd", "cwnd", COUNT },
    { "-target_q_delay", "target_q_delay", MICROSECONDS },
    { "-qa_gate", "qa_gate", GATE },
    { "-failed", "failed", COUNT },
    { "-sleek", "sleek", FLAG_YES },
    { "-enable_accurate_base_rtt", "accurate_base_rtt", FLAG_YES },
    { "-disable_base_rtt_update_on_nack", "base_rtt_on_nack", FLAG_NO },
    { "-Ai", "over_ai", REAL },
    { "-Md", "over_md", REAL },
    { "-alpha", "over_alpha", REAL },
    { "-sender_cc", NULL, CONTROL },
    { "-sender_cc_only", NULL, CONTROL },
    { "-receiver_cc", NULL, CONTROL },
    { "-receiver_cc_only", NULL, CONTROL },
    { "-oversubscribed_cc", NULL, CONTROL },
    { "-force_disable_oversubscribed_cc", NULL, CONTROL },
    { "-sender_cc_algo", "window", ALGORITHM },
    { "-debug", NULL, IGNORED_FLAG },
    { "-o", NULL, IGNORED },
    { "-log", NULL, IGNORED },
    { "-logtime", NULL, IGNORED },
    { "-conn_reuse", NULL, NOT_MODELLED },
    { "-planes", NULL, NOT_MODELLED },
    { "-pcie", NULL, NOT_MODELLED },
    { "-queue_type", NULL, NOT_MODELLED },
    { "-host_queue_type", NULL, NOT_MODELLED },
    { "-ar_granularity", NULL, NOT_MODELLED },
    { "-ar_method", NULL, NOT_MODELLED },
};

#define OPTIONS (sizeof options / sizeof *options)

struct command_reader {
    struct tokens         words;
    struct htsim_command *c;
    bool                  sender_only, receiver, receiver_only, sender_named, is_forced_off;
};

/* ---- words ---- */

static const char *next_word(struct command_reader *r)
{
    const char *word = r->words.line ? tokens_next(&r->words) : NULL;

    while (!word && tokens_next_line(&r->words))
        word = tokens_next(&r->words);
    return word;
}

static const char *value_of(struct command_reader *r, const struct option *o)
{
    const char *word = next_word(r);

    if (!word)
        tokens_err(&r->words, EINVAL, "nothing is given for %s", o->name);
    return word;
}

static void put(struct command_reader *r, const char *key, const char *value)
{
    struct htsim_command *c = r->c;

    for (uint32_t i = 0; i < c->settings; i++)
        if (strcmp(c->setting[i].key, key) == 0) {       /* the last one counts */
            free(c->setting[i].value);
            c->setting[i].value = xstrdup(value);
            return;
        }
    c->setting = xrealloc(c->setting, (c->settings + 1ul) * sizeof *c->setting);
    c->setting[c->settings++] = (struct htsim_setting){ key, xstrdup(value) };
}

static void put_count(struct command_reader *r, const char *key, uint64_t value, const char *unit)
{
    char text[40];

    snprintf(text, sizeof text, "%llu%s", (unsigned long long)value, unit);
    put(r, key, text);
}

static int read_count(struct command_reader *r, const struct option *o, uint64_t max, uint64_t *value)
{
    const char *word = value_of(r, o);

    if (!word)
        return -EINVAL;
    if (text_to_uint(word, value, NULL))
        return tokens_err(&r->words, EINVAL, "%s: '%s' is not a whole number", o->name, word);
    return *value <= max ? 0 : tokens_err(&r->words, ERANGE, "%s: %s is more than %llu", o->name, word,
                                          (unsigned long long)max);
}

static int read_real(struct command_reader *r, const struct option *o, double min, double max, double *value)
{
    const char *word = value_of(r, o);

    if (!word)
        return -EINVAL;
    if (strchr(word, '%') || text_to_real(word, value, NULL))
        return tokens_err(&r->words, EINVAL, "%s: '%s' is not a number", o->name, word);
    return *value >= min && *value <= max
               ? 0
               : tokens_err(&r->words, ERANGE, "%s: %s is not within %g .. %g", o->name, word, min, max);
}

static int read_file(struct command_reader *r, const struct option *o, char **file)
{
    const char *word = value_of(r, o);

    if (!word)
        return -EINVAL;
    free(*file);
    *file = xstrdup(word);
    return 0;
}

/* A name that goes into a scenario as it is: letters, digits and '_'. */
static int read_name(struct command_reader *r, const struct option *o)
{
    const char *word = value_of(r, o);

    if (!word)
        return -EINVAL;
    if (!*word || word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_")])
        return tokens_err(&r->words, EINVAL, "%s: '%s' is not a name", o->name, word);
    put(r, o->key, word);
    return 0;
}

/* ---- options ---- */

static int read_scaled(struct command_reader *r, const struct option *o, const char *unit)
{
    double value = 0;
    int    rc = read_real(r, o, 0, 1e12, &value);

    if (!rc)
        put_count(r, o->key, (uint64_t)(value * 1000000), unit);
    return rc;
}

static int read_ecn(struct command_reader *r, const struct option *o)
{
    uint64_t low = 0, high = 0;
    int      rc = read_count(r, o, UINT32_MAX, &low);

    rc = rc ? rc : read_count(r, o, UINT32_MAX, &high);
    if (!rc && high == 0)
        rc = tokens_err(&r->words, ENOTSUP, "-ecn %llu 0 marks every packet, which is not modelled",
                        (unsigned long long)low);
    if (rc)
        return rc;
    put_count(r, "ecn_low", low, "");
    put_count(r, "ecn_high", high, "");
    return 0;
}

static int read_gate(struct command_reader *r, const struct option *o)
{
    const char *word = value_of(r, o);
    double      gate;

    if (!word)
        return -EINVAL;
    if (strchr(word, '%') || text_to_real(word + (*word == '-'), &gate, NULL) || gate >= 32)
        return tokens_err(&r->words, EINVAL, "%s: '%s' is not a number below 32", o->name, word);
    if (*word != '-')            /* below 0: has no effect, as in uet-htsim */
        put_count(r, o->key, (uint64_t)gate, "");
    return 0;
}

/* Naming the sender's control, or receivers alone, undoes an -oversubscribed_cc before it. */
static void read_control(struct command_reader *r, const char *name)
{
    bool is_on = strcmp(name, "-oversubscribed_cc") == 0;

    r->sender_named |= strncmp(name, "-sender_cc", 10) == 0;
    r->sender_only |= strcmp(name, "-sender_cc_only") == 0;
    r->receiver |= strcmp(name, "-receiver_cc") == 0;
    r->receiver_only |= strcmp(name, "-receiver_cc_only") == 0;
    r->is_forced_off |= strcmp(name, "-force_disable_oversubscribed_cc") == 0;
    if (strcmp(name, "-receiver_cc") != 0)
        put(r, "oversubscribed_cc", is_on ? "yes" : "no");
}

static int read_value(struct command_reader *r, const struct option *o)
{
    uint64_t count = 0;
    double   real = 0;
    char     text[40];
    int      rc = 0;

    switch (o->value) {
    case FLAG_YES:           put(r, o->key, "yes"); break;
    case FLAG_NO:            put(r, o->key, "no"); break;
    case WORD:               return read_name(r, o);
    case ALGORITHM:          r->sender_named = true; return read_name(r, o);
    case MICROSECONDS:       return read_scaled(r, o, "ps");
    case MEGABITS:           return read_scaled(r, o, "bps");
    case MATRIX:             return read_file(r, o, &r->c->matrix);
    case TOPOLOGY:           return read_file(r, o, &r->c->topology);
    case SEED:               return read_count(r, o, UINT32_MAX, &r->c->seed);
    case NODES:              return read_count(r, o, UINT32_MAX, &r->c->nodes);
    case ECN:                return read_ecn(r, o);
    case GATE:               return read_gate(r, o);
    case CONTROL:            read_control(r, o->name); break;
    case IGNORED_FLAG:       break;
    case IGNORED:            return value_of(r, o) ? 0 : -EINVAL;
    case NOT_MODELLED:       return tokens_err(&r->words, ENOTSUP, "%s is not modelled", o->name);
    case COUNT:
    case WHOLE_MICROSECONDS:
        rc = read_count(r, o, 1000000000000, &count);
        if (!rc)
            put_count(r, o->key, count, o->value == COUNT ? "" : "us");
        break;
    case REAL:
        rc = read_real(r, o, 0, 1, &real);
        snprintf(text, sizeof text, "%.17g", real);
        if (!rc)
            put(r, o->key, text);
        break;
    }
    return rc;
}

static int unknown(const struct command_reader *r, const char *word)
{
    const char *names[OPTIONS + 1] = { NULL };
    char        near[120];

    for (size_t i = 0; i < OPTIONS; i++)
        names[i] = options[i].name;
    return tokens_err(&r->words, EINVAL, "'%s' is not an option%s", word,
                      text_did_you_mean(near, sizeof near, word, names));
}

static int read_options(struct command_reader *r)
{
    const char *word;
    int         rc = 0;

    while (!rc && (word = next_word(r)) != NULL) {
        size_t i = 0;

        while (i < OPTIONS && strcmp(options[i].name, word) != 0)
            i++;
        rc = i < OPTIONS ? read_value(r, &options[i]) : unknown(r, word);
    }
    return rc;
}

static int settle(struct command_reader *r)
{
    struct tokens *w = &r->words;

    if (!r->c->matrix)
        return tokens_err(w, EINVAL, "-tm, the connection matrix, is missing");
    if (r->receiver_only && (r->sender_only || r->receiver))
        return tokens_err(w, EINVAL, "-receiver_cc_only contradicts %s",
                          r->sender_only ? "-sender_cc_only" : "-receiver_cc");
    if (r->sender_only && r->receiver)
        return tokens_err(w, EINVAL, "-sender_cc_only contradicts -receiver_cc");
    put(r, "control", r->receiver_only ? "rccc" : r->receiver ? "both" : "nscc");
    put(r, "oversubscribed_auto", r->is_forced_off || (r->sender_named && !r->receiver_only) ? "no" : "yes");
    return 0;
}

/* ---- all ---- */

int htsim_read_command(const char *path, const char *text, struct htsim_command *out, struct err *err)
{
    struct htsim_command  c = { .seed = 13 };
    struct command_reader r = { .c = &c };
    const char           *word;
    int                   rc = tokens_open(&r.words, path, text, COMMAND_BYTES_MAX, err);

    word = rc ? NULL : next_word(&r);
    if (!rc && (!word || strcmp(text_base_name(word), "htsim_uec") != 0))
        rc = tokens_err(&r.words, EINVAL, "a command line of uet-htsim begins with htsim_uec");
    rc = rc ? rc : read_options(&r);
    rc = rc ? rc : settle(&r);
    tokens_close(&r.words);
    if (rc)
        htsim_command_fini(&c);
    else
        *out = c;
    return rc;
}

void htsim_command_fini(struct htsim_command *c)
{
    for (uint32_t i = 0; i < c->settings; i++)
        free(c->setting[i].value);
    free(c->setting);
    free(c->matrix);
    free(c->topology);
    *c = (struct htsim_command){ 0 };
}
