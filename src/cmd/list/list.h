/* src/cmd/list/list.h - the lists of anole list. */
#ifndef CMD_LIST_LIST_H
#define CMD_LIST_LIST_H

#include "base/json.h"
#include "base/print/table.h"

/* Returns one list ("cc", "knob", ...) as an array of objects; NULL: an object with all lists by name. */
json_t *list_json(const char *subject);

/* Print tables. That of tuners has their short names, too; all options follow. */
void list_knobs(void);
void list_figures(void);
void list_tuners(void);

/* Print docs/knobs.md and docs/figures.md. */
void list_knobs_markdown(void);
void list_figures_markdown(void);

void list_figures_json(json_t *list);

/* Prints and frees a table. On a terminal narrower than 'width_for_all', drops columns in 'order': see
 * table_fit(). */
void list_print_fitted(struct table *, int width_for_all, const char *order);

#endif
