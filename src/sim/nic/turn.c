#include "sim/nic/turn.h"
#include "sim/nic/flow.h"
#include "sim/nic/pacer.h"

#include <string.h>

#define CAPACITY_MIN 64

/* ---- tables that grow without allocation ---- */

static size_t table_bytes(uint32_t capacity)
{
    return (2 * sizeof(uint32_t) + sizeof(uint64_t)) * capacity + sizeof(uint64_t) +
           2 * sizeof(uint64_t) * (capacity / 64);
}

static void set_tables(struct host *h, char *memory, uint32_t capacity)
{
    h->capacity = capacity;
    h->ready = (uint64_t *)memory;
    h->finished = h->ready + capacity / 64;
    h->heap_ps = h->finished + capacity / 64;
    h->list = (uint32_t *)(h->heap_ps + capacity + 1);           /* the pacer's heap needs one more entry */
    h->heap = h->list + capacity;
}

/* Doubles the tables. The next host that grows to their size reuses the old ones. */
static void grow(struct sim *s, struct host *h)
{
    struct host old = *h;
    uint32_t    capacity = h->capacity ? 2 * h->capacity : CAPACITY_MIN;
    int         size = __builtin_ctz(capacity);
    char       *memory = (char *)s->hosts.list_free[size];

    if (memory) {
        memcpy(&s->hosts.list_free[size], memory, sizeof(uint32_t *));
        memset(memory, 0, table_bytes(capacity));
    } else {
        memory = arena_alloc(&s->arena, 1, table_bytes(capacity));
    }
    set_tables(h, memory, capacity);
    if (!old.capacity)
        return;
    memcpy(h->ready, old.ready, old.capacity / 8);
    memcpy(h->finished, old.finished, old.capacity / 8);
    memcpy(h->list, old.list, old.count * sizeof *h->list);
    memcpy(h->heap, old.heap, old.heap_count * sizeof *h->heap);
    memcpy(h->heap_ps, old.heap_ps, old.heap_count * sizeof *h->heap_ps);
    memcpy(old.ready, &s->hosts.list_free[size - 1], sizeof(uint32_t *));
    s->hosts.list_free[size - 1] = (uint32_t *)old.ready;
}

void turn_put(struct sim *s, struct host *h, struct flow *f)
{
    if (h->count == h->capacity)
        grow(s, h);
    f->position = h->count++;
    h->list[f->position] = (uint32_t)(f - s->flows.flow);
}

void turn_add(struct sim *s, struct host *h, struct flow *f)
{
    h->active++;
    if (s->model.list)
        s->model.list->add(s, h, f);
    turn_put(s, h, f);
}

/* ---- scheduling ---- */

/* Returns the first set bit in [from, to), or 'to'. */
static uint32_t next_bit(const uint64_t *bits, uint32_t from, uint32_t to)
{
    uint32_t w = from / 64;

    if (from >= to)
        return to;
    uint64_t word = bits[w] & ~0ull << (from % 64);
    while (!word) {
        if (++w * 64 >= to)
            return to;
        word = bits[w];
    }
    from = w * 64 + (uint32_t)__builtin_ctzll(word);
    return from < to ? from : to;
}

/* Same, but also skips flows that their window blocks. */
static APART uint32_t next_unheld(const struct sim *s, const struct host *h, uint8_t paused, uint32_t from,
                                  uint32_t to)
{
    for (uint32_t at = next_bit(h->ready, from, to); at < to; at = next_bit(h->ready, at + 1, to)) {
        struct flow *f = &s->flows.flow[h->list[at]];

        if (!(paused >> f->prio & 1) && !pacer_is_held(s, h, f))
            return at;
    }
    return to;
}

/* Returns the first ready position in [from, to) whose class is not paused, or 'to'. */
static uint32_t next_ready(const struct sim *s, const struct host *h, uint8_t paused, uint32_t from,
                           uint32_t to)
{
    if (__builtin_expect(s->hosts.has_held, 0))
        return next_unheld(s, h, paused, from, to);
    uint32_t at = next_bit(h->ready, from, to);
    while (paused && at < to && paused >> s->flows.flow[h->list[at]].prio & 1)
        at = next_bit(h->ready, at + 1, to);
    return at;
}

