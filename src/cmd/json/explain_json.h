/* src/cmd/json/explain_json.h - anole explain --format json: the history of a tuner. */
#ifndef CMD_JSON_EXPLAIN_JSON_H
#define CMD_JSON_EXPLAIN_JSON_H

#include "tune/tuning_history.h"

/* Steps in which something was decided, or all of them. 'knob' is KNOB_COUNT, or one whose values are
 * told. */
json_t *explain_json(const struct history *, const char *partial, bool has_all, enum knob);

#endif
