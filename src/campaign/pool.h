/* src/campaign/pool.h - many jobs, each in a process of its own, several at a time.
 *
 * A job that crashes takes nothing with it but itself. What a job has found it writes to a pipe; the parent
 * gets it whole, when the job has ended. SIGINT, SIGTERM and SIGHUP end the pool, and the processes with
 * it; should the parent be killed, they end too.
 */
#ifndef CAMPAIGN_POOL_H
#define CAMPAIGN_POOL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define POOL_WORKERS_MAX 512

struct pool_job {
    uint32_t number;
    uint32_t flags;              /* these two are for work(): the pool does not look at them */
    char     key[40];
};

enum pool_next { POOL_JOB, POOL_NONE, POOL_WAIT };

struct pool_hooks {
    void *arg;
    /* In the parent, when there is room for one more: the job to begin. POOL_NONE: there is none, and the
     * pool ends when those that run have ended and there is still none. POOL_WAIT: there is none before
     * something can be read from 'wake'. */
    enum pool_next (*next)(void *arg, struct pool_job *);
    /* In a process of its own: does the job; the exit status. */
    int (*work)(void *arg, const struct pool_job *, FILE *out);
    /* In the parent: 'status' as waitpid() gives it and all that the job has written, with a zero byte
     * behind it. Not 0: no more jobs are started, and those that run are ended. */
    int (*done)(void *arg, const struct pool_job *, int status, const char *text, size_t length);
    /* In the parent, several times a second, and after all that has come in at once was done(); not 0: as
     * there. May be NULL. */
    int (*tick)(void *arg, uint32_t running);
    int wake;                    /* a file descriptor, for POOL_WAIT */
    /* What a job may write; 0: as much as it likes. One that writes more is ended and has failed: done() gets a
     * status that says so, and the reason in place of what was written. */
    size_t text_max;
};

/* Does jobs until there are no more, 'workers' (1 .. POOL_WORKERS_MAX) at a time. Returns 0, the number of
 * the signal that has ended it, what done() has returned, or a negative errno if no process could be
 * started. */
int pool_run(const struct pool_hooks *, uint32_t workers);

/* While somebody waits for many things, signals are noticed rather than obeyed: SIGINT, SIGTERM and SIGHUP,
 * but for those that were ignored (nohup). They are blocked but while waiting with 'mask' (ppoll), so that
 * none gets lost between looking and waiting. */
struct signal_watch {
    sigset_t         mask;
    struct sigaction was[3];
};

void signal_watch_begin(struct signal_watch *);
int signal_watch_caught(void);                       /* 0, or its number */
void signal_watch_end(struct signal_watch *);        /* all is as it was before */

#endif
