/* src/cmd/list/list_json.h - the lists of anole list as JSON. */
#ifndef CMD_LIST_JSON_H
#define CMD_LIST_JSON_H

#include <jansson.h>

/* Returns one list ("cc", "knob", ...) as an array of objects; NULL: an object with all lists by name. */
json_t *list_json(const char *subject);

#endif
