/* src/cmd/json/cmd_json.h - common parts of --format json. */
#ifndef CMD_JSON_CMD_JSON_H
#define CMD_JSON_CMD_JSON_H

#include "core/knobs.h"

#include <jansson.h>
#include <stdbool.h>

/* The row of an argp table for --format table|json. */
#define CMD_JSON_OPTION(key) { "format", key, "table|json", 0, "How it is printed (default: table)", 0 }

/* Reads the option's value; other words end the program with an error. */
bool cmd_is_json(const char *word);

/* Prints one value to standard output, and frees it. */
void cmd_print_json(json_t *);

/* All knobs: numbers in the units of anole list knob. */
json_t *json_of_knobs(const struct knobs *);

/* The knobs that differ: name, was, is. */
json_t *json_of_changes(const struct knobs *was, const struct knobs *is);

#endif
