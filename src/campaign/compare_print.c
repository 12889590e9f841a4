#include "base/bootstrap.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/print/terminal.h"
#include "base/print/table.h"
#include "campaign/compare.h"

#include <inttypes.h>
#include <math.h>

/* ---- the table: a line a figure, for each variant its mean, and the change to the baseline ---- */

/* "+3.1%"; exactly 0 has no sign. */
static const char *percent_text(char *buf, size_t size, double share, const char *unit)
{
    double percent = 100 * share;

    if (share == 0)
        snprintf(buf, size, "0%s", unit);
    else
        snprintf(buf, size, fabs(percent) < 1000 ? "%+.1f%s" : "%+.0f%s", percent, unit);
    return buf;
}

/* As metric_text(), with a sign; exactly 0 has neither sign nor unit. */
static const char *difference_text(char *buf, size_t size, enum metric_unit unit, double value)
{
    char text[64];

    if (value == 0)
        snprintf(buf, size, "0");
    else
        snprintf(buf, size, "%s%s", value > 0 ? "+" : "", metric_text(text, sizeof(text), unit, value));
    return buf;
}

/* Two cells. Where the baseline is 0 there is no share of it: the difference itself. */
static void add_change(struct table *t, const struct compared_cell *cell, enum metric_unit unit)
{
    bool is_share = isfinite(cell->change);
    char text[64], low[64], high[64];

    if (isnan(cell->difference))
        table_cell(t, "-");
    else if (is_share)
        table_cell(t, "%s", percent_text(text, sizeof(text), cell->change, " %"));
    else
        table_cell(t, "%s", difference_text(text, sizeof(text), unit, cell->difference));
    if (isnan(cell->difference_low))
        table_cell(t, "-");
    else if (is_share)
        table_cell(t, "[%s, %s]", percent_text(low, sizeof(low), cell->change_low, ""),
                   percent_text(high, sizeof(high), cell->change_high, ""));
    else
        table_cell(t, "[%s, %s]", difference_text(low, sizeof(low), unit, cell->difference_low),
                   difference_text(high, sizeof(high), unit, cell->difference_high));
}

static const char *verdict_of(const struct compared_cell *cell, enum metric_better better)
{
    if (!cell->is_significant)
        return "";
    return better == BETTER_NEITHER ? "differs" : cell->is_better ? "better" : "worse";
}

static const char *name_of(const struct comparison *c, uint32_t variant)
{
    return c->variants->list[variant].name;
}

static void add_heading(const struct comparison *c, struct table *t, uint32_t variant)
{
    table_cells(t, "", name_of(c, c->baseline), name_of(c, variant), NULL);
    if (!comparison_is_pair(c, variant))
        return;
    table_cell(t, "change");
    table_cell(t, "%.0f %% interval", 100 * BOOTSTRAP_CONFIDENCE);
    table_cell(t, "%s", "");
}

static void add_row(const struct comparison *c, struct table *t, uint32_t row, uint32_t variant,
                    bool has_colour)
{
    const struct metric *m = &c->figures.list[row].metric;
    const struct compared_cell *cell = comparison_cell(c, row, variant);
    char text[64];
    bool has_side = has_colour && cell->is_significant && m->better != BETTER_NEITHER;

    table_cells(t, m->label,
                metric_text(text, sizeof(text), m->unit, comparison_cell(c, row, c->baseline)->mean),
                NULL);
    table_cell(t, "%s", metric_text(text, sizeof(text), m->unit, cell->mean));
    if (!comparison_is_pair(c, variant))
        return;
    add_change(t, cell, m->unit);
    /* A word, so that it does not depend on colour. */
    table_cell_coloured(t, !has_side ? NULL : cell->is_better ? "\033[32m" : "\033[31m",
                        verdict_of(cell, m->better));
}

/* One variant at a time next to the baseline: all of them would fit no terminal. */
static void print_variant(const struct comparison *c, uint32_t variant, FILE *out, bool has_colour)
{
    struct table *t = table_new(comparison_is_pair(c, variant) ? "lrrrrl" : "lrr");

    add_heading(c, t, variant);
    for (uint32_t i = 0; i < c->figures.count; i++)
        if (c->figures.list[i].is_shown)
            add_row(c, t, i, variant, has_colour);
    table_end(t, out, 0);
}

