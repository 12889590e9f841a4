/* src/cmd/json/advise_json.h - anole advise --format json: the setting and all of its evidence. */
#ifndef CMD_JSON_ADVISE_JSON_H
#define CMD_JSON_ADVISE_JSON_H

#include "twin/advise.h"

#include <jansson.h>

json_t *advise_json(const struct advice *, const struct card *answer);

#endif
