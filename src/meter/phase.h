/* src/meter/phase.h - before, during and after an influx.
 *
 * A scenario may mark traffic as an influx: it starts and stops while other traffic continues. The windows of
 * such traffic divide the run into three phases: before the first window, during any of them, and after or
 * between them. A flow belongs to the phase in which it starts.
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

/* Adds a window. Windows beyond PHASE_WINDOWS_MAX extend the last one. */
void phases_add(struct phases *, uint64_t start_ps, uint64_t stop_ps);

/* PHASE_BEFORE if there are no windows. */
enum phase phases_at(const struct phases *, uint64_t at_ps);

/* How much of from_ps .. to_ps lies in a phase. */
uint64_t phases_overlap_ps(const struct phases *, enum phase, uint64_t from_ps, uint64_t to_ps);

#endif
