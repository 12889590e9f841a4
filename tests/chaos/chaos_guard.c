/* tests/chaos/chaos_guard.c - see chaos_guard.h. */
#include "chaos_guard.h"
#include "chaos_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_US 3000000u

/* ---- lines ---- */

static enum knob knob_of(const struct guard_line *line)
{
    return (enum knob)strtoul(line->path, NULL, 10);
}

static uint32_t prepare(struct guard_line line[GUARD_LINES_MAX], const struct knob_set *set,
                        const struct knob_set *back)
{
    uint32_t count = 0;

    for (int k = 0; k < KNOB_COUNT; k++) {
        if (!set->is_named[k])
            continue;
        struct guard_line *l = &line[count++];
        *l = (struct guard_line){ .target = GUARD_FILE };
        snprintf(l->path, sizeof l->path, "%d", k);
        snprintf(l->attempt, sizeof l->attempt, "%.17g", set->knobs.value[k]);
        snprintf(l->back, sizeof l->back, "%.17g", back->knobs.value[k]);
    }
    return count;
}

static uint64_t guard_now_us(void *arg)
{
    const struct proc *p = arg;

    return world_clock(p, p->world->now_us);
}

static int guard_read(void *arg, const struct guard_line *line, char text[GUARD_TEXT_SIZE])
{
    const struct proc   *p = arg;
    const struct device *d = &p->world->device[p->index];

    if (p->world->now_us < d->blind_until_us)
        return -EIO;
    snprintf(text, GUARD_TEXT_SIZE, "%.17g", d->is.knobs.value[knob_of(line)]);
    return 0;
}

static int guard_write(void *arg, const struct guard_line *line, const char *text)
{
    struct proc    *p = arg;
    struct knob_set set = { 0 };

    knob_set_add(&set, knob_of(line), strtod(text, NULL));
    return p->guard_put(p, &set);
}

/* ---- the process ---- */

static bool is_paused(const struct proc *p)
{
    return p->world->now_us < p->guard_paused_until_us;
}

static void set_timer(struct proc *p)
{
    struct world *w = p->world;
    uint64_t      clock_us = deadman_timer_us(&p->guard);

    p->guard_timer++;
    if (clock_us == GUARD_NEVER || !p->is_guarded || IS_MUTANT(w, no_deadman))
        return;
    uint64_t at_us = world_true(p, clock_us);
    at_us = at_us > w->now_us ? at_us : w->now_us + 1;
    at_us = at_us > p->guard_paused_until_us ? at_us : p->guard_paused_until_us;
    world_push(w, (struct event){ .at_us = at_us, .kind = EV_GUARD, .proc = (uint32_t)(p - w->proc),
                                  .life = p->guard_timer });
}

void chaos_guard_start(struct proc *p, int (*put)(struct proc *, const struct knob_set *))
{
    const struct deadman_io io = { guard_now_us, guard_read, guard_write, p };

    p->guard_put = put;
    p->is_guarded = p->guard_news = false;
    p->guard_paused_until_us = 0;
    deadman_init(&p->guard, &io, PATIENCE_US);
    p->is_guarded = p->may_be_guarded;
}

bool chaos_guard_is_able(const struct proc *p)
{
    return p->is_guarded && !is_paused(p);
}

bool chaos_guard_holds(const struct proc *p)
{
    return p->is_guarded && p->guard.count;
}

void chaos_guard_on_timer(struct world *w, const struct event *e)
{
    struct proc *p = &w->proc[e->proc];

    if (e->life != p->guard_timer || !p->is_guarded)
        return;
    if (!is_paused(p) && !p->is_alive)
        deadman_gone(&p->guard);
    if (!is_paused(p) && deadman_on_timer(&p->guard)) {
        p->guard_news = true;
        w->result->guarded++;
        world_loud(w, "the guard of device %u has reverted (%d)", p->index, (int)p->guard.why);
    }
    set_timer(p);
}

void chaos_guard_agent_died(struct proc *p)
{
    if (chaos_guard_is_able(p) && !IS_MUTANT(p->world, no_deadman)) {
        p->world->result->guarded += p->guard.count > 0;
        deadman_gone(&p->guard);
    }
    if (p->is_guarded)
        set_timer(p);
}

void chaos_guard_kill(struct proc *p)
{
    if (p->is_guarded)
        world_loud(p->world, "the guard of device %u is killed", p->index);
    p->is_guarded = false;
    p->guard_news = p->is_alive;
}

const char *chaos_guard_news(struct proc *p)
{
    bool is_news = p->guard_news;

    p->guard_news = false;
    return is_news ? "its guard has reverted, or has ended" : NULL;
}

/* ---- hooks ---- */

static int obstacle(const struct proc *p)
{
    return !p->is_guarded ? -EPIPE : is_paused(p) ? -EBUSY : 0;
}

static int attempt(void *arg, const struct knob_set *set, const struct knob_set *back, uint64_t until_us)
{
    static struct guard_line line[GUARD_LINES_MAX];
    struct proc             *p = arg;
    int                      rc = obstacle(p);

    if (rc)
        return rc;
    check_set(p->world, p->index, set);
    rc = deadman_try(&p->guard, line, prepare(line, set, back), until_us);
    set_timer(p);
    return rc;
}

int chaos_guard_back(struct proc *p, const struct knob_set *set)
{
    static struct guard_line line[GUARD_LINES_MAX];
    int                      rc = obstacle(p);

    if (rc)
        return rc;
    check_set(p->world, p->index, set);
    rc = deadman_back(&p->guard, line, prepare(line, set, set));
    set_timer(p);
    return rc;
}

static void keep(void *arg, uint64_t until_us)
{
    struct proc *p = arg;

    if (obstacle(p))
        return;
    deadman_keep(&p->guard, guard_now_us(p), until_us);
    set_timer(p);
}

static int drop(void *arg)
{
    struct proc *p = arg;
    int          rc = obstacle(p);

    rc = rc ? rc : deadman_drop(&p->guard);
    set_timer(p);
    return rc;
}

static const char *refuses(void *arg)
{
    return ((struct proc *)arg)->is_guarded ? NULL : "there is no guard";
}

static bool knows(void *arg, const struct knob_set *value)
{
    struct guard_line line[GUARD_LINES_MAX];
    struct proc      *p = arg;

    prepare(line, value, value);
    return !obstacle(p) && deadman_knows(&p->guard, line);
}

struct io_guard chaos_guard_io(struct proc *p)
{
    return p->may_be_guarded ? (struct io_guard){ attempt, keep, drop, refuses, knows, p } :
           (struct io_guard){ NULL };
}
