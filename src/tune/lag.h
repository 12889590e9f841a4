/* src/tune/lag.h - delays of reports and decisions.
 *
 * A report reaches the tuner some time after its interval (monitor delay), and a decision takes effect some
 * time after it was made (dispatch delay). Intervals in between show the previous setting and would mislead
 * the tuner. It therefore sees next the first interval that began with its decision in effect. Simulated and
 * real networks use the same rule.
 */
#ifndef TUNE_LAG_H
#define TUNE_LAG_H

#include "core/report.h"

struct lag {
    uint64_t       monitor_ps;   /* delay of reports */
    uint64_t       settled_ps;   /* when the last decision took effect; NEVER: pending */
    struct report *waiting;      /* oldest first */
    uint32_t       count, room;
    struct report  shown;        /* the last report returned */
    bool           has_shown;
};

void lag_init(struct lag *, uint64_t monitor_ps);
void lag_fini(struct lag *);

/* Adds a copy of the report. */
void lag_add(struct lag *, const struct report *);

/* Returns when the next report is due; NEVER: none. */
uint64_t lag_next_ps(const struct lag *);

/* Returns the next due report that may be seen, or NULL. Valid until the next call. */
const struct report *lag_next(struct lag *, uint64_t now_ps);

/* A decision takes effect at at_ps; NEVER: not yet known. */
void lag_settle(struct lag *, uint64_t at_ps);

#endif
