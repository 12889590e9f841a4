/* src/cmd/list/list_knobs.h - what there is to set, for anole list. */
#ifndef CMD_LIST_KNOBS_H
#define CMD_LIST_KNOBS_H

#include "base/print/table.h"

void list_knobs(void);

/* docs/knobs.md */
void list_knobs_markdown(void);

/* Prints and frees a table. On a terminal with fewer columns than 'width_for_all' columns of it give way, as table_fit() says. */
void list_print_fitted(struct table *, int width_for_all, const char *order);

#endif
