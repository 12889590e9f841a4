#include "core/knob_text.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes the fewest digits that identify the number. */
static void number_text(char buf[32], double value)
{
    for (int digits = 10; digits <= 17; digits++) {
        snprintf(buf, 32, "%.*g", digits, value);
        if (strtod(buf, NULL) == value)
            return;
    }
}

char *knob_text(char buf[KNOB_TEXT_MAX], enum knob knob, double value)
{
    const struct knob_info *k = &knob_info[knob];
    const char             *unit = knob_unit_name(k->unit);
    char                    number[32];

    number_text(number, knob_is_whole(k->unit) ? round(value) : value);
    snprintf(buf, KNOB_TEXT_MAX, "%s%s%s", number, k->unit == KNOB_BLOCKS ? " " : "", unit);
    return buf;
}

char *knob_change_text(char buf[KNOB_TEXT_MAX], double was, double is)
{
    double percent = was == 0 ? 0 : 100 * (is - was) / fabs(was);

    buf[0] = '\0';
    if (percent >= 1000)
        snprintf(buf, KNOB_TEXT_MAX, "x%.0f", is / was);
    else if (was != 0)
        snprintf(buf, KNOB_TEXT_MAX, fabs(percent) < 10 ? "%+.1f %%" : "%+.0f %%", percent);
    return buf;
}

void knobs_print_yaml(const struct knobs *knobs, const struct knobs *base, FILE *out)
{
    char text[KNOB_TEXT_MAX];

    if (knobs_equal(knobs, base))
        fputs("{}\n", out);
    for (int i = 0; i < KNOB_COUNT; i++)
        if (knobs->value[i] != base->value[i])
            fprintf(out, "%s: %s\n", knob_info[i].name, knob_text(text, (enum knob)i, knobs->value[i]));
}

static void print_change(FILE *out, enum knob knob, double was, double is)
{
    char from[KNOB_TEXT_MAX], to[KNOB_TEXT_MAX], change[KNOB_TEXT_MAX];

    fprintf(out, "%s %s -> %s", knob_info[knob].name, knob_text(from, knob, was), knob_text(to, knob, is));
    if (*knob_change_text(change, was, is))
        fprintf(out, " (%s)", change);
}

char *knobs_change_text(const struct knobs *was, const struct knobs *is)
{
    char       *text;
    FILE       *out = text_stream(&text);
    const char *between = "";

    for (int i = 0; i < KNOB_COUNT; i++) {
        if (was->value[i] == is->value[i])
            continue;
        fputs(between, out);
        print_change(out, (enum knob)i, was->value[i], is->value[i]);
        between = ", ";
    }
    if (!*between)
        fputs("nothing", out);
    fclose(out);
    return text;
}
