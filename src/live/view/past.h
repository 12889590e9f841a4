/* src/live/view/past.h - what was measured: the last hour, which a controller has in memory, and whatever a
 * Prometheus that scrapes it has kept.
 *
 * Prometheus is asked in a thread of its own, so that a controller does not wait for it: past_ask() has no
 * answer until then. Its answers are data from outside: values that fit nowhere are left out. */
#ifndef LIVE_VIEW_PAST_H
#define LIVE_VIEW_PAST_H

#include "base/err.h"
#include "base/http/prom.h"
#include "live/view/timeline.h"

#define PAST_POINTS  360         /* of an answer */
#define PAST_HOUR_MS 3600000u    /* that is in memory */

enum past_column { PAST_MEAN, PAST_LEAST, PAST_MOST, PAST_COLUMNS };

struct past {
    uint64_t from_ms, step_ms;
    uint32_t points;
    uint64_t oldest_ms;          /* there is nothing before; 0: nothing at all */
    double   value[PAST_COLUMNS][TIMELINE_SERIES][PAST_POINTS];  /* NAN: not measured */
    json_t  *knobs;              /* [{"t_ms": 1, "confirmed": {...}}] */
};

/* The time that the end of an address names: "6h", or "90d/1731700000000", which ends then. False: none. */
bool past_read_span(const char *text, uint64_t *span_ms, uint64_t *until_ms);

/* The time before 'until_ms', without values; the step is a multiple of 'step_ms'. */
struct past *past_new(uint64_t span_ms, uint64_t until_ms, uint64_t step_ms);
void         past_free(struct past *);
void         past_take_timeline(struct past *, const struct timeline *);
json_t      *past_json(const struct past *, const char *source);        /* docs/live.md, /api/history */

/* What Prometheus is to keep: the newest point and setting. */
void past_metrics(struct prom *, const struct timeline *);

/* ---- Prometheus ---- */

struct past_asker;

/* match: labels that choose the series of this controller, as in {...}; NULL: all series are. */
int  past_open(struct past_asker **out, const char *url, const char *match, struct err *);
void past_close(struct past_asker *);    /* NULL: no-op */

/* NULL: not ready; ask again. An answer, or why there is none ({"error": "..."}, *rc < 0), is good for some
 * seconds. */
json_t *past_ask(struct past_asker *, uint64_t span_ms, uint64_t until_ms, uint64_t now_ms, int *rc);

/* Reads an answer to a range query: of all series, or, with a column of PAST_COLUMNS, of settings. -EBADMSG:
 * it is none. */
int past_read_matrix(struct past *, enum past_column, const char *text, size_t length);

#endif
