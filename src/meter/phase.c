#include "meter/phase.h"

const char *const phase_names[PHASES] = { "before", "during", "after" };

void phases_add(struct phases *p, uint64_t start_ps, uint64_t stop_ps)
{
    if (p->windows == PHASE_WINDOWS_MAX) {
        uint64_t *end = &p->window[p->windows - 1].stop_ps, *start = &p->window[p->windows - 1].start_ps;

        *end = stop_ps > *end ? stop_ps : *end;
        *start = start_ps < *start ? start_ps : *start;
        return;
    }
    p->window[p->windows].start_ps = start_ps;
    p->window[p->windows++].stop_ps = stop_ps;
}

enum phase phases_at(const struct phases *p, uint64_t at_ps)
{
    enum phase is = PHASE_BEFORE;

    for (uint32_t i = 0; i < p->windows; i++) {
        if (at_ps >= p->window[i].start_ps && at_ps < p->window[i].stop_ps)
            return PHASE_DURING;
        if (at_ps >= p->window[i].stop_ps)
            is = PHASE_AFTER;
    }
    return is;
}

/* Returns the next time after at_ps at which a window starts or ends, or end_ps. */
static uint64_t next_edge(const struct phases *p, uint64_t at_ps, uint64_t end_ps)
{
    uint64_t next = end_ps;

    for (uint32_t i = 0; i < p->windows; i++) {
        if (p->window[i].start_ps > at_ps && p->window[i].start_ps < next)
            next = p->window[i].start_ps;
        if (p->window[i].stop_ps > at_ps && p->window[i].stop_ps < next)
            next = p->window[i].stop_ps;
    }
    return next;
}

uint64_t phases_overlap_ps(const struct phases *p, enum phase phase, uint64_t from_ps, uint64_t to_ps)
{
    uint64_t sum = 0;

    while (from_ps < to_ps) {
        uint64_t next = next_edge(p, from_ps, to_ps);

        if (phases_at(p, from_ps) == phase)
            sum += next - from_ps;
        from_ps = next;
    }
    return sum;
}
