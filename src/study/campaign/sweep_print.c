#include "base/bootstrap.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/print/table.h"
#include "base/text.h"
#include "study/campaign/compare.h"
#include "study/campaign/sweep.h"
#include "core/knob_text.h"
#include "core/knobs.h"
#include "core/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *set_of(const struct variant *v, uint32_t i)
{
    return v->set[v->sets - v->own + i];
}

static const char *sweep_value(const struct variant *v, uint32_t i)
{
    return strchr(set_of(v, i), '=') + 1;
}

/* ---- the card ---- */

/* The best setting that is clearly better than the scenario's own; 0: none is. Rows are in the order of
 * the ranking. */
static uint32_t clearly_best(const struct sweep *s)
{
    for (uint32_t v = 1; v < s->few.count; v++)
        if (comparison_cell(&s->comparison, s->results.best, v)->is_better)
            return v;
    return 0;
}

/* True if the best setting has a value for the ranked figure, so that settings can be ranked. */
static bool is_ranked(const struct sweep *s)
{
    const struct sweep_results *r = &s->results;

    return isfinite(figures_mean(&r->figures.list[r->best], r->order[0], r->seeds));
}

/* A comparison on seeds that had no say in the choice. */
static void add_check(const struct sweep *s, struct card *c, uint32_t variant)
{
    const struct variant *v = &s->few.list[variant];
    uint64_t              first = 0;

    for (uint32_t i = 0; i < s->results.seeds; i++)
        first = s->results.seed[i] > first ? s->results.seed[i] : first;
    card_add(c, CARD_NEXT, "check it on seeds that it was not chosen by");
    card_add(c, CARD_COMMAND, "anole compare");
    card_add_argument(c, s->plan.file[0].path);
    card_add(c, CARD_COMMAND, "--seed-list %" PRIu64, first + 1);
    for (uint64_t seed = first + 2; seed <= first + 10; seed++)
        card_append(c, CARD_COMMAND, ",%" PRIu64, seed);
    card_add(c, CARD_COMMAND, "--variant own --variant");
    card_add_variant(c, "best", v->set + v->sets - v->own, v->own);
}

/* What the ranking says, in words: which setting to use, or why none. */
static void add_finding(const struct sweep *s, struct card *c, uint32_t best)
{
    const struct sweep_results *r = &s->results;
    const struct metric        *m = &r->figures.list[r->best].metric;
    char                        is[64], was[64];

    if (s->others == 0) {
        card_add(c, CARD_FINDING, "Keep the scenario's own setting: no setting changes any figure.");
        return;
    }
    metric_text(is, sizeof(is), m->unit, comparison_cell(&s->comparison, r->best, best ? best : 1)->mean);
    metric_text(was, sizeof(was), m->unit, comparison_cell(&s->comparison, r->best, 0)->mean);
    if (!best) {
        card_add(c, CARD_FINDING,
                 "Keep the scenario's own setting: none of the best %u of %u %ssettings is clearly better in "
                 "%s.", s->few.count - 1, s->others, s->others < r->count ? "other " : "", m->label);
        card_add(c, CARD_DETAIL, "The best of them, %s, has %s instead of %s.", s->few.list[1].name, is, was);
        return;
    }
    if (comparison_harm(&s->comparison, best) != UINT32_MAX)
        card_add(c, CARD_FINDING, "Use %s if %s matters most: it is", s->few.list[best].name, m->label);
    else
        card_add(c, CARD_FINDING, "Use %s: %s is", s->few.list[best].name, m->label);
    card_add(c, CARD_FINDING, "%s instead of %s with the scenario's own setting.", is, was);
    uint32_t before = 0;
    while (r->order[before] != s->shown[best])
        before++;
    if (before > 0)
        card_add(c, CARD_DETAIL,
                 "It ranks %u; those before it vary too much between seeds to be clearly better.",
                 before + 1);
}

