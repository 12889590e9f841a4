/* src/live/chaos/result.h - what a fault history has shown. */
#ifndef LIVE_CHAOS_RESULT_H
#define LIVE_CHAOS_RESULT_H

#include <stdint.h>

struct chaos_result {
    char     broken[600];        /* which promise, where and when; "": none */
    uint64_t digest;             /* of all that happened: the same for the same seed */
    uint64_t events, faults;
    uint64_t relayed;            /* agents behind relays, at their ticks */
    uint64_t applied, confirmed, reverted, adopted, kills, terms;
};

#endif
