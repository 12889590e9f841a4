/* src/cmd/list/list_tuners.c - tuners and their options, as tables and as a page of the manual. */
#include "cmd/list/list_tuners.h"
#include "base/print/table.h"
#include "tune/search/search.h"
#include "tune/setting.h"
#include "tune/tuner.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Options that all searches share; listed once. */
static const struct key_row shared[] = { SEARCH_OPTIONS, { 0 } };

#define ALL_SEARCHES "all searches"

/* ---- options as text ---- */

static bool is_shared(const struct key_row *o)
{
    for (const struct key_row *s = shared; s->name; s++)
        if (strcmp(s->name, o->name) == 0 && strcmp(s->about, o->about) == 0)
            return true;
    return false;
}

/* "0.5..1", "yes, no", "two, log" */
static const char *range_text(char buf[160], const struct key_row *o)
{
    size_t used = 0;

    if (o->unit == KEY_YES)
        return "yes, no";
    if (o->unit == KEY_FILE)
        return "a name or a file";
    if (!o->choices) {
        snprintf(buf, 160, "%.10g..%.10g", o->min, o->max);
        return buf;
    }
    buf[0] = '\0';
    for (int i = 0; o->choices[i] && used < 160; i++)
        used += (size_t)snprintf(buf + used, 160 - used, "%s%s", i ? ", " : "", o->choices[i]);
    return buf;
}

/* ---- for the screen ---- */

static void print_names(void)
{
    struct table *t = table_new("ll");

    table_cells(t, "name", "what it is", NULL);
    for (int i = 0; tuner_all[i]; i++)
        table_cells(t, tuner_all[i]->name, tuner_all[i]->about, NULL);
    for (const struct tuner_alias *a = tuner_aliases; a->name; a++) {
        table_cell(t, "%s", a->name);
        table_cell(t, "%s: %s with %s=%s", a->about, a->tuner, a->option, a->value);
    }
    table_print(t, stdout, 0);
    table_free(t);
}

static void add_option(struct table *t, const char *tuner, const struct key_row *o)
{
    char range[160];

    table_cells(t, tuner, o->name, o->initial, range_text(range, o), o->about, NULL);
}

static void print_options(void)
{
    struct table *t = table_new("lllll");

    table_cells(t, "tuner", "option", "initial", "range", "what it is", NULL);
    for (int i = 0; tuner_all[i]; i++)
        for (const struct key_row *o = tuner_all[i]->option; o->name; o++)
            if (!is_shared(o))
                add_option(t, tuner_all[i]->name, o);
    for (const struct key_row *o = shared; o->name; o++)
        add_option(t, ALL_SEARCHES, o);
    table_print(t, stdout, 0);
    table_free(t);
}

void list_tuners(void)
{
    print_names();
    putchar('\n');
    print_options();
}

/* ---- the page ---- */

static void print_rows(const struct key_row *option, bool with_shared)
{
    char range[160];

    putchar('\n');
    for (const struct key_row *o = option; o->name; o++)
        if (with_shared || !is_shared(o))
            printf("- `%s` (%s; `%s`): %s\n", o->name, o->unit == KEY_YES ? "yes/no" : range_text(range, o),
                   o->initial, o->about);
}

static bool is_search(const struct tuner_algo *a)
{
    for (const struct key_row *o = a->option; o->name; o++)
        if (is_shared(o))
            return true;
    return false;
}

static bool has_own(const struct tuner_algo *a)
{
    for (const struct key_row *o = a->option; o->name; o++)
        if (!is_shared(o))
            return true;
    return false;
}

static void print_tuner(const struct tuner_algo *a)
{
    printf("\n## %s\n\n%c%s.\n", a->name, toupper((unsigned char)*a->about), a->about + 1);
    if (has_own(a))
        print_rows(a->option, false);
    if (is_search(a))
        puts("\nAlso those of [all searches](#options-of-all-searches).");
}

static void print_aliases(void)
{
    puts("\n## Short names\n\n"
         "The name of a preset stands for `{kind: fixed, setting: NAME}`. Others:\n");
    for (const struct tuner_alias *a = tuner_aliases; a->name; a++)
        if (strcmp(a->tuner, "fixed") != 0)
            printf("- `%s`, short for `{kind: %s, %s: %s}`: %s\n", a->name, a->tuner, a->option, a->value, a->about);
}

static void print_setting_rows(const struct setting *s)
{
    for (; s->name; s++)
        printf("- `%s`: %s\n", s->name, s->about);
}

static void print_settings(void)
{
    puts("\n## Presets\n\n"
         "For `setting` of `fixed` and for `anole tune --from`. Any other value is a file with knobs on top "
         "of `default`,\n"
         "as written by `anole tune --out`.\n");
    print_setting_rows(setting_all);
    print_setting_rows(setting_thresholds);
}

void list_tuners_markdown(void)
{
    puts("# Tuners\n\n"
         "A tuner sets knobs while the network runs: `tuner: NAME` or `tuner: {kind: NAME, OPTION: VALUE}` "
         "in a scenario,\n"
         "`--set tuner=NAME --set tuner.OPTION=VALUE` on the command line. [tuning.md](tuning.md) explains them. "
         "Each option has its\n"
         "values and its initial value in parentheses.\n\n"
         "<!-- Printed by `anole list tuner --markdown`. -->");
    for (int i = 0; tuner_all[i]; i++)
        print_tuner(tuner_all[i]);
    puts("\n## Options of all searches");
    print_rows(shared, true);
    print_aliases();
    print_settings();
}
