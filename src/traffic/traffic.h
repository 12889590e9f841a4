/* src/traffic/traffic.h - who sends what to whom, and when.
 *
 * Traffic is a set of streams. A stream belongs to one source host and yields its flows one
 * after the other, so flows are made when they start and never held. Every stream has
 * its own random numbers: what one yields does not depend on the others.
 *
 * Some streams know their flows beforehand: traffic_next() yields them in order. Others are workers of a job
 * (traffic/job.h), whose flows follow from flows that have ended: the simulator tells of those, and traffic tells
 * which workers then have something to start, and when.
 */
#ifndef TRAFFIC_TRAFFIC_H
#define TRAFFIC_TRAFFIC_H

#include "base/err.h"
#include "core/result.h"
#include "traffic/cdf.h"
#include "traffic/collective.h"
#include "net/graph.h"
#include "net/flow_list.h"

#include <stdbool.h>
#include <stdint.h>

struct traffic;

struct flow_spec {
    uint64_t at_ps;
    uint32_t dst;
    uint64_t bytes;
    uint32_t traffic;            /* index of the entry it comes from */
    uint32_t rank;               /* place among flows that start together, over the whole network */
    uint16_t dport;
    uint8_t  prio;
    bool     is_answered;        /* traffic wants to be told of its end, by traffic_on_arrival() and _on_sent() */
    uint8_t  tcp;                /* 0: RDMA; else TCP, by setting tcp - 1 of the simulation */
    uint64_t tag;                /* what a job knows it by */
};

/* A flow that has ended. */
struct message {
    uint32_t src, dst;
    uint32_t traffic;
    uint64_t bytes, tag;
    uint64_t start_ps;
};

struct traffic *traffic_new(const struct graph *, uint64_t seed);
void            traffic_free(struct traffic *);

/* Each adds one entry of the scenario's traffic list. 'prio' is the class of its packets. Hosts are given
 * as nodes. Values have been checked. */
struct traffic_common { uint64_t start_ps, stop_ps; uint8_t prio; };

/* The flows of an HPCC flow list; taken over. */
void traffic_add_list(struct traffic *, struct flow_list *);

/* Every host of 'hosts' starts flows at a Poisson rate such that it sends bps_per_host on average, to
 * another of them chosen uniformly, sizes from the table; the table is taken over. */
void traffic_add_poisson(struct traffic *, const struct traffic_common *, struct cdf *, double bps_per_host,
                         const uint32_t *hosts, uint32_t count);

/* Every sender sends 'bytes' to the receiver at start, and again every period until stop (period 0: once). */
void traffic_add_incast(struct traffic *, const struct traffic_common *, uint64_t bytes, uint64_t period_ps,
                        uint32_t receiver, const uint32_t *senders, uint32_t count, uint32_t flows_each);

/* Each host sends 'bytes' to one other and receives from one other: host i to host i + shift, or, shift 0,
 * a random permutation without fixed points. */
void traffic_add_permutation(struct traffic *, const struct traffic_common *, uint64_t bytes, uint32_t shift,
                             const uint32_t *hosts, uint32_t count);

/* Each host sends 'bytes' to each other host, all at start; host i begins with i + 1, so that receivers
 * differ. */
void traffic_add_all_to_all(struct traffic *, const struct traffic_common *, uint64_t bytes, const uint32_t *hosts,
                            uint32_t count);

/* Every sender starts 'qps' flows of 'bytes' to the receiver, each at a moment of its own, uniform in
 * 'spread_ps' from start on. */
void traffic_add_many_to_one(struct traffic *, const struct traffic_common *, uint64_t bytes,
                             uint64_t spread_ps, uint32_t receiver, const uint32_t *senders, uint32_t count,
                             uint32_t qps);

/* Every host of 'longs' sends one long flow to the receiver from start on. Upon that come bursts of short
 * ones: one in each period, the first period 'after_ps' from start, at a moment uniform in 'jitter_ps' from
 * the period's beginning; each of its 'shorts' flows starts uniformly in 'spread_ps' from then on. They are
 * dealt to the hosts 'from' in turn. jitter_ps + spread_ps <= period_ps: bursts stay in their order. */
