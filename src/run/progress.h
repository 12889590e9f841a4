/* src/run/progress.h - how far a long run has come, on one line that is redrawn.
 *
 * Only on a terminal, and only when a run takes longer than a second: in a pipe or a log there is nothing
 * of it.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool   is_on, is_drawn;
    double start_s, drawn_s;     /* on the wall clock */
    const char *what;            /* in front of the line; NULL: nothing */
};

/* Seconds on a clock that does not jump. */
double progress_clock_s(void);

void progress_start(struct progress *, bool is_wanted);

/* To be called often; draws a few times a second. 'run_ps' is the end of the run, or NEVER. */
void progress_update(struct progress *, const struct sim *, uint64_t run_ps);

/* Takes the line away. */
void progress_clear(struct progress *);

#endif
