/* src/base/thread/thinker.h - something that takes long, beside a loop that must not wait.
 *
 * A thread of its own, which may be below all else in priority, for one call at a time. What the call works with belongs to it until it is over.
 */
#ifndef BASE_THREAD_THINKER_H
#define BASE_THREAD_THINKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define THINKER_ALWAYS UINT64_MAX

struct thinker {
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  ended;
    void          (*call)(void *);
    void           *arg;
    int             nice;        /* beyond that of the process */
    bool            is_busy;     /* somebody has begun, and nobody has heard of the end */
    bool            is_over;
};

void thinker_init(struct thinker *, int nice);
void thinker_fini(struct thinker *);             /* waits */

/* Begins; it must not be busy. Where there is no thread to be had, it is done at once. */
void thinker_begin(struct thinker *, void (*call)(void *), void *arg);

/* Waits for so long at most; true: it is over, and no longer busy. */
bool thinker_end(struct thinker *, uint64_t patience_us);

#endif
