/* src/traffic/traffic_internal.h - what traffic is made of: for traffic.c, job.c and the kinds of jobs alone. */
#ifndef TRAFFIC_TRAFFIC_INTERNAL_H
#define TRAFFIC_TRAFFIC_INTERNAL_H

#include "base/rng.h"
#include "traffic/traffic.h"

struct job;

enum traffic_kind { LIST, POISSON, INCAST, PERMUTATION, ALL_TO_ALL, MANY_TO_ONE, LONG_SHORT, JOB };

struct traffic_entry {           /* one of the scenario's traffic list */
    enum traffic_kind     kind;
    struct traffic_common common;
    uint8_t               tcp;           /* as in flow_spec */
    struct job           *job;           /* NULL: its flows are known beforehand and nobody asks for their end */
    /* Poisson: gives a flow its tag; NULL: it has none. */
    uint64_t            (*begin)(struct job *, uint32_t source, const struct flow_spec *);
    struct flow_list     list;
    struct cdf            cdf;
    double                gap_ps_mean;   /* Poisson: between two flows of one host */
    uint64_t              bytes, period_ps;
    uint32_t              receiver, flows_each;
    uint64_t              spread_ps;     /* many_to_one: of all starts; long_short: of those of a burst */
    uint64_t              jitter_ps;     /* long_short: a burst is so late in its period at most */
    uint64_t              long_bytes;
    uint32_t              longs;         /* long_short: so many hosts send long flows, the rest short */
    uint32_t              rank;          /* of its first source or flow, over all entries */
    uint32_t             *hosts, *to;    /* to: permutation, by index */
    uint32_t              count;
};

/* Points that are uniform over an interval, drawn in order: see scatter_begin(). */
struct scatter {
    double   sum, sum_all;
    uint32_t left;
};

struct traffic_stream {
    uint32_t   entry, source;
    uint32_t   index;            /* of the source among the entry's hosts; their count: it is none */
    uint32_t   at;               /* list: next flow; incast: flows of this round; all-to-all: offset;
                                  * many_to_one, a long flow: flows so far */
    uint32_t   rank;
    uint64_t   time_ps;
    double     fraction_ps;      /* of a picosecond, kept so that rounding does not change the mean */
    struct rng rng;
    uint32_t  *mine;             /* list: indices of this source's flows */
    uint32_t   mine_count;       /* long_short: short flows in each burst */
    struct scatter scatter;
    struct rng together;         /* long_short: the same for all streams, for when the bursts come */
    uint64_t   burst_ps;
    bool       is_worker, is_touched;
    uint8_t    part;
    uint32_t   head, tail;       /* worker: its posts, in the order in which they start; 0: none */
    uint32_t   next_touched;
};

struct post {                    /* a flow that a worker is to start */
    uint64_t at_ps, bytes, tag;
    uint32_t dst, next;
};

struct traffic_part {
    struct post      *post;      /* post 0 is none */
    uint32_t          posts, posts_max, post_free;
    uint32_t          touched;   /* first of a list of workers, plus 1 */
    struct signal    *signal;    /* sent, not yet yielded */
    uint32_t          signals, signals_max;
    struct op_result *op;        /* not yet told, if there are other parts */
    uint32_t          ops, ops_max;
    char              apart[64]; /* no cache line is shared with the next */
};

struct traffic {
    const struct graph    *graph;
    uint64_t               seed;
    struct traffic_entry  *entry;
    struct traffic_stream *stream;
    uint32_t               entries, streams, streams_max;
    uint32_t               ranks;        /* given out */
    struct traffic_part   *part;         /* what is used by one thread at a time */
    uint32_t               parts;
    uint8_t               *part_of;      /* by node; NULL: all are in part 0 */
    void                 (*on_op)(void *arg, const struct op_result *);
    void                  *on_op_arg;
};

struct traffic_entry  *traffic_add_entry(struct traffic *, enum traffic_kind, const struct traffic_common *,
                                         const uint32_t *hosts, uint32_t count);

/* A stream of the last entry. Its random numbers belong to (seed, entry, source). */
struct traffic_stream *traffic_add_stream(struct traffic *, uint32_t source, uint32_t index);

/* The worker's part of traffic_next(). */
bool job_next(struct traffic *, struct traffic_stream *, struct flow_spec *);

#endif