static void add_next(const struct sweep *s, struct card *c, uint32_t best)
{
    if (best) {
        add_check(s, c, best);
        return;
    }
    if (s->comparison.counted == s->results.seeds && s->results.seeds < COMPARE_SEEDS_TRUSTED &&
        s->comparison.argc) {
        comparison_add_more_seeds(&s->comparison, c,
                                  "use more seeds: so few hardly ever show a clear difference");
        return;
    }
    card_add(c, CARD_NEXT, "search among more settings");
    card_add(c, CARD_COMMAND, "anole advise");
    card_add_argument(c, s->plan.file[0].path);
}

struct card *sweep_answer(const struct sweep *s, struct card *c)
{
    const struct sweep_results *r = &s->results;
    uint32_t                    best = clearly_best(s);

    *c = (struct card){ 0 };
    comparison_add_about(&s->comparison, c);
    if (s->others > 0 && !comparison_is_pair(&s->comparison, 1)) {
        card_add(c, CARD_FINDING,
                 "The settings send different traffic than the scenario: they are ranked by %s, without a "
                 "verdict.", r->figures.list[r->best].metric.label);
        return c;
    }
    if (!is_ranked(s)) {
        card_add(c, CARD_FINDING,
                 "No setting has a %s: nothing finished. Run longer, or rank by another figure with --best.",
                 r->figures.list[r->best].metric.label);
        return c;
    }
    add_finding(s, c, best);
    if (!best && s->others > 0 && s->comparison.counted > 1) {
        bool is_worse = comparison_cell(&s->comparison, r->best, 1)->is_significant;

        comparison_add_change(&s->comparison, c, CARD_SURE, r->best, 1);
        card_append(c, CARD_SURE, " with the best of them, %s.", is_worse ? "clearly worse" : "not clear");
    }
    if (best && r->count > 1)
        card_add(c, CARD_SURE,
                 "The best of %u settings looks better than it is: the same seeds chose it.", r->count);
    comparison_add_evidence(&s->comparison, c, best);
    card_capitalise(c, CARD_COST);
    card_capitalise(c, CARD_SURE);
    add_next(s, c, best);
    return c;
}

/* ---- columns ---- */

#define POINTS_MAX 5000          /* on the page: what a picture can show */

/* The values of a key as numbers of one unit. */
struct sweep_column {
    char key[128];               /* "kmin" */
    char name[160];              /* "kmin_kb": with the unit, if any */
    char unit[16];               /* "kb", "us", "bps", "bytes", ""; */
    bool is_number;
};

/* Of keys other than knobs. A plain number is read as one before it is taken for bytes. */
static const struct { const char *name; int (*read)(const char *, uint64_t *, struct err *); double one; }
units[] = {
    { "", NULL, 1 }, { "us", text_to_time, PS_PER_US }, { "bps", text_to_rate, 1 },
    { "bytes", text_to_bytes, 1 },
};

#define UNITS (sizeof(units) / sizeof(*units))

/* What a key is set to, by its own unit; NAN: it is a text. */
static double read_as(const char *unit, const char *key, const char *text)
{
    enum knob knob = knob_find(key);
    uint64_t  whole;
    double    value;

    if (knob != KNOB_COUNT)
        return knob_parse(knob, text, &value, NULL) ? NAN : value;
    for (size_t i = 1; i < UNITS; i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].read(text, &whole, NULL) ? NAN : (double)whole / units[i].one;
    return text_to_real(text, &value, NULL) ? NAN : value;
}

static const char *unit_of(const char *key, const char *text)
{
    static const char *const of_knobs[] = { [KNOB_US] = "us", [KNOB_KB] = "kb", [KNOB_MBPS] = "mbps",
                                            [KNOB_BLOCKS] = "blocks" };
    enum knob knob = knob_find(key);

    if (knob != KNOB_COUNT) {
        enum knob_unit unit = knob_info[knob].unit;

        return unit < sizeof(of_knobs) / sizeof(*of_knobs) && of_knobs[unit] ? of_knobs[unit] : "";
    }
    for (size_t i = 0; i < UNITS; i++)
        if (!isnan(read_as(units[i].name, key, text)))
            return units[i].name;
    return "";
}

