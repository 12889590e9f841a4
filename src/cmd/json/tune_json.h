/* src/cmd/json/tune_json.h - anole tune --format json: what a search has found and its check has shown. */
#ifndef CMD_JSON_TUNE_JSON_H
#define CMD_JSON_TUNE_JSON_H

#include "campaign/tune.h"

json_t *tune_json(const struct tune *);

/* With --from: there was no search. */
json_t *tune_setting_json(const char *name, const struct knobs *);

#endif