struct long_short {
    uint64_t        long_bytes, short_bytes;
    uint64_t        after_ps, period_ps, jitter_ps, spread_ps;
    uint32_t        receiver, shorts;
    const uint32_t *longs, *from;
    uint32_t        long_count, from_count;
};

void traffic_add_long_short(struct traffic *, const struct traffic_common *, const struct long_short *);

/* Training (traffic/job_training.c): the workers do a collective and wait for the last of them; delay_ps later all know
 * that it is through, compute for compute_ps and begin again, until 'iterations' have begun or it is time to stop.
 * Worker i is on hosts[i]. An iteration is reported when the last worker has sent and received all of it.
 * delay_ps is not less than the delay of a link. */
struct traffic_training {
    struct collective_cfg collective;
    uint64_t              compute_ps, delay_ps;
    uint32_t              iterations;    /* UINT32_MAX is as good as no limit */
};
void traffic_add_training(struct traffic *, const struct traffic_common *, const struct traffic_training *,
                          const uint32_t *hosts);

/* The flows of an htsim connection matrix (traffic/job_cm.c), which is taken over: its host i is the i-th host of the
 * graph. Times of the matrix count from start. A flow that waits for a trigger starts delay_ps after it is fired;
 * delay_ps is not less than the delay of a link. */
struct flow_matrix;
void traffic_add_cm(struct traffic *, const struct traffic_common *, struct flow_matrix *, uint64_t delay_ps);

/* Makes the flows of the entry that was added last TCP flows; tcp: as in struct flow_spec. */
void traffic_use_tcp(struct traffic *, uint8_t tcp);

/* The classes its flows use, bit by bit; _tcp: those that TCP alone uses. */
uint8_t traffic_prios(const struct traffic *);
uint8_t traffic_prios_tcp(const struct traffic *);

uint32_t traffic_entries(const struct traffic *);
uint32_t traffic_streams(const struct traffic *);
uint32_t traffic_source(const struct traffic *, uint32_t stream);

/* Writes the stream's next flow; false when there are no more. Starts do not go back in time. Does not
 * allocate. For a worker: takes the flow that is due first. */
bool traffic_next(struct traffic *, uint32_t stream, struct flow_spec *);

/* ---- workers ---- */

bool traffic_is_worker(const struct traffic *, uint32_t stream);

/* When the worker's next flow is due, as far as is known now; NEVER. */
uint64_t traffic_due_ps(const struct traffic *, uint32_t stream);

/* The last byte of a message has come to its destination; its sender has the acknowledgement of all of it. */
void traffic_on_arrival(struct traffic *, uint64_t now_ps, const struct message *);
void traffic_on_sent(struct traffic *, uint64_t now_ps, const struct message *);

/* Yields, one at a time, the workers of a part whose traffic_due_ps() may have changed since they were yielded
 * last. */
bool traffic_touched(struct traffic *, uint32_t part, uint32_t *stream);

/* What a worker tells all others of its job: it acts at at_ps, a link's delay later at least. */
struct signal {
    uint64_t at_ps;
    uint64_t value;
    uint32_t entry, worker;
};

/* Yields the signals that have been sent in a part since; all parts must get each of them, by traffic_on_signal()
 * at its time; those of one moment by entry, worker and value. */
bool traffic_signal(struct traffic *, uint32_t part, struct signal *);
void traffic_on_signal(struct traffic *, uint32_t part, const struct signal *);

/* The least time that a signal takes; NEVER: there are none. */
uint64_t traffic_signal_ps(const struct traffic *);

/* Adds to each node what its streams will send, about, in bit/s; 'rate_bps' is that of its link. */
void traffic_weigh(const struct traffic *, const uint64_t *rate_bps, double *weight);

/* Divides the streams among 'parts' that may be used at the same time, by node; before the first flow. */
void traffic_divide(struct traffic *, const uint8_t *part_of_node, uint32_t parts);

/* Tells of the work that was over while the parts were running: see traffic_on_op(). */
void traffic_tell(struct traffic *);

/* A stream's place among those whose flows start at the same moment. */
uint32_t traffic_rank(const struct traffic *, uint32_t stream);

/* Whom to tell of iterations, reads, writes and calls that are over. */
void traffic_on_op(struct traffic *, void (*on_op)(void *arg, const struct op_result *), void *arg);

#endif
