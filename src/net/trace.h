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
#define TRACE_OPS_MAX   200000000u           /* of all ranks, in memory */
#define TRACE_RANK_OPS_MAX 1000000000u       /* of one rank, in any case */
#define TRACE_ANY       UINT32_MAX           /* as peer of a receive */
#define TRACE_ANY_TAG   UINT64_MAX           /* as its tag */

/* Where operations are kept while a trace is carried out. */
enum trace_memory { TRACE_BY_SIZE, TRACE_IN_FILE, TRACE_IN_MEMORY };

enum trace_type {
    TRACE_CALC,                  /* computes on a processor, which does one thing at a time; for 0 ps: on none */
    TRACE_SEND,                  /* over when all of it has been acknowledged */
    TRACE_RECV,                  /* over when a message that matches has come; messages match as MPI's do */
    TRACE_COLLECTIVE,            /* with all others of a group, on a processor; the n-th of each of them are one */
};

enum trace_collective { TRACE_ALL_REDUCE, TRACE_ALL_GATHER, TRACE_REDUCE_SCATTER, TRACE_ALL_TO_ALL };

struct trace_op {
    uint8_t  type, cpu, collective;
    uint32_t line;               /* of its file, or its number there: for messages */
    uint32_t peer;               /* rank; collective: group */
    uint32_t waits;              /* for so many things */
    uint64_t size;               /* bytes; calc: picoseconds */
    uint64_t tag;                /* collective, from sealing on: its number among those of its group, from 0 */
    uint32_t done_at, started_at;        /* those that wait for its end are next[done_at] .. before next[started_at], */
    uint32_t next_at;                    /* those that wait for its start from there to here */
};

struct trace_edge { uint32_t before, after; bool is_start; };

struct trace_rank {
    struct trace_op   *op;
    struct trace_edge *edge;     /* until the rank is sealed */
    uint32_t          *next;     /* from then on: see struct trace_op */
    uint32_t           ops, ops_max, edges, edges_max;

    /* From then on: */
    bool               is_sealed;
    uint32_t           roots;    /* operations that wait for nothing */
    uint32_t           cpus;
    uint64_t           sends;
    uint64_t           at;       /* if it lies in the file: its operations, then 'next', then the roots */
};

/* A collective as its group has it. */
struct trace_meeting { uint64_t size; uint32_t line; uint8_t collective; };

struct trace_group {
    uint32_t             *rank, count;
    struct trace_meeting *collective;        /* as the first rank that was sealed has them; all others have the same */
    uint32_t              collectives, collectives_max;
    uint32_t              first;             /* that rank, if there are any */
};

struct trace {
    char               *name;    /* of the file, for messages */
    struct trace_rank  *rank;
    uint32_t            ranks;
    struct trace_group *group;   /* number 0 is all ranks */
    uint32_t            groups;
    uint64_t            ops;     /* of all ranks */
    bool                is_by_number;    /* the lowest number of those that are ready goes first; otherwise the one ready first, then the lowest number */
    bool                is_spilled;      /* ranks go to a temporary file when they are sealed, */
    int                 spill;           /* this one, */
    uint64_t            spill_bytes;     /* of which so many are written */
};

void trace_init(struct trace *, const char *name, uint32_t ranks);
void trace_fini(struct trace *);

/* Returns the number of the operation among its rank's; the trace keeps a copy. */
uint32_t trace_add(struct trace *, uint32_t rank, const struct trace_op *);

/* 'after' waits for 'before', both of one rank. */
void trace_require(struct trace *, uint32_t rank, uint32_t after, uint32_t before, bool is_start);

/* Returns the number of a new group. */
uint32_t trace_add_group(struct trace *, const uint32_t *rank, uint32_t count);

/* ---- traces that do not fit into memory ---- */

/* From now on a rank that is sealed goes to a temporary file (in $TMPDIR, or /var/tmp), which has no name: memory is needed for one rank at a time, and later for what is
 * under way. What is then carried out, and in which order, is the same. */
int trace_spill(struct trace *, struct err *);

/* ---- sealing ---- */

/* No more is added to a rank. Refuses operations that wait for each other in a circle. The reason begins with the trace's name. */
int trace_seal_rank(struct trace *, uint32_t rank, struct err *);

/* The same for all ranks. */
int trace_seal(struct trace *, struct err *);

/* ---- trace_meet.c ---- */

/* Numbers the collectives of a rank, one after the other, and refuses those that differ from what other ranks have. */
struct trace_numbers { struct trace *trace; uint32_t rank, *of_group; };

void trace_numbers_init(struct trace_numbers *, struct trace *, uint32_t rank);
int  trace_number(struct trace_numbers *, struct trace_op *, struct err *);
int  trace_numbers_end(struct trace_numbers *, struct err *);
void trace_numbers_fini(struct trace_numbers *);

/* ---- trace_stream.c ---- */

/* A rank of which not even its own operations fit into memory, of a trace in a file: operations come one after the other, each with an id greater than the one
 * before it and the ids of those for whose end it waits, which may come later. That none waits in a circle is for trace_check() to say. */
struct trace_stream *trace_stream_new(struct trace *, uint32_t rank);
void                 trace_stream_free(struct trace_stream *);

/* -EDOM: the id is not greater; otherwise the temporary file cannot be written. */
int trace_stream_add(struct trace_stream *, uint64_t id, const struct trace_op *, const uint64_t *waits_for, uint32_t count, struct err *);

/* No more is added. -ESRCH: an operation waits for one that is not there; *missing says for which, and err nothing. */
struct trace_missing { uint32_t line; uint64_t id; };

int trace_stream_seal(struct trace_stream *, struct trace_missing *missing, struct err *);

/* ---- looking, from then on; may be done by several threads ---- */

/* A part of the file that was read last. */
struct trace_page { unsigned char *data; uint64_t at; uint32_t bytes; };

/* Some operations of a rank, in the order in which they were said to wait; whoever looks at a rank has one for it, all 0 at first. */
struct trace_list {
    const uint32_t   *op;
    uint32_t          count;
    uint32_t         *room, max;
    struct trace_page ops, next;
};

void trace_list_fini(struct trace_list *);

/* Each returns false if the file cannot be read; what is written then is an operation that takes no time, or an empty list. Without a list (NULL) an operation of any
 * rank is read, somewhat slower. */
bool trace_get(const struct trace *, uint32_t rank, uint32_t number, struct trace_op *, struct trace_list *);
bool trace_followers(const struct trace *, uint32_t rank, const struct trace_op *, bool of_start, struct trace_list *);
bool trace_roots(const struct trace *, uint32_t rank, struct trace_list *);

/* How much of what operations wait for is not over: of all, or, of a trace in a file, of those of which some is. */
struct trace_waits {
    uint32_t                               *left;        /* by operation, in memory */
    struct trace_wait { uint32_t op, left; } *slot;      /* a table; left 0: free */
    uint32_t                                used, size;
};

void trace_waits_init(struct trace_waits *, const struct trace *, uint32_t rank);
void trace_waits_fini(struct trace_waits *);

/* One thing less is waited for. Returns whether nothing is left. */
bool trace_waits_end(struct trace_waits *, const struct trace *, uint32_t rank, uint32_t op, struct trace_list *);

/* ---- trace_check.c ---- */

/* Could all of it be carried out, if messages took no time? Refuses receives that get no message, messages that nobody receives, and
 * collectives that not all of a group begin. Of a sealed trace. */
int trace_check(const struct trace *, struct err *);

#endif
