/* src/scenario/scenario.h - a scenario file becomes a network, its traffic and a setting.
 *
 * Every key stands in a table that feeds the reader, its messages and docs/scenario.md: those of kinds of topology
 * and traffic in the kind's own.
 * Whatever is wrong is refused before anything runs: "file:line:column: what is wrong; did you mean 'x'?".
 */
#ifndef SCENARIO_SCENARIO_H
#define SCENARIO_SCENARIO_H

#include "base/err.h"
#include "base/reader.h"
#include "core/knobs.h"
#include "core/option.h"
#include "net/graph.h"
#include "sim/sim.h"
#include "sim/observe/watch.h"
#include "traffic/traffic.h"

#include <stdint.h>
#include <stdio.h>

struct knob_change {
    uint64_t        at_ps;
    struct knob_set set;         /* what is not named in it is as it would be if nobody else had turned anything */
};

struct scenario_tuner {          /* as it is written: who makes the tuner reads it */
    char                   *kind, *place;    /* NULL: no tuner */
    struct option_text     *option;
    uint32_t                options;
    uint64_t                start_ps;        /* it is shown reports from then on */
    bool                    is_recorded;     /* what is seen and set at each queue is wanted: record: yes */
    char                   *record_place;    /* NULL: nothing is said of that */
};

struct scenario {
    char                    *path;
    struct sim_cfg           cfg;
    struct graph             graph;
    struct traffic          *traffic;
    struct traffic_about    *entry;
    uint32_t                 entries;
    struct watch_cfg         watch;          /* monitors */
    struct scenario_tuner    tuner;
    uint64_t                 interval_ps;    /* of monitoring */
    uint64_t                 run_ps;         /* end of the run; NEVER: when the last flow is done */
    struct knob_change      *change;         /* sorted by time */
    uint32_t                 changes;
    double                   host_bps;       /* sum of all host links, for loads */
    double                   uplink_bps;     /* sum of all links from switches with hosts to other switches */
};

/* Reads a scenario. 'set' holds the command line's "--set" texts ("kmin=200KB", or a path of keys:
 * "topology.delay=2us", "traffic.0.load=0.5"); they are applied as if written in the file. 'seed'
 * overrides the file's if not NULL. On failure nothing is held. */
int  scenario_read(struct scenario *, const char *path, const char *const *set, uint32_t sets, const uint64_t *seed,
                   struct err *);
int  scenario_parse(struct scenario *, const char *name, const char *text, size_t length, const char *const *set,
                    uint32_t sets, const uint64_t *seed, struct err *);
void scenario_fini(struct scenario *);

/* Makes the simulation; graph and traffic move into it. */
int scenario_start(struct scenario *, struct sim **, struct err *);

/* A kind of topology: reads its section and builds the network. */
struct topology_kind {
    const char               *name, *about;      /* about: one line */
    const struct section_key *keys;              /* its own, beside those of all kinds */
    void                    (*read)(const struct section *, struct graph *);
    bool                      says_loss;         /* a link's loss may be said to be 0; negative: nothing is said */
};

extern const struct topology_kind topology_kinds[];      /* ends with a row whose name is NULL */

/* Shows every key that there is, with its section: "", "host", "traffic poisson". */
void scenario_each_key(void (*show)(void *arg, const char *section, const struct section_key *), void *arg);

/* Prints docs/scenario.md. */
void scenario_print_reference(FILE *);

#endif
