/* src/traffic/perform.h - carries out a trace (net/trace.h): a job whose workers are the ranks.
 *
 * An operation begins when nothing is left that it waits for, and, if it computes, when its processor is free; processors take
 * operations in the order in which they become ready, or by number. Collectives become messages when they begin (traffic/round.h). What a rank is
 * told and does, happens at its host.
 */
#ifndef TRAFFIC_PERFORM_H
#define TRAFFIC_PERFORM_H

#include "net/trace.h"
#include "traffic/job.h"
#include "traffic/plan.h"

/* Adds an entry; rank i is on hosts[i]. The trace, sealed and checked, and the plans of its collectives (NULL: it has none), which send so many
 * messages, belong to it from now on. */
void perform_add(struct traffic *, const struct traffic_kind *, const struct traffic_common *, struct trace *, struct plans *, double messages,
                 const uint32_t *hosts);

/* The hooks of a kind that does. */
void perform_on_arrival(struct job *, uint64_t now_ps, const struct message *);
void perform_on_sent(struct job *, uint64_t now_ps, const struct message *);
void perform_on_wake(struct job *, uint64_t now_ps, uint32_t worker, uint64_t tag);
void perform_free(void *state);

#endif
