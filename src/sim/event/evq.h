/* src/sim/event/evq.h - what happens next.
 *
 * Every thing that can wait for a moment (a packet on a wire, a port, a host, a source of flows) is or owns
 * one event; an event is pending once or not at all, so nothing is allocated. Events are popped in the order
 * of (at_ps, order): see "Time and order of events" in docs/design.md for what the order is made of.
 *
 * An event is the beginning of a cache line, and what it happens to is mostly the rest of that line: a packet
 * that arrives, a port whose last byte leaves. Lines are known by number, from a common base.
 *
 * It is a calendar. The ring has a bucket for every short span of time from now on: an unsorted list, so
 * adding to it costs the same however many events are there, with a bitmap over the buckets that are not
 * empty. When time reaches a word of buckets, all its events are sorted into 'front', bucket by bucket, and
 * popped from there: a few tens, so that what is popped is known ahead, and nothing is looked for in between.
 * What is added for a time that 'front' has reached is put in its place there. What lies beyond the ring
 * waits in a heap: most events (a packet's arrival, a port becoming free) lie within a few microseconds and
 * never see it.
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
#define EVQ_WORD    32u          /* buckets of a word of the bitmap; of the next ones the events are
                                  * fetched ahead: a few tens, so that the first cache holds them */
#define EVQ_AHEADS  8u

struct event {
    uint64_t at_ps, order;
    uint32_t next;               /* the next event in the bucket's list, or one of the above; in 'front':
                                  * not EVQ_IDLE */
    uint32_t owner;              /* the owner's: see state/owner.h */
};

struct evq {
    /* What every event touches: 64 bytes. */
    char            *line;       /* all lines; an event is known by the number of its line */
    struct event   **head;       /* what is next, in 'front': sorted up to 'tail', where 'last' is */
    uint64_t         limit_ps;   /* what is before this may be popped; else look further */
    uint64_t         from;       /* number (at_ps >> shift) of a word's first bucket; before it: 'front' */
    uint32_t        *bits;       /* bit b: bucket b is not empty */
    uint32_t        *bucket;     /* first event of each list, or EVQ_NONE */
    uint32_t         mask;       /* of their numbers: there is a power of two of them */
    uint32_t         shift;
    struct event   **tail;

    struct event   **front, **front_end;
    struct event   **scratch;    /* for sorting */
    uint32_t        *heap;       /* 4-ary, of events */
    uint32_t         heap_count;
    bool             is_stopped; /* nothing is popped any more */

    /* Told which events are about to happen (NULL: nobody asks), so that what they lead to can be fetched. */
    void           (*on_near)(void *arg, const uint32_t *events, uint32_t count);
    void            *on_near_arg;
    /* these are next, in this order; or NULL */
    void           (*on_open)(void *arg, struct event *const *events, uint32_t count);
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

/* The number of an event, or of the line that anything begins. */
static inline uint32_t evq_id(const struct evq *q, const void *event)
{
    return (uint32_t)((size_t)((const char *)event - q->line) / EVQ_LINE);
}

#define EVQ_BUCKETS_MIN (1u << 14)
#define EVQ_BUCKETS_MAX (1u << 20)

/* Nothing is pending; at most 'most' events ever are at once. Buckets are at least 'width_ps' wide, and the
 * ring spans 'span_ps': with as many buckets as it takes or, if these were too many, wider ones. One event to
 * a bucket is best: there is nothing to sort and not far to look. */
void evq_init(struct evq *, struct arena *, void *lines, uint32_t most, uint64_t width_ps, uint64_t span_ps);

/* Many events will be added so far ahead of their time. With on_near, the buckets there are fetched
 * before. */
void evq_expect(struct evq *, uint64_t ahead_ps);

/* What an event has to be before it is added for the first time. */
static inline void evq_make_idle(const struct evq *q, uint32_t id)
{
    evq_event(q, id)->next = EVQ_IDLE;
}

/* Puts a event whose time is set into 'front' or the heap: the rare half of evq_add(). */
void evq_insert(struct evq *, uint32_t event);

/* Makes an event pending that is not, and that has its time: not before the last event popped. */
static inline void evq_put(struct evq *q, struct event *s, uint32_t id)
{
    uint64_t number = s->at_ps >> q->shift;
    uint32_t b = (uint32_t)number & q->mask;

    assert(s == evq_event(q, id));
    if (__builtin_expect(number - q->from <= q->mask, 1)) {
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

/* To be called before evq_pop() gets another 'until_ps': what is next is found anew. */
static inline void evq_renew(struct evq *q)
{
    q->limit_ps = 0;
}

/* From now on no event is popped: the caller has failed. What is pending stays so. */
static inline void evq_stop(struct evq *q)
{
    q->is_stopped = true;
    q->limit_ps = 0;
}

/* When the next event is; UINT64_MAX: there is none. */
uint64_t evq_next_ps(const struct evq *);

/* Is nothing pending? Sooner told than when the next event is. */
bool evq_is_empty(const struct evq *);

/* How many events are pending; counts them. */
uint32_t evq_pending(const struct evq *);

/* Shows every event that is pending to 'see', in no order. */
void evq_each(const struct evq *, void (*see)(void *arg, struct event *), void *arg);

/* Checks lists, bitmap, front and heap against each other; aborts if they disagree. */
void evq_check(const struct evq *);

#endif
