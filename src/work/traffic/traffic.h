/* src/work/traffic/traffic.h - the workload: which host sends what to which other host, and when.
 *
 * Traffic is a set of streams. A stream belongs to one source host and yields its flows one by one, so a flow
 * exists only from its start. Every stream has its own random numbers, so streams do not affect each other.
 *
 * Every entry of the traffic list has a kind (work/traffic/kind.h), implemented in work/traffic/kinds/.
 * Programs add entries through the headers there; files are read by work/traffic/read.h.
 *
 * Some streams know their flows in advance: traffic_next() yields them in order. Others are workers of a job
 * (work/traffic/job.h), whose flows depend on completed flows. The simulator reports completions, and traffic
 * reports which workers then have flows to start, and when.
 */
#ifndef WORK_TRAFFIC_TRAFFIC_H
#define WORK_TRAFFIC_TRAFFIC_H

#include "base/err.h"
#include "core/result.h"
#include "work/net/graph.h"
#include "work/traffic/traffic_flow.h"

#include <stdbool.h>
#include <stdint.h>

struct traffic *traffic_new(const struct graph *, uint64_t seed);

/* Whether a number was drawn at random: for an entry as it was read, or for a message. */
bool traffic_has_drawn(const struct traffic *);
void            traffic_free(struct traffic *);

/* Adds a TCP setting, or finds an equal one. Returns its number, from 1, or 0 if there are too many. */
uint8_t traffic_add_tcp(struct traffic *, const struct traffic_tcp *);

/* Returns all TCP settings; setting i has the number i + 1. */
const struct traffic_tcp *traffic_tcps(const struct traffic *, uint32_t *count);

/* Turns the flows of the last entry into TCP flows; tcp: as in struct flow_spec. */
void traffic_use_tcp(struct traffic *, uint8_t tcp);

/* Makes the messages of the last entry share persistent queue pairs; qps: as in struct flow_spec. */
void traffic_use_qps(struct traffic *, uint32_t qps);

/* Gives the messages of the last entry, which is a job, a verb other than READ. */
void traffic_use_verb(struct traffic *, enum verb);

/* Returns true if any entry uses persistent queue pairs. */
bool traffic_has_pairs(const struct traffic *);

/* Returns the priority classes in use, as a bit mask; _tcp: those used by TCP only. */
uint8_t traffic_prios(const struct traffic *);
uint8_t traffic_prios_tcp(const struct traffic *);

/* Returns the number of concurrent flows if none ends before the last starts, at most TRAFFIC_AT_ONCE_MAX.
 * Entries that draw flows at random during the run do not count. */
uint32_t traffic_flows_at_once(const struct traffic *);

/* Like traffic_flows_at_once(), plus the expected number of random flows in the whole run. This much space is
 * enough, unless the result reaches TRAFFIC_AT_ONCE_MAX. */
uint32_t traffic_flows_room(const struct traffic *);

uint32_t traffic_entries(const struct traffic *);
uint32_t traffic_streams(const struct traffic *);
uint32_t traffic_source(const struct traffic *, uint32_t stream);

/* Writes the stream's next flow. Returns false if there are no more. Start times never decrease. Does not
 * allocate. For a worker: takes the earliest posted flow. */
bool traffic_next(struct traffic *, uint32_t stream, struct flow_spec *);

/* ---- workers ---- */

bool traffic_is_worker(const struct traffic *, uint32_t stream);

/* Returns the start time of the worker's next flow, as known now, or NEVER. */
uint64_t traffic_due_ps(const struct traffic *, uint32_t stream);

/* traffic_on_arrival(): the last byte of a message has arrived. traffic_on_sent(): its sender has received
 * all acknowledgements. Jobs do not hear of the latter for READs. */
void traffic_on_arrival(struct traffic *, uint64_t now_ps, const struct message *);
void traffic_on_sent(struct traffic *, uint64_t now_ps, const struct message *);

/* A worker's flow without bytes is a wake-up: call this instead of starting it. */
void traffic_on_wake(struct traffic *, uint64_t now_ps, uint32_t stream, uint64_t tag);

/* Yields, one by one, the workers of a partition whose traffic_due_ps() may have changed since the last
 * call. */
bool traffic_touched(struct traffic *, uint32_t part, uint32_t *stream);

/* Yields the signals sent in a partition since the last call. Every partition must receive each of them by
 * traffic_on_signal() at its time. Simultaneous signals are ordered by entry, worker and value. */
bool traffic_signal(struct traffic *, uint32_t part, struct signal *);
void traffic_on_signal(struct traffic *, uint32_t part, const struct signal *);

/* Returns the minimum delay of a signal, or NEVER if there are no signals. */
uint64_t traffic_signal_ps(const struct traffic *);

/* Adds an estimate of each node's sending rate to 'weight', in bit/s; 'rate_bps' is its link rate. */
void traffic_weigh(const struct traffic *, const uint64_t *rate_bps, double *weight);

/* Distributes the streams, by node, over 'parts' partitions that may run concurrently. Call before the first
 * flow. */
void traffic_divide(struct traffic *, const uint8_t *part_of_node, uint32_t parts);

/* Explains why a stream ended early, e.g. too many concurrent calls. Returns 0 if it ended normally. */
int traffic_failed(const struct traffic *, uint32_t stream, struct err *);

/* Reports operations that completed while partitions were running: see traffic_on_op(). */
void traffic_tell(struct traffic *);

/* Returns a stream's order among streams whose flows start at the same time. */
uint32_t traffic_rank(const struct traffic *, uint32_t stream);

/* Sets the callback for completed iterations, reads, writes and calls. */
void traffic_on_op(struct traffic *, void (*on_op)(void *arg, const struct op_result *), void *arg);

#endif
