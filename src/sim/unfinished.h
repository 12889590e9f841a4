/* src/sim/unfinished.h - the messages that are not finished yet. */
#ifndef SIM_UNFINISHED_H
#define SIM_UNFINISHED_H

#include "sim/sim.h"

#include <stdint.h>

struct unfinished {
    struct sim_flow flow;        /* its queue pair */
    uint64_t           start_ps, bytes, acked_bytes, resent_bytes;
    uint64_t           ideal_ps; /* on an empty path */
    uint32_t           place;    /* 0: the queue pair sends it; n: n messages come first */
};

/* Calls 'each' for every unfinished message, queue pair by queue pair, oldest first. */
void sim_each_unfinished(const struct sim *, void (*each)(void *arg, const struct unfinished *), void *arg);

/* Ends a run while packets are still in flight: reports the READs whose data has arrived, oldest first,
 * although their ACKs are on the way. The world can be read, but must not run on. */
void sim_end_reads(struct sim *);

/* Returns a lower bound of the slowdown, as if the rest of the message met an empty path; 0: not known. */
double unfinished_slowdown(const struct unfinished *, uint64_t now_ps);

#endif
