/* src/tune/lag.h - what a tuner sees when reports and decisions take their time.
 *
 * In a real network a report reaches the tuner some time after its interval has ended (monitor delay), and a decision is in
 * force some time after it was made (dispatch delay). Meanwhile intervals go on that show the setting from before. A tuner
 * that took such a report for the effect of what it has decided would learn nonsense, so it is not shown them: the next report that
 * it sees is of the first interval that began when its decision was in force.
 *
 * Simulated and real networks use the same rule. With no delay at all every report is shown.
 */
#ifndef TUNE_LAG_H
#define TUNE_LAG_H

#include "core/report.h"

struct lag {
    uint64_t       monitor_ps;   /* delay of reports */
    uint64_t       settled_ps;   /* since when the last decision is in force; NEVER: it is on its way */
    struct report *waiting;      /* oldest first */
    uint32_t       count, room;
    struct report  shown;        /* the last that was taken */
    bool           has_shown;
};

void lag_init(struct lag *, uint64_t monitor_ps);
void lag_fini(struct lag *);

/* An interval has ended; the report is copied. */
void lag_add(struct lag *, const struct report *);

/* When the next report is due; NEVER: there is none. */
uint64_t lag_next_ps(const struct lag *);

/* The next report that is due and may be seen, or NULL. It is good until the next call. */
const struct report *lag_take(struct lag *, uint64_t now_ps);

/* A decision is in force from then on; NEVER: nobody knows yet. */
void lag_settle(struct lag *, uint64_t at_ps);

#endif
