/* src/scenario/made.h - what a scenario file becomes: a network, its traffic, a setting, and who watches and tunes. */
#ifndef SCENARIO_MADE_H
#define SCENARIO_MADE_H

#include "core/knobs.h"
#include "core/option.h"
#include "net/graph.h"
#include "sim/observe/watch.h"
#include "sim/sim.h"
#include "traffic/traffic.h"

#include <stdbool.h>
#include <stdint.h>

struct knob_change {
    uint64_t        at_ps;
    struct knob_set set;         /* what is not named in it is as it would be if nobody else had turned anything */
};

struct scenario_tuner {          /* as it is written: who makes the tuner reads it */
    char                   *kind, *place;    /* NULL: no tuner */
    struct option_text     *option;
    uint32_t                options;
    uint64_t                start_ps;        /* it is shown reports from then on */
    uint64_t                monitor_delay_ps;        /* from the end of an interval until it is shown the report */
    uint64_t                dispatch_delay_ps;       /* from its decision until that is in force */
    bool                    is_recorded;     /* what is seen and set at each queue is wanted: record: yes */
    char                   *record_place;    /* NULL: nothing is said of that */
};

/* Keys that are looked at again when the network is there: see fit.h. */
enum scenario_place { PLACE_RTO, PLACE_BUFFER, PLACE_LOSSY_ALPHA, PLACE_LOSSY_QUEUE, PLACE_PAUSE_TIME, PLACE_CC,
                      PLACE_TOPOLOGY, PLACE_CHANGES, PLACE_IDLE_KNOB, SCENARIO_PLACES };

struct scenario {
    char                    *path;
    char                    *place[SCENARIO_PLACES];     /* where a key stands, "file:line:column: "; NULL: it is not given */
    char                    *warning;        /* what is odd about it, a line each; scenario_start() adds to it. Or NULL */
    enum knob                idle_knob;      /* PLACE_IDLE_KNOB: what is set and means nothing to the control in force */
    struct sim_cfg           cfg;
    struct rlcc_model       *rlcc;           /* what cc rlcc decides by; NULL: another control */
    struct graph             graph;
    struct traffic          *traffic;
    struct traffic_about    *entry;
    uint32_t                 entries;
    struct watch_cfg         watch;          /* monitors */
    struct scenario_tuner    tuner;
    uint64_t                 interval_ps;    /* of monitoring */
    bool                     has_interval;   /* it was given */
    uint64_t                 run_ps;         /* end of the run; NEVER: when the last flow is done */
    struct knob_change      *change;         /* sorted by time */
    uint32_t                 changes;
    double                   host_bps;       /* sum of all host links, for loads */
    double                   uplink_bps;     /* sum of all links from switches with hosts to other switches */
};

#endif
