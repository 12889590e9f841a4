/* src/live/view/history/store.h - months of a fabric in one file: measurements, settings, decisions and
 * reporting devices, coarser with age.
 *
 * An SQLite database. It keeps a point per second for hours; mean, minimum and maximum per minute for days,
 * and per hour for more than a year. Each write recomputes the affected coarser levels in the same
 * transaction, so all levels always agree. Retention is counted in rows, not by the clock, so a clock that is
 * wrong for a moment loses nothing. The file has a maximum size; writes beyond it are refused.
 *
 * One thread at a time: live/view/history/history.h.
 */
#ifndef LIVE_VIEW_HISTORY_STORE_H
#define LIVE_VIEW_HISTORY_STORE_H

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

extern const char *const store_series[STORE_SERIES];     /* names */

struct store_point { uint64_t wall_ms; double value[STORE_SERIES]; };    /* NAN: not measured */

struct store;

/* Creates a missing file. A file of another program or a damaged one is refused and left as it is. */
int  store_open(struct store **out, const char *path, struct err *);
void store_free(struct store *); /* NULL: no-op */

struct store_entry {
    /* KNOBS: the confirmed setting from then on, as JSON. RECORD: a line of the audit log. REPORTERS: 'count'
     * names of STORE_NAME_SIZE, then for each of them in how many 250ths of that minute it was heard. */
    enum { STORE_POINT, STORE_KNOBS, STORE_RECORD, STORE_REPORTERS } kind;
    struct store_point point;    /* its time is that of every kind */
    void              *bytes;    /* text ends with a zero byte */
    size_t             length;
    uint32_t           count;
};

/* Writes all of them in one transaction. */
int store_write(struct store *, const struct store_entry *, uint64_t count, struct err *);

/* Number of the last record of the audit log that is there; 0: none. */
uint64_t store_last_record(struct store *);

/* The time from 'until_ms' - 'span_ms' on: docs/live.md, /api/history. */
json_t *store_json(struct store *, uint64_t span_ms, uint64_t until_ms);

/* Adds a record of the audit log to a list of decisions, the latest last: docs/live.md. Records come in their
 * order; one that belongs to no decision of the list changes nothing. */
void decisions_take(json_t *list, const json_t *record);

#endif
