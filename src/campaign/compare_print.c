/* src/campaign/compare_print.c */
#include "base/bootstrap.h"
#include "base/json.h"
#include "base/print/safe.h"
#include "base/print/terminal.h"
#include "base/print/table.h"
#include "campaign/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a variant is worth, in one sentence ---- */

#define NAMED_MAX 3              /* figures of a kind; of the others it is said how many */

struct text { char *buf; size_t size, used; };

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(t->buf + t->used, t->size - t->used, format, args);
    va_end(args);
    t->used = length < 0 || (size_t)length >= t->size - t->used ? t->size - 1 : t->used + (size_t)length;
}

static bool is_named(const struct comparison *c, uint32_t figure, uint32_t variant, bool is_better)
{
    const struct compared_cell *cell = comparison_cell(c, figure, variant);
    const struct figure *f = &c->figures.list[figure];

    return f->is_shown && f->metric.better != BETTER_NEITHER && cell->is_significant && cell->is_better == is_better;
}

static uint32_t count_named(const struct comparison *c, uint32_t variant, bool is_better)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < c->figures.count; i++)
        count += is_named(c, i, variant, is_better);
    return count;
}

/* "goodput, during" becomes "goodput (during)": commas stand between figures here. */
static void put_label(struct text *t, const char *label)
{
    const char *comma = strstr(label, ", ");

    if (comma)
        put(t, "%.*s (%s)", (int)(comma - label), label, comma + 2);
    else
        put(t, "%s", label);
}

/* "-38 %", "2.4 times as much", "+12" where the baseline is 0 */
static void put_change(struct text *t, const struct compared_cell *cell, enum metric_unit unit)
{
    char number[64];

    if (!isfinite(cell->change))
        put(t, " %s%s", cell->difference > 0 ? "+" : "", metric_text(number, sizeof(number), unit, cell->difference));
    else if (cell->change >= 1)
        put(t, " %.3g times as much", 1 + cell->change);
    else
        put(t, " %+.2g %%", 100 * cell->change);
}

static void put_named(struct text *t, const struct comparison *c, uint32_t variant, bool is_better)
{
    uint32_t count = count_named(c, variant, is_better), said = 0;

    for (uint32_t i = 0; i < c->figures.count && said < NAMED_MAX; i++) {
        if (!is_named(c, i, variant, is_better))
            continue;
        put(t, "%s", said == 0 ? "" : said + 1 == count ? " and " : ", ");
        put_label(t, c->figures.list[i].metric.label);
        put_change(t, comparison_cell(c, i, variant), c->figures.list[i].metric.unit);
        said++;
    }
    if (count > said)
        put(t, " and %u more", count - said);
}

static uint32_t count_shown(const struct comparison *c)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < c->figures.count; i++)
        count += c->figures.list[i].is_shown && c->figures.list[i].metric.better != BETTER_NEITHER;
    return count;
}

char *comparison_verdict(char *buf, size_t size, const struct comparison *c, uint32_t variant)
{
    struct text t = { buf, size, 0 };
    const char *name = c->variants->list[variant].name;
    uint32_t gains = count_named(c, variant, true), losses = count_named(c, variant, false);

    buf[0] = '\0';
    if (variant == c->baseline)
        put(&t, "%s is the baseline.", name);
    else if (c->seeds == 1)
        put(&t, "%s: one seed cannot tell a difference from chance.", name);
    else if (gains == 0 && losses == 0)
        put(&t, "%s: no clear difference in any of %u figures.", name, count_shown(c));
    if (buf[0])
        return buf;
    put(&t, "%s is ", name);
    if (gains) {
        put(&t, "better in ");
        put_named(&t, c, variant, true);
        put(&t, losses ? "; it costs " : "; it costs nothing that is clear");
    } else {
        put(&t, "worse in ");
    }
    put_named(&t, c, variant, false);
    put(&t, ".");
    return buf;
}

/* ---- the table: a line a figure, for each variant its mean, and the change to the baseline ---- */

/* "+3.1%"; what is exactly 0 has no sign. */
static const char *percent_text(char *buf, size_t size, double share, const char *unit)
{
    double percent = 100 * share;

    if (share == 0)
        snprintf(buf, size, "0%s", unit);
    else
        snprintf(buf, size, fabs(percent) < 1000 ? "%+.1f%s" : "%+.0f%s", percent, unit);
    return buf;
}

/* As metric_text(), with a sign; what is exactly 0 has neither sign nor unit. */
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
        table_cell(t, "%s", percent_text(text, sizeof(text), cell->change, "%"));
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

