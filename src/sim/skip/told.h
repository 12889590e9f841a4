/* src/sim/skip/told.h - what results say of what was skipped. */
#ifndef SIM_SKIP_TOLD_H
#define SIM_SKIP_TOLD_H

#include <stdint.h>

struct skip_told {
    uint64_t steady_ps;          /* time that steady phases were advanced by */
    uint32_t flights;            /* how often */
    double   steady_error;       /* of the flows' progress in that time, as estimated: a share */
    uint64_t replayed_ps;        /* time of rounds that were replayed */
    uint32_t recorded, replayed; /* rounds */
    double   replay_error;       /* of a round's time, 95 %: a share; 0: none was replayed */
    double   spread;             /* likewise of those that were recorded last; 0: fewer than two were */
    uint64_t events_saved;       /* about */
};

#endif
