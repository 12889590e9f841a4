/* src/sim/event/counters.h - what can be counted and reported in a world: classes, counters, results. */
#ifndef SIM_EVENT_COUNTERS_H
#define SIM_EVENT_COUNTERS_H

#include "core/figures.h"
#include "core/result.h"
#include "sim/lb/conweave.h"
#include "core/meter/fct.h"

#include <stddef.h>
#include <stdint.h>

#define PRIOS 8                  /* traffic classes */

/* What switches, counters and reports distinguish. */
enum packet_class { CLASS_DATA, CLASS_ACK, CLASS_NACK, CLASS_CNP, CLASS_PFC, PACKET_CLASSES };

enum sim_order {
    ORDER_NODE,                  /* equal times: older first, then by node, however the work is divided */
    ORDER_NS3,                   /* equal times: first scheduled, first run; one thread only */
};

/* Counters of a part of the network. They only grow; see figures.def. */
struct sim_counters {
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

struct port_counters {           /* only grow; see figures.def. paused_ps: complete pauses */
    union {
        struct {
#define PORT(name, ...) uint64_t name;
#include "core/figures.def"
        };
        struct { uint64_t first; uint64_t tx_packets[PACKET_CLASSES]; };
        uint64_t count[PORT_COUNTS];
    };
};

_Static_assert(offsetof(struct port_counters, tx_packets) == offsetof(struct port_counters, data_packets),
               "one and the same");

/* Fidelity fast: see skip/skip.h. */
struct skip_stats {
    const char *why_not;         /* why every packet is simulated; NULL: packets may be skipped */
    uint64_t    packets;         /* data packets that were not simulated */
    uint64_t    hops;            /* hops that these packets and their ACKs skipped */
    uint64_t    holds;           /* number of holds */
    uint64_t    breaks;          /* holds that another flow ended */
    uint64_t    rests;           /* how often skipping rested because it saved too little, */
    uint64_t    rest_packets;    /* and data packets that were simulated meanwhile */
};

/* Observers of results. */
struct sim_hooks {
    void *arg;
    void (*flow_done)(void *arg, const struct flow_result *);    /* NULL: not needed */
    void (*pfc)(void *arg, const struct pfc_result *);
};

#endif
