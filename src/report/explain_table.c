/* src/report/explain_table.c - a history as tables: every step, or every value of one knob. */
#include "base/print/table.h"
#include "base/text.h"
#include "report/explain.h"
#include "core/knob_text.h"
#include "core/units.h"

#include <math.h>
#include <stdlib.h>

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
