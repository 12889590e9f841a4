/* src/live/history/history.h - the history of a fabric (live/history/store.h), kept by a thread of its own,
 * so that no disk and no question about months makes a controller wait.
 *
 * What is told is copied into a queue and written every few seconds. If the disk does not keep up or refuses,
 * the newest is lost and counted; nothing else goes wrong. Questions are answered later: history_ask() says
 * NULL until then.
 */
#ifndef LIVE_HISTORY_HISTORY_H
#define LIVE_HISTORY_HISTORY_H

#include "live/history/store.h"

#include <stdbool.h>

struct history;

int  history_open(struct history **out, const char *path, struct err *);
void history_free(struct history *);     /* writes what it was told; NULL is nobody */

void history_add_point(struct history *, const struct store_point *);
void history_add_knobs(struct history *, uint64_t wall_ms, const char *set);
void history_add_record(struct history *, const char *line);
void history_add_coverage(struct history *, uint64_t wall_ms, uint32_t count,
                          const char (*name)[STORE_NAME_SIZE], const uint8_t *share);

/* The last record of the audit log that was in the file when it was opened. */
uint64_t history_last_record(const struct history *);

/* JSON, malloc'd; NULL: it is being made. An answer is good for as long as one of its points, so who asks in
 * vain asks again with the same arguments. */
char *history_ask(struct history *, uint64_t span_ms, uint64_t until_ms, uint64_t now_ms);

/* Waits until all that was told is written. */
void history_flush(struct history *);

/* How much was told and is not in the file because it could not be written; why is the last reason. */
uint64_t history_lost(struct history *, struct err *why);

/* The time that the end of an address names: "6h", or "90d/1731700000000", which ends then. False: none. */
bool history_read_span(const char *text, uint64_t *span_ms, uint64_t *until_ms);

#endif
