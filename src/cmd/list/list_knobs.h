/* src/cmd/list/list_knobs.h - the knobs, for anole list. */
#ifndef CMD_LIST_KNOBS_H
#define CMD_LIST_KNOBS_H

#include "base/print/table.h"

void list_knobs(void);

/* docs/knobs.md */
void list_knobs_markdown(void);

/* Prints and frees a table. On a terminal narrower than 'width_for_all', drops columns in 'order': see
 * table_fit(). */
void list_print_fitted(struct table *, int width_for_all, const char *order);

#endif
