/* src/work/traffic/kind.h - the interface of a kind of traffic. For work/traffic/ and its kinds only.
 *
 * A kind is a source in work/traffic/kinds/ and a line in traffic_all[] (kind.c). Its read() reads an entry's
 * own keys (work/traffic/read.h), adds an entry with its own state, and adds a stream for each sending host.
 * There are two sorts of kinds. Either next() yields a stream's flows in order, from its state and the
 * stream's random numbers. Or the kind is a job (work/traffic/job.h), whose workers start flows when others
 * end.
 */
#ifndef WORK_TRAFFIC_KIND_H
#define WORK_TRAFFIC_KIND_H

#include "base/err.h"
#include "base/reader.h"
#include "base/rng.h"
#include "core/result.h"
#include "work/net/graph.h"
#include "work/traffic/traffic_flow.h"

#include <stdio.h>

struct entry;
struct job;
struct traffic_entry;
struct traffic_stream;

struct traffic_kind {
    const char               *name, *about;      /* about: one line */
    const struct key_row *keys;              /* its own keys, listed before the common ones */
    bool                      is_all_own;  /* no common keys: its flows have their own times and classes */

    /* Reads its keys and adds the entry. Not called after an error. */
    void (*read)(struct entry *);

    /* Writes at_ps, dst, bytes, and fields that differ from the entry's. Returns false if there are no more
     * flows. Start times of a stream never decrease. NULL: all streams are workers of a job. */
    bool (*next)(const struct traffic_entry *, struct traffic_stream *, struct flow_spec *);

    void    (*free)(void *state);                /* NULL: free() */
    uint8_t (*prios)(const void *state);  /* priority classes of its flows, a bit mask; NULL: the entry's */
    void    (*print_more)(FILE *);               /* prints more text for docs/scenario.md; may be NULL */

    /* ---- jobs ---- */

    void (*on_arrival)(struct job *, uint64_t now_ps, const struct message *);   /* NULL: not needed */
    void (*on_sent)(struct job *, uint64_t now_ps, const struct message *);      /* NULL: not needed */

    /* Required for jobs that call job_wake(). */
    void (*on_wake)(struct job *, uint64_t now_ps, uint32_t worker, uint64_t tag);

    /* Required for jobs that send signals. on_signal() delivers a worker's signal to one partition, signal_ps
     * after it was sent. Simultaneous signals are ordered by worker, then value. divide() runs before the
     * first flow and copies the state that signals change to 'parts' partitions; before that, only partition
     * 0 exists. */
    void (*on_signal)(struct job *, uint32_t part, uint64_t now_ps, uint32_t worker, uint64_t value);
    void (*divide)(struct job *, uint32_t parts);
};

extern const struct traffic_kind *const traffic_all[];       /* NULL-terminated */

/* Keys common to all kinds. */
extern const struct key_row traffic_keys[];

struct traffic_entry {           /* an entry of the traffic list */
    const struct traffic_kind *kind;
    void                      *state;    /* owned by the kind */
    struct traffic_common      common;
    uint32_t                  *hosts;    /* nodes */
    uint32_t                   count;
    uint32_t                   rank;     /* rank of its first source or flow, over all entries */
    uint32_t                   streams;
    double                     flows;    /* expected flows in the whole run; 0: unknown */
    double                     bps;      /* mean rate of each stream that is not a worker; 0: unknown */
    uint8_t                    tcp;      /* see struct flow_spec */
    uint32_t                   qps;      /* see struct flow_spec */
    struct job                *job;      /* NULL: flows are known in advance, and their end is not reported */
};

struct traffic_stream {
    uint32_t   entry, source;
    uint32_t   index;  /* index of the source in the entry's hosts; their count if it is not one of them */
    uint32_t   number;           /* index among the entry's streams, for per-stream state of a kind */
    uint32_t   rank;
    uint32_t   at;               /* free for the kind, e.g. flows so far; initially 0 */
    uint64_t   time_ps;          /* free for the kind; initially the entry's start */
    struct rng rng;
    bool       is_worker, is_touched;
    uint8_t    part;
    uint32_t   first_post;       /* worker: its earliest post; 0: none */
    uint32_t   next_touched;
};

