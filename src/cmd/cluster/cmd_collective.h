/* src/cmd/cluster/cmd_collective.h - what anole collective was asked for, and what it found. */
#ifndef CMD_CLUSTER_CMD_COLLECTIVE_H
#define CMD_CLUSTER_CMD_COLLECTIVE_H

#include "base/print/card.h"
#include "cmd/cluster/nccl.h"
#include "cmd/cmd.h"
#include "work/traffic/collective.h"
#include "core/result.h"

#include <stdbool.h>
#include <stdint.h>

#define TIMELINE_ROWS 3                  /* of the short form */

struct timeline_step {
    uint32_t           messages;
    uint64_t           start_ps, end_ps;
    struct flow_result last;             /* the message that ends last */
};

struct timeline {
    uint32_t             *step_of;       /* by message: from 0 */
    bool                 *is_done;       /* by message: of later iterations only the first counts */
    struct timeline_step *step;
    uint32_t              messages, steps;
};

/* Neighbouring steps in one row. 'slowest' is the step whose end is furthest behind the end of the one
 * before. */
struct timeline_row { uint32_t first, last, slowest; };

void timeline_init(struct timeline *, const struct collective *);
void timeline_fini(struct timeline *);

/* A message has ended. */
void timeline_on_flow(struct timeline *, const struct flow_result *);

/* Divides the steps into rows of about equal length in time. Returns how many. */
uint32_t timeline_rows(const struct timeline *, struct timeline_row row[TIMELINE_ROWS]);

#define ROWS_MAX    64
#define SEEDS_MAX   64
#define PRESETS_MAX 16

#define BESIDE_LOAD 0.3          /* of other traffic, unless given */
#define BY_SIZE     UINT32_MAX   /* a choice is NCCL's */

struct collective_options {
    const char *topology, *beside, *save, *report, *trace;
    uint32_t kind;       /* enum collective_kind; BY_SIZE: an all-reduce, ring or tree */
    uint32_t protocol;   /* enum nccl_protocol, or BY_SIZE */
    uint32_t channels;   /* or BY_SIZE; 0: one ring whose steps wait for acknowledgements */
    double beside_load;
    const char **set;
    uint32_t sets, seeds;
    uint64_t from, to, factor, iterations, seed;
    enum cmd_format format;
    int argc;
    char **argv;
};

struct cluster_network { /* what NCCL's choice depends on */
    struct nccl_cluster cluster;
    uint32_t each;              /* ranks of a server */
    double inside_gbytes_per_s; /* NVLink; 0: none */
    double load_most;           /* load that every host can send: slowest link / mean */
};

struct timing {              /* mean, fastest and slowest seed */
    double us, low_us, high_us;
    double slowdown;         /* of other traffic, mean; NAN: no message of it has ended */
};

struct row {
    uint64_t bytes;
    enum collective_kind kind;
    enum nccl_protocol protocol;
    uint32_t channels;
    struct timing alone, beside;
    double algbw, busbw, ideal; /* GB/s; ideal: what links allow */
    bool nccl_has_tree;         /* NCCL would use a tree, and a ring was simulated */
};

/* What a NIC received in one run. */
struct nic_seen {
    char name[32], from[32];  /* from: the last NIC that sent a part of the collective to it */
    uint32_t server, rail;    /* from 0 */
    double lost_ps;           /* of the collective's messages: time above that in the idle network */
    uint64_t other_bytes;     /* of other traffic */
    uint64_t queue_bytes_max; /* at the switch port in front of it */
};

struct limit_seen {       /* what holds a collective back */
    char text[240];
    double busy_share, paused_share;     /* of the time, for the link with the most */
    double marked_share;                 /* of data packets, at the longest queue */
    uint64_t queue_bytes_max;
};

struct preset_seen { /* the last size next to other traffic, with a preset */
    const char *name, *about;
    struct timing time;
};

struct steps_seen { /* a row of the time line: steps first .. last, from 1, and the slowest of them */
    uint32_t first, last, slowest;
    uint64_t start_ps, end_ps;
    char from[32], to[32];   /* the last message of the slowest step, */
    double us, slowdown;     /* its time, and how many times that in the idle network */
    char link[80];           /* the busiest link on shortest paths between its ends; "": inside a server */
    double busy;             /* share of the run in which that link sends */
};

struct found {
    struct row row[ROWS_MAX];
    uint32_t rows;
    struct cluster_network network;
    struct card about;
    struct limit_seen limit[2]; /* of the last row: what holds it back, alone and beside */
    struct nic_seen *nic; /* of the last row, first seed, next to other traffic if there is any */
    uint32_t nics;
    /* of the last row, first seed, next to other traffic if any */
    struct steps_seen row_of_steps[TIMELINE_ROWS];
    uint32_t rows_of_steps, steps, messages;
    struct preset_seen preset[PRESETS_MAX]; /* the setting of the scenario first */
    uint32_t presets;
};

/* cmd_collective_answer.c: what the result means; and prints it as o->format says. */
void collective_answer(const struct collective_options *, const struct found *, struct card *);
void collective_print(const struct collective_options *, const struct found *);

/* cmd_collective_page.c: the page for a browser, complete without scripts. 'scenario': that of the last
 * row. */
void collective_page(const struct collective_options *, const struct found *, const struct card *,
                     const char *scenario, FILE *);

/* cmd_collective_steps.c: fills, prints and traces the time line. */
struct chrome;
struct sim_port;
struct sim;

void collective_see_steps(const struct sim *, const struct timeline *, struct found *);
void collective_trace_steps(const struct sim *, const struct timeline *, struct chrome *);
void collective_print_steps(const struct found *);       /* at most six lines */
json_t *collective_steps_json(const struct found *);

/* "h16 -> leaf0"; and the share of the run in which a port sends. */
const char *collective_link_text(char buf[80], const struct sim *, const struct sim_port *);
double collective_busy_share(const struct sim *, const struct sim_port *);

/* "all-reduce" */
const char *collective_kind_text(const struct row *);

#endif
