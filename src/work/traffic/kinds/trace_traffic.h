/* src/work/traffic/kinds/trace_traffic.h - executes a trace (work/net/trace.h) as a job whose workers are the
 * ranks.
 *
 * An operation starts when its dependencies are complete and, if it computes, its processor is free.
 * Processors take operations in the order in which they become ready, then by number. Collectives are
 * expanded into messages when they start (work/traffic/round.h). Every action of a rank happens at its host.
 */
#ifndef WORK_TRAFFIC_KINDS_TRACE_TRAFFIC_H
#define WORK_TRAFFIC_KINDS_TRACE_TRAFFIC_H

#include "work/net/trace.h"
#include "work/traffic/collective_plan.h"
#include "work/traffic/reads.h"

/* Adds an entry; rank i is on hosts[i]. Takes ownership of the trace, which must be sealed and checked, and
 * of the plans of its collectives (NULL: none). 'messages' is the number of messages that these send. */
void perform_add(struct traffic *, const struct traffic_kind *, const struct traffic_common *, struct trace *,
                 struct plans *, double messages, const uint32_t *hosts, const struct reads_cfg *);

#endif
