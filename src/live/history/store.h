/* src/live/history/store.h - months of a fabric in one file: what was measured, set, decided and heard,
 * coarser the older it is.
 *
 * An SQLite database. A point a second is kept for hours, means, least and most of minutes for days, those of
 * hours for more than a year; each time something is written, the coarser levels are made anew from where it
 * belongs on, in the same transaction, so they always agree. What is kept is counted in rows, not by the
 * clock: a clock that was set wrong for a moment costs nothing. The file has a largest size, and what does
 * not fit any more is refused.
 *
 * One thread at a time: live/history/history.h.
 */
#ifndef LIVE_HISTORY_STORE_H
#define LIVE_HISTORY_STORE_H

#include "base/err.h"
#include "base/json.h"
#include "live/history/file.h"

#define STORE_NAME_SIZE   64     /* of a device */
#define STORE_DEVICES_MAX 65536
#define STORE_POINTS_MAX  720    /* of an answer */
#define STORE_NOT_THERE   255    /* of a device's share: it was not known then */
#define STORE_SHARE_ONE   250    /* it was heard all the time */
#define STORE_LEVELS      3      /* seconds, minutes, hours */

enum store_series {
    STORE_COVERAGE, STORE_METRIC, STORE_PAUSED, STORE_UTILISATION, STORE_CNPS,
    STORE_TRIED,                 /* 1 while something is tried */
    STORE_WITH, STORE_WITHOUT,   /* the metric of devices that have what is tried, and of those that have
                                  * not */
    STORE_SERIES
};

struct store_point { uint64_t wall_ms; double value[STORE_SERIES]; };    /* NAN: not measured */

/* How far apart, and how many rows are kept. */
struct store_level { uint64_t step_ms; uint32_t points, coverages; };
extern const struct store_level store_levels[STORE_LEVELS];

struct store {
    struct database file;
    uint64_t    from_ms, until_ms;               /* of points since store_begin() */
    uint64_t    settled;
    char      (*name)[STORE_NAME_SIZE];          /* devices as they were last told of, and their ids */
    uint32_t   *id;
    uint32_t    names;
};

/* A file that is not there is made; one of another program or a damaged one is refused and left as it is. */
int  store_open(struct store **out, const char *path, struct err *);
void store_free(struct store *); /* NULL is nobody */

/* What is between these is there whole or not at all. */
int store_begin(struct store *, struct err *);
int store_end(struct store *, struct err *);
int store_undo(struct store *);

int store_add_point(struct store *, const struct store_point *, struct err *);
/* JSON: what is confirmed from then on */
int store_add_knobs(struct store *, uint64_t wall_ms, const char *set, struct err *);

/* A record of the audit log, as it stands there. One that is known already stays. */
int store_add_record(struct store *, const char *line, size_t length, struct err *);

/* In the minute that began at 'wall_ms' each of these devices was heard for so many 250ths of the time. */
int store_add_coverage(struct store *, uint64_t wall_ms, uint32_t count, const char (*name)[STORE_NAME_SIZE],
                       const uint8_t *share, struct err *);

/* Makes the coarser levels agree and removes what is too old; within begin and end, after what was added. */
int store_settle(struct store *, struct err *);

/* Number of the last record of the audit log that is there; 0: none. */
uint64_t store_last_record(struct store *);

/* How long each device was heard in that time, by its id: malloc'd, as many as *ids says. */
uint8_t *store_mean_shares(struct store *, uint32_t level, uint64_t from_ms, uint64_t until_ms,
                           uint32_t *ids);

/* The time from 'until_ms' - 'span_ms' on: docs/live.md, /api/history. */
json_t *store_json(struct store *, uint64_t span_ms, uint64_t until_ms);

#endif
