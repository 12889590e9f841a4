/* src/cmd/json/cmd_json.h - common parts of --format json. */
#ifndef CMD_JSON_CMD_JSON_H
#define CMD_JSON_CMD_JSON_H

#include "core/knobs.h"

#include <jansson.h>
#include <stdbool.h>

/* Prints one value to standard output, and frees it. */
void cmd_print_json(json_t *);

/* All knobs: numbers in the units of anole list knob. */
json_t *json_of_knobs(const struct knobs *);

/* The knobs that differ: name, was, is. */
json_t *json_of_changes(const struct knobs *was, const struct knobs *is);

#endif