/* A word, so that it does not depend on colour. */
static void add_verdict(struct table *t, const struct compared_cell *cell, enum metric_better better,
                        bool has_colour)
{
    if (!cell->is_significant)
        table_cell(t, "%s", "");
    else if (better == BETTER_NEITHER)
        table_cell(t, "differs");
    else if (cell->is_better)
        table_cell_coloured(t, has_colour ? "\033[32m" : NULL, "better");
    else
        table_cell_coloured(t, has_colour ? "\033[31m" : NULL, "worse");
}

static void add_heading(const struct comparison *c, struct table *t, uint32_t variant)
{
    table_cell(t, "%s", "");
    table_cell(t, "%s", c->variants->list[c->baseline].name);
    table_cell(t, "%s", c->variants->list[variant].name);
    table_cell(t, "change");
    table_cell(t, "%.0f%% interval", 100 * BOOTSTRAP_CONFIDENCE);
    table_cell(t, "%s", "");
}

static void add_row(const struct comparison *c, struct table *t, uint32_t row, uint32_t variant, bool has_colour)
{
    const struct metric *m = &c->figures.list[row].metric;
    const struct compared_cell *cell = comparison_cell(c, row, variant);
    char text[64];

    table_cell(t, "%s", m->label);
    table_cell(t, "%s", metric_text(text, sizeof(text), m->unit, comparison_cell(c, row, c->baseline)->mean));
    table_cell(t, "%s", metric_text(text, sizeof(text), m->unit, cell->mean));
    add_change(t, cell, m->unit);
    add_verdict(t, cell, m->better, has_colour);
}

/* A variant at a time, beside the baseline: all beside each other would fit no terminal. */
static void print_variant(const struct comparison *c, uint32_t variant, FILE *out, bool has_colour)
{
    struct table *t = table_new("lrrrrl");

    add_heading(c, t, variant);
    for (uint32_t i = 0; i < c->figures.count; i++)
        if (c->figures.list[i].is_shown)
            add_row(c, t, i, variant, has_colour);
    table_print(t, out, 0);
    table_free(t);
}

static void print_baseline(const struct comparison *c, FILE *out)
{
    struct table *t = table_new("lr");
    char text[64];

    table_cell(t, "%s", "");
    table_cell(t, "%s", c->variants->list[0].name);
    for (uint32_t i = 0; i < c->figures.count; i++)
        if (c->figures.list[i].is_shown) {
            const struct metric *m = &c->figures.list[i].metric;

            table_cell(t, "%s", m->label);
            table_cell(t, "%s", metric_text(text, sizeof(text), m->unit, comparison_cell(c, i, 0)->mean));
        }
    table_print(t, out, 0);
    table_free(t);
}

#define LINE_WIDTH 80

