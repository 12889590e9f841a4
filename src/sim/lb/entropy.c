#include "sim/lb/entropy.h"

#include "base/err.h"
#include "core/units.h"

#include <stdlib.h>
#include <string.h>

#define PENALTY_MAX  15u
#define FREEZE_PS    (10 * PS_PER_MS)
#define EXPLORE      16u         /* random choices after a freeze */

const char *const entropy_names[] = { "mixed", "oblivious", "bitmap", "reps", "reps_legacy", NULL };

static uint32_t draw(const struct entropy_cfg *c)
{
    return c->draw(c->arg);
}

void entropy_init(struct entropy *e, const struct entropy_cfg *c)
{
    *e = (struct entropy){ 0 };
    if (c->kind == ENTROPY_REPS || c->kind == ENTROPY_REPS_LEGACY)
        return;
    e->fixed = draw(c) % 65535 & ~(c->paths - 1);
    e->turn = draw(c) % c->paths;
}

void entropy_init_in(struct entropy *e, const struct entropy_cfg *c, uint8_t *penalty, uint16_t *good,
                     uint32_t goods)
{
    entropy_init(e, c);
    e->penalty = penalty;
    e->good = good;
    e->good_room = goods;
    e->is_lent = true;
}

void entropy_fini(struct entropy *e)
{
    if (e->is_lent)
        return;
    free(e->penalty);
    free(e->good);
}

/* ---- the walk of oblivious, bitmap and mixed ---- */

static void step(struct entropy *e, const struct entropy_cfg *c)
{
    if (++e->at >= c->paths) {
        e->at = 0;
        e->turn = draw(c) & (c->paths - 1);
    }
}

/* Skips EVs with penalties; the first loses a point. After a whole round the current EV is used. */
static void skip_bad(struct entropy *e, const struct entropy_cfg *c)
{
    uint32_t index = entropy_index(e, c->paths);

    if (!e->penalty || !e->penalty[index])
        return;
    e->penalty[index]--;
    /* The first EV counts as skipped even if it has no penalty left. */
    for (uint32_t skipped = 1; skipped <= c->paths; skipped++) {
        if (c->skipped)
            ++*c->skipped;
        step(e, c);
        if (!e->penalty[entropy_index(e, c->paths)])
            return;
    }
}

static uint16_t walk(struct entropy *e, const struct entropy_cfg *c)
{
    if (c->kind != ENTROPY_OBLIVIOUS)
        skip_bad(e, c);
    uint32_t ev = entropy_index(e, c->paths) | e->fixed;
    step(e, c);
    return (uint16_t)ev;
}

static void penalise(struct entropy *e, const struct entropy_cfg *c, uint16_t ev, enum entropy_feedback f)
{
    static const uint8_t more[] = { [ENTROPY_MARKED] = 1, [ENTROPY_TRIMMED] = 4,
                                    [ENTROPY_TIMEOUT] = PENALTY_MAX };

    if (f == ENTROPY_GOOD)
        return;
    if (!e->penalty)
        e->penalty = xcalloc(c->paths, sizeof *e->penalty);
    uint8_t *p = &e->penalty[ev & (c->paths - 1)];
    *p = (uint8_t)(*p + more[f] < PENALTY_MAX ? *p + more[f] : PENALTY_MAX);
}

/* ---- the FIFO of reps_legacy and mixed ---- */

static void good_add(struct entropy *e, uint16_t ev)
{
    if (e->good_count == e->good_room && e->is_lent)
        return;
    if (e->good_count == e->good_room) {
        uint32_t  room = e->good_room ? 2 * e->good_room : 64;
        uint16_t *good = xmalloc(room * sizeof *good);

        for (uint32_t i = 0; i < e->good_count; i++)
            good[i] = e->good[(e->good_first + i) & (e->good_room - 1)];
        free(e->good);
        e->good = good;
        e->good_first = 0;
        e->good_room = room;
    }
    e->good[(e->good_first + e->good_count++) & (e->good_room - 1)] = ev;
}

/* ---- reps ---- */

static void ring_learn(struct entropy *e, uint64_t now_ps, uint16_t ev, enum entropy_feedback f)
{
    if (f == ENTROPY_TIMEOUT && !e->is_frozen && e->explore == 0) {
        e->is_frozen = true;
        e->frozen_ps = now_ps + FREEZE_PS;
    }
    if (e->is_frozen && now_ps > e->frozen_ps) {
        memset(e->is_fresh, 0, sizeof e->is_fresh);
        e->head = e->count = e->fresh = e->frozen_at = 0;
        e->is_frozen = false;
        e->explore = EXPLORE;
    }
    if (f != ENTROPY_GOOD)
        return;
    e->fresh = (uint8_t)(e->fresh + !e->is_fresh[e->head]);
    e->ring[e->head] = ev;
    e->is_fresh[e->head] = true;
    e->head = (uint8_t)((e->head + 1) % ENTROPY_RING);
    e->count = (uint8_t)(e->count + (e->count < ENTROPY_RING));
}

static uint16_t ring_next(struct entropy *e, const struct entropy_cfg *c)
{
    if (e->explore > 0) {
        e->explore--;
        return (uint16_t)(draw(c) % c->paths);
    }
    if (e->count == 0 || (!e->is_frozen && e->fresh == 0))
        return (uint16_t)(draw(c) % c->paths);
    uint8_t at = e->is_frozen ? e->frozen_at : (uint8_t)((e->head + ENTROPY_RING - e->fresh) % ENTROPY_RING);
    if (e->is_frozen)
        e->frozen_at = (uint8_t)((at + 1) % e->count);
    if (!e->is_frozen || e->is_fresh[at])
        e->fresh--;
    e->is_fresh[at] = false;
    return e->ring[at];
}

/* ---- all algorithms ---- */

static uint16_t legacy_next(struct entropy *e, const struct entropy_cfg *c, uint64_t next, uint64_t window)
{
    if (next < (window < c->paths ? window : c->paths))
        e->last = (e->last + 1) % c->paths;
    else
        e->last = e->good_count ? entropy_take_good(e) : draw(c) % c->paths;
    return (uint16_t)e->last;
}

uint16_t entropy_next(struct entropy *e, const struct entropy_cfg *c, uint64_t next, uint64_t window)
{
    switch (c->kind) {
    case ENTROPY_REPS:        return ring_next(e, c);
    case ENTROPY_REPS_LEGACY: return legacy_next(e, c, next, window);
    case ENTROPY_MIXED:       return e->good_count ? entropy_take_good(e) : walk(e, c);
    default:                  return walk(e, c);
    }
}

void entropy_learn(struct entropy *e, const struct entropy_cfg *c, uint64_t now_ps, uint16_t ev,
                   enum entropy_feedback f)
{
    if (c->kind == ENTROPY_BITMAP || c->kind == ENTROPY_MIXED)
        penalise(e, c, ev, f);
    if (f == ENTROPY_GOOD && (c->kind == ENTROPY_MIXED || c->kind == ENTROPY_REPS_LEGACY))
        good_add(e, ev);
    if (c->kind == ENTROPY_REPS && (f != ENTROPY_TIMEOUT || c->freezes))
        ring_learn(e, now_ps, ev, f);
}
