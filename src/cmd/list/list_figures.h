/* src/cmd/list/list_figures.h - counters and figures for `anole list`. */
#ifndef CMD_LIST_LIST_FIGURES_H
#define CMD_LIST_LIST_FIGURES_H

#include "base/json.h"

void list_figures(void);
void list_figures_markdown(void);            /* docs/figures.md */
void list_figures_json(json_t *list);

#endif