/* Fills column 'i'. It is a number if all values are numbers of one kind. */
static void fill_column(const struct sweep_results *r, uint32_t i, struct sweep_column *c)
{
    const struct variant *first = &r->variants->list[r->order[0]];
    const char           *text = set_of(first, i);

    *c = (struct sweep_column){ .is_number = true };
    snprintf(c->key, sizeof(c->key), "%.*s", (int)strcspn(text, "="), text);
    snprintf(c->unit, sizeof(c->unit), "%s", unit_of(c->key, sweep_value(first, i)));
    for (uint32_t k = 0; k < r->count && c->is_number; k++)
        c->is_number = !isnan(read_as(c->unit, c->key, sweep_value(&r->variants->list[r->order[k]], i)));
    if (!c->is_number)
        c->unit[0] = '\0';
    snprintf(c->name, sizeof(c->name), "%s%s%s", c->key, *c->unit ? "_" : "", c->unit);
}

static struct sweep_column *columns_of(const struct sweep_results *r)
{
    uint32_t             own = r->variants->list[0].own;
    struct sweep_column *column = xcalloc(own + 1ul, sizeof(*column));

    for (uint32_t i = 0; i < own; i++)
        fill_column(r, i, &column[i]);
    return column;
}

/* The mean of figure 'i'. */
static double mean_of_figure(const struct sweep_results *r, uint32_t i, uint32_t variant)
{
    return figures_mean(&r->figures.list[i], variant, r->seeds);
}

/* ---- for the page ---- */

static bool is_listed(const struct sweep_results *r, uint32_t figure)
{
    return figure == r->best || r->figures.list[figure].is_shown;
}

static json_t *figures_json(const struct sweep_results *r)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->figures.count; i++) {
        const struct metric *m = &r->figures.list[i].metric;

        if (is_listed(r, i))
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", m->name, "label",
                                                  m->label, "unit", metric_unit_name(m->unit), "better",
                                                  metric_better_name(m->better)));
    }
    return list;
}

/* A setting: values of the keys, and figures. The scenario's own values are known of knobs alone. */
static json_t *point_json(const struct sweep *s, const struct sweep_column *column, uint32_t columns,
                          uint32_t variant)
{
    const struct sweep_results *r = &s->results;
    const struct variant       *v = &r->variants->list[variant];
    json_t                     *values = json_array(), *figures = json_array();

    for (uint32_t i = 0; i < columns; i++) {
        enum knob knob = knob_find(column[i].key);

        json_array_append_new(values, variant == s->baseline
                              ? knob == KNOB_COUNT ? json_null() : JSON(s->own.value[knob])
                              : column[i].is_number
                              ? json_real(read_as(column[i].unit, column[i].key, sweep_value(v, i)))
                              : JSON(sweep_value(v, i)));
    }
    for (uint32_t i = 0; i < r->figures.count; i++)
        if (is_listed(r, i))
            json_array_append_new(figures, JSON(mean_of_figure(r, i, variant)));
    return JSON_OF(JSON_FIELD(v, name), { "values", values }, { "figures", figures });
}

json_t *sweep_page(const struct sweep *s)
{
    const struct sweep_results *r = &s->results;
    uint32_t             own = r->variants->list[r->order[0]].own;
    struct sweep_column *column = columns_of(r);
    json_t              *keys = json_array(), *points = json_array();
    bool has_verdict = (s->others == 0 || comparison_is_pair(&s->comparison, 1)) && is_ranked(s);

    for (uint32_t i = 0; i < own; i++)
        json_array_append_new(keys, json_pack("{s:s, s:s, s:b}", "name", column[i].key, "unit",
                                              column[i].unit, "is_number", column[i].is_number));
    for (uint32_t k = 0; k < r->count && k < POINTS_MAX; k++)
        json_array_append_new(points, point_json(s, column, own, r->order[k]));
    json_t *o =
        JSON_OF({ "best", JSON(r->figures.list[r->best].metric.name) }, { "settings", JSON(r->count) },
                JSON_FIELD(r, seeds), { "keys", keys }, { "figures", figures_json(r) }, { "points", points },
                { "own", point_json(s, column, own, s->baseline) },
                { "advised", has_verdict ? JSON(s->few.list[clearly_best(s)].name) : json_null() });
    free(column);
    return o;
}

/* ---- the table: values, the figure to rank by, its interval, the others that are shown ---- */

