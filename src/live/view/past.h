/* src/live/view/past.h - feeds a controller's history: a point per second, settings, records of the audit
 * log, and which devices reported. */
#ifndef LIVE_VIEW_PAST_H
#define LIVE_VIEW_PAST_H

#include "live/history/history.h"
#include "live/view/ledger.h"
#include "live/view/timeline.h"

struct past_heard { uint16_t looks, fresh; };    /* of a device, in this minute */

struct past {
    struct history    *history;  /* NULL: none is kept */
    uint64_t           minute;
    struct past_heard *heard;    /* by the number of the device */
    uint32_t           size;
    uint64_t           record, changes;          /* that it has received */
    struct knob_set    confirmed;                /* likewise */
};

/* Keeps a history in that file from now on. */
int  past_open(struct past *, const char *path, struct err *);
void past_fini(struct past *);

/* The timeline has a new point. */
void past_look(struct past *, const struct controller *, const struct timeline *, const struct ledger *,
               uint64_t now_us);

#endif
