/* src/work/traffic/job.h - jobs: traffic whose flows depend on the completion of other flows.
 *
 * A job is one entry of the traffic list. Each of its hosts runs a worker, which is one stream. The job's
 * kind is notified of every message that arrives at a worker (on_arrival, at the destination) or is fully
 * acknowledged (on_sent, at the source). It then posts the flows that follow.
 *
 * State belongs to one host. In a notification, a kind may access only the state of that host's worker, and
 * post only for it. To affect other workers (a barrier), it sends a signal, which reaches all of them
 * signal_ps later. Workers may be spread over partitions that run concurrently (sim/partition.h). Each
 * partition has its own copy of the state that signals change, and posts for its own workers.
 */
#ifndef WORK_TRAFFIC_JOB_H
#define WORK_TRAFFIC_JOB_H

#include "core/result.h"
#include "work/traffic/kind.h"

#include <stdint.h>

#define JOB_NO_WORKER UINT32_MAX

struct job {                     /* first member of a kind's state */
    struct traffic       *traffic;
    struct traffic_common common;
    uint32_t              entry;         /* index in the traffic list */
    uint32_t              first_stream, workers;     /* worker i is stream first_stream + i */
    uint32_t             *host;          /* node of each worker */
    uint32_t             *worker_of;     /* by node: its worker, or JOB_NO_WORKER */
    uint64_t              signal_ps;     /* delay of a signal; 0: sends no signals */
    enum verb             verb;          /* of its messages, other than READs */
    struct host_cpus     *cpus;          /* see work/traffic/host_time.h; NULL: programs take no time */
    struct reads         *reads;         /* see work/traffic/reads.h; NULL: its workers do not read */
};

/* Adds an entry to the traffic list and a worker on each host. The traffic takes ownership of the job. */
void job_init(struct job *, const struct traffic_kind *, struct traffic *, const struct traffic_common *,
              const uint32_t *hosts, uint32_t count);

/* Reserves space for 'posts' posted flows of all workers together, so that the run does not allocate. The
 * limit is soft: more posts still succeed. */
void job_reserve(struct job *, uint32_t posts);

/* Sets the mean sending rate of each stream that is not a worker. */
void job_send_bps(struct job *, double bps);

/* Sets the expected number of flows in the whole run. */
void job_expect(struct job *, double flows);

/* Makes a worker start a flow at at_ps, which is not in the past. Flows with equal start times are ordered by
 * tag, then destination. */
void job_post(struct job *, uint32_t worker, uint64_t at_ps, uint32_t dst, uint64_t bytes, uint64_t tag);

/* Like job_post(), on queue pair number 'pair' (from 1) to the destination, instead of the next in
 * rotation. */
void job_post_on(struct job *, uint32_t worker, uint64_t at_ps, uint32_t dst, uint32_t pair, uint64_t bytes,
                 uint64_t tag);

/* Schedules a call of on_wake() for a worker at at_ps, which is not in the past. */
void job_wake(struct job *, uint32_t worker, uint64_t at_ps, uint64_t tag);

/* Sends a signal to all partitions. */
void job_signal(struct job *, uint32_t worker, uint64_t now_ps, uint64_t value);

/* Returns the partition of a worker. */
uint32_t job_part(const struct job *, uint32_t worker);

/* Returns the worker's own random number generator. */
struct rng *job_rng(struct job *, uint32_t worker);

/* Reports that one worker has ended a pass of the iterations, counted from 0. */
void job_report_pass(const struct job *, uint32_t worker, uint32_t pass, uint64_t now_ps);

/* Reports an operation that completed at 'node'. */
void job_report(const struct job *, uint32_t node, enum op_kind, uint64_t bytes, uint64_t start_ps,
                uint64_t now_ps);

#endif
