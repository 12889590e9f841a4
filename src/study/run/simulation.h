/* src/study/run/simulation.h - one run of one scenario, from its text to its results. Used by all commands
 * that simulate. */
#ifndef STUDY_RUN_SIMULATION_H
#define STUDY_RUN_SIMULATION_H

#include "study/run/sim_world.h"
#include "core/report.h"
#include "core/meter/fct.h"
#include "core/meter/monitor/monitor_utility.h"
#include "core/meter/series.h"
#include "study/run/outages.h"
#include "study/run/passes.h"
#include "study/run/sampling.h"
#include "study/run/spread.h"
#include "study/run/slots.h"
#include "study/scenario/scenario.h"
#include "sim/sim.h"
#include "sim/stall.h"
#include "tune/loop.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct progress;
struct slots_row;

struct simulation_input {
    const char        *name;     /* name of the scenario's file, for error messages and relative paths */
    const char        *text;
    size_t             text_bytes;
    const struct build *base;    /* a scenario built by a program, instead of a text; or NULL */
    const char *const *set;      /* --set texts */
    uint32_t           sets;
    const struct build *over;    /* overrides all of these; or NULL */
    const uint64_t    *seed;     /* NULL: the scenario's */
    uint32_t           threads;  /* 0: as many as are useful */
    uint64_t           until_ps; /* latest end of the run; 0: the scenario's */
    bool               is_untuned;           /* without the scenario's tuner */
    bool               prefers_fast;         /* use fidelity fast for training,
                                              * unless the scenario sets the fidelity */
    const struct predict_maker *maker;       /* makes twins for tuners; its arg is this input. NULL: no
                                              * twins */
    const struct knobs *knobs;   /* initial setting; NULL: the scenario's */
};

/* Callbacks during the run; each may be NULL. */
struct simulation_hooks {
    void *arg;
    void (*flow_done)(void *arg, const struct flow_result *);
    void (*pfc)(void *arg, const struct pfc_result *);
    void (*report)(void *arg, const struct report *);       /* every interval; see
                                                             * simulation_has_intervals() */
    void (*queue)(void *arg, const struct slots_row *);     /* see slots_record() */
    bool (*is_enough)(void *arg);            /* after every interval; true ends the run */
    void (*op)(void *arg, const struct op_result *);
    void (*sample)(void *arg, uint64_t now_ps);          /* every sample_ps; not called with
                                                          * fidelity fast, which it would affect */
    uint64_t sample_ps;
};

struct simulation {
    struct simulation_input input;
    struct scenario scenario;
    struct sim     *sim;
    struct fct      fct;
    struct ops      ops;
    struct steps    steps;       /* of training, by kind of collective */
    struct series   series;
    struct scores   scores;
    struct loop     loop;        /* with or without a tuner */
    struct outages  outages;     /* of links */
    struct passes   passes;      /* of programs whose ranks end them one by one */
    struct queue_log queues;     /* of a tuner that sets single queues; otherwise empty */
    struct pace     pace;
    uint64_t        intervals;   /* reported to hooks, monitors and tuners */
    uint64_t        end_ps;      /* of the run */
    bool            is_stuck;    /* the run ended because of a deadlock, with unfinished flows */
    uint64_t        stuck_ps;    /* approximate start of the deadlock */
    char            stuck_why[STALL_TEXT_MAX];       /* its location and cause */
    struct spread   spread;      /* see study/campaign/further_seeds.h */
    double          wall_s;      /* wall time; the only result that is not reproducible */
};

/* Reads the scenario and builds its network. Data that 'input' points to must outlive the simulation. On
 * failure there is nothing to close. */
int simulation_open(struct simulation *, const struct simulation_input *, struct err *);

/* Runs to the end and applies the scenario's changes. 'progress' may be NULL. */
void simulation_run(struct simulation *, const struct simulation_hooks *, struct progress *);

/* True if there are intervals of constant length, which hooks receive. Otherwise there are only the points of
 * the series: see sampling.h. */
bool simulation_has_intervals(const struct simulation *);

/* Iterations of a training job so far, with compute. The current one counts by its age and the share of its
 * bytes that arrived. Otherwise settings with which none ends in time would look better. */
struct job_progress { double iterations, seconds; };
struct job_progress simulation_job(const struct simulation *, uint32_t entry);

/* After the run: returns 0, or the error that ended it; the results are then invalid. */
int simulation_failed(const struct simulation *, struct err *);

void simulation_close(struct simulation *);

/* The scenario's tuner with its options. Errors name the place in the file. */
int simulation_open_loop(struct loop *, const struct scenario *, const struct world *, struct err *);

/* For a search over several runs: lends a loop to an untuned simulation before the run, and takes it back
 * afterwards. */
void simulation_lend(struct simulation *, struct loop *);
void simulation_take_back(struct simulation *, struct loop *);

struct scenario_file {
    char   *path;                /* "-": standard input */
    char   *text;
    size_t  text_bytes;
};

/* 'path' is a file or, if it does not exist, the name of a scenario that ships with Anole
 * (study/scenario/examples.h). On failure, too, scenario_file_fini() frees it. */
int scenario_file_read(struct scenario_file *, const char *path, struct err *);
void scenario_file_fini(struct scenario_file *);

/* The input of a simulation. It points into the file. */
struct simulation_input scenario_file_input(const struct scenario_file *);

#endif
