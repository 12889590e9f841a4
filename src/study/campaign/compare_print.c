#include "base/bootstrap.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/print/terminal.h"
#include "base/print/table.h"
#include "study/campaign/compare.h"

#include <inttypes.h>
#include <math.h>

/* ---- the table: a line a figure, for each variant its mean, and the change to the baseline ---- */

/* A change: "+3.1%" as a share, else as metric_text() with a sign. Exactly 0 has neither sign nor unit of a
 * metric. */
static const char *change_text(char buf[80], bool is_share, double value, const char *percent,
                               enum metric_unit unit)
{
    char text[64];

    if (is_share && value != 0)
        snprintf(buf, 80, fabs(100 * value) < 1000 ? "%+.1f%s" : "%+.0f%s", 100 * value, percent);
    else if (value == 0)
        snprintf(buf, 80, "0%s", is_share ? percent : "");
    else
        snprintf(buf, 80, "%s%s", value > 0 ? "+" : "", metric_text(text, sizeof(text), unit, value));
    return buf;
}

/* Two cells. Where the baseline is 0 there is no share of it: the difference itself. */
static void add_change(struct table *t, const struct compared_cell *cell, enum metric_unit unit)
{
    bool is_share = isfinite(cell->change);
    char text[80], low[80], high[80];

    change_text(text, is_share, is_share ? cell->change : cell->difference, " %", unit);
    change_text(low, is_share, is_share ? cell->change_low : cell->difference_low, "", unit);
    change_text(high, is_share, is_share ? cell->change_high : cell->difference_high, "", unit);
    table_cell(t, "%s", isnan(cell->difference) ? "-" : text);
    table_cell(t, isnan(cell->difference_low) ? "-" : "[%s, %s]", low, high);
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

static void add_row(const struct comparison *c, struct table *t, uint32_t row, uint32_t variant,
                    bool has_colour)
{
    const struct metric        *m = &c->figures.list[row].metric;
    const struct compared_cell *cell = comparison_cell(c, row, variant);
    bool has_side = has_colour && cell->is_significant && m->better != BETTER_NEITHER;
    char was[64], is[64];

    metric_text(was, sizeof(was), m->unit, comparison_cell(c, row, c->baseline)->mean);
    table_cells(t, m->label, was, NULL);
    if (variant == c->baseline)
        return;
    table_cell(t, "%s", metric_text(is, sizeof(is), m->unit, cell->mean));
    if (!comparison_is_pair(c, variant))
        return;
    add_change(t, cell, m->unit);
    /* A word, so that it does not depend on colour. */
    table_cell_coloured(t, !has_side ? NULL : cell->is_better ? "\033[32m" : "\033[31m",
                        verdict_of(cell, m->better));
}

void comparison_print_variant(const struct comparison *c, uint32_t variant, FILE *out, bool has_colour)
{
    bool          is_alone = variant == c->baseline, is_pair = !is_alone && comparison_is_pair(c, variant);
    struct table *t = table_new(is_alone ? "lr" : is_pair ? "lrrrrl" : "lrr");

    table_cells(t, "", name_of(c, c->baseline), is_alone ? NULL : name_of(c, variant), NULL);
    if (is_pair) {
        table_cell(t, "change");
        table_cell(t, "%.0f %% interval", 100 * BOOTSTRAP_CONFIDENCE);
        table_cell(t, "%s", "");
    }
    for (uint32_t i = 0; i < c->figures.count; i++)
        if (c->figures.list[i].is_shown)
            add_row(c, t, i, variant, has_colour);
    table_end(t, out, 0);
}

void compare_warn_few_seeds(uint32_t seeds, uint32_t counted, FILE *out)
{
    if (counted < seeds)
        fprintf(out, "All %u seeds gave the same runs and count as one, which gives no intervals.\n", seeds);
    else if (seeds == 1)
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
    compare_warn_few_seeds(c->seeds, c->counted, out);
    figures_print_stuck(&c->figures, c->variants, c->seeds, out);
}

void comparison_print_table(const struct comparison *c, FILE *out, bool has_colour)
{
    card_end(comparison_answer(c, EMPTY_CARD), out, has_colour);
    for (uint32_t v = 0; v < c->variants->count; v++)
        if (v != c->baseline || c->variants->count == 1) {
            fputc('\n', out);
            comparison_print_variant(c, v, out, has_colour);
        }
    print_notes(c, out);
}

/* ---- CSV ---- */

/* The numbers of a cell, in CSV and in JSON. */
#define NUMBER(field) { #field, offsetof(struct compared_cell, field) }

static const struct { const char *name; size_t offset; } numbers[] = {
    NUMBER(mean), NUMBER(low), NUMBER(high), NUMBER(difference), NUMBER(difference_low),
    NUMBER(difference_high), NUMBER(change), NUMBER(change_low), NUMBER(change_high),
};

#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

static double number_of(const struct compared_cell *cell, size_t i)
{
    return *(const double *)(const void *)((const char *)cell + numbers[i].offset);
}

static void print_cell(const struct metric *metric, const struct compared_cell *cell, const char *variant,
                       FILE *out)
{
    figures_print_quoted(out, metric->name);
    fprintf(out, ",%s,%s,", metric_unit_name(metric->unit), metric_better_name(metric->better));
    figures_print_quoted(out, variant);
    fprintf(out, ",%u", cell->seeds);
    for (size_t i = 0; i < NUMBERS; i++)
        figures_print_number(out, number_of(cell, i));
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
    json_t *made = JSON_OF({ "name", JSON(variant) }, { "pairs", json_integer(cell->seeds) });

    for (size_t i = 0; i < NUMBERS; i++)
        json_put_number(made, numbers[i].name, number_of(cell, i));
    JSON_PUT(made, { "p", JSON(isfinite(cell->difference_low) ? cell->p : NAN) },
             { "is_significant", json_boolean(cell->is_significant) },
             { "is_better", json_boolean(cell->is_better) });
    return made;
}

static json_t *row_json(const struct comparison *c, uint32_t row)
{
    const struct metric *m = &c->figures.list[row].metric;
    json_t *variants = json_array();

    for (uint32_t v = 0; v < c->variants->count; v++)
        json_array_append_new(variants, cell_json(comparison_cell(c, row, v), c->variants->list[v].name));
    return JSON_OF(JSON_FIELD(m, name), JSON_FIELD(m, label), { "unit", JSON(metric_unit_name(m->unit)) },
                   { "better", JSON(metric_better_name(m->better)) },
                   { "is_shown", json_boolean(c->figures.list[row].is_shown) }, { "variants", variants });
}

json_t *comparison_json(const struct comparison *c, bool all, const struct card *card)
{
    json_t  *metrics = json_array(), *seeds = json_array(), *deciding = json_array(),
            *verdicts = json_array();
    uint32_t figure[COMPARE_DECIDING], count = comparison_deciding(c, figure);
    char     text[1000];

    for (uint32_t s = 0; s < c->seeds; s++)
        json_array_append_new(seeds, json_sprintf("%" PRIu64, c->seed[s]));
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(deciding, JSON(c->figures.list[figure[i]].metric.name));
    for (uint32_t v = 0; v < c->variants->count; v++)
        JSON_ADD(verdicts, { "name", JSON(name_of(c, v)) },
                 { "text", JSON(comparison_verdict(text, sizeof(text), c, v)) },
                 { "has_same_flows", json_boolean(comparison_is_pair(c, v)) });
    for (uint32_t i = 0; i < c->figures.count; i++)
        if (all || c->figures.list[i].is_shown)
            json_array_append_new(metrics, row_json(c, i));
    return JSON_OF({ "answer", card ? card_json(card) : card_end_json(comparison_answer(c, EMPTY_CARD)) },
                   { "baseline", JSON(name_of(c, c->baseline)) }, { "seeds", json_integer(c->seeds) },
                   { "seeds_counted", json_integer(c->counted) },
                   { "seed_list", seeds }, { "confidence", json_real(BOOTSTRAP_CONFIDENCE) },
                   { "false_discovery_rate", json_real(FDR_SHARE) }, { "tested", json_integer(c->tested) },
                   { "deciding", deciding }, { "verdicts", verdicts }, { "metrics", metrics });
}

void comparison_print_json(const struct comparison *c, FILE *out, bool all, const struct card *answer)
{
    json_t *made = comparison_json(c, all, answer);

    json_dumpf(made, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(made);
}
