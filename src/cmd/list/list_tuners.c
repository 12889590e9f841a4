/* src/cmd/list/list_tuners.c - tuners and their options, as tables. */
#include "cmd/list/list.h"
#include "tune/search/search.h"
#include "tune/tuner.h"

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
    table_end(t, stdout, 0);
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
    table_end(t, stdout, 0);
}

void list_tuners(void)
{
    print_names();
    putchar('\n');
    print_options();
}