static void add_figure(const struct sweep_results *r, struct table *t, uint32_t figure, uint32_t variant)
{
    char text[64];

    table_cell(t, "%s", metric_text(text, sizeof(text), r->figures.list[figure].metric.unit,
                                    mean_of_figure(r, figure, variant)));
}

static void add_interval(const struct sweep_results *r, struct table *t, struct bootstrap *b,
                         uint32_t variant)
{
    const struct figure *f = &r->figures.list[r->best];
    const double        *value = &f->value[(uint64_t)variant * r->seeds];
    double               least, most;
    char                 low[64], high[64];

    for (uint32_t s = 0; s < r->seeds; s++)
        if (!isfinite(value[s])) {
            table_cell(t, "-");
            return;
        }
    metric_bounds(&f->metric, &least, &most);
    struct interval i = bootstrap_mean_within(b, value, least, most);
    table_cell(t, "[%s, %s]", metric_text(low, sizeof(low), f->metric.unit, i.low),
               metric_text(high, sizeof(high), f->metric.unit, i.high));
}

static void add_heading(const struct sweep *s, struct table *t, const struct sweep_column *column)
{
    const struct sweep_results *r = &s->results;

    table_cell(t, "%s", "");
    for (uint32_t i = 0; i < r->variants->list[0].own; i++)
        table_cell(t, "%s", column[i].key);
    table_cell(t, "%s", r->figures.list[r->best].metric.label);
    if (s->comparison.counted > 1)
        table_cell(t, "%.0f %% interval", 100 * BOOTSTRAP_CONFIDENCE);
    for (uint32_t i = 0; i < r->figures.count; i++)
        if (r->figures.list[i].is_shown && i != r->best)
            table_cell(t, "%s", r->figures.list[i].metric.label);
}

/* A row of the ranking, or, below it, the scenario's own setting. */
static void add_row(const struct sweep *s, struct table *t, const struct sweep_column *column,
                    struct bootstrap *b, uint32_t rank)
{
    const struct sweep_results *r = &s->results;
    bool     is_own = rank == r->count;
    uint32_t variant = is_own ? s->baseline : r->order[rank];
    char     text[KNOB_TEXT_MAX];

    table_cell(t, is_own ? "own" : "%u", rank + 1);
    for (uint32_t i = 0; i < r->variants->list[0].own; i++) {
        enum knob knob = knob_find(column[i].key);

        table_cell(t, "%s", !is_own ? sweep_value(&r->variants->list[variant], i)
                            : knob == KNOB_COUNT ? "-" : knob_text(text, knob, s->own.value[knob]));
    }
    add_figure(r, t, r->best, variant);
    if (s->comparison.counted > 1)
        add_interval(r, t, b, variant);
    for (uint32_t i = 0; i < r->figures.count; i++)
        if (r->figures.list[i].is_shown && i != r->best)
            add_figure(r, t, i, variant);
}

static void print_table(const struct sweep *s, FILE *out, uint32_t top)
{
    const struct sweep_results *r = &s->results;
    struct sweep_column *column = columns_of(r);
    struct bootstrap     b = { 0 };
    uint32_t             columns = 2 + r->variants->list[0].own + (s->comparison.counted > 1);

    for (uint32_t i = 0; i < r->figures.count; i++)
        columns += r->figures.list[i].is_shown && i != r->best;
    char *align = xcalloc(columns + 1ul, 1);
    memset(align, 'r', columns);
    struct table *t = table_new(align);
    if (s->comparison.counted > 1)
        bootstrap_init(&b, r->seeds);
    add_heading(s, t, column);
    for (uint32_t i = 0; i < top; i++)
        add_row(s, t, column, &b, i);
    add_row(s, t, column, &b, r->count);
    table_end(t, out, 0);
    if (s->comparison.counted > 1)
        bootstrap_fini(&b);
    free(align);
    free(column);
}

