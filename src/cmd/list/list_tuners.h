/* src/cmd/list/list_tuners.h - the tuners, for anole list. */
#ifndef CMD_LIST_TUNERS_H
#define CMD_LIST_TUNERS_H

/* Prints tuners and their short names, one per line, then all options. */
void list_tuners(void);

#endif
