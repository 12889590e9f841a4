/* src/study/report/explain_story.c - a tuning history in words: quiet times, and the searches between
 * them. */
#include "base/print/safe.h"
#include "base/print/terminal.h"
#include "base/text.h"
#include "study/report/explain.h"
#include "study/report/results_text.h"
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

/* Prints wrapped text behind a time, or a span of times. Further lines are indented like the first. */
static void say(FILE *out, const char *when, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void say(FILE *out, const char *when, const char *format, ...)
{
    int     width = terminal_width(out);
    va_list args;

    va_start(args, format);
    char *text = safe_format(format, args);
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

/* Of several intervals: means, weighted with time; NAN: not recorded. */
enum { UTILITY, GOODPUT_GBPS, RTT_US, PAUSED_US_PER_MS, ELEPHANTS, FIGURES };
struct figures { double mean[FIGURES]; };

static struct figures figures_of(const struct history *h, struct episode e)
{
    struct figures f;
    double         sum[FIGURES] = { 0 }, weight[FIGURES] = { 0 };

    for (const struct history_step *s = h->step + e.from; s < h->step + e.to; s++) {
        double ms = (s->end_us - s->start_us) / 1000;
        double value[FIGURES] = { s->utility, s->goodput_gbps, s->rtt_us, s->paused_us / ms, s->elephants };

        for (int i = 0; i < FIGURES; i++)
            if (!isnan(value[i])) {
                sum[i] += value[i] * ms;
                weight[i] += ms;
            }
    }
    for (int i = 0; i < FIGURES; i++)
        f.mean[i] = weight[i] > 0 ? sum[i] / weight[i] : NAN;
    return f;
}

static struct text figure(const struct figures *f, int i)
{
    return i == GOODPUT_GBPS ? metric(UNIT_BPS, f->mean[i] * 1e9) : metric(UNIT_US, f->mean[i]);
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

static struct text share_text(double share)
{
    struct text t = { "-" };

    if (!isnan(share))
        snprintf(t.buf, sizeof t.buf, "%.0f %%", 100 * share);
    return t;
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
    return s->phase == TUNER_SEARCH || s->phase == TUNER_CONFIRM;
}

/* Returns the steps of one kind that start at 'from'. */
static struct episode episode_at(const struct history *h, uint32_t from)
{
    struct episode e = { from, from };

    while (e.to < h->steps && is_trying(&h->step[e.to]) == is_trying(&h->step[from]))
        e.to++;
    return e;
}

/* Prints a change of the setting, and why. */
static void print_change(const struct history_step *s, const char *when, const char *why, FILE *out)
{
    char *change = knobs_change_text(&s->was, &s->is);

    say(out, when, *why ? "set: %s: %s" : "set: %s", change, why);
    free(change);
}

static void print_quiet(const struct history *h, struct episode e, FILE *out)
{
    struct figures f = figures_of(h, e);
    char           span[72], when[32], elephants[96] = "";

    if (!h->queues.queues)
        snprintf(elephants, sizeof(elephants), ", elephants %s of flows", share_text(f.mean[ELEPHANTS]).buf);
    say(out, span_text(span, h, e),
        "%s for %u interval%s: goodput %s, mean RTT %s, paused %s per ms (all ports)%s",
        h->queues.queues ? "queues set one by one" : "nothing tried", e.to - e.from,
        e.to - e.from == 1 ? "" : "s", figure(&f, GOODPUT_GBPS).buf, figure(&f, RTT_US).buf,
        figure(&f, PAUSED_US_PER_MS).buf, elephants);
    /* the last change begins a search, which names it */
    for (uint32_t i = e.from; i < e.to && !(e.to < h->steps && i + 1 == e.to); i++)
        if (!knobs_equal(&h->step[i].was, &h->step[i].is))
            print_change(&h->step[i], when_text(when, h->step[i].end_us), h->step[i].why, out);
}

/* ---- a search ---- */

struct tried { uint32_t settings, accepted, rejected, bests, confirmed; double low, high, best_us; };

static struct tried tried_in(const struct history *h, struct episode e)
{
    struct tried t = { .low = NAN, .high = NAN };

    for (uint32_t i = e.from; i < e.to; i++) {
        const struct history_step *s = &h->step[i];

        if (s->phase == TUNER_CONFIRM) {
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
    return isnan(a) || isnan(b) || fabs(a - b) <= limit;
}

/* The history does not record the offered load. Goodput and the share of elephants follow it, so the
 * traffic counts as similar if both are. */
static bool is_similar(const double *a, const double *b)
{
    return is_near(a[GOODPUT_GBPS], b[GOODPUT_GBPS],
                   SIMILAR_SHARE * fmax(fabs(a[GOODPUT_GBPS]), fabs(b[GOODPUT_GBPS]))) &&
           is_near(a[ELEPHANTS], b[ELEPHANTS], SIMILAR_SHARE);
}

/* Compares the intervals before and after a search. If the traffic changed, the effect of the setting is
 * unknown. */
static void print_effect(const struct history *h, struct episode e, FILE *out)
{
    struct episode before = { e.from, e.from }, after = { e.to, e.to };
    char           change[2][KNOB_TEXT_MAX + 3];

    while (before.from > 0 && before.to - before.from < EFFECT_MAX && !is_trying(&h->step[before.from - 1]))
        before.from--;
    while (after.to < h->steps && after.to - after.from < EFFECT_MAX && !is_trying(&h->step[after.to]))
        after.to++;
    if (before.from == before.to || after.from == after.to)
        return;
    struct figures was = figures_of(h, before), is = figures_of(h, after);
    if (!is_similar(was.mean, is.mean)) {
        say(out, "",
            "effect: unknown, because the traffic changed: goodput %s before and %s after, elephants %s and "
            "%s of flows", figure(&was, GOODPUT_GBPS).buf, figure(&is, GOODPUT_GBPS).buf,
            share_text(was.mean[ELEPHANTS]).buf, share_text(is.mean[ELEPHANTS]).buf);
        return;
    }
    say(out, "",
        "effect with similar traffic (goodput %s -> %s), %u intervals before and %u after: mean RTT %s -> "
        "%s%s, paused %s -> %s per ms%s", figure(&was, GOODPUT_GBPS).buf, figure(&is, GOODPUT_GBPS).buf,
        before.to - before.from, after.to - after.from, figure(&was, RTT_US).buf, figure(&is, RTT_US).buf,
        change_text(change[0], was.mean[RTT_US], is.mean[RTT_US]), figure(&was, PAUSED_US_PER_MS).buf,
        figure(&is, PAUSED_US_PER_MS).buf,
        change_text(change[1], was.mean[PAUSED_US_PER_MS], is.mean[PAUSED_US_PER_MS]));
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
    bool has_said = false;

    for (uint32_t i = 0; i < h->steps; i++) {
        const struct history_step *s = &h->step[i];
        char                       when[32];

        if (!s->why[0])
            continue;
        say(out, when_text(when, s->end_us), "%s", s->why);
        has_said = true;
        if (!knobs_equal(&s->was, &s->is))
            print_change(s, "", "", out);
    }
    if (!has_said)
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

    table_cell(t, "%s", when_text(text, us));
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

    for (int i = 0; i < KNOB_COUNT; i++)
        changes += s->was.value[i] != s->is.value[i];
    if (changes > 1) {
        table_cell(t, "%u knobs", changes);
        return;
    }
    char *text = knobs_change_text(&s->was, &s->is);
    table_cell(t, "%s", changes ? text : "");
    free(text);
}

void explain_print_steps(const struct history *h, FILE *out)
{
    static const char *const verdicts[] = { "", "accepted", "rejected", "best" };
    struct table            *t = table_new("rlrrrrrrrlll");

    table_cells(t, "end", "phase", "utility", "goodput", "RTT", "paused", "elephants", "divergence",
                "temperature", "verdict", "set", "why", NULL);
    for (uint32_t i = 0; i < h->steps; i++) {
        const struct history_step *s = &h->step[i];

        time_cell(t, s->end_us);
        table_cell(t, "%s", tuner_phase_names[s->phase]);
        number_cell(t, s->utility, 4, "");
        table_cells(t, metric(UNIT_BPS, s->goodput_gbps * 1e9).buf, metric(UNIT_US, s->rtt_us).buf,
                    metric(UNIT_US, s->paused_us).buf, NULL);
        number_cell(t, 100 * s->elephants, 0, " %");
        number_cell(t, s->divergence, 4, "");
        number_cell(t, s->temperature, 2, "");
        table_cell(t, "%s", verdicts[s->verdict]);
        change_cell(t, s);
        table_cell(t, "%s", s->why);
    }
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
                tuner_phase_names[h->step[from].phase], NULL);
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

char *explain_partial(const char *summary_path)
{
    char         *said = NULL, when[32];
    json_t       *summary = json_load_file(summary_path, 0, NULL);
    const json_t *all = json_object_get(summary, "all");
    const char   *stuck = json_string_value(json_object_get(all, "stuck_why")),
                 *failed = json_string_value(json_object_get(all, "failed"));
    double        since_us = json_number_value(json_object_get(all, "stuck_since_us"));
    if (failed)
        said = xprintf("the run ended before its time: %s", failed);
    else if (stuck)
        said = xprintf("nothing moved after %s; the figures are of the time before. %s",
                       text_from_time(when, sizeof(when), (uint64_t)(since_us * (double)PS_PER_US)), stuck);
    json_decref(summary);
    return said;
}
