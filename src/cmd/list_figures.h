/* src/cmd/list_figures.h - counters and figures, for anole list. */
#ifndef CMD_LIST_FIGURES_H
#define CMD_LIST_FIGURES_H

#include "base/json.h"
#include "base/print/table.h"

/* Counters and figures: a table, docs/figures.md, and an array. */
void list_figures(void);
void list_figures_markdown(void);
void list_figures_json(json_t *list);

/* Prints and frees a table. On a terminal narrower than 'width_for_all', drops columns in 'order': see
 * table_fit(). */
void list_print_fitted(struct table *, int width_for_all, const char *order);

#endif
