/* src/sim/event/evq.h - the event queue: a calendar queue.
 *
 * Everything that waits for a point in time (a packet on a wire, a port, a host, a source of flows) is or
 * owns one event. An event is pending at most once, so nothing is allocated. Events are popped in the order
 * of (at_ps, order): see "Time and order of events" in docs/design.md.
 *
 * An event is the first part of a cache line. The rest of that line usually holds its subject: a packet that
 * arrives, a port whose last byte leaves. Events are identified by their line number, relative to a common
 * base.
 *
 * The ring has a bucket for each short span of time ahead. A bucket is an unsorted list, so that adding is
 * cheap. A bitmap shows which buckets are not empty. When time reaches a word of the bitmap, its events (a
 * few tens) are sorted into 'front', bucket by bucket, and popped from there. The next events are therefore
 * known ahead and can be prefetched. An event added for a time that 'front' has already reached is inserted
 * there. Events beyond the ring wait in a heap. Most events (arrivals, ports becoming free) are a few
 * microseconds ahead and never enter the heap.
 *
 * A list links the lines of its events. In a network that does not fit the cache, hundreds of ports in lock
 * step may have events at one instant, and walking the list would miss the cache on each. While this is so,
 * lists consist of cells instead, which are small and adjacent: see evq_allow_cells().
 */
#ifndef SIM_EVENT_EVQ_H
#define SIM_EVENT_EVQ_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#define EVQ_NONE    UINT32_MAX   /* no event; as 'next': last of its list */
#define EVQ_IDLE    (UINT32_MAX - 1)     /* as 'next': not pending */
#define EVQ_HEAP    0x80000000u  /* as 'next': in the heap, at the position in the other bits */

#define EVQ_LINE    64u          /* bytes */
#define EVQ_WORD    32u          /* buckets of a word of the bitmap; their events fit the first-level cache */
#define EVQ_AHEADS  8u

struct event {
    uint64_t at_ps, order;
    uint32_t next; /* next in the bucket's list, or one of the above; in 'front': not EVQ_IDLE */
    uint32_t owner;              /* set by the owner: see state/state.h */
};

struct evq_cell {
    uint32_t event, next;        /* next: a cell, or EVQ_NONE */
};

struct evq {
    /* Touched by every event: 64 bytes. */
    char            *line;       /* base of all lines; an event is identified by its line number */
    struct event   **head;       /* the next event in 'front', which is sorted; 'tail' points to 'last' */
    uint64_t         limit_ps;   /* events before this can be popped without a search */
    uint64_t         from; /* number (at_ps >> shift) of a word's first bucket; earlier events: in 'front' */
    uint32_t        *bits;       /* bit b: bucket b is not empty */
    uint32_t        *bucket;     /* first event (or cell) of each list, or EVQ_NONE */
    uint32_t         mask;       /* number of buckets - 1; the number is a power of two */
    uint32_t         shift;
    uint64_t         reach;      /* evq_put() adds to this many buckets after 'from'; 0: lists use cells */

    struct event   **tail;
    struct event   **front, **front_end;
    struct evq_cell *cell;       /* list cells; NULL: lists link the events themselves */
    struct evq_cell *cells;      /* memory for list cells, or NULL */
    uint32_t         cell_free;  /* head of the free list; no cell has number 0 */
    uint32_t         short_words;    /* consecutive words with few events */
    uint32_t         most;       /* largest number of pending events and cells */
    struct event   **scratch;    /* for sorting */
    uint32_t        *heap;       /* 4-ary heap of events */
    uint32_t         heap_count;
    bool             is_stopped; /* set: evq_pop() returns nothing */

    /* Called with events that are due soon, to prefetch their data. NULL: not used. */
    void           (*on_near)(void *arg, const uint32_t *events, uint32_t count);
    void            *on_near_arg;
    /* Called with the next events, in order, if on_near is set and lists use cells or 'is_vast' is set. */
    void           (*on_open)(void *arg, struct event *const *events, uint32_t count);
    bool             is_vast;
    uint32_t         ahead[EVQ_AHEADS]; /* distances in buckets at which events are added: see evq_expect() */
    uint32_t         aheads;

