/* src/cmd/list_figures.h - counters and figures, for anole list. */
#ifndef CMD_LIST_FIGURES_H
#define CMD_LIST_FIGURES_H

#include "base/json.h"
#include "base/print/table.h"

/* A list as it is being made, in both forms. */
struct list {
    json_t       *array;
    struct table *table, *more;          /* more: a second table, or NULL */
};

void list_figures(struct list *);
void list_figures_markdown(FILE *);      /* docs/figures.md */

#endif
