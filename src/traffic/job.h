/* src/traffic/job.h - traffic whose flows follow from other flows: the common part.
 *
 * A job is one entry of the traffic list. Each of its hosts runs a worker, which is one stream. A kind of job
 * is told of every message that has come to one of its workers (on_arrival, at the destination) or
 * has been acknowledged in full (on_sent, at the source), and posts the flows that follow.
 *
 * State belongs to one host. While a kind is told of a message it may look at and change what belongs to that
 * host's worker, and post for it. What concerns others (a barrier) it says by a signal, which comes to all of
 * them signal_ps later. The workers may be divided among parts of the simulation that run at the same time
 * (sim/partition.h): each part has its own copy of what signals change, and posts for its own workers.
 */
#ifndef TRAFFIC_JOB_H
#define TRAFFIC_JOB_H

#include "core/result.h"
#include "traffic/kind.h"

#include <stdint.h>

#define JOB_NO_WORKER UINT32_MAX

struct job {                     /* the first member of the state that a kind allocates */
    struct traffic       *traffic;
    struct traffic_common common;
    uint32_t              entry;         /* of the traffic list */
    uint32_t              first_stream, workers;     /* worker i is stream first_stream + i */
    uint32_t             *host;          /* node of each worker */
    uint32_t             *worker_of;     /* by node: JOB_NO_WORKER, or the worker there */
    uint64_t              signal_ps;     /* how long a signal takes; 0: it sends none */
};

/* Makes an entry of the traffic list and a worker on each host; the job belongs to the traffic from now on. */
void job_init(struct job *, const struct traffic_kind *, struct traffic *, const struct traffic_common *,
              const uint32_t *hosts, uint32_t count);

/* Makes room for 'posts' flows that are posted and have not started, all workers together, so that none is asked
 * for during the run. A job that posts more than that at a time gets it all the same. */
void job_reserve(struct job *, uint32_t posts);

/* What each of its streams that are no workers sends, on average. */
void job_send_bps(struct job *, double bps);

/* How many flows it is expected to start in the whole run. */
void job_expect(struct job *, double flows);

/* Makes a worker start a flow at at_ps, not before the present. Flows of one moment start by tag, then
 * destination. */
void job_post(struct job *, uint32_t worker, uint64_t at_ps, uint32_t dst, uint64_t bytes, uint64_t tag);

/* The same on a queue pair of its choice instead of the next in turn: number 'pair' of those to the destination, from 1. */
void job_post_on(struct job *, uint32_t worker, uint64_t at_ps, uint32_t dst, uint32_t pair, uint64_t bytes, uint64_t tag);

/* Has on_wake() called for a worker at at_ps, not before the present. */
void job_wake(struct job *, uint32_t worker, uint64_t at_ps, uint64_t tag);

/* Sends a signal to all parts. */
void job_signal(struct job *, uint32_t worker, uint64_t now_ps, uint64_t value);

/* The part of the simulation that a worker is in. */
uint32_t job_part(const struct job *, uint32_t worker);

/* A worker's own random numbers. */
struct rng *job_rng(struct job *, uint32_t worker);

/* Tells of a piece of work that is over at 'node'. */
void job_report(const struct job *, uint32_t node, enum op_kind, uint64_t bytes, uint64_t start_ps, uint64_t now_ps);

#endif
