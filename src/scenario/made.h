/* src/scenario/made.h - a scenario: network, traffic, settings, monitors and tuner. */
#ifndef SCENARIO_MADE_H
#define SCENARIO_MADE_H

#include "core/tuning_goal.h"
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
    struct knob_set set;         /* knobs that are not named have the values of the scenario, without
                                  * tuners */
};

struct scenario_tuner {          /* unparsed; see tune/loop.h */
    char                   *kind, *place;    /* NULL: no tuner */
    struct option_text     *option;
    uint32_t                options;
    uint64_t                start_ps;        /* first report */
    uint64_t                monitor_delay_ps;        /* from the end of an interval until the tuner has the
                                                      * report */
    uint64_t                dispatch_delay_ps;       /* from its decision until it takes effect */
    bool                    is_recorded;     /* record: yes */
    char                   *record_place;    /* NULL: not given */
};

/* Keys that are checked against the network: see fit.h. */
enum scenario_place { PLACE_RTO, PLACE_BUFFER, PLACE_LOSSY_ALPHA, PLACE_LOSSY_QUEUE, PLACE_PAUSE_TIME,
                      PLACE_CC, PLACE_TOPOLOGY, PLACE_CHANGES, PLACE_IDLE_KNOB, SCENARIO_PLACES };

struct scenario {
    char                    *path;
    char                    *place[SCENARIO_PLACES];     /* "file:line:column: " of a key; NULL: not given */
    char                    *warning;        /* one per line; scenario_start() may add some; NULL: none */
    enum knob                idle_knob;      /* PLACE_IDLE_KNOB: is set, but ignored by the congestion
                                              * control */
    struct sim_cfg           cfg;
    bool                     has_fidelity;   /* it is given */
    uint32_t                 fast_seeds;     /* of fidelity fast; 0: by what they cost (run/spread.h) */
    struct htsim_input      *htsim;          /* model htsim; NULL: another */
    struct rlcc_model       *rlcc;           /* model of cc rlcc; NULL: another control */
    struct graph             graph;
    struct traffic          *traffic;
    struct traffic_about    *entry;
    uint32_t                 entries;
    struct watch_cfg         watch;          /* monitors */
    struct scenario_tuner    tuner;
    struct goal              goal;           /* the default, if it is not given */
    bool                     has_goal;
    uint64_t                 interval_ps;    /* monitor interval */
    bool                     has_interval;   /* the interval is given */
    uint64_t                 run_ps;         /* end of the run; NEVER: when the last flow has finished */
    struct knob_change      *change;         /* sorted by time */
    uint32_t                 changes;
    double                   host_bps;       /* sum of all host links, for loads */
    double                   uplink_bps;     /* sum of all links from switches with hosts to other switches */
};

#endif
