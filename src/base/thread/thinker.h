/* src/base/thread/thinker.h - runs a long computation on another thread, next to a loop that must not wait.
 *
 * One call at a time, at a lower priority if desired. The call owns its data until it has ended.
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
    bool            is_busy;     /* a call was started, and thinker_end() has not returned true yet */
    bool            is_over;     /* the call has returned */
};

void thinker_init(struct thinker *, int nice);
void thinker_fini(struct thinker *);             /* waits */

/* Starts a call. The thinker must not be busy. If no thread can be created, runs the call immediately. */
void thinker_begin(struct thinker *, void (*call)(void *), void *arg);

/* Waits for the call, at most patience_us. Returns true if it has ended; the thinker is then free again. */
bool thinker_end(struct thinker *, uint64_t patience_us);

#endif
