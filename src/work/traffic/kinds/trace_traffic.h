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

#include <stdbool.h>
#include <stdint.h>

struct plans;
struct reads_cfg;
struct traffic;
struct traffic_common;
struct traffic_kind;

/* Adds an entry; rank i is on hosts[i]. Takes ownership of the trace, which must be sealed and checked, and
 * of the plans of its collectives (NULL: none). 'messages' is the number of messages that these send. */
void perform_add(struct traffic *, const struct traffic_kind *, const struct traffic_common *, struct trace *,
                 struct plans *, double messages, const uint32_t *hosts, const struct reads_cfg *);

/* Where the time of a rank went. It computes or not, and has messages of its own under way or not: the four
 * cover all of its time, up to the end of its last operation. */
enum spent { SPENT_WAITING, SPENT_EXPOSED, SPENT_COMPUTING, SPENT_HIDDEN, SPENT_COUNT };

struct rank_spent {
    uint64_t ps[SPENT_COUNT];
    uint64_t end_ps;             /* of its last operation so far, or when it was asked */
    bool     is_done;
};

/* Ranks of an entry that executes a trace; 0: it does not. */
uint32_t trace_ranks(const struct traffic *, uint32_t entry);

/* 'now_ps': the end of the run. */
struct rank_spent trace_spent(const struct traffic *, uint32_t entry, uint32_t rank, uint64_t now_ps);

/* The host of a rank. */
uint32_t trace_host(const struct traffic *, uint32_t entry, uint32_t rank);

/* Collectives of a trace by what they do and how many take part. */
struct trace_class {
    enum trace_collective collective;
    uint32_t ranks, groups;      /* that take part in each; groups with such collectives */
    uint64_t count;              /* that all ranks have ended together, counted by each */
    uint64_t sum_ps, most_ps;    /* of all ranks, and of the rank with most: from its start to its end */
    uint32_t most_rank;
};

#define TRACE_CLASSES 16

/* Returns how many there are, up to TRACE_CLASSES. */
uint32_t trace_classes(const struct traffic *, uint32_t entry, struct trace_class list[TRACE_CLASSES]);

extern const char *const trace_collective_names[];

#endif
