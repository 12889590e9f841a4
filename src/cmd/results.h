/* src/cmd/results.h - what a run has found, and the forms in which it is told. */
#ifndef CMD_RESULTS_H
#define CMD_RESULTS_H

#include "cmd/simulation.h"

#include <stdint.h>
#include <stdio.h>

#define RESULTS_WORST 5          /* ports that are named */

struct results_entry {           /* of the traffic list */
    uint64_t flows_started, bytes_started;
    double   load;               /* realised, on the scale of the load asked for; 0: none was */
};

struct results {
    const struct scenario *scenario;
    const struct sim      *sim;
    const struct fct      *fct;
    const struct ops      *ops;
    const struct series   *series;
    const char            *text;         /* of the scenario's file */
    size_t                 text_bytes;
    const char *const     *set;          /* what the command line has changed */
    uint32_t               sets;

    uint64_t end_ps;             /* the end of the run */
    uint64_t hops;               /* packets that ports have sent */
    uint64_t unfinished, resent_bytes;
    double   goodput_bps;        /* payload delivered over time */
    uint64_t marked_packets, paused_ps;
    uint32_t paused_ports;       /* that have been paused at all */
    uint32_t paused[RESULTS_WORST], queued[RESULTS_WORST];   /* ports paused longest, with the longest queues */
    uint32_t paused_count, queued_count;     /* of them */
    struct results_entry *entry;

    double   wall_s;             /* the only figure that another run does not repeat */
};

/* Reads a simulation that has run, which must outlive the results. */
void results_init(struct results *, const struct simulation *);
void results_fini(struct results *);

/* "tor0:3": the node's name and the number of the port. Returns buf. */
#define PORT_NAME_MAX 32
char *results_port_name(char buf[PORT_NAME_MAX], const struct sim *, const struct port *);

/* The forms. Only what is under "wall", and the last line of the table, differs from run to run. */
void results_print_table(const struct results *, FILE *, bool has_colour);
void results_print_csv(const struct results *, FILE *);
void results_print_json(const struct results *, FILE *, bool with_wall);

/* ports.csv: one line a port. */
void results_print_ports(const struct results *, FILE *);

/* flows.csv and HPCC's files: one line as things happen. */
void results_print_flow_head(FILE *);
void results_print_flow(FILE *, const struct sim *, const struct scenario *, const struct flow_result *);
void results_print_hpcc_fct(FILE *, const struct flow_result *);
void results_print_hpcc_pfc(FILE *, const struct pfc_result *);

#endif
