/* src/traffic/internal.h - the state of struct traffic, for the sources of traffic/ only. */
#ifndef TRAFFIC_INTERNAL_H
#define TRAFFIC_INTERNAL_H

#include "base/err.h"
#include "core/result.h"
#include "net/graph.h"
#include "traffic/traffic_flow.h"

struct traffic_entry;
struct traffic_stream;

struct traffic_post {            /* a flow that a worker will start */
    uint64_t at_ps, bytes, tag;
    struct operation op;
    uint32_t dst;
    uint32_t pair;               /* as in flow_spec */
    uint32_t below, next;        /* see post.c */
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
    char                 padding[64];    /* padding against false sharing */
};

struct traffic {
    const struct graph    *graph;
    uint64_t               seed;
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

#endif
