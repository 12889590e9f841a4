/* src/live/history/store.h - months of a fabric in one file: measurements, settings, decisions and reporting
 * devices, coarser with age.
 *
 * An SQLite database. It keeps a point per second for hours; mean, minimum and maximum per minute for days,
 * and per hour for more than a year. Each write recomputes the affected coarser levels in the same
 * transaction, so all levels always agree. Retention is counted in rows, not by the clock, so a clock that is
 * wrong for a moment loses nothing. The file has a maximum size; writes beyond it are refused.
 *
 * One thread at a time: live/history/history.h.
 */
#ifndef LIVE_HISTORY_STORE_H
#define LIVE_HISTORY_STORE_H

#include "base/file/database.h"
#include "base/json.h"

#include <stdint.h>

#define STORE_NAME_SIZE   64     /* of a device */
#define STORE_POINTS_MAX  720    /* of an answer */
#define STORE_NOT_THERE   255    /* of a device's share: it was not known then */
#define STORE_SHARE_ONE   250    /* it was heard all the time */

enum store_series {
    STORE_COVERAGE, STORE_METRIC, STORE_PAUSED, STORE_UTILISATION, STORE_CNPS,
    STORE_TRIED,                 /* 1 while something is tried */
    STORE_WITH, STORE_WITHOUT,   /* metric of the trial group and of the control group */
    STORE_SERIES
};

struct store_point { uint64_t wall_ms; double value[STORE_SERIES]; };    /* NAN: not measured */

struct store;

/* A file that is not there is made; one of another program or a damaged one is refused and left as it is. */
int  store_open(struct store **out, const char *path, struct err *);
void store_free(struct store *); /* NULL: no-op */

/* Writes between these two calls are atomic. */
int store_begin(struct store *, struct err *);
int store_end(struct store *, struct err *);
int store_undo(struct store *);

int store_add_point(struct store *, const struct store_point *, struct err *);
/* JSON: the confirmed setting from then on */
int store_add_knobs(struct store *, uint64_t wall_ms, const char *set, struct err *);

/* A record of the audit log, as it stands there. One that is known already stays. */
int store_add_record(struct store *, const char *line, size_t length, struct err *);

/* In the minute that began at 'wall_ms' each of these devices was heard for so many 250ths of the time. */
int store_add_coverage(struct store *, uint64_t wall_ms, uint32_t count, const char (*name)[STORE_NAME_SIZE],
                       const uint8_t *share, struct err *);

/* Updates the coarser levels and removes old rows; between begin and end, after the additions. */
int store_settle(struct store *, struct err *);

/* Number of the last record of the audit log that is there; 0: none. */
uint64_t store_last_record(struct store *);

/* The time from 'until_ms' - 'span_ms' on: docs/live.md, /api/history. */
json_t *store_json(struct store *, uint64_t span_ms, uint64_t until_ms);

#endif
