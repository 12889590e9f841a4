/* src/cmd/list/list_tuners.h - what there is to tune with, for anole list. */
#ifndef CMD_LIST_TUNERS_H
#define CMD_LIST_TUNERS_H

/* Tuners and their short names with a line each, then all options. */
void list_tuners(void);

/* docs/tuners.md */
void list_tuners_markdown(void);

#endif