    struct event     last;       /* sentinel, later than all events */
};

static inline bool evq_before(const struct event *a, const struct event *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->order < b->order);
}

static inline struct event *evq_event(const struct evq *q, uint32_t id)
{
    return (struct event *)(void *)(q->line + (size_t)id * EVQ_LINE);
}

/* Returns the number of an event, or of the line at which an object begins. */
static inline uint32_t evq_id(const struct evq *q, const void *event)
{
    return (uint32_t)((size_t)((const char *)event - q->line) / EVQ_LINE);
}

#define EVQ_BUCKETS_MIN (1u << 14)
#define EVQ_BUCKETS_MAX (1u << 20)

/* Initialises an empty queue for at most 'most' pending events. Buckets are at least 'width_ps' wide and the
 * ring spans 'span_ps'; buckets become wider if there would be too many. One event per bucket is best:
 * nothing to sort, and a short search. */
void evq_init(struct evq *, struct arena *, void *lines, uint32_t most, uint64_t width_ps, uint64_t span_ps);

/* Lets the queue use list cells while words hold many events. */
void evq_allow_cells(struct evq *, struct arena *);

/* Announces that many events will be added this far ahead. With on_near, the buckets there are prefetched. */
void evq_expect(struct evq *, uint64_t ahead_ps);

/* Slow path of evq_put(), rare without cells: inserts into 'front', the heap or a list of cells. */
void evq_insert(struct evq *, uint32_t event);

/* Makes an idle event pending. The caller has set its time, not before the last popped event. */
static inline void evq_put(struct evq *q, struct event *s, uint32_t id)
{
    uint64_t number = s->at_ps >> q->shift;
    uint32_t b = (uint32_t)number & q->mask;

    assert(s == evq_event(q, id));
    if (__builtin_expect(number - q->from < q->reach, 1)) {
        s->next = q->bucket[b];
        q->bucket[b] = id;
        q->bits[b / EVQ_WORD] |= 1u << (b % EVQ_WORD);
    } else {
        evq_insert(q, id);
    }
}

/* Makes an idle event pending. */
static inline void evq_add(struct evq *q, uint32_t id, uint64_t at_ps, uint64_t order)
{
    struct event *s = evq_event(q, id);

    assert(s->next == EVQ_IDLE);
    s->at_ps = at_ps;
    s->order = order;
    evq_put(q, s, id);
}

/* Makes a pending event idle again. */
void evq_cancel(struct evq *, uint32_t event);

/* Slow path of evq_pop(): finds the next event. */
struct event *evq_pop_far(struct evq *, uint64_t until_ps);

/* Pops the earliest event not after 'until_ps'. Returns NULL if there is none. */
static inline struct event *evq_pop(struct evq *q, uint64_t until_ps)
{
    struct event *e = *q->head;

    if (__builtin_expect(e->at_ps >= q->limit_ps, 0))
        return evq_pop_far(q, until_ps);
    q->head++;
    e->next = EVQ_IDLE;
    return e;
}

static inline bool evq_is_pending(const struct evq *q, uint32_t event)
{
    return evq_event(q, event)->next != EVQ_IDLE;
}

/* Call this before passing another 'until_ps' to evq_pop(). */
static inline void evq_renew(struct evq *q)
{
    q->limit_ps = 0;
}

/* The run has failed: evq_pop() returns no more events. Pending events stay. */
static inline void evq_stop(struct evq *q)
{
    q->is_stopped = true;
    q->limit_ps = 0;
}

/* Returns the time of the next event, or UINT64_MAX. */
uint64_t evq_next_ps(const struct evq *);

/* Returns true if no event is pending. Faster than evq_next_ps(). */
bool evq_is_empty(const struct evq *);

/* Counts the pending events. */
uint32_t evq_pending(const struct evq *);

/* Calls 'see' for each pending event, in arbitrary order. */
void evq_each(const struct evq *, void (*see)(void *arg, struct event *), void *arg);

/* Checks lists, bitmap, front and heap against each other; aborts if they disagree. */
void evq_check(const struct evq *);

#endif
