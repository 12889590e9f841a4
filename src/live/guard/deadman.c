#include "live/guard/deadman.h"

#include <errno.h>
#include <string.h>

void deadman_init(struct deadman *d, const struct deadman_io *io, uint64_t patience_us)
{
    memset(d, 0, sizeof *d);
    d->io = *io;
    d->patience_us = patience_us;
    d->until_us = GUARD_NEVER;
}

static uint64_t now(const struct deadman *d)
{
    return d->io.now_us(d->io.arg);
}

/* ---- time ---- */

static void note_duration(struct deadman *d, uint64_t took_us, uint64_t now_us)
{
    if (took_us < d->slowest_us && now_us - d->slowest_at_us < DEADMAN_MEMORY_US)
        return;
    d->slowest_us = took_us;
    d->slowest_at_us = now_us;
}

/* The time that a write of all lines takes. */
static uint64_t slowest(const struct deadman *d, uint64_t now_us)
{
    bool is_known = d->slowest_us > DEADMAN_SLOW_US && now_us - d->slowest_at_us < DEADMAN_MEMORY_US;

    return is_known ? d->slowest_us : DEADMAN_SLOW_US;
}

/* When a trial must be taken back: at the end of its lease, or if the agent hangs. */
static uint64_t end_of(const struct deadman *d)
{
    uint64_t silent_us = d->beat_us + d->patience_us;

    return d->until_us < silent_us ? d->until_us : silent_us;
}

/* ---- lines ---- */

static struct deadman_held *find(struct deadman *d, const struct guard_line *line)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (d->held[i].line.target == line->target && strcmp(d->held[i].line.path, line->path) == 0)
            return &d->held[i];
    return NULL;
}

static uint32_t count_new(struct deadman *d, const struct guard_line *line, uint32_t count)
{
    uint32_t new = 0;

    for (uint32_t i = 0; i < count; i++)
        new += !find(d, &line[i]);
    return new;
}

static struct deadman_held *hold(struct deadman *d, const struct guard_line *line)
{
    struct deadman_held *h = find(d, line);

    if (!h)
        h = &d->held[d->count++];
    h->line = *line;
    h->is_sure = false;
    return h;
}

static void let_go(struct deadman *d, struct deadman_held *h)
{
    const struct deadman_held *last = &d->held[--d->count];

    if (h != last)
        *h = *last;
}

/* ---- reverting ---- */

/* Did someone else set this file since? */
static bool is_foreign(struct deadman *d, const struct deadman_held *h, bool *is_back)
{
    char text[GUARD_TEXT_SIZE] = "";

    *is_back = false;
    if (h->line.target != GUARD_FILE || !h->is_sure || d->io.read(d->io.arg, &h->line, text))
        return false;
    *is_back = strcmp(text, h->line.back) == 0;
    return !*is_back && strcmp(text, h->line.attempt) != 0 && strcmp(text, h->became) != 0;
}

/* A device may make something else of the old value, too: then it is not back. h: of the line, or NULL. */
static int write_back(struct deadman *d, struct deadman_held *h, const struct guard_line *line)
{
    char text[GUARD_TEXT_SIZE] = "";
    int  rc = d->io.write(d->io.arg, line, line->back);

    if (rc || line->target != GUARD_FILE || d->io.read(d->io.arg, line, text) ||
        strcmp(text, line->back) == 0)
        return rc == -EEXIST ? 0 : rc;
    if (h) {
        memcpy(h->became, text, sizeof h->became);
        h->is_sure = true;
    }
    return -EIO;
}

/* A file that is gone, with its device or driver, took its value with it. */
static int revert_line(struct deadman *d, struct deadman_held *h)
{
    bool is_back;
    int  rc = is_foreign(d, h, &is_back) || is_back ? 0 : write_back(d, h, &h->line);

    return h->line.target == GUARD_FILE && (rc == -ENOENT || rc == -ENODEV) ? 0 : rc;
}

