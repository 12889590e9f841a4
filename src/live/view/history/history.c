#include "live/view/history/history.h"
#include "base/minmax.h"
#include "base/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUEUE_MAX   8192         /* entries: two hours of points */
#define BYTES_MAX   (64u << 20)  /* of their texts */
#define WRITE_S     5
#define ANSWERS     8            /* that are kept */
#define STALE_MS    300000u      /* at most */
#define YOUNG_MS    1000u        /* at least, whatever is known */

struct answer { uint64_t span_ms, until_ms, asked_ms, made_ms, good_ms, used; bool is_wanted, is_new;
                char *text; };

struct history {
    struct store   *store;       /* the thread's */
    pthread_t       thread;
    pthread_mutex_t lock;        /* protects all fields below */
    pthread_cond_t  changed;
    struct store_entry *queue;   /* not written yet */
    uint32_t        queued, queue_max;
    size_t          bytes;
    uint64_t        added, written;      /* entries; written: done with */
    uint64_t        lost, asked;
    uint64_t        last_record;
    struct err      why;
    struct answer   answer[ANSWERS];
    bool            is_ending, is_hurried;
};

/* ---- adding ---- */

static void enqueue(struct history *h, struct store_entry e)
{
    pthread_mutex_lock(&h->lock);
    if (h->queued == QUEUE_MAX || h->bytes + e.length > BYTES_MAX) {
        h->lost++;
        err_write(&h->why, "the disk does not keep up");
        free(e.bytes);
    } else {
        h->queue = xgrow(h->queue, h->queued, &h->queue_max, 64, sizeof *h->queue);
        h->queue[h->queued++] = e;
        h->added++;
        h->bytes += e.length;
    }
    if (h->queued > QUEUE_MAX / 2)
        pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

void history_add_point(struct history *h, const struct store_point *p)
{
    enqueue(h, (struct store_entry){ STORE_POINT, *p, NULL, 0, 0 });
}

void history_add_knobs(struct history *h, uint64_t wall_ms, const char *set)
{
    enqueue(h, (struct store_entry){ STORE_KNOBS, { .wall_ms = wall_ms }, xstrdup(set), strlen(set), 0 });
}

void history_add_record(struct history *h, const char *line)
{
    enqueue(h, (struct store_entry){ STORE_RECORD, { 0 }, xstrdup(line), strlen(line), 0 });
}

void history_add_coverage(struct history *h, uint64_t wall_ms, uint32_t count,
                          const char (*name)[STORE_NAME_SIZE], const uint8_t *share)
{
    size_t names = (size_t)count * STORE_NAME_SIZE;

    if (!count)
        return;
    char *bytes = xmalloc(names + count);
    memcpy(bytes, name, names);
    memcpy(bytes + names, share, count);
    enqueue(h, (struct store_entry){ STORE_REPORTERS, { .wall_ms = wall_ms }, bytes, names + count, count });
}

/* ---- writing ---- */

/* Takes the queue and writes it without the lock. */
static void write_queue(struct history *h)
{
    uint32_t            count = h->queued;
    struct store_entry *e = h->queue;
    struct err          err = { "" };

    h->queue = NULL;
    h->queued = h->queue_max = 0;
    h->bytes = 0;
    pthread_mutex_unlock(&h->lock);
    int rc = count ? store_write(h->store, e, count, &err) : 0;
    for (uint32_t i = 0; i < count; i++)
        free(e[i].bytes);
    free(e);
    pthread_mutex_lock(&h->lock);
    h->written += count;
    if (rc) {
        h->lost += count;
        h->why = err;
    }
    pthread_cond_broadcast(&h->changed);
}

/* ---- answering ---- */

static struct answer *wanted_of(struct history *h)
{
    for (int i = 0; i < ANSWERS; i++)
        if (h->answer[i].is_wanted)
            return &h->answer[i];
    return NULL;
}

/* One step long; shorter at the start of a history, when an answer may still be empty. */
static uint64_t good_ms_of(const json_t *o, uint64_t now_ms)
{
    uint64_t step_ms = (uint64_t)json_integer_value(json_object_get(o, "step_ms"));
    uint64_t oldest_ms = (uint64_t)json_integer_value(json_object_get(o, "oldest_ms"));
    uint64_t known_ms = oldest_ms ? now_ms - min_u64(oldest_ms, now_ms) : 0;

    return min_u64(step_ms, min_u64(max_u64(known_ms / 10, YOUNG_MS), STALE_MS));
}

static void make_answer(struct history *h, struct answer *a)
{
    struct answer want = *a;

    pthread_mutex_unlock(&h->lock);
    json_t  *o = store_json(h->store, want.span_ms, want.until_ms ? want.until_ms : want.asked_ms);
    uint64_t good_ms = good_ms_of(o, want.asked_ms);
    char    *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(o);
    pthread_mutex_lock(&h->lock);
    /* its place was given away meanwhile */
    if (a->span_ms != want.span_ms || a->until_ms != want.until_ms) {
        free(text);
        return;
    }
    free(a->text);
    a->text = text ? text : xstrdup("{}");
    a->made_ms = want.asked_ms;
    a->good_ms = good_ms;
    a->is_wanted = false;
    a->is_new = true;
}

static struct answer *place_for(struct history *h, uint64_t span_ms, uint64_t until_ms)
{
    struct answer *oldest = &h->answer[0];

    for (int i = 0; i < ANSWERS; i++) {
        struct answer *a = &h->answer[i];

        if (a->span_ms == span_ms && a->until_ms == until_ms)
            return a;
        if (a->used < oldest->used)
            oldest = a;
    }
    free(oldest->text);
    *oldest = (struct answer){ .span_ms = span_ms, .until_ms = until_ms };
    return oldest;
}

char *history_ask(struct history *h, uint64_t span_ms, uint64_t until_ms, uint64_t now_ms)
{
    char *text = NULL;

    pthread_mutex_lock(&h->lock);
    struct answer *a = place_for(h, span_ms, until_ms);
    a->used = ++h->asked;
    /* Returned once whatever its age: on a slow disk it is never fresh, and the caller would wait forever. */
    if (a->text && (a->is_new || now_ms - a->made_ms <= a->good_ms)) {
        text = xstrdup(a->text);
        a->is_new = false;
    } else {
        a->asked_ms = now_ms;
        a->is_wanted = true;
        pthread_cond_broadcast(&h->changed);
    }
    pthread_mutex_unlock(&h->lock);
    return text;
}

/* ---- the thread ---- */

static void wait_a_while(struct history *h)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WRITE_S;
    while (!h->is_ending && !h->is_hurried && !wanted_of(h) && h->queued <= QUEUE_MAX / 2)
        if (pthread_cond_timedwait(&h->changed, &h->lock, &until))
            return;
}

