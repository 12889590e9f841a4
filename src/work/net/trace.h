/* src/work/net/trace.h - an execution trace: the operations of an application's ranks and their dependencies.
 *
 * Each rank has operations (compute, send, receive, collective). An operation waits for others of its rank:
 * until they have ended, or until they have started. The readers of other programs' files (peers/) create
 * traces. Traffic of kinds 'goal' and 'chakra' executes them.
 */
#ifndef WORK_NET_TRACE_H
#define WORK_NET_TRACE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_RANKS_MAX 1048576u
#define TRACE_OPS_MAX   200000000u           /* total of all ranks: about 12 GB */
#define TRACE_ANY       UINT32_MAX           /* a receive from any peer */
#define TRACE_ANY_TAG   UINT64_MAX           /* a receive with any tag */

enum trace_type {
    TRACE_CALC,                  /* computes on a processor, one operation at a time; 0 ps: on none */
    TRACE_SEND,                  /* ends when all bytes are acknowledged */
    TRACE_RECV,                  /* ends when a matching message has arrived (MPI matching rules) */
    TRACE_READ,                  /* RDMA READ from the memory of a peer, whose program does not take part */
    TRACE_COLLECTIVE,            /* of a group, on a processor; the n-th of each member belong together */
};

enum trace_collective { TRACE_ALL_REDUCE, TRACE_ALL_GATHER, TRACE_REDUCE_SCATTER, TRACE_ALL_TO_ALL };

struct trace_op {
    uint8_t  type, cpu, collective;
    uint32_t line;               /* line or node number in the file, for error messages */
    uint32_t peer;               /* rank; collective: group */
    uint32_t waits;              /* number of open dependencies; 0: ready from the start */
    uint64_t size;               /* bytes; calc: picoseconds */
    uint64_t tag;                /* collective, after sealing: its number within the group, from 0 */
    uint32_t done_at, started_at;        /* next[done_at] .. next[started_at - 1] wait for its end */
    uint32_t next_at;                    /* next[started_at] .. next[next_at - 1] wait for its start */
};

struct trace_edge { uint32_t before, after; bool is_start; };

struct trace_rank {
    struct trace_op   *op;
    struct trace_edge *edge;     /* before sealing */
    uint32_t          *next;     /* after sealing: see struct trace_op */
    uint32_t           ops, ops_max, edges, edges_max;

    /* Valid after sealing */
    uint32_t           cpus;
    uint64_t           sends;
};

/* A collective of a group. */
struct trace_meeting { uint64_t size; uint32_t line; uint8_t collective; };

struct trace_group {
    uint32_t             *rank, count;
    struct trace_meeting *collective;        /* as in the first sealed rank; all others must have the same */
    uint32_t              collectives, collectives_max;
    uint32_t              first;             /* that rank, if collectives > 0 */
};

struct trace {
    char               *name;    /* file name, for error messages */
    struct trace_rank  *rank;
    uint32_t            ranks;
    struct trace_group *group;   /* group 0 contains all ranks */
    uint32_t            groups;
    uint64_t            ops;     /* total of all ranks */
    bool                is_by_number;    /* order of ready operations: number, or else time, number */
    uint32_t           *pass_at;         /* operations with which each rank's passes begin; NULL: one */
    uint32_t            passes;          /* of them */
    bool                has_reads;       /* some operation is a TRACE_READ */
    uint64_t            send_bytes_max;  /* of the largest TRACE_SEND */
};

void trace_init(struct trace *, const char *name, uint32_t ranks);
void trace_fini(struct trace *);

/* Copies the operation and returns its number within the rank. */
uint32_t trace_add(struct trace *, uint32_t rank, const struct trace_op *);

/* Makes 'after' wait for the end of 'before', or for its start. Both belong to the same rank. */
void trace_require(struct trace *, uint32_t rank, uint32_t after, uint32_t before, bool is_start);

/* Returns the number of the new group. */
uint32_t trace_add_group(struct trace *, const uint32_t *rank, uint32_t count);

/* ---- seal ---- */

/* Completes a rank: nothing can be added any more. Numbers its collectives in order. Refuses dependency
 * cycles, and collectives that differ from the other ranks'. The reason starts with the trace's name. */
int trace_seal_rank(struct trace *, uint32_t rank, struct err *);

/* Seals all ranks. */
int trace_seal(struct trace *, struct err *);

/* Returns the operations that wait for the end of an operation of a sealed rank, or for its start, in the
 * order in which these dependencies were added. */
const uint32_t *trace_followers(const struct trace_rank *, const struct trace_op *, bool of_start,
                                uint32_t *count);

/* ---- matching of messages and receives ---- */

/* An unmatched item: an arrived message ('peer' sent it), or a posted receive. */
struct trace_unmatched { uint64_t tag; uint32_t peer, op, next; };

struct trace_queue { uint32_t first, last; };    /* of unmatched items, oldest first; first 0: empty */

/* The items of some queues. */
struct trace_matching { struct trace_unmatched *item; uint32_t items, max, free; };

void trace_match_later(struct trace_matching *, struct trace_queue *, uint32_t peer, uint64_t tag,
                       uint32_t op);

/* Removes the first item that matches a message from a peer ('is_message': the queue holds receives), or a
 * receive. Returns false if there is none. */
bool trace_match_now(struct trace_matching *, struct trace_queue *, uint32_t peer, uint64_t tag,
                     bool is_message, uint32_t *op);

/* ---- trace_check.c ---- */

/* Executes a sealed trace with messages that take no time. Refuses receives without a message, messages
 * without a receive, and collectives that some members never start. */
int trace_check(const struct trace *, struct err *);

#endif
