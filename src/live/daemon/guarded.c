#include "live/daemon/guarded.h"
#include "base/io/clock.h"
#include "core/units.h"
#include "live/core/live_clock.h"

#include <stdio.h>
#include <string.h>

bool guarded_is_possible(const struct driver *driver)
{
    return driver->prepare != NULL;
}

static void set_why(struct guarded *g, const char *why)
{
    if (strcmp(g->why, why) == 0)
        return;
    snprintf(g->why, sizeof g->why, "%s", why);
    g->has_changed = true;
    clock_log("%s: %s", g->name, *why ? g->why : "its guard runs");
}

/* On a busy machine a guard that starts may answer late: it is greeted again. */
static void greet(struct guarded *g)
{
    char why[sizeof g->why];
    int  rc = guard_link_greet(&g->link, g->lock_fd, g->patience_us);

    snprintf(why, sizeof why, "nothing is tried: its guard does not answer: %s", strerror(-rc));
    set_why(g, rc ? why : "");
    g->link.retry_us = clock_us() + 1000000;
}

void guarded_open(struct guarded *g)
{
    struct err err;
    char       why[sizeof g->why];

    if (!guard_link_open(&g->link, &err)) {
        greet(g);
        return;
    }
    snprintf(why, sizeof why, "nothing is tried without a guard: %.150s", err.text);
    set_why(g, why);
    g->link.retry_us = clock_us() + 1000000;
}

void guarded_close(struct guarded *g)
{
    guard_link_close(&g->link);
}

const char *guarded_look(struct guarded *g)
{
    bool was_there = g->link.fd >= 0, is_there = guard_link_hear(&g->link);
    enum guard_why news = g->link.news;

    g->link.news = GUARD_NO_WHY;
    if (was_there && !is_there)
        set_why(g, "nothing is tried without a guard: it has ended");
    if (!is_there && clock_us() >= g->link.retry_us)
        guarded_open(g);
    else if (is_there && *g->why && clock_us() >= g->link.retry_us)
        greet(g);
    return news ? guard_why_text(news) : was_there && !is_there ? "its guard has ended" : NULL;
}

uint64_t guarded_timer_us(const struct guarded *g)
{
    return g->link.fd >= 0 && !*g->why ? NEVER : g->link.retry_us;
}

/* ---- hooks ---- */

static int order(struct guarded *g, enum guard_order what, const struct knob_set *set,
                 const struct knob_set *back, uint64_t until_us)
{
    static struct guard_frame f;
    int rc;

    f = (struct guard_frame){ .until_us = until_us };
    rc = set ? g->driver->prepare(g->state, set, back, f.line, &f.count) : 0;
    rc = rc ? rc : guard_link_ask(&g->link, &f, what);
    bool is_write = what == GUARD_TRY || what == GUARD_BACK;
    return !rc && is_write && g->driver->settle ? g->driver->settle(g->state) : rc;
}

static int attempt(void *guarded, const struct knob_set *set, const struct knob_set *back, uint64_t until_us)
{
    return order(guarded, GUARD_TRY, set, back, until_us);
}

static void keep(void *guarded, uint64_t until_us)
{
    order(guarded, GUARD_KEEP, NULL, NULL, until_us);
}

static int drop(void *guarded)
{
    return order(guarded, GUARD_DROP, NULL, NULL, 0);
}

static const char *refuses(void *guarded)
{
    const struct guarded *g = guarded;

    return *g->why ? g->why : NULL;
}

static bool knows(void *guarded, const struct knob_set *value)
{
    return order(guarded, GUARD_ASK, value, value, 0) > 0;
}

struct io_guard guarded_io(struct guarded *g)
{
    return (struct io_guard){ attempt, keep, drop, refuses, knows, g };
}

/* Without a guard the agent reverts. But if the last one hangs in the device, so would the agent. */
int guarded_write(void *guarded, const struct knob_set *set)
{
    struct guarded *g = guarded;
    int rc = order(g, GUARD_BACK, set, set, 0);

    if (rc == -EPIPE) {
        guarded_look(g);
        rc = order(g, GUARD_BACK, set, set, 0);
    }
    if (rc == -EPIPE && guard_link_is_stuck(&g->link))
        rc = -EBUSY;
    return rc == -EPIPE ? g->driver->write(g->state, set) : rc;
}
