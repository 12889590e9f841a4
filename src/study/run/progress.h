/* src/study/run/progress.h - progress of one or several runs, on a single line that is redrawn.
 *
 * Shown only if the runs take longer than a second in total: on a terminal, or now and then in a log.
 */
#ifndef STUDY_RUN_PROGRESS_H
#define STUDY_RUN_PROGRESS_H

#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool   is_on, is_drawn;
    bool   is_log;               /* lines, log_s apart */
    double start_s, drawn_s;     /* on the wall clock; start: of this run */
    double from_s;               /* nothing is drawn before this time */
    double log_s;
    const char *what;            /* prefix of the line; NULL: none */
};

/* Monotonic clock, in seconds. */
double progress_clock_s(void);

void progress_start(struct progress *, bool is_wanted);

/* Without a terminal: writes a line every so many seconds, for a log. */
void progress_log(struct progress *, double every_s);

/* Starts another run. */
void progress_next(struct progress *, const char *what);

/* Draws a few times per second; call it often. 'run_ps' is the end of the run, or NEVER. */
void progress_update(struct progress *, const struct sim *, uint64_t run_ps);

/* The same for several runs at once. 'before': how many were done at the start. */
void progress_update_runs(struct progress *, uint32_t before, uint32_t done, uint32_t runs, uint32_t running);

/* The same for work of which a share is done. 'act' is what happens now. */
void progress_update_share(struct progress *, const char *act, double share);

/* Clears the line. */
void progress_clear(struct progress *);

#endif