/* A query sees all earlier entries. */
static void *keep(void *arg)
{
    struct history *h = arg;
    struct answer  *a;

    pthread_mutex_lock(&h->lock);
    for (bool is_last = false; !is_last;) {
        wait_a_while(h);
        is_last = h->is_ending;
        h->is_hurried = false;
        write_queue(h);
        while (!is_last && (a = wanted_of(h)))
            make_answer(h, a);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

int history_open(struct history **out, const char *path, struct err *err)
{
    struct history *h = xcalloc(1, sizeof *h);
    int             rc = store_open(&h->store, path, err);

    *out = NULL;
    if (rc) {
        free(h);
        return rc;
    }
    h->last_record = store_last_record(h->store);
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->changed, NULL);
    if (pthread_create(&h->thread, NULL, keep, h))
        die("no thread for the history");
    *out = h;
    return 0;
}

void history_free(struct history *h)
{
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    h->is_ending = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->thread, NULL);
    for (int i = 0; i < ANSWERS; i++)
        free(h->answer[i].text);
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->lock);
    store_free(h->store);
    free(h);
}

void history_flush(struct history *h)
{
    pthread_mutex_lock(&h->lock);
    for (uint64_t all = h->added; h->written < all;) {
        h->is_hurried = true;
        pthread_cond_broadcast(&h->changed);
        pthread_cond_wait(&h->changed, &h->lock);
    }
    pthread_mutex_unlock(&h->lock);
}

uint64_t history_lost(struct history *h, struct err *why)
{
    pthread_mutex_lock(&h->lock);
    uint64_t lost = h->lost;
    *why = h->why;
    pthread_mutex_unlock(&h->lock);
    return lost;
}

uint64_t history_last_record(const struct history *h)
{
    return h->last_record;
}

/* ---- addresses ---- */

static const struct { const char *name; uint64_t ms; } spans[] = {
    { "15m", 900000 }, { "1h", 3600000 }, { "6h", 21600000 }, { "24h", 86400000 }, { "7d", 604800000 },
    { "30d", 2592000000 }, { "90d", 7776000000 }, { "365d", 31536000000 },
};

bool history_read_span(const char *text, uint64_t *span_ms, uint64_t *until_ms)
{
    size_t     length = strcspn(text, "/");
    struct err ignored;

    *span_ms = *until_ms = 0;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        if (strlen(spans[i].name) == length && strncmp(spans[i].name, text, length) == 0)
            *span_ms = spans[i].ms;
    if (!*span_ms || !text[length])
        return *span_ms != 0;
    return text_to_uint(text + length + 1, until_ms, &ignored) == 0 && *until_ms && *until_ms < 1ull << 53;
}
