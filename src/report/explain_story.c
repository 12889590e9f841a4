/* src/report/explain_story.c - a tuning history in words: quiet times, and the searches between them. */
#include "base/print/safe.h"
#include "base/print/terminal.h"
#include "base/text.h"
#include "report/explain.h"
#include "report/results_text.h"
#include "core/knob_text.h"
#include "core/units.h"
#include "base/print/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH       100          /* of a line if the output is no terminal */
#define WHEN_WIDTH  22           /* of the column of times */
#define EFFECT_MAX  20           /* intervals before and after a search that its effect is computed from */
/* similar traffic: largest difference of goodput and of the share of elephants */
#define SIMILAR_SHARE 0.1

struct episode { uint32_t from, to; };           /* steps from .. to - 1 */

/* ---- lines ---- */

static const char *when_text(char buf[32], double us)
{
    return text_from_time(buf, 32, (uint64_t)llround(us * (double)PS_PER_US));
}

/* Prints wrapped text. Further lines are indented like the first. */
static void say(FILE *out, const char *when, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void say(FILE *out, const char *when, const char *format, ...)
{
    int     width = terminal_width(out);
    char   *text;
    va_list args;

    va_start(args, format);
    text = safe_format(format, args);
    va_end(args);
    fprintf(out, "%-*s", WHEN_WIDTH, when);
    terminal_words(out, text + strspn(text, " "), WHEN_WIDTH, WHEN_WIDTH,
                   width > WHEN_WIDTH + 20 ? width : WIDTH);
    free(text);
}

/* "3 ms .. 31 ms" */
static const char *span_text(char buf[72], const struct history *h, struct episode e)
{
    char from[32], to[32];

    snprintf(buf, 72, "%s .. %s", when_text(from, h->step[e.from].start_us),
             when_text(to, h->step[e.to - 1].end_us));
    return buf;
}

/* ---- figures of several intervals ---- */

struct figures {                 /* means; NAN: not recorded */
    double utility, goodput_gbps, rtt_us, paused_us_per_ms, elephants;
};

struct mean { double sum, count; };

static void add(struct mean *m, double value, double weight)
{
    if (isnan(value))
        return;
    m->sum += value * weight;
    m->count += weight;
}

static double value_of(struct mean m)
{
    return m.count > 0 ? m.sum / m.count : NAN;
}

static struct figures figures_of(const struct history *h, struct episode e)
{
    struct mean utility = { 0 }, goodput = { 0 }, rtt = { 0 }, paused = { 0 }, elephants = { 0 };

    for (uint32_t i = e.from; i < e.to; i++) {
        const struct history_step *s = &h->step[i];
        double                     ms = (s->end_us - s->start_us) / 1000;

        add(&utility, s->utility, ms);
        add(&goodput, s->goodput_gbps, ms);
        add(&rtt, s->rtt_us, ms);
        add(&paused, s->paused_us / ms, ms);
        add(&elephants, s->elephants, ms);
    }
    return (struct figures){ value_of(utility), value_of(goodput), value_of(rtt), value_of(paused),
                             value_of(elephants) };
}

static struct text rate(double gbps)
{
    return metric(UNIT_BPS, gbps * 1e9);
}

/* " (+9 %)", or "" if there is nothing to compare. */
static const char *change_text(char buf[KNOB_TEXT_MAX + 3], double was, double is)
{
    char percent[KNOB_TEXT_MAX];

    buf[0] = '\0';
    if (isfinite(was) && isfinite(is) && was != 0)
        snprintf(buf, KNOB_TEXT_MAX + 3, " (%s)", knob_change_text(percent, was, is));
    return buf;
}

static const char *share_text(char buf[32], double share)
{
    if (isnan(share))
        return "-";
    snprintf(buf, 32, "%.0f %%", 100 * share);
    return buf;
}

/* ---- the head ---- */

static bool is_initial(const struct key_row *o, const char *text)
{
    if (o->unit != KEY_REAL && o->unit != KEY_COUNT)
        return strcmp(o->initial, text) == 0;
    return fabs(strtod(text, NULL) - option_initial(o)) <= 1e-5 * fabs(option_initial(o));
}

/* For an unknown tuner, all options are printed. */
static void print_options(const struct history *h, FILE *out)
{
    const struct tuner_alias *alias;
    const struct tuner_algo  *algo = tuner_find(h->tuner, &alias);
    const char               *before = " with ";

    for (uint32_t i = 0; i < h->options; i++) {
        const struct history_option *o = &h->option[i];
        const struct key_row    *known = algo ? key_find(algo->option, o->name) : NULL;

        if (known && is_initial(known, o->text))
            continue;
        safe_printf(out, "%s%s=%s", before, o->name, o->text);
        before = ", ";
    }
}

static void print_head(const struct history *h, FILE *out)
{
    char  from[32], to[32], *text;
    FILE *line = text_stream(&text);

    safe_printf(line, "Tuner %s", h->tuner);
    print_options(h, line);
    if (h->steps)
        fprintf(line, "; %u intervals from %s to %s.", h->steps, when_text(from, h->step[0].start_us),
                when_text(to, h->step[h->steps - 1].end_us));
    else
        fputs("; it saw no interval.", line);
    fclose(line);
    terminal_words(out, text, 0, 2, terminal_width(out));
    free(text);
    if (h->steps)
        fputc('\n', out);
}

/* ---- between searches ---- */

static bool is_trying(const struct history_step *s)
{
    return strcmp(s->phase, "search") == 0 || strcmp(s->phase, "confirm") == 0;
}

/* Returns the steps of one kind that start at 'from'. */
static struct episode episode_at(const struct history *h, uint32_t from)
{
    struct episode e = { from, from };

    while (e.to < h->steps && is_trying(&h->step[e.to]) == is_trying(&h->step[from]))
        e.to++;
    return e;
}

static void print_changes(const struct history *h, struct episode e, bool is_search_next, FILE *out)
{
    for (uint32_t i = e.from; i < e.to; i++) {
        const struct history_step *s = &h->step[i];
        char                       when[32], *change;

        if (knobs_equal(&s->was, &s->is) || (is_search_next && i + 1 == e.to))
            continue;
        change = knobs_change_text(&s->was, &s->is);
        say(out, when_text(when, s->end_us), "set: %s: %s", change, s->why);
        free(change);
    }
}

static void print_quiet(const struct history *h, struct episode e, FILE *out)
{
    struct figures f = figures_of(h, e);
    char           span[72], share[32], elephants[64];

    snprintf(elephants, sizeof(elephants), ", elephants %s of flows", share_text(share, f.elephants));
    say(out, span_text(span, h, e),
        "%s for %u interval%s: goodput %s, mean RTT %s, paused %s per ms (all ports)%s",
        h->queues.queues ? "queues set one by one" : "nothing tried", e.to - e.from,
        e.to - e.from == 1 ? "" : "s", rate(f.goodput_gbps).buf,
        metric(UNIT_US, f.rtt_us).buf, metric(UNIT_US, f.paused_us_per_ms).buf, h->queues.queues ? "" :
            elephants);
    print_changes(h, e, e.to < h->steps, out);
}

/* ---- a search ---- */

struct tried { uint32_t settings, accepted, rejected, bests, confirmed; double low, high, best_us; };

static struct tried tried_in(const struct history *h, struct episode e)
{
    struct tried t = { .low = NAN, .high = NAN };

    for (uint32_t i = e.from; i < e.to; i++) {
        const struct history_step *s = &h->step[i];

        if (strcmp(s->phase, "confirm") == 0) {
            t.confirmed++;
            continue;
        }
        t.settings += i == e.from || !knobs_equal(&s->was, &h->step[i - 1].was);
        t.accepted += s->verdict == TUNER_ACCEPTED;
        t.rejected += s->verdict == TUNER_REJECTED;
        t.bests += s->verdict == TUNER_BEST;
        t.low = isnan(t.low) || s->utility < t.low ? s->utility : t.low;
        if (isnan(t.high) || s->utility > t.high) {
            t.high = s->utility;
            t.best_us = s->end_us;
        }
    }
    return t;
}

static void print_tried(const struct history *h, struct episode e, FILE *out)
{
    struct tried t = tried_in(h, e);
    char         span[72], took[32], when[32];

    when_text(took, h->step[e.to - 1].end_us - h->step[e.from].start_us);
    if (isnan(t.low))
        say(out, span_text(span, h, e), "%u settings tried in %s", t.settings, took);
    else
        say(out, span_text(span, h, e),
            "%u settings tried in %s, utility %.3f to %.3f (the best at %s); %u accepted, %u rejected, "
            "%u times a new best",
            t.settings, took, t.low, t.high, when_text(when, t.best_us), t.accepted, t.rejected, t.bests);
    if (t.confirmed)
        say(out, "", "the best and the setting at which it began measured again in %u intervals",
            t.confirmed);
}

static void print_kept(const struct history *h, struct episode e, FILE *out)
{
    const struct knobs        *before = e.from ? &h->step[e.from - 1].was : &h->first;
    const struct history_step *last = &h->step[e.to - 1];
    char                       when[32], *change = knobs_change_text(before, &last->is);
    bool                       is_same = knobs_equal(before, &last->is);

    say(out, when_text(when, last->end_us), "%s", last->why);
    if (is_same)
        say(out, "", "kept: the setting from before");
    else
        say(out, "", "%s: %s", e.to < h->steps ? "kept" : "current when the history ends", change);
    free(change);
}

static bool is_near(double a, double b, double limit)
{
    return isnan(a) || isnan(b) || fabs(a - b) <= limit * fmax(fabs(a), fabs(b));
}

/* The history does not record the offered load. Goodput and the share of elephants follow it, so the
 * traffic counts as similar if both are. */
static bool is_similar(const struct figures *a, const struct figures *b)
{
    bool has_sizes = !isnan(a->elephants) && !isnan(b->elephants);

    return is_near(a->goodput_gbps, b->goodput_gbps, SIMILAR_SHARE) &&
           (!has_sizes || fabs(a->elephants - b->elephants) <= SIMILAR_SHARE);
}

/* Compares the intervals before and after a search. If the traffic changed, the effect of the setting is
 * unknown. */
static void print_effect(const struct history *h, struct episode e, FILE *out)
{
    struct episode before = { e.from, e.from }, after = { e.to, e.to };
    struct figures was, is;
    char           share[2][32], change[2][KNOB_TEXT_MAX + 3];

    while (before.from > 0 && before.to - before.from < EFFECT_MAX && !is_trying(&h->step[before.from - 1]))
        before.from--;
    while (after.to < h->steps && after.to - after.from < EFFECT_MAX && !is_trying(&h->step[after.to]))
        after.to++;
    if (before.from == before.to || after.from == after.to)
        return;
    was = figures_of(h, before);
    is = figures_of(h, after);
    if (!is_similar(&was, &is)) {
        say(out, "",
            "effect: unknown, because the traffic changed: goodput %s before and %s after, elephants %s and "
            "%s of flows",
            rate(was.goodput_gbps).buf, rate(is.goodput_gbps).buf, share_text(share[0], was.elephants),
            share_text(share[1], is.elephants));
        return;
    }
    say(out, "",
        "effect with similar traffic (goodput %s -> %s), %u intervals before and %u after: mean RTT %s -> "
        "%s%s, paused %s -> %s per ms%s", rate(was.goodput_gbps).buf, rate(is.goodput_gbps).buf,
        before.to - before.from, after.to - after.from, metric(UNIT_US, was.rtt_us).buf,
        metric(UNIT_US, is.rtt_us).buf, change_text(change[0], was.rtt_us, is.rtt_us),
        metric(UNIT_US, was.paused_us_per_ms).buf, metric(UNIT_US, is.paused_us_per_ms).buf,
        change_text(change[1], was.paused_us_per_ms, is.paused_us_per_ms));
}

static void print_search(const struct history *h, struct episode e, uint32_t number, FILE *out)
{
    char when[32];

    say(out, when_text(when, h->step[e.from].start_us), "search %u begins%s%s", number, e.from ? ": " : "",
        e.from ? h->step[e.from - 1].why : "");
    print_tried(h, e, out);
    print_kept(h, e, out);
    print_effect(h, e, out);
}

/* ---- queues ---- */

/* "kmin 20KB, kmax 400KB, pmax 0.1" */
static const char *ecn_text(char buf[80], const struct ecn *e)
{
    char kmin[32], kmax[32];

    snprintf(buf, 80, "kmin %s, kmax %s, pmax %.3g", text_from_bytes(kmin, sizeof(kmin), e->kmin_bytes),
             text_from_bytes(kmax, sizeof(kmax), e->kmax_bytes), e->pmax);
    return buf;
}

static void print_queues(const struct history *h, FILE *out)
{
    const struct tuned_queues *q = &h->queues;
    char text[80], count[32];

    fprintf(out, "\nThresholds: %s changes at %llu of %llu queues.\n",
            text_from_count(count, sizeof(count), q->changes), (unsigned long long)q->changed,
            (unsigned long long)q->queues);
    for (uint32_t i = 0; i < q->settings; i++)
        say(out, i ? "" : "used longest", "%5.1f %% of the time of all queues: %s", 100 * q->setting[i].share,
            ecn_text(text, &q->setting[i].ecn));
    for (uint32_t i = 0; i < q->mosts; i++)
        say(out, i ? "" : "changed most often", "%s: %s times; at the end %s", q->most[i].name,
            text_from_count(count, sizeof(count), q->most[i].changes), ecn_text(text, &q->most[i].last));
}

/* ---- a tuner that tries settings on a twin ---- */

/* Prints its decisions: what it tried, what the twin predicted, what happened. */
static void print_rehearsal(const struct history *h, FILE *out)
{
    uint32_t said = 0;

    for (uint32_t i = 0; i < h->steps; i++) {
        const struct history_step *s = &h->step[i];
        char                       when[32], *change;

        if (s->why[0])
            say(out, when_text(when, s->end_us), "%s", s->why);
        said += s->why[0] != 0;
        if (!s->why[0] || knobs_equal(&s->was, &s->is))
            continue;
        change = knobs_change_text(&s->was, &s->is);
        say(out, "", "set: %s", change);
        free(change);
    }
    if (said == 0)
        fputs("Nothing was tried: the first window had not ended.\n", out);
}

void explain_print_story(const struct history *h, FILE *out)
{
    uint32_t searches = 0;

    print_head(h, out);
    if (strcmp(h->tuner, "rehearse") == 0) {
        print_rehearsal(h, out);
        return;
    }
    for (uint32_t i = 0; i < h->steps; ) {
        struct episode e = episode_at(h, i);

        if (is_trying(&h->step[i]))
            print_search(h, e, ++searches, out);
        else
            print_quiet(h, e, out);
        i = e.to;
    }
    if (h->queues.queues)
        print_queues(h, out);
    if (h->steps && searches == 0 && !h->queues.queues)
        fprintf(out, "\nThere was no search. Last reason: %s.\n", safe_name(h->step[h->steps - 1].why).buf);
}

/* ---- tables ---- */

static void time_cell(struct table *t, double us)
{
    char text[32];

    table_cell(t, "%s", text_from_time(text, sizeof(text), (uint64_t)llround(us * (double)PS_PER_US)));
}

static void figure_cell(struct table *t, const char *unit, double value)
{
    char text[32];

    table_cell(t, "%s", text_figure(text, sizeof(text), unit, value));
}

static void number_cell(struct table *t, double value, int decimals, const char *unit)
{
    if (isnan(value))
        table_cell(t, "-");
    else
        table_cell(t, "%.*f%s", decimals, value, unit);
}

/* "kmin 400KB -> 120KB (-70 %)", "13 knobs" */
static void change_cell(struct table *t, const struct history_step *s)
{
    uint32_t changes = 0;
    char    *text;

    for (int i = 0; i < KNOB_COUNT; i++)
        changes += s->was.value[i] != s->is.value[i];
    text = knobs_change_text(&s->was, &s->is);
    if (changes > 1)
        table_cell(t, "%u knobs", changes);
    else
        table_cell(t, "%s", changes ? text : "");
    free(text);
}

static void step_cells(struct table *t, const struct history_step *s)
{
    static const char *const verdicts[] = { "", "accepted", "rejected", "best" };
    time_cell(t, s->end_us);
    table_cell(t, "%s", s->phase);
    number_cell(t, s->utility, 4, "");
    figure_cell(t, "bps", s->goodput_gbps * 1e9);
    figure_cell(t, "us", s->rtt_us);
    figure_cell(t, "us", s->paused_us);
    number_cell(t, 100 * s->elephants, 0, " %");
    number_cell(t, s->divergence, 4, "");
    number_cell(t, s->temperature, 2, "");
    table_cell(t, "%s", verdicts[s->verdict]);
    change_cell(t, s);
    table_cell(t, "%s", s->why);
}

void explain_print_steps(const struct history *h, FILE *out)
{
    struct table *t = table_new("rlrrrrrrrlll");

    table_cells(t, "end", "phase", "utility", "goodput", "RTT", "paused", "elephants", "divergence",
                "temperature", "verdict", "set", "why", NULL);
    for (uint32_t i = 0; i < h->steps; i++)
        step_cells(t, &h->step[i]);
    table_end(t, out, 0);
}

/* ---- one knob ---- */

static void value_cells(struct table *t, const struct history *h, enum knob knob, uint32_t from, uint32_t to)
{
    double value = h->step[from].was.value[knob], sum = 0, count = 0;
    char   text[KNOB_TEXT_MAX];

    for (uint32_t i = from; i < to; i++)
        if (!isnan(h->step[i].utility)) {
            sum += h->step[i].utility;
            count++;
        }
    time_cell(t, h->step[from].start_us);
    time_cell(t, h->step[to - 1].end_us);
    table_cell(t, "%s", knob_text(text, knob, value));
    table_cells(t, from ? knob_change_text(text, h->step[from - 1].was.value[knob], value) : "",
                h->step[from].phase, NULL);
    number_cell(t, count > 0 ? sum / count : NAN, 4, "");
}

void explain_print_knob(const struct history *h, enum knob knob, FILE *out)
{
    struct table *t = table_new("rrrrlr");

    table_cells(t, "from", "to", knob_info[knob].name, "change", "phase", "utility", NULL);
    for (uint32_t i = 0, to; i < h->steps; i = to) {
        for (to = i + 1; to < h->steps && h->step[to].was.value[knob] == h->step[i].was.value[knob]; to++)
            ;
        value_cells(t, h, knob, i, to);
    }
    table_end(t, out, 0);
}

/* ---- partial runs ---- */

#define SUMMARY_BYTES_MAX (1u << 28)

static char *sentence(const json_t *all)
{
    const char *stuck = json_string_value(json_object_get(all, "stuck_why"));
    const char *failed = json_string_value(json_object_get(all, "failed"));
    double      since_us = json_number_value(json_object_get(all, "stuck_since_us"));
    char        when[32];

    if (failed)
        return xprintf("the run ended before its time: %s", failed);
    if (!stuck)
        return NULL;
    return xprintf("nothing moved after %s; the figures are of the time before. %s",
                   text_from_time(when, sizeof(when), (uint64_t)(since_us * (double)PS_PER_US)), stuck);
}

char *explain_partial(const char *summary_path)
{
    char      *text = NULL, *said;
    size_t     length = 0;
    struct err ignored;
    json_t    *summary;

    if (text_read_file(summary_path, SUMMARY_BYTES_MAX, &text, &length, &ignored))
        return NULL;
    summary = json_loadb(text, length, 0, NULL);
    said = sentence(json_object_get(summary, "all"));
    json_decref(summary);
    free(text);
    return said;
}
