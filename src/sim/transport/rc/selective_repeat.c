#include "sim/transport/rc/selective_repeat.h"

#include <string.h>

/* ---- the receiver ---- */

static inline bool has(const struct selective_rx *x, uint32_t n)
{
    return x->has[n % SELECTIVE_WINDOW / 64] >> (n % 64) & 1;
}

static inline void flip(struct selective_rx *x, uint32_t n)
{
    x->has[n % SELECTIVE_WINDOW / 64] ^= 1ull << (n % 64);
}

/* Returns the first packet from 'n' on and before 'top' that has arrived (or has not), or 'top'. */
static uint32_t find(const struct selective_rx *x, uint32_t n, bool is_there)
{
    while (n < x->top) {
        uint64_t word = x->has[n % SELECTIVE_WINDOW / 64] ^ (is_there ? 0 : ~0ull);

        word >>= n % 64;
        if (word) {
            n += (uint32_t)__builtin_ctzll(word);
            break;
        }
        n += 64 - n % 64;
    }
    return n < x->top ? n : x->top;
}

void selective_open(struct selective_rx *x)
{
    memset(x, 0, sizeof *x);
    x->end = UINT64_MAX;
}

enum selective_fate selective_take(struct selective_rx *x, uint32_t n)
{
    if (n < x->expected)
        return SELECTIVE_OLD;
    if (n - x->expected >= SELECTIVE_WINDOW)
        return SELECTIVE_BEYOND;
    if (n < x->top && has(x, n))
        return SELECTIVE_OLD;
    x->top = n >= x->top ? n + 1 : x->top;
    if (n > x->expected) {
        flip(x, n);
        return SELECTIVE_KEPT;
    }
    for (x->expected++; x->expected < x->top && has(x, x->expected); x->expected++)
        flip(x, x->expected);
    return SELECTIVE_TAKEN;
}

uint32_t selective_arrived(const struct selective_rx *x)
{
    uint32_t count = x->expected;

    for (uint32_t i = 0; i < SELECTIVE_WINDOW / 64 && x->expected < x->top; i++)
        count += (uint32_t)__builtin_popcountll(x->has[i]);
    return count;
}

/* Returns true if the first hole was named long ago and must be named again. */
static bool is_late(struct selective_rx *x, uint64_t now_ps, uint64_t again_ps)
{
    if (x->named <= x->expected)
        return false;
    if (x->again != x->expected || !x->again_ps) {
        x->again = x->expected;
        x->again_ps = now_ps + again_ps;
        return false;
    }
    return now_ps >= x->again_ps;
}

/* Handles a silence before the packet that has just arrived. */
static void note_silence(struct selective_rx *x, uint64_t now_ps, uint64_t reorder_ps, uint64_t again_ps)
{
    uint64_t silent_ps = now_ps - x->seen_ps;

    if (silent_ps >= reorder_ps && x->seen > x->overdue)
        x->overdue = x->seen;
    if (silent_ps >= again_ps)
        x->named = 0;            /* retransmissions of named holes were lost too */
    x->seen = x->top;
    x->seen_ps = now_ps;
}

bool selective_must_name(struct selective_rx *x, uint64_t now_ps, uint64_t reorder_ps, uint64_t again_ps,
                      struct selective_hole *hole)
{
    note_silence(x, now_ps, reorder_ps, again_ps);
    if (x->top == x->expected)
        return false;            /* nothing is missing */
    if (x->mark <= x->expected) {
        x->mark = x->top;
        x->mark_ps = now_ps;
    }
    if (now_ps - x->mark_ps >= reorder_ps) {
        x->overdue = x->mark > x->overdue ? x->mark : x->overdue;
        x->mark = x->top;
        x->mark_ps = now_ps;
        if (!reorder_ps)
            x->overdue = x->top;
    }
    if (is_late(x, now_ps, again_ps)) {
        x->again_ps = now_ps + again_ps;
        *hole = (struct selective_hole){ x->expected, find(x, x->expected, true) };
        return true;
    }
    hole->from = find(x, x->named > x->expected ? x->named : x->expected, false);
    if (hole->from >= x->overdue)
        return false;
    hole->to = find(x, hole->from, true);
    x->named = hole->to;
    if (hole->from == x->expected) {
        x->again = x->expected;
        x->again_ps = now_ps + again_ps;
    }
    return true;
}

/* ---- the sender ---- */

static inline struct selective_hole *hole_at(struct selective_tx *t, uint32_t i)
{
    return &t->hole[(t->first + i) % SELECTIVE_HOLES];
}

void selective_add(struct selective_tx *t, struct selective_hole h)
{
    t->known = h.to + 1 > t->known ? h.to + 1 : t->known;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct selective_hole *is = hole_at(t, i);

        if (h.from >= is->from && h.from < is->to)
            h.from = is->to < h.to ? is->to : h.to;
        if (h.to > is->from && h.to <= is->to)
            h.to = is->from > h.from ? is->from : h.from;
    }
    if (h.from < h.to && t->count < SELECTIVE_HOLES)
        *hole_at(t, t->count++) = h;
}

void selective_all(struct selective_tx *t, uint32_t acked, uint32_t fresh)
{
    uint32_t behind = t->known > acked + 1 ? t->known : acked + 1;

    t->first = 0;
    t->count = 1;
    t->is_begun = false;
    t->hole[0] = (struct selective_hole){ acked, acked + 1 };
    if (behind < fresh)
        t->hole[t->count++] = (struct selective_hole){ behind, fresh };
}

uint32_t selective_next(struct selective_tx *t, uint32_t next, uint32_t acked, uint32_t fresh)
{
    while (t->count) {
        const struct selective_hole *h = hole_at(t, 0);

        if (!t->is_begun)
            next = h->from;
        t->is_begun = true;
        next = next < acked ? acked : next;
        if (next < h->to)
            return next;
        t->first = (t->first + 1) % SELECTIVE_HOLES;
        t->count--;
        t->is_begun = false;
    }
    return fresh;
}
