/* src/campaign/tune_check.c - checks whether the result of a search is better than its initial setting.
 *
 * A search measures single intervals and keeps the best of many, so its result looks better than it is. Both
 * settings run the whole scenario again, with seeds that the search has not seen, and are compared pair by
 * pair as in anole compare.
 *
 * Slowdown and goodput, which applications notice, decide. Round trips and pauses are shown as well. The
 * burden of proof is on the new setting: one that did worse on average is not recommended because few seeds
 * could not prove it.
 */
#include "base/print/table.h"
#include "report/metrics.h"
#include "base/file/interrupt.h"
#include "report/page.h"
#include "run/progress.h"
#include "campaign/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLEAR_SHARE 0.01         /* a smaller change is ignored, however certain */
#define HARM_SHARE  0.05         /* a loss of more on average counts, even if it may be chance */

enum { BEFORE, AFTER };

static char before_name[] = "before", after_name[] = "after";

static const struct { const char *name; bool decides; } figures[] = {
    { "slowdown_mean", true }, { "slowdown_p99", true }, { "goodput_bps", true },
    { "rtt_us_mean", false },  { "paused_share", false },
};

#define FIGURES (sizeof(figures) / sizeof(*figures))

/* ---- runs ---- */

static const char *const no_files[] = { NULL };

static void store_figures(struct tune_check *c, const struct simulation *s, uint32_t variant, uint32_t seed)
{
    struct comparison *m = &c->comparison;
    struct metric     *list;
    struct results     results;
    uint32_t           count;

    results_init(&results, s);
    list = metrics_new(&results, &count);
    for (uint32_t i = 0; i < FIGURES * count; i++) {
        const struct metric *found = &list[i % count];
        struct figure       *figure;

        if (strcmp(found->name, figures[i / count].name) != 0)
            continue;
        comparison_add_metrics(m, found, 1);
        figure = figures_find(&m->figures, found->name);
        figure->value[variant * m->seeds + seed] = found->value;
        figure->is_shown = true;
    }
    if (c->has_pages)
        json_array_append_new(c->runs[variant],
                              page_run(&results, variant == BEFORE ? before_name : after_name, no_files));
    results_fini(&results);
    free(list);
}

void tune_simulate(const struct tune_search *t, struct simulation *s, const struct simulation_hooks *hooks,
                   const char *what)
{
    struct progress progress;

    interrupt_watch(&s->sim->engine.now_ps);
    progress_start(&progress, !t->is_quiet);
    progress.what = what;
    simulation_run(s, hooks, &progress);
    progress_clear(&progress);
    interrupt_watch(NULL);
}

static int run_one(struct tune_check *c, const struct tune_search *t, uint32_t variant, uint32_t seed,
                   struct err *err)
{
    struct simulation_input input = t->input;
    struct simulation       s;
    char                    what[48];
    int                     rc;

    input.seed = &c->seed[seed];
    input.knobs = variant == BEFORE ? &t->start : &t->best;
    rc = simulation_open(&s, &input, err);
    if (rc)
        return rc;
    snprintf(what, sizeof(what), "check, run %u of %u: ", 2 * seed + variant + 1, 2 * c->seeds);
    tune_simulate(t, &s, NULL, what);
    rc = simulation_failed(&s, err);
    if (!rc)
        store_figures(c, &s, variant, seed);
    simulation_close(&s);
    return rc;
}

int tune_check(struct tune_check *c, const struct tune_search *t, uint32_t seeds, bool has_pages,
               struct err *err)
{
    bool is_same = knobs_equal(&t->start, &t->best);
    int  rc = 0;

    *c = (struct tune_check){ .verdict = is_same ? TUNE_SAME : TUNE_UNCHECKED, .seeds = is_same ? 0 : seeds };
    if (c->seeds == 0)
        return 0;
    c->seed = xcalloc(c->seeds, sizeof(*c->seed));
    for (uint32_t i = 0; i < c->seeds; i++)
        c->seed[i] = t->seed + t->rounds_max + i;
    c->variant[BEFORE].name = before_name;
    c->variant[AFTER].name = after_name;
    c->variants = (struct variants){ .list = c->variant, .count = 2 };
    c->has_pages = has_pages;
    for (int i = 0; i < 2 && has_pages; i++)
        c->runs[i] = json_array();
    c->comparison = (struct comparison){ .variants = &c->variants, .baseline = BEFORE, .seed = c->seed,
                                         .seeds = c->seeds };
    for (uint32_t i = 0; i < 2 * c->seeds && !rc; i++)
        rc = run_one(c, t, i % 2, i / 2, err);
    if (!rc)
        tune_check_judge(c);
    return rc;
}

void tune_check_fini(struct tune_check *c)
{
    comparison_fini(&c->comparison);
    json_decref(c->runs[BEFORE]);
    json_decref(c->runs[AFTER]);
    free(c->seed);
    c->seed = NULL;
}

