/* src/net/trace.h - what the ranks of an application do: compute, send, receive, in an order that says what waits for what.
 *
 * Every rank has operations, and an operation waits for others of its rank: until they are over, or until they have begun.
 * Readers of other programs' files make traces (formats/), traffic of kinds goal and chakra carries them out.
 */
#ifndef NET_TRACE_H
#define NET_TRACE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_RANKS_MAX 1048576u
#define TRACE_OPS_MAX   200000000u           /* of all ranks */
#define TRACE_ANY       UINT32_MAX           /* as peer of a receive */
#define TRACE_ANY_TAG   UINT64_MAX           /* as its tag */

enum trace_type {
    TRACE_CALC,                  /* computes on a processor, which does one thing at a time; for 0 ps: on none */
    TRACE_SEND,                  /* over when all of it has been acknowledged */
    TRACE_RECV,                  /* over when a message that matches has come; messages match as MPI's do */
    TRACE_COLLECTIVE,            /* with all others of a group; the n-th of each of them are one */
    TRACE_HOLD, TRACE_FREE,      /* takes a processor, and gives it back */
};

enum trace_collective { TRACE_ALL_REDUCE, TRACE_ALL_GATHER, TRACE_REDUCE_SCATTER, TRACE_ALL_TO_ALL };

struct trace_op {
    uint8_t  type, cpu, collective;
    uint32_t line;               /* of its file, or its number there: for messages */
    uint32_t peer;               /* rank; collective: group */
    uint32_t waits;              /* for so many things */
    uint64_t size;               /* bytes; calc: picoseconds */
    uint64_t tag;
    uint32_t done_at, started_at;        /* those that wait for its end are next[done_at] .. before next[started_at], */
    uint32_t next_at;                    /* those that wait for its start from there to here */
};

struct trace_edge { uint32_t before, after; bool is_start; };

struct trace_rank {
    struct trace_op   *op;
    struct trace_edge *edge;     /* until the trace is sealed */
    uint32_t          *next;     /* from then on: see struct trace_op */
    uint32_t           ops, ops_max, edges, edges_max;
};

struct trace_group { uint32_t *rank, count; };

struct trace {
    char               *name;    /* of the file, for messages */
    struct trace_rank  *rank;
    uint32_t            ranks;
    struct trace_group *group;   /* number 0 is all ranks */
    uint32_t            groups;
    uint64_t            ops;     /* of all ranks */
    bool                is_by_number;    /* of operations that are ready the first goes first; otherwise the one that was ready first */
};

void trace_init(struct trace *, const char *name, uint32_t ranks);
void trace_fini(struct trace *);

/* Returns the number of the operation among its rank's; the trace keeps a copy. */
uint32_t trace_add(struct trace *, uint32_t rank, const struct trace_op *);

/* 'after' waits for 'before', both of one rank. */
void trace_require(struct trace *, uint32_t rank, uint32_t after, uint32_t before, bool is_start);

/* Returns the number of a new group. */
uint32_t trace_add_group(struct trace *, const uint32_t *rank, uint32_t count);

/* No more is added. Refuses operations that wait for each other in a circle. The reason begins with the trace's name. */
int trace_seal(struct trace *, struct err *);

/* Could all of it be carried out, if messages took no time? Refuses receives that get no message, and messages that nobody
 * receives. Of a sealed trace without collectives. */
int trace_check(const struct trace *, struct err *);

#endif
