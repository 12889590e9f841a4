/* src/cmd/list/list_knobs.h - what there is to set, for anole list. */
#ifndef CMD_LIST_KNOBS_H
#define CMD_LIST_KNOBS_H

void list_knobs(void);

/* docs/knobs.md */
void list_knobs_markdown(void);

#endif
