/* src/standin/chaos/result.h - what a fault history is given, and what it has shown. */
#ifndef STANDIN_CHAOS_RESULT_H
#define STANDIN_CHAOS_RESULT_H

#include <stdint.h>

/* Worlds in which an agent cannot keep a promise, to see that the checks would find out. */
enum {
    CHAOS_NO_LEASE = 1,          /* agents take leases for an hour long */
    CHAOS_NO_TERM = 2,           /* messages of old controllers look like those of the newest, and controllers do not hear of newer ones */
    CHAOS_NO_READ_BACK = 4,      /* a device that is read after a write shows what was written */
    CHAOS_NO_AUDIT = 8,          /* lines of the log vanish */
    CHAOS_NO_GUARD = 16,         /* counters hide what breaks a guardrail */
};

struct chaos_result {
    char     broken[600];        /* which promise, where and when; "": none */
    uint64_t digest;             /* of all that happened: the same for the same seed */
    uint64_t events, faults;
    uint64_t relayed;            /* agents behind relays, at their ticks */
    uint64_t applied, confirmed, reverted, adopted, kills, terms;
};

#endif
