/* src/cmd/list/list_knobs.c - knobs, as a table and as a page of the manual. */
#include "cmd/list/list.h"
#include "base/print/terminal.h"
#include "core/knob_text.h"
#include "core/knobs.h"

#include <stdio.h>

static const char *toward_text(const struct knob_info *k)
{
    return k->toward > 0 ? "throughput" : k->toward < 0 ? "low delay" : "-";
}

void list_print_fitted(struct table *t, int width_for_all, const char *order)
{
    int width = terminal_width(stdout);

    table_end_fitted(t, stdout, 0, width < width_for_all ? width : 0, order);
}

void list_knobs(void)
{
    struct table *t = table_new("llrrll");

    table_cells(t, "name", "where", "initial", "range", "more favours", "what it is", NULL);
    for (int i = 0; i < KNOB_COUNT; i++) {
        const struct knob_info *k = &knob_info[i];
        char text[KNOB_TEXT_MAX];

        table_cells(t, k->name, knob_where_name(k->where), knob_text(text, (enum knob)i, k->initial), NULL);
        table_cell(t, "%.10g..%s", k->min, knob_text(text, (enum knob)i, k->max));
        table_cells(t, toward_text(k), k->about, NULL);
    }
    list_print_fitted(t, 110, "000890");
}

/* One heading per knob, so that other pages can link to it: knobs.md#kmin. */
void list_knobs_markdown(void)
{
    char initial[KNOB_TEXT_MAX], max[KNOB_TEXT_MAX];

    puts("# Knobs\n\n"
         "Set a knob in a scenario under `knobs:`, or with `--set NAME=VALUE`. A value is a number in the unit "
         "shown,\n"
         "or has its own unit: `kmin=200KB`, `rpg_time_reset=0.3ms`, `pmax=20%`. Each entry has the meaning, the "
         "device,\n"
         "the initial value, the range, and what a higher value favors. `anole list knob` prints a table.\n\n"
         "<!-- Printed by `anole list knob --markdown` from src/core/knobs.def. -->");
    for (int i = 0; i < KNOB_COUNT; i++) {
        const struct knob_info *k = &knob_info[i];

        printf("\n### %s\n\n%s. *%s, %s, %.10g..%s%s%s*\n", k->name, k->about, knob_where_name(k->where),
               knob_text(initial, (enum knob)i, k->initial), k->min, knob_text(max, (enum knob)i, k->max),
               k->toward ? ", " : "", k->toward ? toward_text(k) : "");
    }
}