static void print_baseline(const struct comparison *c, FILE *out)
{
    struct table *t = table_new("lr");
    char text[64];

    table_cells(t, "", c->variants->list[0].name, NULL);
    for (uint32_t i = 0; i < c->figures.count; i++)
        if (c->figures.list[i].is_shown) {
            const struct metric *m = &c->figures.list[i].metric;

            table_cells(t, m->label,
                        metric_text(text, sizeof(text), m->unit, comparison_cell(c, i, 0)->mean), NULL);
        }
    table_end(t, out, 0);
}

void compare_warn_few_seeds(uint32_t seeds, FILE *out)
{
    if (seeds == 1)
        fputs("One seed gives no intervals. Try --seeds 10.\n", out);
    else if (seeds < COMPARE_SEEDS_TRUSTED)
        fprintf(out, "Fewer than %d seeds: intervals are unreliable. Try --seeds 10.\n",
                COMPARE_SEEDS_TRUSTED);
}

static void print_notes(const struct comparison *c, FILE *out)
{
    bool has_pair = false;
    char text[300];

    for (uint32_t v = 0; v < c->variants->count; v++)
        has_pair |= v != c->baseline && comparison_is_pair(c, v);
    fprintf(out, "\nMeans over %u seed%s", c->seeds, c->seeds == 1 ? "" : "s");
    if (has_pair)
        fprintf(out, "; changes to '%s', seed by seed with the same flows.\n",
                safe_name(name_of(c, c->baseline)).buf);
    else
        fputs(".\n", out);
    if (c->tested > 0) {
        snprintf(text, sizeof(text),
                 "better, worse, differs: the interval excludes no change, and at most %.0f %% of these "
                 "labels are expected to be wrong (false discovery rate over %u comparisons).",
                 100 * FDR_SHARE, c->tested);
        terminal_words(out, text, 0, 4, terminal_width(out));
    }
    figures_print_words(&c->figures, out);
    compare_warn_few_seeds(c->seeds, out);
    figures_print_stuck(&c->figures, c->variants, c->seeds, out);
}

void comparison_print_table(const struct comparison *c, FILE *out, bool has_colour)
{
    bool is_first = true;

    card_end(comparison_answer(c, EMPTY_CARD), out, has_colour);
    fputc('\n', out);
    if (c->variants->count == 1)
        print_baseline(c, out);
    for (uint32_t v = 0; v < c->variants->count; v++) {
        if (v == c->baseline)
            continue;
        if (!is_first)
            fputc('\n', out);
        print_variant(c, v, out, has_colour);
        is_first = false;
    }
    print_notes(c, out);
}

/* ---- CSV ---- */

static void print_cell(const struct metric *metric, const struct compared_cell *cell, const char *variant,
                       FILE *out)
{
    const double number[] = { cell->mean, cell->low, cell->high, cell->difference, cell->difference_low,
                              cell->difference_high, cell->change, cell->change_low, cell->change_high };

    figures_print_quoted(out, metric->name);
    fprintf(out, ",%s,%s,", metric_unit_name(metric->unit), metric_better_name(metric->better));
    figures_print_quoted(out, variant);
    fprintf(out, ",%u", cell->seeds);
    for (unsigned i = 0; i < sizeof(number) / sizeof(*number); i++)
        figures_print_number(out, number[i]);
    fprintf(out, ",%s\n", verdict_of(cell, metric->better));
}

void comparison_print_csv(const struct comparison *c, FILE *out, bool all)
{
    fputs(
        "metric,unit,better,variant,pairs,mean,mean_low,mean_high,difference,difference_low,difference_high,"
        "change,change_low,change_high,verdict\n",
        out);
    for (uint32_t i = 0; i < c->figures.count; i++)
        for (uint32_t v = 0; v < c->variants->count && (all || c->figures.list[i].is_shown); v++)
            print_cell(&c->figures.list[i].metric, comparison_cell(c, i, v), c->variants->list[v].name, out);
}

