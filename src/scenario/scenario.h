/* src/scenario/scenario.h - a scenario file becomes a network, its traffic and a setting.
 *
 * Every key stands in a table (scenario_keys) that feeds the reader, its messages and docs/scenario.md.
 * Whatever is wrong is refused before anything runs: "file:line:column: what is wrong; did you mean 'x'?".
 */
#ifndef SCENARIO_SCENARIO_H
#define SCENARIO_SCENARIO_H

#include "base/err.h"
#include "core/knobs.h"
#include "net/graph.h"
#include "sim/sim.h"
#include "sim/observe/watch.h"

#include <stdint.h>
#include <stdio.h>

struct traffic;

struct knob_change { uint64_t at_ps; struct knobs knobs; };      /* a whole setting, in force from then on */

struct scenario_traffic {        /* what the scenario says of one entry of its traffic list, for results */
    char     name[64];           /* given, or its kind and number: "poisson 1" */
    char     kind[16];
    double   load;               /* asked for; 0: not a matter of load */
    double   bps_per_host;       /* what 'load' comes to */
    uint32_t hosts;
    uint64_t start_ps, stop_ps;  /* of starts of flows; stop_ps is NEVER if nothing limits them */
    bool     is_influx;          /* comes upon the rest and goes: results are split by it */
    uint32_t workers;            /* training; 0: something else */
    uint64_t collective_bytes;   /* training: its size as nccl-tests define it */
    double   bus_factor;         /* training: bus bandwidth over algorithm bandwidth */
    uint64_t bound_ps;           /* training: the least a collective can take by the hosts' links; 0: not known */
    uint64_t compute_ps;         /* training: between two collectives */
};

struct scenario_option { char *key, *text, *place; };    /* place: "file:line:column: ", for messages */

struct scenario_tuner {          /* as it is written: who makes the tuner reads it */
    char                   *kind, *place;    /* NULL: no tuner */
    struct scenario_option *option;
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
    struct scenario_traffic *entry;
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

/* One row of the table of keys. */
struct scenario_key {
    const char *section;         /* "", "topology", "topology star", "traffic poisson", "host", "switch", ... */
    const char *name, *unit;     /* unit: "time", "rate", "bytes", "count", "share", "name", "file", "map", "list", "yes/no" */
    const char *initial;         /* as one would write it; "" if required or none; "model" if it depends on the model */
    const char *about;
};

extern const struct scenario_key scenario_keys[];        /* ends with a row whose name is NULL */

/* Kinds of topology and traffic, with one line each; end with a row whose name is NULL. */
struct scenario_kind { const char *name, *about; };
extern const struct scenario_kind scenario_topologies[], scenario_traffics[];

/* Prints docs/scenario.md. */
void scenario_print_reference(FILE *);

#endif
