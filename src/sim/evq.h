/* src/sim/evq.h - what happens next.
 *
 * Every thing that can wait for a moment (a link, a port, a host, a source of flows) owns one slot; a slot is
 * pending once or not at all, so the number of pending events is bounded by the size of the network
 * and nothing is allocated. Events are popped in the order of (at_ps, order): see "Time and
 * order of events" in docs/design.md for what the order is made of.
 *
 * It is a calendar: a ring of buckets, each a short list sorted by (at, order), with a bitmap over
 * the buckets that are not empty. What lies beyond the ring waits in a heap. Most
 * events (a packet's arrival, a port becoming free) lie within a few microseconds
 * and never see the heap; measured against a 4-ary heap in bench/bench_evq.c.
 */
#ifndef SIM_EVQ_H
#define SIM_EVQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#define EVQ_NONE UINT32_MAX

struct evq_slot {
    uint64_t at_ps, order;
    uint32_t next;               /* in the bucket's list, or the position in the heap */
    uint32_t who;                /* the owner's index; kind and who never change */
    uint8_t  kind;
    uint8_t  where;              /* enum evq_where */
};

enum evq_where { EVQ_IDLE, EVQ_RING, EVQ_HEAP };

struct evq {
    struct evq_slot *slot;
    uint32_t        *bucket;     /* first slot of each list, or EVQ_NONE */
    uint64_t        *bits;       /* bit b: bucket b is not empty */
    uint64_t        *top;        /* bit w: bits[w] is not zero */
    uint64_t         now;        /* number of the bucket that time has reached: at_ps >> shift */
    uint32_t         mask;       /* buckets - 1 */
    uint32_t         shift;
    uint32_t         words, tops;
    uint32_t        *heap;       /* 4-ary, of slots */
    uint32_t         heap_count;
    uint32_t         pending;
    uint32_t         slots;
};

/* 'slots' slots, all idle; kind and who are the caller's to set. The ring spans at least 'span_ps' with buckets of at
 * least 2^shift ps; buckets are widened until 32,768 of them do. */
void evq_init(struct evq *, struct arena *, uint32_t slots, uint32_t shift, uint64_t span_ps);

/* Makes an idle slot pending. 'at_ps' is not before the last event popped. */
void evq_add(struct evq *, uint32_t slot, uint64_t at_ps, uint64_t order);

/* Makes a pending slot idle again. */
void evq_cancel(struct evq *, uint32_t slot);

/* Pops the earliest event not after 'until_ps'; EVQ_NONE if there is none. */
uint32_t evq_pop(struct evq *, uint64_t until_ps);

static inline bool evq_is_pending(const struct evq *q, uint32_t slot)
{
    return q->slot[slot].where != EVQ_IDLE;
}

/* Checks lists, bitmap and heap against each other; aborts if they disagree. */
void evq_check(const struct evq *);

#endif
