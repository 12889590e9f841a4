/* src/traffic/traffic.h - who sends what to whom, and when.
 *
 * Traffic is a set of streams. A stream belongs to one source host and yields its flows one
 * after the other, so flows are made when they start and never held. Every stream has
 * its own random numbers: what one yields does not depend on the others.
 *
 * An entry of the traffic list is of some kind (traffic/kind.h); each kind is a source in traffic/kinds/. A program
 * adds entries by the headers there, a file by traffic/read.h.
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
#include "traffic/flow.h"

#include <stdbool.h>
#include <stdint.h>

struct traffic *traffic_new(const struct graph *, uint64_t seed);
void            traffic_free(struct traffic *);

/* Returns the number of such a setting, from 1, new or not; 0: there are too many. */
uint8_t traffic_add_tcp(struct traffic *, const struct traffic_tcp *);

/* All of them; setting i has the number i + 1. */
const struct traffic_tcp *traffic_tcps(const struct traffic *, uint32_t *count);

/* Makes the flows of the entry that was added last TCP flows; tcp: as in struct flow_spec. */
void traffic_use_tcp(struct traffic *, uint8_t tcp);

/* Makes the messages of the entry that was added last share queue pairs that live on; qps: as in struct flow_spec. */
void traffic_use_qps(struct traffic *, uint32_t qps);

/* Whether any do. */
bool traffic_has_pairs(const struct traffic *);

/* The classes its flows use, bit by bit; _tcp: those that TCP alone uses. */
uint8_t traffic_prios(const struct traffic *);
uint8_t traffic_prios_tcp(const struct traffic *);

/* How many flows are under way at once if none ends before the last has started, by what entries tell before the run: at
 * most TRAFFIC_AT_ONCE_MAX. Entries that go on drawing flows tell nothing. */
uint32_t traffic_flows_at_once(const struct traffic *);

/* The same, and all the flows that others are expected to start in the whole run: room for so many is enough. At most
 * TRAFFIC_AT_ONCE_MAX; if they are more, more of them may be under way at once than there is room for. */
uint32_t traffic_flows_room(const struct traffic *);

uint32_t traffic_entries(const struct traffic *);
uint32_t traffic_streams(const struct traffic *);
uint32_t traffic_source(const struct traffic *, uint32_t stream);
uint32_t traffic_entry_of(const struct traffic *, uint32_t stream);

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

/* A flow of a worker that has no bytes is none: this is to be called instead. */
void traffic_on_wake(struct traffic *, uint64_t now_ps, uint32_t stream, uint64_t tag);

/* Yields, one at a time, the workers of a part whose traffic_due_ps() may have changed since they were yielded
 * last. */
bool traffic_touched(struct traffic *, uint32_t part, uint32_t *stream);

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

/* Why a stream has no more flows, if it should have some: more calls at once than can be told apart, or the like; 0: it
 * is through. */
int traffic_failed(const struct traffic *, uint32_t stream, struct err *);

/* Does the entry's job do the same over and over? And: are all such jobs between two rounds? In a world that is not
 * divided. */
bool traffic_repeats(const struct traffic *, uint32_t entry);
bool traffic_is_at_rest(const struct traffic *);

/* Tells of the work that was over while the parts were running: see traffic_on_op(). */
void traffic_tell(struct traffic *);

/* A stream's place among those whose flows start at the same moment. */
uint32_t traffic_rank(const struct traffic *, uint32_t stream);

/* Whom to tell of iterations, reads, writes and calls that are over. */
void traffic_on_op(struct traffic *, void (*on_op)(void *arg, const struct op_result *), void *arg);

#endif
