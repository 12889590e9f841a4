/* src/traffic/perform.h - executes a trace (net/trace.h) as a job whose workers are the ranks.
 *
 * An operation starts when its dependencies are complete and, if it computes, its processor is free.
 * Processors take operations in the order in which they become ready, then by number. Collectives are
 * expanded into messages when they start (traffic/round.h). Every action of a rank happens at its host.
 */
#ifndef TRAFFIC_PERFORM_H
#define TRAFFIC_PERFORM_H

#include "net/trace.h"
#include "traffic/job.h"
#include "traffic/collective_plan.h"
#include "traffic/reads.h"

/* Adds an entry; rank i is on hosts[i]. Takes ownership of the trace, which must be sealed and checked, and
 * of the plans of its collectives (NULL: none). 'messages' is the number of messages that these send. */
void perform_add(struct traffic *, const struct traffic_kind *, const struct traffic_common *, struct trace *,
                 struct plans *, double messages, const uint32_t *hosts, const struct reads_cfg *);

/* Hooks for a kind that executes traces. */
void perform_on_arrival(struct job *, uint64_t now_ps, const struct message *);
void perform_on_sent(struct job *, uint64_t now_ps, const struct message *);
void perform_on_wake(struct job *, uint64_t now_ps, uint32_t worker, uint64_t tag);
void perform_free(void *state);

#endif
