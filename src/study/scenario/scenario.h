/* src/study/scenario/scenario.h - reads a scenario file into a network, its traffic and its settings.
 *
 * Every key is a row of a table that feeds the reader, error messages and docs/scenario.md. Errors are
 * reported before anything runs: "file:line:column: what is wrong; did you mean 'x'?".
 *
 * The second half is for the sources of study/scenario/ only.
 */
#ifndef STUDY_SCENARIO_SCENARIO_H
#define STUDY_SCENARIO_SCENARIO_H

#include "base/err.h"
#include "base/reader.h"
#include "core/knobs.h"
#include "core/option.h"
#include "core/tuning_goal.h"
#include "work/net/graph.h"
#include "study/scenario/scenario_build.h"
#include "sim/observe/watch.h"
#include "sim/sim.h"
#include "work/traffic/traffic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct knob_change {
    uint64_t        at_ps;
    struct knob_set set;  /* knobs that are not named have the values of the scenario, without tuners */
};

struct scenario_tuner {          /* unparsed; see tune/loop.h */
    char                   *kind, *place;    /* NULL: no tuner */
    struct option_text     *option;
    uint32_t                options;
    uint64_t                start_ps;        /* first report */
    uint64_t                monitor_delay_ps;  /* from an interval's end until the tuner has the report */
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
    enum knob                idle_knob;  /* PLACE_IDLE_KNOB: is set, but ignored by the congestion control */
    struct sim_cfg           cfg;
    bool                     has_fidelity;   /* it is given */
    uint32_t                 fast_seeds;     /* of fidelity fast; 0: by what they cost (study/run/spread.h) */
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

/* ---- reading ---- */

/* The source of a scenario: a text, or a tree built by a program. */
struct scenario_source {
    const char         *name;            /* of the file, for messages and for files it names */
    const char         *text;
    size_t              text_bytes;
    const struct build *base;            /* built by a program, instead of a text; or NULL */
    const char *const  *set;             /* --set texts */
    uint32_t            sets;
    const struct build *over;            /* built by a program, overrides all of these; or NULL */
    const uint64_t     *seed;            /* NULL: the scenario's */
};

int scenario_make(struct scenario *, const struct scenario_source *, struct err *);

/* Reads a scenario. 'set' holds the command line's "--set" texts ("kmin=200KB", or a path of keys:
 * "topology.delay=2us", "traffic.0.load=0.5"); they are applied as if written in the file. 'seed'
 * overrides the file's if not NULL. On failure nothing is held. */
int  scenario_read(struct scenario *, const char *path, const char *const *set, uint32_t sets,
                   const uint64_t *seed, struct err *);
int  scenario_parse(struct scenario *, const char *name, const char *text, size_t length,
                    const char *const *set, uint32_t sets, const uint64_t *seed, struct err *);
void scenario_fini(struct scenario *);

/* Creates the simulation. Graph and traffic move into it, also on failure. May add to 'warning'. */
int scenario_start(struct scenario *, struct sim **, struct err *);

/* ---- sections of a file ---- */

/* The key 'others' of cc is read later, when the network is known. */
void scenario_read_cc(const struct section *, struct sim_cfg *);
void scenario_read_cc_others(const struct section *, struct scenario *);

/* Reads which hosts take data in slowly: 'drain_hosts'. */
void scenario_read_slow_hosts(const struct section *, struct scenario *);

/* The model is read here, so that errors in it name the place of the key. With another congestion control
 * nothing is read. */
void scenario_read_rlcc(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_rlcc_fini(struct scenario *);

/* The node that a key names. */
uint32_t scenario_read_node(const struct section *, const struct graph *, const char *key);

/* The lists link_rates and links_down of a topology. */
void scenario_read_link_rates(const struct section *topology, struct graph *);
void scenario_read_links_down(struct reader *, struct scenario *, const struct yaml_node *topology);

void scenario_read_monitor(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_read_tuner(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_tuner_fini(struct scenario_tuner *);

/* Call it after all sections except traffic: some of them exclude fidelity fast. */
void scenario_read_fidelity(struct reader *, struct scenario *, const struct yaml_node *);

void scenario_read_traffic(struct reader *, struct scenario *, const struct section *root);

/* Reads a flow list from the file 'path' instead; 'node' names it. */
void scenario_read_flows(struct reader *, struct scenario *, const struct yaml_node *, const char *path);

/* Chooses a model, before anything is read. */
void scenario_begin_model(struct sim_cfg *, enum sim_model);

/* Sets the defaults of the model that depend on the network and on what was read; then reads the given keys. */
void scenario_use_model(struct reader *, struct scenario *);
void scenario_read_settings(struct reader *, struct scenario *, const struct yaml_node *root);

/* ---- models of other simulators and of UET ---- */

/* Keys of the scenario, which override the config. */
struct scenario_given { bool seed, lb, cc; };

void scenario_read_hpcc(struct reader *, struct scenario *, const struct yaml_node *, struct scenario_given);

extern const struct key_row scenario_htsim_keys[];

/* Refuses sections that model htsim does not have: all but this one. */
void scenario_check_htsim(const struct section *root, const struct yaml_node *);

void scenario_read_htsim(struct reader *, struct scenario *, const struct section *root);

/* Applies settings of the model, after scenario_use_model(). */
void scenario_use_htsim(struct scenario *);
void scenario_htsim_fini(struct scenario *);

/* Defaults, after those that all models share. */
void scenario_use_uet(struct sim_cfg *);

/* Refuses what does not fit the model, and parts of UET in other models. */
void scenario_check_uet(const struct section *root, struct scenario *);

/* The same, when the traffic is known. */
void scenario_check_uet_traffic(const struct section *root, const struct scenario *);

/* ---- overrides, from the command line or a program ---- */

struct scenario_tree {
    struct reader      r;
    struct yaml_doc    doc, *set_doc;    /* set_doc: the value of each --set */
    uint32_t           sets;
    struct build       made;             /* nodes that are not from a file */
};

/* Applies the --set texts to the tree. */
void scenario_apply_sets(struct scenario_tree *);

/* Replaces plain names of sections, as in "lb: ecmp", by maps. Call it last. */
void scenario_open_names(struct scenario_tree *);

/* Applies a tree that a program built. */
void scenario_put_over(struct scenario_tree *, const struct build *);

void scenario_tree_fini(struct scenario_tree *);

/* ---- fit of the settings and the network ---- */

/* These checks need routes and buffers, so they run after the network is built and before the simulation
 * starts. Errors name the line of the file. */
#define FIT_PLACE_MAX 600

/* Keeps the place of a key for errors that are found when the network is built. */
void scenario_keep_place(const struct section *, struct scenario *, const char *key, enum scenario_place);

/* Returns "file:line:column: " of the key that caused an error of sim_new(); by default that of the
 * topology. */
const char *fit_place(const struct scenario *, const char *why, char buf[FIT_PLACE_MAX]);

/* Refuses a time-out shorter than any round trip, and a buffer that cannot hold a packet. */
int fit_check(const struct scenario *, const struct sim *, struct err *);

/* Returns a warning about settings that are valid but probably not intended; malloc'd. NULL: none. */
char *fit_warning(const struct scenario *, const struct sim *);

/* Remembers the first knob of key 'knobs' that the current congestion control ignores, for fit_warning(). */
void fit_find_idle_knob(const struct section *, struct scenario *);

#endif
