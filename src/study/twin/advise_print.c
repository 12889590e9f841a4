/* src/study/twin/advise_print.c - what a search for a setting has found, for people. */
#include "base/print/safe.h"
#include "base/print/table.h"
#include "base/text.h"
#include "core/knob_text.h"
#include "core/units.h"
#include "study/twin/advise.h"

#include <math.h>
#include <string.h>

static void add_heading(struct table *t, const struct advice *a, const char *first)
{
    static const char *const words[] = { "all", "<120 KB", "to 1 MB", ">=1 MB" };

    table_cell(t, "%s", first);
    for (uint32_t i = 0; i < a->jobs; i++)
        table_cell(t, "%s", a->job_name[i]);
    for (int i = 0; i < GOAL_PARTS; i++)
        table_cell(t, "%s", words[i]);
    table_cell(t, "score, less is better");
}

static void add_row(struct table *t, const struct advice *a, const struct advise_row *row, uint32_t load)
{
    struct race_gain g = advise_gain(a, row, &a->row[0], load);
    char             text[64];

    table_cell(t, "%s", advise_name(a, row, text, sizeof(text)));
    for (uint32_t i = 0; i < a->jobs; i++)
        table_cell(t, "%s", text_figure(text, sizeof(text), "us", 1e6 * advise_iteration(row, load, i)));
    for (int i = 0; i < GOAL_PARTS; i++) {
        double mean = advise_slowdown(row, load, i);

        table_cell(t, isnan(mean) ? "-" : "%.2f", mean);
    }
    if (row == &a->row[0])
        table_cell(t, "-");
    else if (isnan(g.low))
        table_cell(t, "%+.0f %%", advise_percent(g.mean));
    else
        table_cell(t, "%+.0f %% [%+.0f, %+.0f]", advise_percent(g.mean), advise_percent(g.low),
                   advise_percent(g.high));
}

const char *advise_name(const struct advice *a, const struct advise_row *row, char *buf, size_t size)
{
    snprintf(buf, size, "%s%s", row->name, row == advised(a) ? ", advised" : "");
    return buf;
}

const char *advise_load_text(const struct advice *a, uint32_t load, char *buf, size_t size)
{
    if (a->has_range)
        snprintf(buf, size, "load of %.3g %%", 100 * a->load[load] * a->described.load);
    else if (a->load[load] < 1)
        snprintf(buf, size, "half the load");
    else
        snprintf(buf, size, "%.3g times the load", a->load[load]);
    return buf;
}

/* Columns: jobs' iterations, if there are any, mean slowdowns by message size, and the score. */
static void print_test(const struct advice *a, uint32_t test, FILE *out)
{
    char          columns[OUTCOME_JOBS + GOAL_PARTS + 3] = "l", words[64];
    struct table *t;

    memset(&columns[1], 'r', a->jobs + GOAL_PARTS + 1);
    t = table_new(columns);
    if (test == ADVISE_PROOF)
        snprintf(words, sizeof(words), "confirmed, %u seeds", a->row[0].seeds[test]);
    else if (test)
        advise_load_text(a, test, words, sizeof(words));
    else
        snprintf(words, sizeof(words), "to choose, %d seeds", ADVISE_SEEDS);
    add_heading(t, a, words);
    for (uint32_t i = 0; i < a->rows; i++)
        if (a->row[i].seeds[test])
            add_row(t, a, &a->row[i], test);
    table_print(t, out, 2);
    table_free(t);
}

/* "5.02 ms", "3.1 hours" */
static const char *seconds_text(char buf[32], double s)
{
    if (s < 7200)
        return text_figure(buf, 32, "us", 1e6 * s);
    snprintf(buf, 32, "%.1f hours", s / 3600);
    return buf;
}

static void print_file(const struct recorded *r, const char *path, const char *rows, const char *host,
                       FILE *out)
{
    char count[32], time[32];

    fprintf(out, "%s: %s %s of %u %s%s in %s. Links were busy for %.1f %% of the time, %.1f to %.1f %% in "
            "most of it; the busiest for %.1f %%.\n", safe_name(path).buf,
            text_from_count(count, sizeof(count), r->rows), rows, r->hosts, host, r->hosts == 1 ? "" : "s",
            seconds_text(time, r->seconds), 100 * r->load, 100 * r->load_low, 100 * r->load_high,
            100 * r->load_busiest);
    if (r->restarts)
        fprintf(out, "  %u reading%s smaller than the one before; these intervals are skipped.\n",
                r->restarts, r->restarts == 1 ? " is" : "s are");
}

