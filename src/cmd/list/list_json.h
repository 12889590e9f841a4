/* src/cmd/list/list_json.h - what anole list prints, for programs. */
#ifndef CMD_LIST_JSON_H
#define CMD_LIST_JSON_H

/* An array with an object for each entry of one list ("cc", "knob", ...); NULL: an object with all lists by name. */
void list_print_json(const char *subject);

#endif
