/* src/net/trace.h - an execution trace: the operations of an application's ranks and their dependencies.
 *
 * Each rank has operations (compute, send, receive, collective). An operation waits for others of its rank:
 * until they have ended, or until they have started. The readers of other programs' files (formats/) create
 * traces. Traffic of kinds 'goal' and 'chakra' executes them.
 */
#ifndef NET_TRACE_H
#define NET_TRACE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_RANKS_MAX 1048576u
#define TRACE_OPS_MAX   200000000u           /* total of all ranks, in memory */
#define TRACE_RANK_OPS_MAX 1000000000u       /* per rank, also in a file */
#define TRACE_ANY       UINT32_MAX           /* a receive from any peer */
#define TRACE_ANY_TAG   UINT64_MAX           /* a receive with any tag */

/* Where operations are stored during execution. */
enum trace_memory { TRACE_BY_SIZE, TRACE_IN_FILE, TRACE_IN_MEMORY };

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
    uint32_t waits;              /* number of open dependencies */
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
    bool               is_sealed;
    uint32_t           roots;    /* operations without dependencies */
    uint32_t           cpus;
    uint64_t           sends;
    uint64_t           at;       /* in the file: offset of its operations, followed by 'next' and the roots */
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
    bool                has_reads;       /* some operation is a TRACE_READ */
    uint64_t            send_bytes_max;  /* of the largest TRACE_SEND */
    bool                is_spilled;      /* sealed ranks are moved to a temporary file */
    int                 spill;           /* file descriptor */
    uint64_t            spill_bytes;     /* bytes written to it */
};

void trace_init(struct trace *, const char *name, uint32_t ranks);
void trace_fini(struct trace *);

/* Copies the operation and returns its number within the rank. */
uint32_t trace_add(struct trace *, uint32_t rank, const struct trace_op *);

/* Makes 'after' wait for the end of 'before', or for its start. Both belong to the same rank. */
void trace_require(struct trace *, uint32_t rank, uint32_t after, uint32_t before, bool is_start);

/* Returns the number of the new group. */
uint32_t trace_add_group(struct trace *, const uint32_t *rank, uint32_t count);

/* ---- traces larger than memory ---- */

/* From now on, sealed ranks are moved to an unnamed temporary file in $TMPDIR or /var/tmp. Memory then holds
 * one rank at a time, and later the operations in progress. The execution order does not change. */
int trace_spill(struct trace *, struct err *);

/* ---- seal ---- */

/* Completes a rank: nothing can be added any more. Refuses dependency cycles. The reason starts with the
 * trace's name. */
int trace_seal_rank(struct trace *, uint32_t rank, struct err *);

/* Seals all ranks. */
int trace_seal(struct trace *, struct err *);

/* Numbers the collectives of a rank in order. Refuses those that differ from the other ranks' collectives. */
struct trace_numbers { struct trace *trace; uint32_t rank, *of_group; };

void trace_numbers_init(struct trace_numbers *, struct trace *, uint32_t rank);
int  trace_number(struct trace_numbers *, struct trace_op *, struct err *);
int  trace_numbers_end(struct trace_numbers *, struct err *);
void trace_numbers_fini(struct trace_numbers *);

/* ---- trace_stream.c ---- */

/* Builds a rank that is larger than memory, in a trace that spills to a file. Operations are added in
 * ascending order of ids, each with the ids of those whose end it waits for, which may be added later. Cycles
 * are not detected here but by trace_check(). */
struct trace_stream *trace_stream_new(struct trace *, uint32_t rank);
void                 trace_stream_free(struct trace_stream *);

/* Returns -EDOM if the id is not ascending, or another error if the temporary file cannot be written. */
int trace_stream_add(struct trace_stream *, uint64_t id, const struct trace_op *, const uint64_t *waits_for,
                     uint32_t count, struct err *);

/* Completes the rank. Returns -ESRCH, without setting err, if an operation waits for an unknown id; *missing
 * holds both. */
struct trace_missing { uint32_t line; uint64_t id; };

int trace_stream_seal(struct trace_stream *, struct trace_missing *missing, struct err *);

/* ---- access after sealing, thread-safe ---- */

/* The part of the file that was read last. */
struct trace_page { unsigned char *data; uint64_t at; uint32_t bytes; };

/* A list of operations of a rank, in the order in which their dependencies were added. A reader keeps one per
 * rank, zeroed at first, because it also buffers the file. */
struct trace_list {
    const uint32_t   *op;
    uint32_t          count;
    uint32_t         *room, max;
    struct trace_page ops, next;
};

void trace_list_fini(struct trace_list *);

/* These return false if the file cannot be read. The result is then an operation that takes no time, or an
 * empty list. trace_get() without a list (NULL) reads an operation of any rank, unbuffered. */
bool trace_get(const struct trace *, uint32_t rank, uint32_t number, struct trace_op *, struct trace_list *);
bool trace_followers(const struct trace *, uint32_t rank, const struct trace_op *, bool of_start,
                     struct trace_list *);
bool trace_roots(const struct trace *, uint32_t rank, struct trace_list *);

/* Counts the open dependencies of operations. For a trace in a file, only of operations that have some
 * fulfilled. */
struct trace_waits {
    uint32_t                               *left;        /* by operation; NULL for a trace in a file */
    struct trace_wait { uint32_t op, left; } *slot;      /* hash table; left 0: free */
    uint32_t                                used, size;
};

void trace_waits_init(struct trace_waits *, const struct trace *, uint32_t rank);
void trace_waits_fini(struct trace_waits *);

/* Fulfills one dependency. Returns true if none is left. */
bool trace_waits_end(struct trace_waits *, const struct trace *, uint32_t rank, uint32_t op,
                     struct trace_list *);

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