/* ---- the verdict ---- */

/* A figure, and what became of it. */
struct row {
    const struct metric        *metric;
    const struct compared_cell *before, *after;
};

static struct row row_of(const struct tune_check *c, uint32_t i)
{
    const struct comparison *m = &c->comparison;

    return (struct row){ &m->figures.list[i].metric, comparison_cell(m, i, BEFORE),
                         comparison_cell(m, i, AFTER) };
}

static bool is_clear(const struct row *row)
{
    return row->after->is_significant;
}

static bool decides(const char *name)
{
    for (uint32_t i = 0; i < FIGURES; i++)
        if (strcmp(figures[i].name, name) == 0)
            return figures[i].decides;
    return false;
}

static bool is_gain(const struct row *row)
{
    return decides(row->metric->name) && is_clear(row) && row->after->is_better;
}

static bool is_clear_loss(const struct row *row)
{
    return decides(row->metric->name) && is_clear(row) && !row->after->is_better;
}

static bool is_loss(const struct row *row)
{
    double change = row->after->change * (row->metric->better == BETTER_LOWER ? 1 : -1);

    return is_clear_loss(row) || (decides(row->metric->name) && change > HARM_SHARE && !is_gain(row));
}

static uint32_t count_rows(const struct tune_check *c, bool (*is_one)(const struct row *))
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < c->comparison.figures.count; i++) {
        struct row row = row_of(c, i);

        count += is_one(&row);
    }
    return count;
}

void tune_check_judge(struct tune_check *c)
{
    bool has_gain, has_loss;

    comparison_judge(&c->comparison);
    /* A change that no user would notice is not clear: here, and so on the terminal, in JSON and on the
     * page. */
    for (uint32_t i = 0; i < c->comparison.figures.count; i++) {
        struct compared_cell *cell = comparison_cell(&c->comparison, i, AFTER);

        cell->is_significant &= !(fabs(cell->change) < CLEAR_SHARE);
        cell->is_better &= cell->is_significant;
    }
    has_gain = count_rows(c, is_gain) > 0;
    has_loss = count_rows(c, is_loss) > 0;
    if (has_gain == has_loss)
        c->verdict = TUNE_UNCLEAR;
    else
        c->verdict = has_gain ? TUNE_BETTER : TUNE_WORSE;
}

/* "mean slowdown, goodput" */
static const char *list_rows(const struct tune_check *c, bool (*is_one)(const struct row *), char *buf,
                             size_t size)
{
    size_t used = 0;

    buf[0] = '\0';
    for (uint32_t i = 0; i < c->comparison.figures.count && used < size; i++) {
        struct row row = row_of(c, i);

        if (is_one(&row))
            used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", row.metric->label);
    }
    return buf;
}

/* A change that users may notice, clear or not. */
static bool is_noticeable(const struct row *row)
{
    return decides(row->metric->name) && fabs(row->after->change) >= CLEAR_SHARE;
}

/* The figure of the kind with the largest change; NULL: none. */
static const struct compared_cell *largest(const struct tune_check *c, bool (*is_one)(const struct row *),
                                           const struct metric **metric)
{
    const struct compared_cell *best = NULL;

    for (uint32_t i = 0; i < c->comparison.figures.count; i++) {
        struct row row = row_of(c, i);

        if (is_one(&row) && (!best || fabs(row.after->change) > fabs(best->change))) {
            best = row.after;
            *metric = row.metric;
        }
    }
    return best;
}

static void unclear_text(char *buf, size_t size, const struct tune_check *c)
{
    const struct compared_cell *cell;
    const struct metric        *m;
    char                        gains[300], losses[300];

    list_rows(c, is_gain, gains, sizeof(gains));
    list_rows(c, is_loss, losses, sizeof(losses));
    if (*gains)
        snprintf(buf, size, "no clear difference: better in %s, worse in %s", gains, losses);
    else if (c->seeds == 1)
        snprintf(buf, size, "no clear difference: one seed cannot tell; check more");
    else if ((cell = largest(c, is_noticeable, &m)) != NULL)
        snprintf(
            buf, size,
            "no clear difference: %s changes by %+.1f %% on average, but %u seeds do not show it for "
            "certain; check more",
            m->label, 100 * cell->change, c->seeds);
    else
        snprintf(buf, size, "no clear difference: neither slowdown nor goodput changes by 1 %% or more");
}

static void worse_text(char *buf, size_t size, const struct tune_check *c, bool is_kept)
{
    char losses[300];

    snprintf(buf, size, "worse%s: %s; the %s", count_rows(c, is_clear_loss) ? "" : " on average",
             list_rows(c, is_loss, losses, sizeof(losses)),
             is_kept ? "new setting is kept all the same" : "starting setting is kept");
}