void comparison_print_runs(const struct comparison *c, FILE *out)
{
    fputs("variant,seed", out);
    figures_print_names(&c->figures, out);
    for (uint32_t v = 0; v < c->variants->count; v++)
        for (uint32_t s = 0; s < c->seeds; s++) {
            figures_print_quoted(out, c->variants->list[v].name);
            fprintf(out, ",%" PRIu64, c->seed[s]);
            figures_print_run(&c->figures, (uint64_t)v * c->seeds + s, out);
        }
}

/* ---- JSON ---- */

static json_t *cell_json(const struct compared_cell *cell, const char *variant)
{
    return JSON_OF({ "name", json_string(variant) }, { "pairs", json_integer(cell->seeds) },
                   { "mean", json_of_number(cell->mean) }, { "low", json_of_number(cell->low) },
                   { "high", json_of_number(cell->high) },
                   { "difference", json_of_number(cell->difference) },
                   { "difference_low", json_of_number(cell->difference_low) },
                   { "difference_high", json_of_number(cell->difference_high) },
                   { "change", json_of_number(cell->change) },
                   { "change_low", json_of_number(cell->change_low) },
                   { "change_high", json_of_number(cell->change_high) },
                   { "p", json_of_number(isfinite(cell->difference_low) ? cell->p : NAN) },
                   { "is_significant", json_boolean(cell->is_significant) },
                   { "is_better", json_boolean(cell->is_better) });
}

/* Names of the figures that decide. */
static json_t *deciding_json(const struct comparison *c)
{
    uint32_t figure[COMPARE_DECIDING], count = comparison_deciding(c, figure);
    json_t  *list = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(c->figures.list[figure[i]].metric.name));
    return list;
}

static json_t *verdicts_json(const struct comparison *c)
{
    json_t *list = json_array();
    char text[1000];

    for (uint32_t v = 0; v < c->variants->count; v++) {
        json_array_append_new(list, JSON_OF(
            { "name", json_string(c->variants->list[v].name) },
            { "text", json_of_text(comparison_verdict(text, sizeof(text), c, v)) },
            { "has_same_flows", json_boolean(comparison_is_pair(c, v)) }));
    }
    return list;
}

static json_t *row_json(const struct comparison *c, uint32_t row)
{
    const struct metric *m = &c->figures.list[row].metric;
    json_t *variants = json_array();

    for (uint32_t v = 0; v < c->variants->count; v++)
        json_array_append_new(variants, cell_json(comparison_cell(c, row, v), c->variants->list[v].name));
    return JSON_OF({ "name", json_string(m->name) }, { "label", json_string(m->label) },
                   { "unit", json_string(metric_unit_name(m->unit)) },
                   { "better", json_string(metric_better_name(m->better)) },
                   { "is_shown", json_boolean(c->figures.list[row].is_shown) }, { "variants", variants });
}

json_t *comparison_json(const struct comparison *c, bool all, const struct card *card)
{
    json_t *metrics = json_array(), *seeds = json_array();

    for (uint32_t s = 0; s < c->seeds; s++)
        json_array_append_new(seeds, json_sprintf("%" PRIu64, c->seed[s]));
    for (uint32_t i = 0; i < c->figures.count; i++)
        if (all || c->figures.list[i].is_shown)
            json_array_append_new(metrics, row_json(c, i));
    return JSON_OF({ "answer", card ? card_json(card) : card_end_json(comparison_answer(c, EMPTY_CARD)) },
                   { "baseline", json_string(c->variants->list[c->baseline].name) },
                   { "seeds", json_integer(c->seeds) }, { "seed_list", seeds },
                   { "confidence", json_real(BOOTSTRAP_CONFIDENCE) },
                   { "false_discovery_rate", json_real(FDR_SHARE) }, { "tested", json_integer(c->tested) },
                   { "deciding", deciding_json(c) }, { "verdicts", verdicts_json(c) }, { "metrics",
                                                                                         metrics });
}

void comparison_print_json(const struct comparison *c, FILE *out, bool all, const struct card *answer)
{
    json_t *made = comparison_json(c, all, answer);

    json_dumpf(made, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(made);
}
