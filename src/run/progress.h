/* src/run/progress.h - the progress of a run, or of several, on one line that is redrawn.
 *
 * Only on a terminal, and only if they take longer than a second together.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool   is_on, is_drawn;
    double start_s, drawn_s;     /* on the wall clock; start: of this run */
    double from_s;               /* nothing is drawn before */
    const char *what;            /* in front of the line; NULL: nothing */
};

/* Monotonic clock, in seconds. */
double progress_clock_s(void);

void progress_start(struct progress *, bool is_wanted);

/* Another run begins. */
void progress_next(struct progress *, const char *what);

/* Draws a few times per second; call it often. 'run_ps' is the end of the run, or NEVER. */
void progress_update(struct progress *, const struct sim *, uint64_t run_ps);

/* Clears the line. */
void progress_clear(struct progress *);

#endif
