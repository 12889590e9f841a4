/* src/run/simulation.h - one run of one scenario, from its text to all that was found.
 *
 * For every command that simulates: run prints it, compare runs many.
 */
#ifndef RUN_SIMULATION_H
#define RUN_SIMULATION_H

#include "run/apply.h"
#include "core/report.h"
#include "meter/fct.h"
#include "meter/ops.h"
#include "meter/scores.h"
#include "meter/series.h"
#include "run/pace.h"
#include "run/queue_log.h"
#include "scenario/scenario.h"
#include "sim/sim.h"
#include "sim/stall.h"
#include "tune/loop.h"

#include <stdbool.h>
#include <stdint.h>

struct progress;
struct slots_row;

struct simulation_input {
    const char        *name;     /* of the scenario's file, for messages and for files it names */
    const char        *text;
    size_t             text_bytes;
    const struct build *base;    /* a scenario that a program has made, instead of a text; NULL: a text */
    const char *const *set;      /* what the command line changes */
    uint32_t           sets;
    const struct build *over;    /* put over all of these; NULL: nothing */
    const uint64_t    *seed;     /* NULL: the scenario's */
    uint32_t           threads;  /* that may share the work; 0: as many as pay */
    uint64_t           until_ps; /* the run ends then at the latest; 0: when the scenario says */
    bool               is_untuned;           /* the tuner that the scenario asks for is left out */
    const struct predict_maker *maker;       /* of twins, for tuners that try settings before; its arg is this input. NULL: none */
    const struct knobs *knobs;   /* in force from the start instead of the scenario's; NULL: the scenario's */
};

/* Who wants to know while it runs; each may be NULL. */
struct simulation_hooks {
    void *arg;
    void (*flow_done)(void *arg, const struct flow_result *);
    void (*pfc)(void *arg, const struct pfc_result *);
    void (*report)(void *arg, const struct report *);       /* of every interval; see simulation_has_intervals() */
    void (*queue)(void *arg, const struct slots_row *);     /* see slots_record() */
    bool (*is_enough)(void *arg);            /* asked after every interval; true: the run ends there */
    void (*op)(void *arg, const struct op_result *);
    void (*sample)(void *arg, uint64_t now_ps);          /* every sample_ps; not with fidelity fast, which would notice */
    uint64_t sample_ps;
};

struct simulation {
    struct simulation_input input;
    struct scenario scenario;
    struct sim     *sim;
    struct fct      fct;
    struct ops      ops;
    struct series   series;
    struct scores   scores;
    struct loop     loop;        /* with a tuner, or without one */
    struct world    world;       /* as the tuner knows it; empty if there is none */
    struct applier  applier;
    struct queue_log queues;     /* of a tuner that sets queues one by one; else empty */
    struct pace     pace;
    uint64_t        intervals;   /* that have been reported to hooks, monitors and tuners */
    uint64_t        end_ps;      /* of the run */
    bool            is_stuck;    /* it ended there because nothing moved any more, with flows that were not over */
    uint64_t        stuck_ps;    /* since then, about, */
    char            stuck_why[STALL_TEXT_MAX];       /* and these, where and why */
    double          wall_s;      /* the only figure that another run does not repeat */
};

/* Reads the scenario and builds its network. What 'input' points to must outlive the simulation. On failure
 * there is nothing to close. */
int simulation_open(struct simulation *, const struct simulation_input *, struct err *);

/* Runs to the end, changing knobs on the way. 'progress' is told how far it has come; NULL: nobody is. */
void simulation_run(struct simulation *, const struct simulation_hooks *, struct progress *);

/* Whether there are intervals of one length, which hooks are told of. Otherwise the points of the series are all there
 * is: see pace.h. */
bool simulation_has_intervals(const struct simulation *);

/* After the run: 0, or why it did not come to its end; what it has found is then of no use. */
int simulation_failed(const struct simulation *, struct err *);

void simulation_close(struct simulation *);

/* The tuner that the scenario asks for, with its options; what is wrong is told with its place in the file. */
int simulation_open_loop(struct loop *, const struct scenario *, const struct world *, struct err *);

/* For a search that goes on from run to run: before the run hands a loop over to a simulation that is untuned; after
 * it takes it back. */
void simulation_lend(struct simulation *, struct loop *);
void simulation_take_back(struct simulation *, struct loop *);

#endif
