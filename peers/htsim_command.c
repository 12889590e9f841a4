/* peers/htsim_command.c - a command line of htsim_uec, the main program of uet-htsim. */
#include "peers/htsim.h"

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

/* Returns the word after an option. NULL: there is none; an error. */
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

static uint64_t read_count(struct command_reader *r, const struct option *o, uint64_t max)
{
    const char *word = value_of(r, o);
    uint64_t    value = 0;

    if (word && text_to_uint(word, &value, NULL))
        tokens_err(&r->words, EINVAL, "%s: '%s' is not a whole number", o->name, word);
    if (value > max)
        tokens_err(&r->words, ERANGE, "%s: %s is more than %llu", o->name, word, (unsigned long long)max);
    return value;
}

static double read_real(struct command_reader *r, const struct option *o, double min, double max)
{
    const char *word = value_of(r, o);
    double      value = min;

    if (word && (strchr(word, '%') || text_to_real(word, &value, NULL)))
        tokens_err(&r->words, EINVAL, "%s: '%s' is not a number", o->name, word);
    if (value >= min && value <= max)
        return value;
    tokens_err(&r->words, ERANGE, "%s: %s is not within %g .. %g", o->name, word, min, max);
    return min;
}

static void read_file(struct command_reader *r, const struct option *o, char **file)
{
    const char *word = value_of(r, o);

    if (!word)
        return;
    free(*file);
    *file = xstrdup(word);
}

/* A name that goes into a scenario as it is: letters, digits and '_'. */
static void read_name(struct command_reader *r, const struct option *o)
{
    const char *word = value_of(r, o);

    if (word && (!*word || word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_")]))
        tokens_err(&r->words, EINVAL, "%s: '%s' is not a name", o->name, word);
    else if (word)
        put(r, o->key, word);
}

/* ---- options ---- */

static void read_ecn(struct command_reader *r, const struct option *o)
{
    uint64_t low = read_count(r, o, UINT32_MAX), high = read_count(r, o, UINT32_MAX);

    if (high == 0)
        tokens_err(&r->words, ENOTSUP, "-ecn %llu 0 marks every packet, which is not modelled",
                   (unsigned long long)low);
    put_count(r, "ecn_low", low, "");
    put_count(r, "ecn_high", high, "");
}

static void read_gate(struct command_reader *r, const struct option *o)
{
    const char *word = value_of(r, o);
    double      gate = 0;

    if (word && (strchr(word, '%') || text_to_real(word + (*word == '-'), &gate, NULL) || gate >= 32))
        tokens_err(&r->words, EINVAL, "%s: '%s' is not a number below 32", o->name, word);
    else if (word && *word != '-')       /* below 0: has no effect, as in uet-htsim */
        put_count(r, o->key, (uint64_t)gate, "");
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

static void read_value(struct command_reader *r, const struct option *o)
{
    char text[40];

    switch (o->value) {
    case FLAG_YES:           put(r, o->key, "yes"); break;
    case FLAG_NO:            put(r, o->key, "no"); break;
    case WORD:               read_name(r, o); break;
    case ALGORITHM:          r->sender_named = true; read_name(r, o); break;
    case COUNT:              put_count(r, o->key, read_count(r, o, 1000000000000), ""); break;
    case WHOLE_MICROSECONDS: put_count(r, o->key, read_count(r, o, 1000000000000), "us"); break;
    case MICROSECONDS:       put_count(r, o->key, (uint64_t)(read_real(r, o, 0, 1e12) * 1e6), "ps"); break;
    case MEGABITS:           put_count(r, o->key, (uint64_t)(read_real(r, o, 0, 1e12) * 1e6), "bps"); break;
    case MATRIX:             read_file(r, o, &r->c->matrix); break;
    case TOPOLOGY:           read_file(r, o, &r->c->topology); break;
    case SEED:               r->c->seed = read_count(r, o, UINT32_MAX); break;
    case NODES:              r->c->nodes = read_count(r, o, UINT32_MAX); break;
    case ECN:                read_ecn(r, o); break;
    case GATE:               read_gate(r, o); break;
    case CONTROL:            read_control(r, o->name); break;
    case IGNORED_FLAG:       break;
    case IGNORED:            value_of(r, o); break;
    case NOT_MODELLED:       tokens_err(&r->words, ENOTSUP, "%s is not modelled", o->name); break;
    case REAL:
        snprintf(text, sizeof text, "%.17g", read_real(r, o, 0, 1));
        put(r, o->key, text);
        break;
    }
}

static void read_options(struct command_reader *r)
{
    const char *names[OPTIONS + 1] = { NULL }, *word;

    for (size_t i = 0; i < OPTIONS; i++)
        names[i] = options[i].name;
    while ((word = next_word(r)) != NULL) {
        int index = text_index(word, names);

        if (index >= 0)
            read_value(r, &options[index]);
        else
            tokens_refuse_name(&r->words, "an option", names);
    }
}

static void settle(struct command_reader *r)
{
    struct tokens *w = &r->words;

    if (!r->c->matrix)
        tokens_err(w, EINVAL, "-tm, the connection matrix, is missing");
    if (r->receiver_only && (r->sender_only || r->receiver))
        tokens_err(w, EINVAL, "-receiver_cc_only contradicts %s",
                   r->sender_only ? "-sender_cc_only" : "-receiver_cc");
    if (r->sender_only && r->receiver)
        tokens_err(w, EINVAL, "-sender_cc_only contradicts -receiver_cc");
    put(r, "control", r->receiver_only ? "rccc" : r->receiver ? "both" : "nscc");
    put(r, "oversubscribed_auto", r->is_forced_off || (r->sender_named && !r->receiver_only) ? "no" : "yes");
}

/* ---- all ---- */

int htsim_read_command(const char *path, const char *text, struct htsim_command *out, struct err *err)
{
    struct htsim_command  c = { .seed = 13 };
    struct command_reader r = { .c = &c };

    tokens_open(&r.words, path, text, COMMAND_BYTES_MAX, err);
    const char *word = next_word(&r);
    if (!word || strcmp(text_base_name(word), "htsim_uec") != 0)
        tokens_err(&r.words, EINVAL, "a command line of uet-htsim begins with htsim_uec");
    read_options(&r);
    settle(&r);
    int rc = tokens_close(&r.words);
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