void sweep_print_table(const struct sweep *s, FILE *out, uint32_t top, bool has_colour)
{
    const struct sweep_results *r = &s->results;

    top = top < r->count ? top : r->count;
    card_end(sweep_answer(s, EMPTY_CARD), out, has_colour);
    fputc('\n', out);
    print_table(s, out, top);
    fprintf(out, "\nThe best %u of %u settings by %s, and the scenario's own; means over %u seed%s.\n",
            top, r->count, safe_name(r->figures.list[r->best].metric.name).buf, r->seeds,
            r->seeds == 1 ? "" : "s");
    figures_print_words(&r->figures, out);
    compare_warn_few_seeds(r->seeds, s->comparison.counted, out);
    figures_print_stuck(&r->figures, r->variants, r->seeds, out);
}

/* ---- CSV ---- */

/* The values of a variant, numbers in the unit of the column's head; NULL: the heads. */
static void print_values(const struct sweep_results *r, const struct variant *v,
                         const struct sweep_column *column, FILE *out)
{
    for (uint32_t i = 0; i < r->variants->list[0].own; i++) {
        fputs(i ? "," : "", out);
        if (v && column[i].is_number)
            fprintf(out, "%.10g", read_as(column[i].unit, column[i].key, sweep_value(v, i)));
        else
            figures_print_quoted(out, v ? sweep_value(v, i) : column[i].name);
    }
}

void sweep_print_csv(const struct sweep_results *r, FILE *out)
{
    struct sweep_column *column = columns_of(r);

    fputs("rank,", out);
    print_values(r, NULL, column, out);
    figures_print_names(&r->figures, out);
    for (uint32_t rank = 0; rank < r->count; rank++) {
        fprintf(out, "%u,", rank + 1);
        print_values(r, &r->variants->list[r->order[rank]], column, out);
        for (uint32_t i = 0; i < r->figures.count; i++)
            figures_print_number(out, mean_of_figure(r, i, r->order[rank]));
        fputc('\n', out);
    }
    free(column);
}

void sweep_print_runs(const struct sweep_results *r, FILE *out)
{
    struct sweep_column *column = columns_of(r);
    bool                *was_run = xcalloc(r->variants->count + 1ul, sizeof(*was_run));

    for (uint32_t i = 0; i < r->count; i++)
        was_run[r->order[i]] = true;
    print_values(r, NULL, column, out);
    fputs(",seed", out);
    figures_print_names(&r->figures, out);
    for (uint32_t v = 0; v < r->variants->count; v++)
        for (uint32_t s = 0; was_run[v] && s < r->seeds; s++) {
            print_values(r, &r->variants->list[v], column, out);
            fprintf(out, ",%" PRIu64, r->seed[s]);
            figures_print_run(&r->figures, (uint64_t)v * r->seeds + s, out);
        }
    free(was_run);
    free(column);
}

/* ---- JSON ---- */

static json_t *metrics_json(const struct sweep_results *r, uint32_t variant)
{
    json_t *made = json_object();

    for (uint32_t i = 0; i < r->figures.count; i++)
        json_put_number(made, r->figures.list[i].metric.name, mean_of_figure(r, i, variant));
    return made;
}

void sweep_print_json(const struct sweep *s, FILE *out)
{
    const struct sweep_results *r = &s->results;
    const struct metric        *best = &r->figures.list[r->best].metric;
    json_t                     *settings = json_array();

    for (uint32_t k = 0; k < r->count; k++) {
        const struct variant *v = &r->variants->list[r->order[k]];
        json_t               *set = json_object();

        for (uint32_t i = 0; i < v->own; i++)
            json_object_setn_new(set, set_of(v, i), strcspn(set_of(v, i), "="), JSON(sweep_value(v, i)));
        JSON_ADD(settings, { "set", set }, { "metrics", metrics_json(r, r->order[k]) });
    }
    json_t *made =
        JSON_OF({ "answer", card_end_json(sweep_answer(s, EMPTY_CARD)) }, { "best", JSON(best->name) },
                { "own", metrics_json(r, s->baseline) }, { "better", JSON(metric_better_name(best->better)) },
                { "seeds", json_integer(r->seeds) }, { "settings", settings },
                { "comparison", comparison_json(&s->comparison, true, EMPTY_CARD) });
    json_object_del(json_object_get(made, "comparison"), "answer");
    json_dumpf(made, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(made);
}
