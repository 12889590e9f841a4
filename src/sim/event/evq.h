/* src/sim/event/evq.h - the event queue: a calendar.
 *
 * Everything that waits for a moment (a packet on a wire, a port, a host, a source of flows) is or owns one
 * event. An event is pending once or not at all, so nothing is allocated. Events are popped in the order of
 * (at_ps, order): see "Time and order of events" in docs/design.md.
 *
 * An event is the first part of a cache line, and its subject is mostly the rest of that line: a packet that
 * arrives, a port whose last byte leaves. Lines have numbers, from a common base.
 *
 * The ring has a bucket for each short span of time ahead. A bucket is an unsorted list, so that adding is
 * cheap, and a bitmap shows which buckets are not empty. When time reaches a word of the bitmap, its events
 * are sorted into 'front', bucket by bucket, and popped from there. They are a few tens, so that the next
 * ones are known ahead and can be prefetched. An event added for a time that 'front' has reached is inserted
 * there. Events beyond the ring wait in a heap: most (arrivals, ports becoming free) are a few microseconds
 * ahead and never get there.
 *
 * A list goes through the lines of its events. In a network that does not fit the cache, where hundreds of
 * ports in lock step have events at one moment, following it would wait for memory at each. While it is so,
 * lists consist of cells instead, which are small and close together: see evq_allow_cells().
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
    uint32_t next;               /* the next event in the bucket's list, or one of the above; in 'front':
                                  * not EVQ_IDLE */
    uint32_t owner;              /* the owner's: see state/owner.h */
};

struct evq_cell {
    uint32_t event, next;        /* next: a cell, or EVQ_NONE */
};

struct evq {
    /* What every event touches: 64 bytes. */
    char            *line;       /* all lines; an event is known by the number of its line */
    struct event   **head;       /* the next event, in 'front': sorted up to 'tail', which is 'last' */
    uint64_t         limit_ps;   /* events before this may be popped at once */
    uint64_t         from;       /* number (at_ps >> shift) of a word's first bucket; before it: 'front' */
    uint32_t        *bits;       /* bit b: bucket b is not empty */
    uint32_t        *bucket;     /* first event, or cell, of each list, or EVQ_NONE */
    uint32_t         mask;       /* of their numbers: there is a power of two of them */
    uint32_t         shift;
    uint64_t         reach;      /* evq_put() adds to so many buckets after 'from'; with cells to none */

    struct event   **tail;
    struct event   **front, **front_end;
    struct evq_cell *cell;       /* of lists; NULL: lists go through the events */
    struct evq_cell *cells;      /* those that lists may have, or NULL */
    uint32_t         cell_free;  /* first cell of the list of free ones; none has number 0 */
    uint32_t         short_words;    /* so many words in turn had few events */
    uint32_t         most;       /* pending events, and cells */
    struct event   **scratch;    /* for sorting */
    uint32_t        *heap;       /* 4-ary, of events */
    uint32_t         heap_count;
    bool             is_stopped; /* nothing is popped any more */

    /* Called with events that are due soon, to prefetch their data. NULL: not used. */
    void           (*on_near)(void *arg, const uint32_t *events, uint32_t count);
    void            *on_near_arg;
    /* These are next, in this order. Called if there is on_near, with lists of cells or if 'is_vast'. */
    void           (*on_open)(void *arg, struct event *const *events, uint32_t count);
    bool             is_vast;
    uint32_t         ahead[EVQ_AHEADS];  /* then: so many buckets ahead many events are added, see
                                          * evq_expect() */
    uint32_t         aheads;

    struct event     last;       /* never: comes after all others */
};

static inline bool evq_before(const struct event *a, const struct event *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->order < b->order);
}

static inline struct event *evq_event(const struct evq *q, uint32_t id)
{
    return (struct event *)(void *)(q->line + (size_t)id * EVQ_LINE);
}

/* Returns the number of an event, or of the line that an object begins. */
static inline uint32_t evq_id(const struct evq *q, const void *event)
{
    return (uint32_t)((size_t)((const char *)event - q->line) / EVQ_LINE);
}

#define EVQ_BUCKETS_MIN (1u << 14)
#define EVQ_BUCKETS_MAX (1u << 20)

/* Initialises an empty queue for at most 'most' pending events. Buckets are at least 'width_ps' wide, and the
 * ring spans 'span_ps', with wider buckets if there would be too many. One event per bucket is best: nothing
 * to sort, and not far to search. */
void evq_init(struct evq *, struct arena *, void *lines, uint32_t most, uint64_t width_ps, uint64_t span_ps);

/* Lets the queue make lists of cells while there are many events in a word. */
void evq_allow_cells(struct evq *, struct arena *);

/* Announces that many events will be added this far ahead of their time. With on_near, buckets there are
 * prefetched. */
void evq_expect(struct evq *, uint64_t ahead_ps);

/* Prepares an event before it is first added. */
static inline void evq_make_idle(const struct evq *q, uint32_t id)
{
    evq_event(q, id)->next = EVQ_IDLE;
}

/* The other half of evq_put(), rare without cells: inserts into 'front', the heap or a list of cells. */
void evq_insert(struct evq *, uint32_t event);

/* Makes an idle event pending. Its time is set, and is not before the last event popped. */
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

/* Finds the next event when evq_pop() does not see it at once. */
struct event *evq_pop_far(struct evq *, uint64_t until_ps);

/* Pops the earliest event not after 'until_ps'; NULL if there is none. */
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

/* Call this before evq_pop() gets another 'until_ps'. */
static inline void evq_renew(struct evq *q)
{
    q->limit_ps = 0;
}

/* The run has failed: pops no more events. Pending events stay. */
static inline void evq_stop(struct evq *q)
{
    q->is_stopped = true;
    q->limit_ps = 0;
}

/* Returns the time of the next event, or UINT64_MAX. */
uint64_t evq_next_ps(const struct evq *);

/* Returns whether no event is pending. Faster than evq_next_ps(). */
bool evq_is_empty(const struct evq *);

/* Counts the pending events. */
uint32_t evq_pending(const struct evq *);

/* Calls 'see' for each pending event, in no order. */
void evq_each(const struct evq *, void (*see)(void *arg, struct event *), void *arg);

/* Checks lists, bitmap, front and heap against each other; aborts if they disagree. */
void evq_check(const struct evq *);

#endif
