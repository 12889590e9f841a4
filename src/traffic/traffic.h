/* src/traffic/traffic.h - who sends what to whom, and when.
 *
 * Traffic is a set of streams. A stream belongs to one source host and yields its flows one
 * after the other, so flows are made when they start and never held. Every stream has
 * its own random numbers: what one yields does not depend on the others.
 *
 * An entry of the traffic list is of some kind (traffic/kind.h); each kind is a source in traffic/kinds/. A program
 * adds entries by traffic/add.h, a file by traffic/read.h.
 *
 * Some streams know their flows beforehand: traffic_next() yields them in order. Others are workers of a job
 * (traffic/job.h), whose flows follow from flows that have ended: the simulator tells of those, and traffic tells
 * which workers then have something to start, and when.
 */
#ifndef TRAFFIC_TRAFFIC_H
#define TRAFFIC_TRAFFIC_H

#include "base/err.h"
#include "core/result.h"
#include "net/graph.h"

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

struct traffic_about {           /* what results say of one entry of the traffic list */
    char     name[64];           /* given, or its kind and number: "poisson 1" */
    char     kind[16];
    double   load;               /* asked for; 0: not a matter of load */
    double   bps_per_host;       /* what 'load' comes to */
    uint32_t hosts;
    uint64_t start_ps, stop_ps;  /* of starts of flows; stop_ps is NEVER if nothing limits them */
    bool     is_influx;          /* comes upon the rest and goes: results are split by it */
    uint32_t workers;            /* training; 0: something else */
    uint64_t collective_bytes;   /* training: its size as nccl-tests define it */
    double   bus_factor;         /* training: bus bandwidth over algorithm bandwidth */
    uint64_t bound_ps;           /* training: the least a collective can take by the hosts' links; 0: not known */
    uint64_t compute_ps;         /* training: between two collectives */
};

struct traffic *traffic_new(const struct graph *, uint64_t seed);
void            traffic_free(struct traffic *);

/* What all entries have: when flows start, and the class of their packets. */
struct traffic_common { uint64_t start_ps, stop_ps; uint8_t prio; };

/* How flows are sent that are TCP's. */
struct traffic_tcp {
    uint32_t algorithm;          /* index among those that were there to choose from: struct traffic_env */
    uint32_t mss_bytes;          /* payload of a full packet */
    uint32_t burst_bytes;        /* of payload, at most, back to back */
    uint64_t rto_ps_min;
    uint64_t wake_ps_max;        /* from an ACK to the stack's answer, at most; random */
    bool     is_ecn;             /* switches may mark its packets */
};

#define TRAFFIC_TCPS_MAX 64      /* different ones in a run */

/* Returns the number of such a setting, from 1, new or not; 0: there are too many. */
uint8_t traffic_add_tcp(struct traffic *, const struct traffic_tcp *);

/* All of them; setting i has the number i + 1. */
const struct traffic_tcp *traffic_tcps(const struct traffic *, uint32_t *count);

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

/* What went wrong while flows were drawn, such as more calls at once than can be told apart; 0: nothing. What it is
 * about starts no more flows. */
int traffic_failed(const struct traffic *, struct err *);

/* Tells of the work that was over while the parts were running: see traffic_on_op(). */
void traffic_tell(struct traffic *);

/* A stream's place among those whose flows start at the same moment. */
uint32_t traffic_rank(const struct traffic *, uint32_t stream);

/* Whom to tell of iterations, reads, writes and calls that are over. */
void traffic_on_op(struct traffic *, void (*on_op)(void *arg, const struct op_result *), void *arg);

#endif
