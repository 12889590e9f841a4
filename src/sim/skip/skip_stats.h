/* src/sim/skip/skip_stats.h - what was skipped, and how far that is off: for results. */
#ifndef SIM_SKIP_SKIP_STATS_H
#define SIM_SKIP_SKIP_STATS_H

#include <stdint.h>

struct skip_stats {
    const char *why_not;         /* why no packet may be skipped, or no more; NULL: they may */
    uint64_t    packets;         /* of data that were not simulated */
    uint64_t    hops;            /* of these packets and their ACKs, from port to port */
    uint64_t    holds;           /* how often a sender was left alone */
    uint64_t    breaks;          /* how often another flow ended that */
    uint64_t    checks;          /* how often its packets were simulated nevertheless, to compare, */
    double      checked_ps;      /* for how long in all, */
    double      off_mean, off_rms;   /* and by which share of that time it took longer */
};

#endif