static void print_symptoms(const struct host_record *h, FILE *out)
{
    fputs("Symptoms:\n", out);
    if (host_record_print_symptoms(h, out) == 0)
        fprintf(out, "  none seen in %.0f s of %u device%s\n", h->seconds, h->devices,
                h->devices == 1 ? "" : "s");
    if (!h->has_ethtool)
        fputs("  Pauses and discards are unknown: ethtool was not installed.\n", out);
    if (!h->device[0].has_settings)
        fprintf(out, "  The settings of %s are unknown: \"yours\" are the defaults of the scenario reader.\n",
                safe_name(h->device[0].name).buf);
    fputs("Not recorded, so taken as in the simulated network: ECN thresholds of switches, topology, who "
          "sends to whom.\n\n",
          out);
}

void advise_print_recorded(const struct advice *a, FILE *out)
{
    const struct advise_request *q = a->request;

    if (q->record)
        print_symptoms(q->record, out);
    if (q->messages)
        print_file(&a->messages, text_file_name(q->messages), "messages", "host", out);
    if (q->counters)
        print_file(&a->counters, text_file_name(q->counters), "readings", "port", out);
    if (q->record && a->counters.rows)
        print_file(&a->counters, text_file_name(q->record_path), "readings", "port", out);
    if ((q->counters || q->record) && !q->messages)
        fprintf(out, "Counters do not show message sizes; assumed: %s (--sizes).\n", a->described.sizes);
    if (a->has_range)
        fprintf(out, "The search was for a load of %.3g %%.\n", 100 * a->described.load);
}

static void print_changes(const struct advice *a, FILE *out)
{
    const struct knobs *was = &a->row[0].knobs, *is = &advised(a)->knobs;
    struct table       *t = table_new("lrrl");
    char                from[KNOB_TEXT_MAX], to[KNOB_TEXT_MAX], change[KNOB_TEXT_MAX];

    for (uint32_t i = 0; i < advised(a)->changes; i++)
        fprintf(out, "  --set %s: needs %s\n", advised(a)->change[i]->set, advised(a)->change[i]->needs);
    table_cell(t, "knob");
    table_cell(t, "yours");
    table_cell(t, "advised");
    table_cell(t, " ");
    for (int i = 0; i < KNOB_COUNT; i++)
        if (was->value[i] != is->value[i] && !advised(a)->control) {
            table_cell(t, "%s", knob_info[i].name);
            table_cell(t, "%s", knob_text(from, (enum knob)i, was->value[i]));
            table_cell(t, "%s", knob_text(to, (enum knob)i, is->value[i]));
            table_cell(t, "%s", knob_change_text(change, was->value[i], is->value[i]));
        }
    if (!advised(a)->control && advise_knobs(a, advised(a)))
        table_print(t, out, 2);
    table_free(t);
}

void advise_print(const struct advice *a, const struct card *answer, FILE *out, bool has_colour)
{
    card_print(answer, out, has_colour);
    fputc('\n', out);
    advise_print_recorded(a, out);
    if (a->is_short)
        return;
    fprintf(out, "%sean slowdown by message size, and score against yours:\n",
            a->jobs ? "Iteration, m" : "M");
    for (uint32_t i = 0; i < ADVISE_TESTS; i++)
        if (a->row[0].seeds[i]) {
            print_test(a, i, out);
            fputc('\n', out);
        }
    if (!advise_keeps_yours(a))
        print_changes(a, out);
    fprintf(out, "\n%u trials of %.1f ms each, %u generations, %u blocks of the race; then trials of "
            "%.1f ms; %.1f s\n", a->rehearsal.trials, (double)a->twin.input.until_ps / 1e9,
            a->rehearsal.generations,
            a->rehearsal.race.blocks, a->length * (double)a->twin.input.until_ps / 1e9, a->took_s);
}
