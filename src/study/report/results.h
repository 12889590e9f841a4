/* src/study/report/results.h - the results of a run, and their output formats. */
#ifndef STUDY_REPORT_RESULTS_H
#define STUDY_REPORT_RESULTS_H

#include "base/print/card.h"
#include "study/run/simulation.h"
#include "study/run/spent.h"
#include "sim/stall.h"

#include <stdint.h>
#include <stdio.h>

#define RESULTS_WORST 5          /* ports that are listed */

enum results_job { JOB_NONE, JOB_TRAINING, JOB_STORAGE, JOB_RPC };

struct results_entry {           /* a traffic entry */
    uint64_t flows_started, bytes_started;
    double   load;               /* realised load, in the unit of the requested one; 0: none was requested */
    uint64_t first_ps, last_ps;  /* start of its first flow; end of its last, or of the run */
    double   goodput_bps;        /* acknowledged between the two; NAN: no flow started */

    enum results_job job;        /* for the figures below; they are NAN if nothing has finished */
    double   iteration_us_mean;  /* training: collective and compute */
    double   iteration_started_us_mean;      /* the same with the unfinished one: simulation_job() */
    double   exposed_us_mean;    /* training: the same without computing */
    double   exposed_cold_us, exposed_warm_us_mean;  /* that of the first iteration, and of the later ones */
    /* training, as nccl-tests define them: size / mean time, and x bus_factor */
    double   algbw_bps, busbw_bps;
    double   bound_share;        /* training: lower bound from link rates / mean time */
    struct spent_job spent;      /* of a trace; otherwise without ranks */
    /* iterations, reads and writes, or calls, from the first start to the last end */
    double   ops_per_s;
    double   ops_bps;            /* storage and rpc: payload in that time */
};

/* Utilization of the links from one kind of switch to another. */
#define RESULTS_TIERS 16
struct results_tier {
    char     name[48];           /* "tor to spine", "plane 1: tor to spine" */
    uint32_t links;
    double   busiest, median, least;
};

struct results_size {            /* flows of a range of sizes, including unfinished ones */
    uint64_t resent_bytes, nacks, reordered;
};

struct results_look { bool has_colour, is_utf8; int width; };

struct results {
    const struct scenario *scenario;
    const struct sim      *sim;
    const struct fct      *fct;
    const struct ops      *ops;
    const struct steps    *steps;
    const struct series   *series;
    const struct scores   *scores;
    const struct queue_log *queues;
    const struct outages  *outages;      /* of links; some may start after the end of the run */
    const struct passes   *passes;
    const struct spread   *spread;       /* intervals of fidelity fast */
    const struct tuning   *tuning;       /* its algo is NULL without a tuner */
    const char            *text;         /* of the scenario's file */
    size_t                 text_bytes;
    const char *const     *set;          /* --set options */
    uint32_t               sets;

    uint64_t end_ps;             /* the end of the run */
    uint64_t span_ps;            /* from the first start of a flow to that: what averages cover */
    const char *failure;         /* why the run ended early; NULL: it did not */
    uint64_t waits[WAITS];       /* reasons of unfinished flows: see sim/stall.h */
    const char *stuck_why;       /* cause of a deadlock that ended the run; NULL: none */
    uint64_t stuck_ps;           /* approximate start of the deadlock */
    uint64_t interval_ps;        /* length of an interval of intervals.csv */
    bool     cnps_are_flags;     /* CNPs are flags in ACKs */
    bool     is_random;          /* another seed may give other results */
    union {                      /* in the units of figures.def; NAN: none */
        struct {
#define COUNTER(name, ...) double name;
#define STATE(name, ...)   double name;
#define DERIVED(name, ...) double name;
#define RESULT(name, ...)  double name;
#include "core/figures.def"
        };
        double figure[FIGURE_COUNT];
    };
    /* ports paused longest, with the longest queues */
    uint32_t paused[RESULTS_WORST], queued[RESULTS_WORST];
    uint32_t paused_count, queued_count;     /* of them */
    struct results_tier tier[RESULTS_TIERS]; /* where senders or switches spray */
    uint32_t tiers;
    struct results_size   size[FCT_BUCKETS];
    struct results_entry *entry;
    bool                  has_phases;
    struct figure_span    phase[PHASES];     /* before, during and after an influx */
    double               *entry_phase_bps;   /* goodput [entry * PHASES + phase]; NAN: no such phase */

    double   wall_s;             /* wall time: the only figure that is not reproducible */
};

/* Reads a finished simulation, which must outlive the results. */
void results_init(struct results *, const struct simulation *);
void results_fini(struct results *);

/* "tor0:3": the node's name and the number of the port. Returns buf. */
#define PORT_NAME_MAX 32
char *results_port_name(char buf[PORT_NAME_MAX], const struct sim *, uint32_t port);

/* Lists the kinds of operations of a job; ends with OP_KINDS. */
const enum op_kind *results_ops_of(enum results_job);

/* "iteration", "read", "write", "call" */
extern const char *const results_op_names[OP_KINDS];

/* Slowdowns, completion times and durations; all NAN if there are none. */
struct fct_stats results_slowdown(const struct fct_cell *);
struct fct_stats results_fct_us(const struct fct_cell *);
struct fct_stats results_op_us(const struct results *, uint32_t entry, enum op_kind);

void results_print_passes(const struct results *, FILE *, struct results_look);

/* Fills the answer card and returns it. What is printed has a command that runs in any folder; files have the
 * same bytes wherever the run is repeated. */
struct card *results_answer(const struct results *, struct card *, bool is_printed);

/* Only "wall" and the last line of the table differ from run to run. 'width': of the terminal; 0: none. */

void results_print_table(const struct results *, FILE *, struct results_look);
void results_print_csv(const struct results *, FILE *);
void results_print_json(const struct results *, FILE *, bool with_wall);

/* ports.csv: one line per port. */
void results_print_ports(const struct results *, FILE *);

/* gaps.csv: one line per length of gaps between packets; only if they were recorded. */
void results_print_gaps(const struct results *, FILE *);

/* manifest.json: what was run, by which program, and how long it took. 'files': the other files of the
 * folder; ends with NULL. */
void results_print_manifest(const struct results *, const char *const *files, FILE *);

/* intervals.csv: one line per monitor interval. */
void results_print_interval_head(FILE *, const struct scenario *);
void results_print_interval(FILE *, const struct report *);

/* The same for the points of a run without intervals: see simulation_has_intervals(). */
void results_print_points(FILE *, const struct results *);

/* queues.csv: one line for each queue and slot in which it was in use or its setting changed. */
extern const char results_queue_head[];
void results_print_queue(FILE *, const struct sim *, const struct slots_row *);

/* unfinished.csv: one line per unfinished flow, in the order of their starts; only if there are any. */
void results_print_unfinished(const struct results *, FILE *);

/* flows.csv and HPCC's files: one line per event, during the run. */
extern const char results_flow_head[];
void results_print_flow(FILE *, const struct sim *, const struct scenario *, const struct flow_result *);
void results_print_hpcc_fct(FILE *, const struct flow_result *);

/* Model htsim: every flow, finished or not, in 26 columns; then the totals. */
void results_print_htsim(FILE *, const struct sim *);
void results_print_hpcc_pfc(FILE *, const struct pfc_result *);

#endif
