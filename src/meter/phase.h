/* src/meter/phase.h - before, during and after an influx.
 *
 * A scenario may mark traffic that comes upon the rest and goes again. The windows in which there is such
 * traffic divide the run: before the first, during any, after (or between) them. A flow belongs to the phase it
 * starts in.
 */
#ifndef METER_PHASE_H
#define METER_PHASE_H

#include <stdint.h>

enum phase { PHASE_BEFORE, PHASE_DURING, PHASE_AFTER, PHASES };

#define PHASE_WINDOWS_MAX 64

struct phases {
    struct { uint64_t start_ps, stop_ps; } window[PHASE_WINDOWS_MAX];
    uint32_t windows;            /* 0: the run has no phases */
};

extern const char *const phase_names[PHASES];

/* Adds a window; more than PHASE_WINDOWS_MAX are joined to the last. */
void phases_add(struct phases *, uint64_t start_ps, uint64_t stop_ps);

/* PHASE_BEFORE if there are no windows. */
enum phase phases_at(const struct phases *, uint64_t at_ps);

/* How much of from_ps .. to_ps lies in a phase. */
uint64_t phases_overlap_ps(const struct phases *, enum phase, uint64_t from_ps, uint64_t to_ps);

#endif
