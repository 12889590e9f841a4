/* src/campaign/compare_verdict.c - what a variant is worth, in one sentence. */
#include "campaign/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
