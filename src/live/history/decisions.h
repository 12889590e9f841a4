/* src/live/history/decisions.h - converts records of an audit log to decisions: the setting, the reason, the
 * evidence, and the outcome. */
#ifndef LIVE_HISTORY_DECISIONS_H
#define LIVE_HISTORY_DECISIONS_H

#include "base/json.h"

/* Adds a record to a list of decisions, the latest last: docs/live.md says what they are. Records come in
 * their order; one that belongs to no decision of the list changes nothing. */
void decisions_take(json_t *list, const json_t *record);

#endif