/* ---- the state of struct traffic ---- */

struct traffic_post {            /* a flow that a worker will start */
    uint64_t at_ps, bytes, tag;
    struct operation op;
    uint32_t dst;
    uint32_t pair;               /* as in flow_spec */
    uint32_t below, next;        /* see kind.c */
};

struct traffic_part {
    struct traffic_post *post;           /* post 0 is unused */
    uint32_t             posts, posts_max, post_free;
    uint32_t             touched;        /* head of a list of workers, plus 1 */
    struct signal       *signal;         /* sent but not yet yielded */
    uint32_t             signals, signals_max;
    struct op_result    *op;             /* not yet reported, if there are several partitions */
    uint32_t             ops, ops_max;
    struct err           err;            /* first error */
    int                  rc;
    char                 padding[64];    /* against false sharing */
};

struct traffic {
    const struct graph    *graph;
    uint64_t               seed;
    bool                   has_drawn;    /* for a whole entry */
    struct traffic_entry  *entry;
    struct traffic_stream *stream;
    uint32_t               entries, streams, streams_max;
    uint32_t               ranks;        /* next free rank */
    uint32_t               flows_at_once;    /* see traffic_flows_at_once() */
    double                 flows_maybe;      /* see traffic_expect_some() */
    struct traffic_tcp     tcp[TRAFFIC_TCPS_MAX];
    uint32_t               tcps;
    struct traffic_part   *part;         /* state of one partition, used by one thread at a time */
    uint32_t               parts;
    uint8_t               *part_of;      /* by node; NULL: all in partition 0 */
    void                 (*on_op)(void *arg, const struct op_result *);
    void                  *on_op_arg;
};

/* Adds an entry, which takes ownership of its state. */
struct traffic_entry *traffic_add_entry(struct traffic *, const struct traffic_kind *, void *state,
                                        const struct traffic_common *, const uint32_t *hosts, uint32_t count);

/* Adds a stream to the last entry. Its random numbers depend on (seed, entry, source) only. */
struct traffic_stream *traffic_add_stream(struct traffic *, uint32_t source, uint32_t index);

/* Adds a stream for each of the last entry's hosts. */
void traffic_add_streams(struct traffic *);

/* Reserves 'count' consecutive ranks for flows that start together. Returns the first. */
uint32_t traffic_take_ranks(struct traffic *, uint32_t count);

/* Declares that the last entry has at most 'count' concurrent flows. */
void traffic_expect_flows(struct traffic *, uint64_t count);

/* Declares that the last entry starts about 'count' flows in the whole run, at random times. Their
 * concurrency is unknown, so space is reserved for all of them, up to the limit. */
void traffic_expect_some(struct traffic *, double count);

/* Initializes random numbers that belong to the last entry as a whole. */
void traffic_entry_rng(struct traffic *, struct rng *);

/* Starts the numbers of a stream, which depend on these two and the seed only. */
void traffic_stream_rng(const struct traffic *, uint32_t entry, uint32_t source, struct rng *);

/* Records an error for traffic_failed(). Streams of different partitions may fail concurrently. */
void traffic_fail(struct traffic *, const struct traffic_stream *, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- posted flows of workers, in start order ---- */

/* Reserves space for 'posts' more in a partition. */
void post_reserve(struct traffic_part *, uint32_t posts);

/* Adds a post to a stream, in its partition, and marks the stream as touched. Posts with equal times are
 * ordered by tag, then destination. */
void post_add(struct traffic *, uint32_t stream, const struct traffic_post *);

/* Moves all posts of a stream from a previous partition; 'first' is their root in 'old'. */
void post_move(struct traffic *, uint32_t stream, uint32_t first, struct traffic_post *old);

/* Implements traffic_next() for workers: takes the earliest post. */
bool post_next(struct traffic *, struct traffic_stream *, struct flow_spec *);

#endif