/* Words, as many as fit a line; the next lines are indented. */
static void print_wrapped(FILE *out, const char *text)
{
    size_t at = 0;

    while (*text) {
        size_t length = strcspn(text, " ");

        if (at > 0 && at + 1 + length > LINE_WIDTH)
            at = (size_t)fprintf(out, "\n   ") - 1;
        if (at > 0)
            at += (size_t)fprintf(out, " ");
        fwrite(text, 1, length, out);
        at += length;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', out);
}

static void print_verdicts(const struct comparison *c, FILE *out)
{
    char text[1000];

    for (uint32_t v = 0; v < c->variants->count; v++)
        if (v != c->baseline)
            print_wrapped(out, safe_name(comparison_verdict(text, sizeof(text), c, v)).buf);
    fputc('\n', out);
}

/* How many verdicts the table gives. */
static uint32_t count_judged(const struct comparison *c)
{
    uint32_t judged = 0;

    for (uint32_t i = 0; i < c->figures.count; i++)
        for (uint32_t v = 0; v < c->variants->count && c->figures.list[i].is_shown; v++)
            judged += v != c->baseline && isfinite(comparison_cell(c, i, v)->difference_low);
    return judged;
}

void compare_warn_few_seeds(uint32_t seeds, FILE *out)
{
    if (seeds == 1)
        fputs("One seed tells nothing of chance: no intervals. Try --seeds 10.\n", out);
    else if (seeds < COMPARE_SEEDS_TRUSTED)
        fprintf(out, "Fewer than %d seeds: do not trust the intervals. Try --seeds 10.\n", COMPARE_SEEDS_TRUSTED);
}

static void print_notes(const struct comparison *c, FILE *out)
{
    uint32_t judged = count_judged(c);
    char     text[200];

    fprintf(out, "\nMeans over %u seed%s; changes to '%s', seed by seed with the same flows.\n", c->seeds,
            c->seeds == 1 ? "" : "s", safe_name(c->variants->list[c->baseline].name).buf);
    if (c->seeds > 1 && judged > 0) {
        snprintf(text, sizeof(text),
                 "better, worse, differs: the interval leaves out 0. Each is judged alone; of %u without any "
                 "difference about %.0f would be marked.",
                 judged, ceil((1 - BOOTSTRAP_CONFIDENCE) * judged - 1e-9));
        terminal_words(out, text, 0, 4, terminal_width(out));
    }
    figures_print_words(&c->figures, out);
    compare_warn_few_seeds(c->seeds, out);
    figures_print_stuck(&c->figures, c->variants, c->seeds, out);
}

void comparison_print_table(const struct comparison *c, FILE *out, bool has_colour)
{
    bool is_first = true;

    if (c->variants->count > 1)
        print_verdicts(c, out);
    else
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

static const char *verdict_of(const struct compared_cell *cell, enum metric_better better)
{
    if (!cell->is_significant)
        return "";
    return better == BETTER_NEITHER ? "differs" : cell->is_better ? "better" : "worse";
}

static void print_cell(const struct metric *metric, const struct compared_cell *cell, const char *variant, FILE *out)
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
    json_t *made = json_object();

    json_object_set_new(made, "name", json_string(variant));
    json_object_set_new(made, "pairs", json_integer(cell->seeds));
    json_put_number(made, "mean", cell->mean);
    json_put_number(made, "low", cell->low);
    json_put_number(made, "high", cell->high);
    json_put_number(made, "difference", cell->difference);
    json_put_number(made, "difference_low", cell->difference_low);
    json_put_number(made, "difference_high", cell->difference_high);
    json_put_number(made, "change", cell->change);
    json_put_number(made, "change_low", cell->change_low);
    json_put_number(made, "change_high", cell->change_high);
    json_object_set_new(made, "is_significant", json_boolean(cell->is_significant));
    json_object_set_new(made, "is_better", json_boolean(cell->is_better));
    return made;
}

static json_t *verdicts_json(const struct comparison *c)
{
    json_t *list = json_array();
    char text[1000];

    for (uint32_t v = 0; v < c->variants->count; v++) {
        json_t *made = json_object();

        json_object_set_new(made, "name", json_string(c->variants->list[v].name));
        json_object_set_new(made, "text", json_of_text(comparison_verdict(text, sizeof(text), c, v)));
        json_array_append_new(list, made);
    }
    return list;
}

static json_t *row_json(const struct comparison *c, uint32_t row)
{
    const struct metric *m = &c->figures.list[row].metric;
    json_t *made = json_object(), *variants = json_array();

    json_object_set_new(made, "name", json_string(m->name));
    json_object_set_new(made, "label", json_string(m->label));
    json_object_set_new(made, "unit", json_string(metric_unit_name(m->unit)));
    json_object_set_new(made, "better", json_string(metric_better_name(m->better)));
    for (uint32_t v = 0; v < c->variants->count; v++)
        json_array_append_new(variants, cell_json(comparison_cell(c, row, v), c->variants->list[v].name));
    json_object_set_new(made, "is_shown", json_boolean(c->figures.list[row].is_shown));
    json_object_set_new(made, "variants", variants);
    return made;
}

json_t *comparison_json(const struct comparison *c, bool all)
{
    json_t *made = json_object(), *metrics = json_array(), *seeds = json_array();
    char text[32];

    json_object_set_new(made, "baseline", json_string(c->variants->list[c->baseline].name));
    json_object_set_new(made, "seeds", json_integer(c->seeds));
    for (uint32_t s = 0; s < c->seeds; s++) {
        snprintf(text, sizeof(text), "%" PRIu64, c->seed[s]);
        json_array_append_new(seeds, json_string(text));
    }
    json_object_set_new(made, "seed_list", seeds);
    json_object_set_new(made, "confidence", json_real(BOOTSTRAP_CONFIDENCE));
    json_object_set_new(made, "verdicts", verdicts_json(c));
    for (uint32_t i = 0; i < c->figures.count; i++)
        if (all || c->figures.list[i].is_shown)
            json_array_append_new(metrics, row_json(c, i));
    json_object_set_new(made, "metrics", metrics);
    return made;
}

void comparison_print_json(const struct comparison *c, FILE *out, bool all)
{
    json_t *made = comparison_json(c, all);

    json_dumpf(made, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(made);
}
