/* src/cmd/json/cmd_json.h - what --format json of all commands shares. */
#ifndef CMD_JSON_CMD_JSON_H
#define CMD_JSON_CMD_JSON_H

#include "core/knobs.h"

#include <jansson.h>
#include <stdbool.h>

/* The row of an option table, for a command that prints a table or JSON. */
#define CMD_JSON_OPTION(key) { "format", key, "table|json", 0, "How it is printed (default: table)", 0 }

/* The option's word; anything else ends the program. */
bool cmd_is_json(const char *word);

/* Prints one value to standard output, and frees it. */
void cmd_print_json(json_t *);

/* All knobs: numbers in the units of anole list knob. */
json_t *json_of_knobs(const struct knobs *);

/* Those that differ: name, was, is. */
json_t *json_of_changes(const struct knobs *was, const struct knobs *is);

#endif
