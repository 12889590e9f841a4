/* src/live/view/history/history.h - the history of a fabric (live/view/history/store.h), in a thread of its
 * own, so that a controller waits neither for the disk nor for a query over months.
 *
 * Entries are copied into a queue and written every few seconds. If the disk is too slow or refuses, the
 * newest entries are lost and counted, without other effects. Queries are answered later: history_ask()
 * returns NULL until then.
 */
#ifndef LIVE_VIEW_HISTORY_HISTORY_H
#define LIVE_VIEW_HISTORY_HISTORY_H

#include "live/view/history/store.h"

#include <stdbool.h>

struct history;

int  history_open(struct history **out, const char *path, struct err *);
void history_free(struct history *);     /* writes queued entries first; NULL: no-op */

void history_add_point(struct history *, const struct store_point *);
void history_add_knobs(struct history *, uint64_t wall_ms, const char *set);
void history_add_record(struct history *, const char *line);
void history_add_coverage(struct history *, uint64_t wall_ms, uint32_t count,
                          const char (*name)[STORE_NAME_SIZE], const uint8_t *share);

/* The last record of the audit log that was in the file when it was opened. */
uint64_t history_last_record(const struct history *);

/* JSON, malloc'd; NULL: not ready. An answer is valid for the duration of one of its points, so the caller
 * repeats the call with the same arguments. */
char *history_ask(struct history *, uint64_t span_ms, uint64_t until_ms, uint64_t now_ms);

/* Waits until all queued entries are written. */
void history_flush(struct history *);

/* Number of entries lost because they could not be written; why is the last reason. */
uint64_t history_lost(struct history *, struct err *why);

/* The time that the end of an address names: "6h", or "90d/1731700000000", which ends then. False: none. */
bool history_read_span(const char *text, uint64_t *span_ms, uint64_t *until_ms);

#endif
