/* src/sim/skip/told.h - what results report about skipped time. */
#ifndef SIM_SKIP_TOLD_H
#define SIM_SKIP_TOLD_H

#include <stdint.h>

struct skip_told {
    uint64_t steady_ps;          /* time that steady phases were advanced by */
    uint32_t flights;            /* how often */
    uint64_t replayed_ps;        /* time of rounds that were replayed */
    uint32_t recorded, replayed; /* rounds */
    double   spread;             /* the next round's time is that of the recorded ones within this share
                                  * (95 %); 0: fewer than two were */
    double   spread_max;         /* the largest so far */
    uint64_t events_saved;       /* about */
};

#endif
