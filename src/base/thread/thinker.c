#include "base/thread/thinker.h"

#include <assert.h>
#include <errno.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

void thinker_init(struct thinker *t, int nice)
{
    pthread_condattr_t clock;

    *t = (struct thinker){ .nice = nice };
    pthread_mutex_init(&t->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&t->ended, &clock);
    pthread_condattr_destroy(&clock);
}

void thinker_fini(struct thinker *t)
{
    if (t->is_busy)
        thinker_end(t, THINKER_ALWAYS);
    pthread_cond_destroy(&t->ended);
    pthread_mutex_destroy(&t->lock);
}

static void *think(void *arg)
{
    struct thinker *t = arg;

    if (t->nice)                 /* of this thread alone, as Linux has it */
        setpriority(PRIO_PROCESS, (id_t)gettid(), getpriority(PRIO_PROCESS, 0) + t->nice);
    t->call(t->arg);
    pthread_mutex_lock(&t->lock);
    t->is_over = true;
    pthread_cond_signal(&t->ended);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

void thinker_begin(struct thinker *t, void (*call)(void *), void *arg)
{
    assert(!t->is_busy);
    t->call = call;
    t->arg = arg;
    t->is_over = false;
    t->is_busy = pthread_create(&t->thread, NULL, think, t) == 0;
    if (!t->is_busy)
        call(arg);
}

static struct timespec after_us(uint64_t us)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t ns = (uint64_t)t.tv_nsec + us % 1000000 * 1000;
    t.tv_sec += (time_t)(us / 1000000 + ns / 1000000000);
    t.tv_nsec = (long)(ns % 1000000000);
    return t;
}

bool thinker_end(struct thinker *t, uint64_t patience_us)
{
    struct timespec until = after_us(patience_us == THINKER_ALWAYS ? 0 : patience_us);
    int             rc = 0;

    if (!t->is_busy)
        return true;
    pthread_mutex_lock(&t->lock);
    while (!t->is_over && rc != ETIMEDOUT)
        rc = patience_us == THINKER_ALWAYS ? pthread_cond_wait(&t->ended, &t->lock)
            : pthread_cond_timedwait(&t->ended, &t->lock, &until);
    bool is_over = t->is_over;
    pthread_mutex_unlock(&t->lock);
    if (!is_over)
        return false;
    pthread_join(t->thread, NULL);
    t->is_busy = false;
    return true;
}