/* Tries every line, also after one has failed. */
static bool revert(struct deadman *d, enum guard_why why)
{
    uint64_t began_us = now(d);

    if (!d->is_over)
        d->why = why;
    d->is_over = true;
    for (uint32_t i = d->count; i-- > 0;)
        if (!revert_line(d, &d->held[i]))
            let_go(d, &d->held[i]);
    uint64_t now_us = now(d);
    note_duration(d, now_us - began_us, now_us);
    d->retry_us = now_us + DEADMAN_RETRY_US;
    d->has_reverted |= !d->count;
    return !d->count;
}

/* ---- orders ---- */

static int try_line(struct deadman *d, const struct guard_line *line)
{
    struct deadman_held *h = hold(d, line);
    int                  rc = d->io.write(d->io.arg, line, line->attempt);

    if (line->target == GUARD_FILE)              /* also after a failure: it may have had an effect */
        h->is_sure = d->io.read(d->io.arg, line, h->became) == 0;
    return rc;
}

int deadman_try(struct deadman *d, const struct guard_line *line, uint32_t count, uint64_t until_us)
{
    uint64_t began_us = now(d), need_us = 2 * slowest(d, began_us) + DEADMAN_MARGIN_US;
    int      rc = 0;

    if (d->is_over && d->count)
        return -EBUSY;
    if (count_new(d, line, count) > GUARD_LINES_MAX - d->count)
        return -ENOSPC;
    if (until_us < began_us || until_us - began_us < need_us)
        return -ETIME;
    d->is_over = d->has_reverted = false;
    d->until_us = until_us;
    d->beat_us = began_us;
    for (uint32_t i = 0; i < count && !rc; i++)
        rc = now(d) + slowest(d, began_us) < until_us ? try_line(d, &line[i]) : -ETIME;
    uint64_t now_us = now(d);
    note_duration(d, now_us - began_us, now_us);
    if (rc != -ETIME && now_us < until_us)
        return rc;
    revert(d, GUARD_TOO_SLOW);
    return -ETIME;
}

int deadman_back(struct deadman *d, const struct guard_line *line, uint32_t count)
{
    uint64_t began_us = now(d);
    int      rc = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct deadman_held *h = find(d, &line[i]);

        if (!h && d->count < GUARD_LINES_MAX)
            h = hold(d, &line[i]);       /* if it fails, the agent may hang before it tries again */
        int failed = write_back(d, h, &line[i]);
        if (!failed && h)
            let_go(d, h);
        rc = rc ? rc : failed;
    }
    d->is_over |= d->count > 0;          /* what could not be written back is tried again */
    d->retry_us = began_us + DEADMAN_RETRY_US;
    uint64_t now_us = now(d);
    note_duration(d, now_us - began_us, now_us);
    return rc;
}

int deadman_drop(struct deadman *d)
{
    d->count = 0;
    return d->is_over ? -ESTALE : 0;
}

void deadman_keep(struct deadman *d, uint64_t beat_us, uint64_t until_us)
{
    if (!d->count || d->is_over)
        return;
    d->beat_us = beat_us > d->beat_us ? beat_us : d->beat_us;
    d->until_us = until_us;
}

bool deadman_knows(struct deadman *d, const struct guard_line *line)
{
    const struct deadman_held *h = find(d, line);

    return h && h->is_sure && strcmp(h->became, line->attempt) == 0;
}

void deadman_gone(struct deadman *d)
{
    if (d->count && !d->is_over)
        revert(d, GUARD_AGENT_GONE);
}

uint64_t deadman_timer_us(const struct deadman *d)
{
    return !d->count ? GUARD_NEVER : d->is_over ? d->retry_us : end_of(d);
}

bool deadman_on_timer(struct deadman *d)
{
    uint64_t now_us = now(d);

    if (!d->count || now_us < deadman_timer_us(d))
        return false;
    return revert(d, now_us >= d->until_us ? GUARD_LEASE_ENDED : GUARD_AGENT_SILENT);
}