uint32_t turn_compact(struct sim *s, struct host *h, uint32_t from, uint32_t keep)
{
    uint32_t to = from, kept = keep;

    for (uint32_t i = from; i < h->count; i++) {
        bool is_ready = bit_is_set(h->ready, i);

        if (bit_is_set(h->finished, i)) {
            bit_clear(h->finished, i);
            h->dead--;
            continue;
        }
        if (i == keep)
            kept = to;
        bit_clear(h->ready, i);
        if (is_ready)
            bit_set(h->ready, to);
        h->list[to] = h->list[i];
        s->flows.flow[h->list[to]].position = to;
        to++;
    }
    h->count = to;
    return kept;
}

/* Returns true if all ready flows are in paused classes. This is remembered until another class becomes ready
 * or fewer are paused: repeating the search for every incoming packet would take quadratic time. */
static inline bool is_all_paused(const struct host *h, uint8_t paused)
{
    return h->ready_prios && !(h->ready_prios & ~paused);
}

/* If the scan passes finished entries, the list is compacted from the first of them on. If no flow is found,
 * 'last' is not adjusted to the compaction, as in the HPCC fork. */
APART uint32_t turn_next_of_many(struct sim *s, struct host *h, uint8_t paused)
{
    uint32_t n = h->count, dead;

    assert(n > 0);
    uint32_t start = h->last + 1 < n ? h->last + 1 : (h->last + 1) % n;
    uint32_t found = is_all_paused(h, paused) ? n : next_ready(s, h, paused, start, n);
    if (found == n) {
        found = is_all_paused(h, paused) ? start : next_ready(s, h, paused, 0, start);
        if (found == start)
            found = UINT32_MAX;
        if (h->dead) {
            dead = next_bit(h->finished, 0, found == UINT32_MAX ? start : found);
            if (dead == (found == UINT32_MAX ? start : found))
                dead = next_bit(h->finished, start, n);
            if (dead < n)
                found = turn_compact(s, h, dead, found);
        }
        if (found == UINT32_MAX && !s->hosts.has_held)
            h->ready_prios = paused;
    } else if (h->dead) {
        dead = next_bit(h->finished, start, found);
        if (dead < found)
            found = turn_compact(s, h, dead, found);
    }
    if (found != UINT32_MAX)
        h->last = found;
    return found;
}

void turn_finish(struct sim *s, struct host *h, const struct flow *f)
{
    bit_set(h->finished, f->position);
    h->active--;
    if (s->model.list && f->phase != FLOW_DONE)
        s->model.list->remove(s, h, f);
    if (s->model.keep_finished)
        s->model.keep_finished(s, h);
    else
        h->dead++;
}

void turn_clear(struct sim *s, struct host *h)
{
    for (uint32_t i = 0; i < h->heap_count; i++)
        s->flows.flow[h->heap[i]].heap_at = NOT_IN_HEAP;
    for (uint32_t i = 0; i < h->count; i++) {
        bit_clear(h->ready, i);
        bit_clear(h->finished, i);
    }
    h->count = h->dead = h->kept = h->ready_count = h->heap_count = 0;
    h->ready_prios = 0;
}

/* Removes a flow that has nothing more to send. */
static void leave(struct sim *s, struct host *h, struct flow *f)
{
    f->sent = f->bytes;
    pacer_sort_in(s, h, f);      /* now neither ready nor waiting */
    turn_finish(s, h, f);
    if (h->active == 0)
        rto_cancel(s, h);
}

void finish_flow(struct sim *s, struct host *h, struct flow *f)
{
    if (!(s->model.sends_acked && s->model.sends_acked(s, h, f)))
        leave(s, h, f);
    flow_end(s, f);
}

APART bool finish_messages(struct sim *s, struct host *h, struct flow *f)
{
    while (f->acked >= f->end) {
        flow_end(s, f);
        if (!pair_pop(s, f)) {
            leave(s, h, f);
            f->phase = FLOW_IDLE;
            f->progress_ps = s->engine.now_ps;
            return true;
        }
    }
    pacer_sort_in(s, h, f);
    return false;
}
