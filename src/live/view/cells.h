/* src/live/view/cells.h - many devices on few cells, for a map: one each, or those of a rack together.
 *
 * Up to 512 devices have a cell each. Of more devices, neighbours share a cell: those of a rack if names show
 * it ("rack7-host3", "r07h03": equal up to the last number), otherwise 64 in the order of their names. Cells
 * are updated once a second and remember when they have changed, so a listener gets only the cells that
 * changed since its last event. */
#ifndef LIVE_VIEW_CELLS_H
#define LIVE_VIEW_CELLS_H

#include "base/json.h"
#include "live/view/words.h"

#define CELLS_MAX        512
#define CELLS_DEVICES    64      /* of a cell, at most, but for fabrics that would have too many cells */
#define CELLS_PAGE       100     /* devices in one answer */

struct cell_seen {               /* rounded, so that noise is not sent */
    int32_t  utilisation, paused, metric;        /* thousandths; mean, worst, mean; -1: not known */
    int64_t  cnps;               /* sum, to two digits; -1: not known */
    int64_t  age_s;              /* the oldest report, whole seconds; -1: there is none */
    uint32_t tried, state[STATES];               /* how many devices */
};

struct cell { uint32_t first, count; struct cell_seen seen; uint64_t changed; };

struct cells {
    struct cell cell[CELLS_MAX];
    uint32_t    count;
    uint32_t   *order;           /* devices by name */
    uint32_t    devices, roster;                 /* of the controller, when they were arranged */
    uint64_t    version;         /* of who is in which cell */
    uint64_t    look;            /* how often they were looked at */
};

void cells_fini(struct cells *);

/* How things are now. */
void cells_look(struct cells *, const struct controller *, uint64_t now_us);

/* Who is in which cell: {"version":V,"names":[[FIRST NAME, LAST NAME, FIRST, COUNT],...]}. */
json_t *cells_json(const struct cells *, const struct controller *);

/* {"version":V,"cells":[[I,UTILISATION,PAUSED,METRIC,CNPS,AGE,TRIED,SILENT,...],...]}: those that changed
 * after look 'since'; NULL: none did. */
json_t *cells_changes(const struct cells *, uint64_t since);

/* {"first":F,"total":T,"devices":[...]}: at most 100 devices from place 'first' of the order on. */
json_t *cells_page(const struct cells *, const struct controller *, uint32_t first, uint64_t now_us);

#endif