char *tune_verdict_text(char *buf, size_t size, const struct tune_check *c, bool is_kept)
{
    char gains[300];

    list_rows(c, is_gain, gains, sizeof(gains));
    switch (c->verdict) {
    case TUNE_UNCHECKED: snprintf(buf, size, "not checked");                                        break;
    case TUNE_SAME:      snprintf(buf, size, "nothing better than the starting setting was found"); break;
    case TUNE_BETTER:    snprintf(buf, size, "better: %s", gains);                                  break;
    case TUNE_UNCLEAR:   unclear_text(buf, size, c);                                                break;
    case TUNE_WORSE:     worse_text(buf, size, c, is_kept);                                         break;
    }
    return buf;
}

/* ---- the card ---- */

static void add_cell(struct card *card, enum card_field field, const struct compared_cell *cell,
                     const struct metric *m)
{
    card_add(card, field, "%s %+.3g %%", m->label, 100 * cell->change);
    if (isfinite(cell->change_low))
        card_add(card, field, "(95 %% interval %+.3g to %+.3g %%)", 100 * cell->change_low,
                 100 * cell->change_high);
    card_append(card, field, ".");
}

void tune_check_answer(const struct tune_check *c, bool is_kept, struct card *card)
{
    const struct compared_cell *cell;
    const struct metric        *m = NULL;
    char                        gains[300], losses[300], unclear[400];

    list_rows(c, is_gain, gains, sizeof(gains));
    list_rows(c, is_loss, losses, sizeof(losses));
    switch (c->verdict) {
    case TUNE_UNCHECKED:
        card_add(card, CARD_FINDING, "The search found a setting. It was not checked on other seeds.");
        break;
    case TUNE_SAME:
        card_add(card, CARD_FINDING, "Keep the starting setting: the search found nothing better.");
        break;
    case TUNE_BETTER:
        card_add(card, CARD_FINDING, "Use the setting found: it is better in %s.", gains);
        break;
    case TUNE_WORSE:
        card_add(card, CARD_FINDING,
                 is_kept ? "The setting found is worse in %s; it is saved because --keep asks for it."
                         : "Keep the starting setting: the one found is worse in %s.",
                 losses);
        break;
    case TUNE_UNCLEAR:
        if (*gains)
            card_add(card, CARD_FINDING,
                     "No clear winner: the setting found is better in %s and worse in %s.", gains, losses);
        else {
            unclear_text(unclear, sizeof(unclear), c);
            card_add(card, CARD_FINDING, "%s.", unclear);
            card_capitalise(card, CARD_FINDING);
        }
    }
    cell = largest(c, is_gain, &m);
    if (cell)
        add_cell(card, CARD_SURE, cell, m);
    cell = largest(c, is_loss, &m);
    if (cell)
        add_cell(card, CARD_COST, cell, m);
    else if (c->seeds > 1)
        card_add(card, CARD_COST, "Neither slowdown nor goodput is clearly worse.");
}

json_t *tune_check_json(const struct tune_check *c)
{
    json_t *made = comparison_json(&c->comparison, true, NULL), *deciding = json_array();

    /* as on the terminal: these, in this order */
    for (uint32_t i = 0; i < c->comparison.figures.count; i++)
        json_array_append_new(deciding, json_string(c->comparison.figures.list[i].metric.name));
    json_object_set_new(made, "deciding", deciding);
    json_object_del(made, "answer");         /* the card of the search is the answer */
    return made;
}

/* ---- the table ---- */

static void add_row(struct table *t, const struct row *row, bool has_colour)
{
    const struct compared_cell *cell = row->after;
    const char *word = cell->difference == 0 ? "same" : !is_clear(row) ? "not clear"
                       : cell->is_better ? "better" : "worse";
    char        text[64];

    table_cells(t, row->metric->label, metric_text(text, sizeof(text), row->metric->unit, row->before->mean),
                NULL);
    table_cell(t, "%s", metric_text(text, sizeof(text), row->metric->unit, cell->mean));
    if (cell->change == 0 || (!isfinite(cell->change) && cell->difference == 0))
        table_cell(t, "0 %%");
    else if (isfinite(cell->change))
        table_cell(t, "%+.1f %%", 100 * cell->change);
    else
        table_cell(t, "-");
    if (isfinite(cell->change_low))
        table_cell(t, "[%+.1f, %+.1f]", 100 * cell->change_low, 100 * cell->change_high);
    else
        table_cell(t, "-");
    table_cell_coloured(t, !has_colour || !is_clear(row) ? NULL : cell->is_better ? "\033[32m" : "\033[31m",
                        word);
}

void tune_check_print(const struct tune_check *c, FILE *out, bool has_colour)
{
    struct table *t = table_new("lrrrll");

    table_cells(t, "", "before", "after", "change", "95% interval", "", NULL);
    for (uint32_t i = 0; i < c->comparison.figures.count; i++) {
        struct row row = row_of(c, i);

        add_row(t, &row, has_colour);
    }
    table_end(t, out, 0);
    fputs("\nSlowdown: FCT / FCT of the same flow alone in the network.", out);
}
