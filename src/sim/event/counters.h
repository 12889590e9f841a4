/* src/sim/event/counters.h - counters of a part of the network. They only grow. */
#ifndef SIM_EVENT_COUNTERS_H
#define SIM_EVENT_COUNTERS_H

#include "core/figures.h"
#include "lb/conweave.h"
#include "meter/fct.h"

#include <stdint.h>

struct sim_counters {             /* see figures.def */
    union {
        struct {
#define COUNTER(name, counted, ...) uint64_t counted;
#include "core/figures.def"
        };
        uint64_t count[FIGURE_COUNTERS];
    };
    struct conweave_counters conweave;
    /* 'reordered', 'nacks_sent': by flow size */
    uint64_t reordered_by_size[FCT_BUCKETS], nacks_by_size[FCT_BUCKETS];
};

#endif
